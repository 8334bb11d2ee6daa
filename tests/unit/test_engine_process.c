/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulation as a process: what it reports, and what becomes of crashes, hangs and broken
 * inputs. */
#include "tests/support/bed.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "platforms/base/clock.h"
#include "platforms/base/process.h"
#include "sim/engine/child.h"
#include "sim/engine/wire.h"

static const char star_of_three[] =
    "groups: 1\nranks_per_group: 3\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";

static void open_star(struct bed *b) {
    bed_open(b, star_of_three, ORDER_SHIFT, 8, START_RENDEZVOUS);
    bed_uniform(b, "one_hop", 1e5);
}

/* Runs once with a time limit; the outcome must stay as it was. */
static enum rc run_limited(const struct bed *b, double timeout_s, struct err *e) {
    struct outcome o = {.time_s = -7};
    enum rc rc = sim_run(&b->call, &(struct costs){0}, 1,
                         &(struct sim_options){.timeout_s = timeout_s}, &o, e);
    if (rc == RC_OK)
        outcome_clear(&o);
    else
        assert_rel(o.time_s, -7, 0);
    return rc;
}

static void a_broken_engine_is_an_error_with_its_last_words(void **state) {
    (void)state;
    static const struct {
        const char *how;
        enum rc rc;
        double timeout_s;
        const char *part;
    } cases[] = {
        {"abort", RC_ENGINE, 0,
         "was ended by signal 6 (Aborted): asked to abort by MOESIM_ENGINE_CRASH"},
        {"exit", RC_ENGINE, 60, "ended with status 7: asked to exit by MOESIM_ENGINE_CRASH"},
        {"kill", RC_RESOURCE, 60, "was ended by signal 9 (Killed): asked to kill by MOESIM_ENGINE_CRASH"},
        {"exhaust", RC_RESOURCE, 60,
         "found no memory: asked to exhaust by MOESIM_ENGINE_CRASH moesim: out of memory"},
        {"spin", RC_TIMEOUT, 0.05, "s of CPU time"},
        {"hang", RC_TIMEOUT, 0.05, "s of wall time (limit 0.5 s, 10 times that of CPU time; it used 0"},
    };
    struct bed b;
    open_star(&b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        setenv("MOESIM_ENGINE_CRASH", cases[i].how, 1);
        enum rc rc = run_limited(&b, cases[i].timeout_s, &e);
        unsetenv("MOESIM_ENGINE_CRASH");
        assert_fails(rc, cases[i].rc, &e, cases[i].part);
    }
    struct err e;
    assert_ok(run_limited(&b, 60, &e), &e); // and the next one works
    bed_close(&b);
}

/* The first number of a message. */
static double number_in(const char *text) {
    return strtod(text + strcspn(text, "0123456789"), NULL);
}

/* Returns how many processes want each core, over the last minute; 0 where the system does not say. */
static double load_per_core(void) {
    double load = 0;
    FILE *f = fopen("/proc/loadavg", "rb");
    if (f && fscanf(f, "%lf", &load) != 1)
        load = 0;
    if (f)
        fclose(f);
    return load / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static enum rc run_so(const struct bed *b, const char *how, double limit_s, struct err *e) {
    setenv("MOESIM_ENGINE_CRASH", how, 1);
    enum rc rc = run_limited(b, limit_s, e);
    unsetenv("MOESIM_ENGINE_CRASH");
    return rc;
}

static void a_limit_is_of_cpu_time_and_ten_times_that_of_wall_time(void **state) {
    (void)state;
    struct bed b;
    struct err e;
    open_star(&b);
    bool by_cpu = false;
    for (int i = 0; i < 3 && !by_cpu; i++) {
        assert_int_equal(run_so(&b, "spin", 0.3, &e), RC_TIMEOUT);
        by_cpu = strstr(e.text, "s of CPU time (limit 0.3 s; ") != NULL;
    }
    if (by_cpu)
        assert_in_range((int)(number_in(e.text) * 1e3), 300, 600);
    else if (load_per_core() < 3) // with more, a process gets less than the tenth of a core that the limits stand for
        fail_msg("%s", e.text);
    double begin_s = clock_wall_s(), begin_cpu_s = clock_cpu_s();
    assert_int_equal(run_so(&b, "hang", 0.03, &e), RC_TIMEOUT);
    assert_in_range((int)(number_in(e.text) * 1e3), 300, 2000);
    assert_true(clock_wall_s() - begin_s >= 0.3);
    assert_true(clock_cpu_s() - begin_cpu_s < 0.1); // who waits does not work
    bed_close(&b);
}

/* Runs in the child: lasts twice the limit of the test below, and works hardly at all. */
static void wait_a_while(void *context, struct buf *report) {
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    buf_text(report, "slept");
}

static void time_in_which_a_child_does_not_run_is_not_counted(void **state) {
    (void)state;
    struct buf report = {0};
    struct err e;
    assert_ok(child_run(wait_a_while, NULL, 0.2, &report, &e), &e);
    assert_string_equal(report.text, "slept");
    buf_clear(&report);
}

static void errors_of_circumstance_are_told_from_those_of_the_question(void **state) {
    (void)state;
    static const struct {
        const char *how;
        bool circumstance;
    } cases[] = {{"abort", false}, {"exit", false}, {"kill", true}, {"exhaust", true}, {"spin", true}, {"hang", true}};
    struct bed b;
    struct err e;
    open_star(&b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rc_is_circumstance(run_so(&b, cases[i].how, 0.02, &e)), cases[i].circumstance);
    b.call.stages[0].bytes.value[1] = -1;
    assert_false(rc_is_circumstance(run_limited(&b, 0, &e)));
    assert_false(rc_is_circumstance(RC_OK));
    bed_close(&b);
}

/* Runs in the child: says how many descriptors it has. */
static void count_descriptors(void *context, struct buf *report) {
    (void)context;
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    buf_add(report, (const char *)&n, sizeof n);
}

static void a_child_holds_nothing_of_its_parent(void **state) {
    (void)state;
    int pipes[8][2], n;
    struct buf report = {0};
    struct err e;
    for (int i = 0; i < 8; i++) {
        assert_true(process_pipe(pipes[i]));
        assert_int_equal(fcntl(pipes[i][0], F_GETFD), FD_CLOEXEC);
        assert_int_equal(fcntl(pipes[i][1], F_GETFD), FD_CLOEXEC);
    }
    assert_ok(child_run(count_descriptors, NULL, 0, &report, &e), &e);
    assert_int_equal(report.n, sizeof n);
    memcpy(&n, report.text, sizeof n);
    assert_int_equal(n, 4); // the standard streams and the report
    buf_clear(&report);
    for (int i = 0; i < 8; i++)
        for (int end = 0; end < 2; end++)
            close(pipes[i][end]);
}

static void a_process_that_cannot_be_started_is_a_circumstance(void **state) {
    (void)state;
    struct rlimit old, none;
    struct buf report = {0};
    struct err e;
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &none);
    enum rc rc = child_run(count_descriptors, NULL, 0, &report, &e);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_fails(rc, RC_RESOURCE, &e, "cannot make a pipe: ");
    assert_null(report.text);
}

static void messages_that_never_arrive_are_named(void **state) {
    (void)state;
    // no reader lets a window below 1 through: with this one nothing is ever posted
    struct bed b;
    open_star(&b);
    b.how.window = -1;
    struct err e;
    assert_fails(run_limited(&b, 60, &e), RC_ENGINE, &e,
                 "6 of 6 messages never arrive: 0 -> 1 in one_hop, 0 -> 2 in one_hop, "
                 "1 -> 2 in one_hop, ..");
    bed_close(&b);
    const double two[9] = {[1 * 3 + 0] = 1, [2 * 3 + 0] = 1};
    bed_open(&b, star_of_three, ORDER_SHIFT, -1, START_ONE_SIDED);
    bed_stage(&b, "hop_a", two);
    assert_fails(run_limited(&b, 60, &e), RC_ENGINE, &e,
                 "2 of 2 messages never arrive: 1 -> 0 in hop_a, 2 -> 0 in hop_a");
    assert_null(strstr(e.text, ".."));
    bed_close(&b);
}

static void inputs_that_simgrid_would_abort_on_are_refused(void **state) {
    (void)state;
    struct bed b;
    open_star(&b);
    struct err e;
    double *bytes = &b.call.stages[0].bytes.value[1],
           *capacity = &b.topology->links[0].capacity_Bps;
    *bytes = NAN;
    assert_fails(run_limited(&b, 0, &e), RC_RANGE, &e, "one_hop: nan bytes is not a size");
    *bytes = -1;
    assert_fails(run_limited(&b, 0, &e), RC_RANGE, &e, "one_hop: -1 bytes is not a size");
    *bytes = 1e-9;
    b.call.stages[0].bytes.value[2] = 10e9;
    assert_fails(run_limited(&b, 0, &e), RC_RANGE, &e,
                 "messages from 1e-09 B to 10 GB are too far apart to be simulated together");
    *bytes = 1;
    *capacity = INFINITY;
    assert_fails(run_limited(&b, 0, &e), RC_RANGE, &e,
                 "link fast-out-0: capacity inf is not a rate");
    *capacity = 0;
    assert_fails(run_limited(&b, 0, &e), RC_RANGE, &e, "link fast-out-0: capacity 0 is not a rate");
    *capacity = 1e9;
    struct outcome o;
    struct costs costs = {.name = "odd", .alpha_s = {NAN}};
    assert_fails(sim_run(&b.call, &costs, 1, &(struct sim_options){0}, &o, &e), RC_RANGE, &e,
                 "fixed costs 'odd' are not times");
    bed_close(&b);
}

static void a_run_repeats_bit_by_bit(void **state) {
    (void)state;
    // uneven sizes on two tiers and a shared uplink, so that many flows share rates
    enum { RANKS = 16 };
    double bytes[RANKS * RANKS];
    for (int i = 0; i < RANKS * RANKS; i++)
        bytes[i] = 1e5 + 1e3 * ((i * 7919) % 257);
    struct bed b;
    bed_open(&b,
             "groups: 4\nranks_per_group: 4\nfast: {bandwidth: 450GBps, x_half: 54KiB}\n"
             "slow: {bandwidth: 50GBps, x_half: 54KiB, oversubscription: 2}\n",
             ORDER_GROUP_SHIFT, 4, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    struct outcome first = bed_run(&b, &(struct costs){0}),
                   second = bed_run(&b, &(struct costs){0});
    assert_memory_equal(&first.time_s, &second.time_s, sizeof first.time_s);
    assert_memory_equal(first.recv_end_s, second.recv_end_s, RANKS * sizeof(double));
    assert_memory_equal(first.send_end_s, second.send_end_s, RANKS * sizeof(double));
    assert_memory_equal(first.link_bytes, second.link_bytes,
                        (size_t)b.topology->n_links * sizeof(double));
    assert_int_equal(first.events, second.events);
    outcome_clear(&first);
    outcome_clear(&second);
    bed_close(&b);
}

static void the_simulation_prints_nothing(void **state) {
    (void)state;
    char path[] = "/tmp/moesim-out-XXXXXX";
    int file = mkstemp(path), out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
    assert_true(file >= 0 && out >= 0 && errors >= 0);
    struct bed b;
    open_star(&b);
    struct err e;
    printf("once\n"); // buffered, and must not be written again by the child
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    setenv("MOESIM_ENGINE_CRASH", "abort", 1); // prints a line
    enum rc rc = run_limited(&b, 60, &e);
    unsetenv("MOESIM_ENGINE_CRASH");
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    off_t size = lseek(file, 0, SEEK_END);
    close(out);
    close(errors);
    close(file);
    unlink(path);
    assert_int_equal(rc, RC_ENGINE);
    assert_true(size <= 5); // the line above at most
    bed_close(&b);
}

static void reports_are_checked(void **state) {
    (void)state;
    struct bed b;
    open_star(&b);
    struct plan plan;
    struct play sent, got;
    plan_init(&plan, &b.call);
    plan.link_bins = 3;
    play_init(&sent, &plan);
    play_init(&got, &plan);
    sent.ready_s[1] = 3;
    sent.received_s[5] = 0.5;
    sent.link_bytes[0] = 12;
    sent.link_bins[4] = 7;
    sent.flows = 6;
    memcpy(sent.paths[END_ENTRY], "rank 1", 7);
    struct buf report = {0};
    struct err e;
    wire_encode(&plan, RC_OK, NULL, &sent, 1, &report);
    assert_ok(wire_decode(&plan, report.text, report.n, &got, 1, &e), &e);
    assert_rel(got.ready_s[1], 3, 0);
    assert_rel(got.received_s[5], 0.5, 0);
    assert_rel(got.link_bytes[0], 12, 0);
    assert_rel(got.link_bins[4], 7, 0);
    assert_int_equal(got.flows, 6);
    assert_string_equal(got.paths[END_ENTRY], "rank 1");
    for (size_t n = 0; n < report.n; n++)
        assert_int_equal(wire_decode(&plan, report.text, n, &got, 1, &e), RC_ENGINE);
    assert_fails(wire_decode(&plan, report.text, 3, &got, 1, &e), RC_ENGINE, &e,
                 "the simulation process left no report (3 bytes)");
    assert_fails(wire_decode(&plan, report.text, report.n - 1, &got, 1, &e), RC_ENGINE, &e,
                 "expected more");
    buf_add(&report, "x", 1);
    assert_fails(wire_decode(&plan, report.text, report.n, &got, 1, &e), RC_ENGINE, &e,
                 "expected fewer");
    report.text[0] = 'x';
    assert_fails(wire_decode(&plan, report.text, report.n, &got, 1, &e), RC_ENGINE, &e,
                 "no report");
    buf_clear(&report);
    struct err sad = {.code = RC_RANGE, .text = "too far apart"};
    wire_encode(&plan, RC_RANGE, &sad, NULL, 1, &report);
    assert_fails(wire_decode(&plan, report.text, report.n, &got, 1, &e), RC_RANGE, &e,
                 "too far apart");
    buf_clear(&report);
    play_clear(&sent);
    play_clear(&got);
    plan_clear(&plan);
    bed_close(&b);
}

static void the_version_is_that_of_the_library(void **state) {
    (void)state;
    int major, minor, patch, used = 0;
    assert_int_equal(sscanf(sim_version(), "%d.%d.%d%n", &major, &minor, &patch, &used), 3);
    assert_int_equal(used, (int)strlen(sim_version()));
    assert_true(major > 3 || minor >= 32);
}

/* By the number of flows: a path of a piece each, and one for a message's cost. */
static void auto_is_simgrid_up_to_a_number_of_flows(void **state) {
    (void)state;
    assert_int_equal(sim_engine_for(0), SIM_ENGINE_SIMGRID);
    assert_int_equal(sim_engine_for(SIM_SIMGRID_FLOWS), SIM_ENGINE_SIMGRID);
    assert_int_equal(sim_engine_for(SIM_SIMGRID_FLOWS + 1), SIM_ENGINE_FLUID);
    static const char costly[] = "groups: 1\nranks_per_group: 66\nfast: {bandwidth: 100GBps, message_cost: 1us}\n"
                                 "slow: {bandwidth: 50GBps}\n";
    struct bed b;
    bed_open(&b, costly, ORDER_SHIFT, 8, START_RENDEZVOUS);
    bed_uniform(&b, "one_hop", 1e5);
    assert_rel(sim_flows(&b.call), 66 * 65 * 2, 0);
    b.call.chunks = 3;
    assert_rel(sim_flows(&b.call), 66 * 65 * 6, 0);
    b.call.chunks = 1;
    struct outcome o = bed_run_with(&b, &(struct costs){0}, SIM_ENGINE_AUTO);
    assert_string_equal(o.engine, "fluid");
    assert_true(o.flows == 66 * 65 * 2 && o.levels > 0);
    outcome_clear(&o);
    bed_close(&b);
    open_star(&b);
    o = bed_run_with(&b, &(struct costs){0}, SIM_ENGINE_AUTO);
    assert_string_equal(o.engine, "simgrid");
    assert_true(o.flows == 6 && o.levels == 0);
    outcome_clear(&o);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_engine_is_an_error_with_its_last_words),
        cmocka_unit_test(a_limit_is_of_cpu_time_and_ten_times_that_of_wall_time),
        cmocka_unit_test(time_in_which_a_child_does_not_run_is_not_counted),
        cmocka_unit_test(errors_of_circumstance_are_told_from_those_of_the_question),
        cmocka_unit_test(a_child_holds_nothing_of_its_parent),
        cmocka_unit_test(a_process_that_cannot_be_started_is_a_circumstance),
        cmocka_unit_test(auto_is_simgrid_up_to_a_number_of_flows),
        cmocka_unit_test(messages_that_never_arrive_are_named),
        cmocka_unit_test(inputs_that_simgrid_would_abort_on_are_refused),
        cmocka_unit_test(a_run_repeats_bit_by_bit),
        cmocka_unit_test(the_simulation_prints_nothing),
        cmocka_unit_test(reports_are_checked),
        cmocka_unit_test(the_version_is_that_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
