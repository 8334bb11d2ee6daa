/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said before a run, against what the run says: flows exactly, memory within a factor of 2; which engine. */
#include "tests/support/program.h"

#include "sim/study/estimate.h"
#include "sim/study/study.h"

#define SHAPE "--platform synthetic --workload terrace-reference --set workload.tokens_per_rank=256 " \
              "--set workload.routing.mode=global_topk --set workload.group_limit=none "
#define SKEWED SHAPE "--set workload.routing.rho_max=1.5 --set workload.routing.pair_sigma=1 "

static struct yaml_doc *json_of(const char *command) {
    struct yaml_doc *d;
    struct buf out = {0};
    struct err e;
    char *arguments = mem_printf("%s --format json", command);
    if (program_text(arguments, &out) != 0)
        fail_msg("%s", command);
    assert_ok(yaml_parse(out.text, out.n, "stdout", &d, &e), &e);
    buf_clear(&out);
    free(arguments);
    return d;
}

static double number(const char *command, const char *key) {
    struct yaml_doc *d = json_of(command);
    double value = program_number(d, key);
    yaml_doc_free(d);
    return value;
}

static void flows_are_exact_and_memory_is_within_a_factor_of_2(void **state) {
    (void)state;
    static const char *const all[] = {
        "simulate", "compare --phase both", "simulate " SHAPE "--set platform.groups=4",
        "simulate " SHAPE "--set platform.groups=16 --window all", "simulate --strategy two-hop-pipelined --chunks 4",
        "simulate " SKEWED "--set platform.groups=16 --set workload.experts=1024 --window 8 --engine fluid",
        "simulate " SKEWED "--set platform.groups=4 --set workload.experts=256 --window 8 --engine simgrid",
        "simulate --platform synthetic-racks --strategy gather-first --strategy two-hop"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *run = mem_printf("%s", all[i]), *dry = mem_printf("%s --dry-run", all[i]);
        double flows = number(run, "engine.flows"), bytes = number(run, "engine.peak_rss_bytes");
        double said = number(dry, "flows"), said_bytes = number(dry, "peak_rss_bytes");
        if (said != flows || said_bytes > 2 * bytes || said_bytes < bytes / 2)
            fail_msg("%s: %g flows and %g bytes said, %g and %g found", all[i], said, said_bytes, flows, bytes);
        free(run);
        free(dry);
    }
}

static void too_little_memory_is_refused_in_words(void **state) {
    (void)state;
    struct estimate x = {.engine = SIM_ENGINE_FLUID, .largest_flows = 1e6, .by[SIM_ENGINE_FLUID] = {.run_bytes = 5e8}};
    struct err e = {.text = ""};
    assert_int_equal(estimate_check(&x, 5e8, &e), RC_OK);
    assert_int_equal(estimate_check(&x, 4e8, &e), RC_RESOURCE);
    assert_non_null(strstr(e.text, "--engine bound"));
    x.engine = SIM_ENGINE_BOUND;
    assert_int_equal(estimate_check(&x, 1, &e), RC_OK);
}

/* A limit of the shell is known before the start, and reaches the user as one line. */
static void a_limit_of_the_shell_is_refused_in_one_line(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); // which itself takes terabytes of address space
#endif
    struct buf out = {0};
    char *command = mem_printf("ulimit -v 150000; %s simulate " SHAPE "--set platform.groups=64 --set "
                               "workload.experts=4096 --window all --engine simgrid --strategy one-hop 2>&1",
                               MOESIM_BINARY);
    assert_int_equal(program_shell(command, &out), 4);
    buf_text(&out, "");
    assert_ptr_equal(strchr(out.text, '\n'), out.text + out.n - 1); // one line
    assert_non_null(strstr(out.text, "of memory beside what is loaded, and "));
    assert_non_null(strstr(out.text, "ask for --engine bound"));
    buf_clear(&out);
    free(command);
}

/* The evidence of a gate that was tried and has failed takes the engine away. */
static void a_failed_agreement_withdraws_fluid(void **state) {
    (void)state;
    struct gate gate = {.id = "engine-agreement", .kind = GATE_VERIFICATION};
    const struct gate_result failed = {.gate = &gate, .state = GATE_FAILED};
    struct study s = {.licences = licences_decide(&failed, 1)};
    struct question q;
    struct estimate x;
    struct err e;
    question_init(&q);
    assert_ok(study_estimate(&s, &q, &x, &e), &e);
    assert_true(x.largest_flows > SIM_SIMGRID_FLOWS);
    assert_int_equal(x.engine, SIM_ENGINE_SIMGRID);
    q.engine = SIM_ENGINE_FLUID;
    assert_int_equal(study_estimate(&s, &q, &x, &e), RC_WITHDRAWN);
    licences_free(s.licences);
    s.licences = licences_decide(NULL, 0); // not tried
    assert_ok(study_estimate(&s, &q, &x, &e), &e);
    q.engine = SIM_ENGINE_AUTO;
    assert_ok(study_estimate(&s, &q, &x, &e), &e);
    assert_int_equal(x.engine, SIM_ENGINE_FLUID);
    licences_free(s.licences);
    question_clear(&q);
}

/* Of the two calls one alone would be played on `fluid`, the other on SimGrid: both are played on the same engine. */
static void auto_decides_once_for_all_calls(void **state) {
    (void)state;
    static const char asked[] = "simulate " SHAPE "--set platform.groups=8 --set platform.fast.x_half=0B "
                                "--set platform.slow.x_half=0B --phase dispatch";
    static const char *const strategies[] = {"one-hop", "two-hop"};
    double flows[2];
    for (int i = 0; i < 2; i++) {
        char *dry = mem_printf("%s --strategy %s --dry-run", asked, strategies[i]);
        flows[i] = number(dry, "largest_run_flows");
        free(dry);
    }
    assert_true(flows[0] > SIM_SIMGRID_FLOWS && flows[1] > 0 && flows[1] < SIM_SIMGRID_FLOWS);
    struct yaml_doc *d = json_of(asked);
    assert_string_equal(program_at(d, "calls.0.strategy")->text, "one-hop");
    assert_string_equal(program_at(d, "calls.1.strategy")->text, "two-hop");
    assert_string_equal(program_at(d, "calls.0.engine")->text, "fluid");
    assert_string_equal(program_at(d, "calls.1.engine")->text, "fluid");
    assert_string_equal(program_at(d, "engine.name")->text, "fluid");
    yaml_doc_free(d);
}

static void a_bound_is_no_time(void **state) {
    (void)state;
    struct yaml_doc *b = json_of("compare --engine bound");
    struct yaml_doc *s = json_of("compare");
    assert_string_equal(program_at(b, "engine.name")->text, "bound");
    static const char *const null[] = {"time_s", "wire_s", "slack", "simulated_wire_s", "relative_error"};
    for (size_t i = 0; i < sizeof null / sizeof *null; i++) {
        char *key = mem_printf("calls.0.%s", null[i]);
        program_is_null(b, key);
        free(key);
    }
    assert_true(program_number(b, "calls.0.wire_bound_s") == program_number(s, "calls.0.wire_bound_s"));
    assert_non_null(strstr(program_at(b, "calls.0.withdrawn.wire_s")->text, "nothing was simulated"));
    yaml_doc_free(b);
    yaml_doc_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flows_are_exact_and_memory_is_within_a_factor_of_2),
                                       cmocka_unit_test(too_little_memory_is_refused_in_words),
                                       cmocka_unit_test(a_limit_of_the_shell_is_refused_in_one_line),
                                       cmocka_unit_test(a_failed_agreement_withdraws_fluid),
                                       cmocka_unit_test(auto_decides_once_for_all_calls),
                                       cmocka_unit_test(a_bound_is_no_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
