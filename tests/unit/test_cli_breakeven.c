/* SPDX-License-Identifier: BSD-3-Clause */
/* breakeven from outside: keys of the contract, and the plots that the documentation shows. */
#include "tests/support/program.h"

#define REFERENCE "breakeven --platform synthetic --workload terrace-reference --format json "

static double ratio_of(const struct yaml_doc *d, int entry, const char *chain) {
    char path[64];
    snprintf(path, sizeof path, "effective.%d.chain", entry);
    assert_string_equal(program_at(d, path)->text, chain);
    snprintf(path, sizeof path, "effective.%d.ratio", entry);
    return program_number(d, path);
}

static void keys_of_the_contract(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run(REFERENCE, &d), 0);
    assert_string_equal(program_at(d, "schema")->text, "moesim/breakeven/1");
    assert_string_equal(program_at(d, "by")->text, "analytic");
    assert_string_equal(program_at(d, "conditional")->text, "false");
    assert_rel(program_number(d, "byte_only"), 1.3125, 1e-12);
    assert_rel(program_number(d, "base_Bps"), 100e9, 0);
    assert_rel(program_number(d, "geometry.quota"), 3, 0);
    assert_near(ratio_of(d, 0, "v1"), 3.98, 0.005);
    assert_near(ratio_of(d, 1, "measured"), 2.49, 0.005);
    assert_near(ratio_of(d, 2, "fused"), 1.49, 0.005);
    assert_near(ratio_of(d, 3, "none"), 1.10, 0.005);
    assert_near(program_number(d, "effective.0.ratio_time_held"), 4.25, 0.005);
    assert_true(program_number(d, "effective.0.spread.p5") < ratio_of(d, 0, "v1"));
    assert_true(program_number(d, "effective.0.spread.p95") > ratio_of(d, 0, "v1"));
    assert_string_equal(program_at(d, "uncertainty.constants.0.name")->text,
                        "fast.x_half, slow.x_half");
    assert_string_equal(program_at(d, "checklist.cleared")->text, "true");
    yaml_doc_free(d);
    // four experts a rank: 1.19 of the paper's 1.67 / 1.19 / 0.82 / 0.70
    assert_int_equal(program_run(REFERENCE "--set workload.experts=512", &d), 0);
    assert_near(program_number(d, "byte_only_dedup"), 1.19, 0.005);
    yaml_doc_free(d);
}

static void what_does_not_exist_is_null_with_a_reason(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(
        program_run(REFERENCE "--set platform.fast.bandwidth=100GBps --host-exposure 1s", &d), 0);
    program_is_null(d, "effective.0.ratio");
    assert_non_null(
        strstr(program_at(d, "effective.0.withdrawn.ratio")->text, "range: two hops lose"));
    yaml_doc_free(d);
    assert_int_equal(
        program_run(REFERENCE "--set workload.tokens_per_rank=1 --set platform.chain=none", &d), 0);
    program_is_null(d, "effective.3.ratio");
    assert_non_null(strstr(program_at(d, "effective.3.withdrawn.ratio")->text, "already"));
    yaml_doc_free(d);
    assert_int_equal(program_run("breakeven --implementation nccl-p2p --format json", &d), 0); // no alpha: a band
    program_is_null(d, "effective.3.ratio");
    assert_non_null(strstr(program_at(d, "effective.3.withdrawn.ratio")->text, "coverage: "));
    assert_true(program_number(d, "effective.3.ratio_band.0") <
                program_number(d, "effective.3.ratio_band.1"));
    yaml_doc_free(d);
    assert_int_equal(program_run(REFERENCE "--set workload.group_limit=6", &d), 0);
    program_is_null(d, "byte_only"); // one expert a group
    yaml_doc_free(d);
}

/* Window 8 and 16 x 8 ranks are not the closed form's world: [F4] charges the fast share of a one
 * hop to the slow tier, so two hops need a higher ratio in the simulation. On one rank a group's
 * traffic both agree. */
/* 14 ranks of 3 groups: no formula has such a shape; what is left counts the ranks that there are. */
static void groups_that_differ_have_no_formula(void **state) {
    (void)state;
    struct yaml_doc *d, *even;
    struct buf out = {0};
#define DIFFER_SET "--set platform.groups=3 --set platform.ranks_per_group=8 --set 'platform.group_sizes=8 4 2' " \
                   "--set workload.experts=42 --set workload.routing.mode=global_topk --set workload.group_limit=none "
    assert_int_equal(program_run(REFERENCE DIFFER_SET, &d), 0);
    program_is_null(d, "byte_only");
    program_is_null(d, "byte_only_dedup");
    const char *why = "geometry: the fast domains are not uniform: groups differ in size";
    assert_string_equal(program_at(d, "withdrawn.byte_only")->text, why);
    assert_string_equal(program_at(d, "effective.0.withdrawn.ratio")->text, why);
    assert_int_equal(program_run(REFERENCE "--set platform.groups=2 --set platform.ranks_per_group=7 "
                                           "--set workload.experts=42", &even), 0);
    assert_string_equal(program_at(d, "skew.rho_max.0.exchange")->text, "one_hop");
    assert_rel(program_number(d, "skew.rho_max.0.formula"), program_number(even, "skew.rho_max.0.formula"), 0);
    yaml_doc_free(d);
    yaml_doc_free(even);
    assert_int_equal(program_text("breakeven --platform synthetic-racks --draws 4", &out), 0);
    assert_non_null(strstr(out.text, "synthetic-racks: 4 racks x 4 groups x 4 ranks, fast 400 GB/s"));
    buf_clear(&out);
}

static void simulated_ratio_equals_one_of_gain_one(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run(REFERENCE "--by simulated", &d), 0);
    assert_string_equal(program_at(d, "by")->text, "simulated");
    double ratio = ratio_of(d, 0, "measured");
    assert_true(program_number(d, "effective.0.evaluations") < 20);
    yaml_doc_free(d);
    char command[200];
    snprintf(command, sizeof command,
             "simulate --platform synthetic --workload terrace-reference --format json "
             "--set platform.ratio=%.6f",
             ratio);
    assert_int_equal(program_run(command, &d), 0);
    assert_near(program_number(d, "gain.dispatch"), 1, 1e-3);
    yaml_doc_free(d);
}

/* On all cores, and on the first of those that this test may use. Numbers of threads: test_scenarios.c. */
static void same_answer_whatever_the_cores(void **state) {
    (void)state;
    struct buf a = {0}, b = {0}, cores = {0};
    const char *one = "taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')";
    char *count = mem_printf("%s nproc", one);
    assert_int_equal(program_shell(count, &cores), 0);
    assert_string_equal(cores.text, "1\n");
    char *on_one = mem_printf("%s %s " REFERENCE "--draws 1000 --seed 9", one, MOESIM_BINARY);
    assert_int_equal(program_shell(on_one, &a), 0);
    assert_int_equal(program_text(REFERENCE "--draws 1000 --seed 9", &b), 0);
    assert_string_equal(a.text, b.text);
    free(on_one);
    free(count);
    buf_clear(&a);
    buf_clear(&b);
    buf_clear(&cores);
}

static void spreads_fit_together_and_hang_on_the_seed(void **state) {
    (void)state;
    struct yaml_doc *d, *other;
    assert_int_equal(program_run(REFERENCE "--draws 1000 --seed 9", &d), 0);
    assert_int_equal(program_run(REFERENCE "--draws 1000 --seed 10", &other), 0);
    assert_rel(program_number(d, "uncertainty.seed"), 9, 0);
    // the median of a quotient is near that of the medians
    assert_rel(program_number(d, "uncertainty.one_hop_s.p50") / program_number(d, "uncertainty.two_hop_s.p50"),
               program_number(d, "uncertainty.gain.p50"), 0.002);
    static const char *const names[] = {"one_hop_s", "two_hop_s", "gain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double p[3];
        static const char *const quantiles[] = {"p5", "p50", "p95"};
        for (int k = 0; k < 3; k++) {
            char path[60];
            snprintf(path, sizeof path, "uncertainty.%s.%s", names[i], quantiles[k]);
            p[k] = program_number(d, path);
            assert_rel(program_number(other, path), p[k], 0.01); // the same spread
        }
        assert_true(p[0] < p[1] && p[1] < p[2]);
    }
    assert_string_not_equal(program_at(d, "uncertainty.gain.p5")->text,
                            program_at(other, "uncertainty.gain.p5")->text);
    assert_string_not_equal(program_at(d, "effective.0.spread.p5")->text,
                            program_at(other, "effective.0.spread.p5")->text);
    yaml_doc_free(d);
    yaml_doc_free(other);
}

/* NICs, one a rank and as fast as its port, bind nowhere, at no ratio of the search. */
static void rates_of_the_slow_fabric_follow_the_ratio(void **state) {
    (void)state;
    static const char *const nics[] = {"", "--set platform.slow.nics=4 --set platform.slow.nic_bandwidth=12.5GBps"};
    double ratio[2];
    for (int i = 0; i < 2; i++) {
        char command[300];
        struct yaml_doc *d;
        snprintf(command, sizeof command,
                 REFERENCE "--by simulated --set platform.groups=4 --set platform.ranks_per_group=4 %s", nics[i]);
        assert_int_equal(program_run(command, &d), 0);
        ratio[i] = ratio_of(d, 0, "measured");
        yaml_doc_free(d);
    }
    assert_near(ratio[0], 3.698, 0.005);
    assert_rel(ratio[1], ratio[0], 1e-9);
}

/* compare: the causes lead from the analytic to the simulated time; the straggler is named. */
static void causes_add_up(void **state) {
    (void)state;
    static const char *const commands[] = {
        "compare --implementation nccl-p2p --format json",
        "compare --platform terrace-a --workload terrace-reference --format json"};
    for (int i = 0; i < 4; i++) {
        struct yaml_doc *d;
        char path[80];
        double sum_s = 0, ends_s[2];
        assert_int_equal(program_run(commands[i / 2], &d), 0);
        snprintf(path, sizeof path, "calls.%d.causes", i % 2);
        size_t n = program_at(d, path)->n;
        assert_true(n >= 4);
        for (size_t k = 0; k < n; k++) {
            snprintf(path, sizeof path, "calls.%d.causes.%zu.seconds", i % 2, k);
            sum_s += program_number(d, path);
        }
        static const char *const ends[2][2] = {{"analytic_wire_s", "simulated_wire_s"},
                                               {"analytic_s", "simulated_s"}};
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "calls.%d.%s", i % 2, ends[i / 2][k]);
            ends_s[k] = program_number(d, path);
        }
        assert_near(sum_s, ends_s[1] - ends_s[0], 1e-12);
        snprintf(path, sizeof path, "calls.%d.straggler.bound_s", i % 2);
        double straggler_s = program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.bound_s", i % 2);
        assert_true(straggler_s <= program_number(d, path) * (1 + 1e-12));
        yaml_doc_free(d);
    }
}

/* model/plots/ holds what the program draws. */
static void plots_are_the_programs(void **state) {
    (void)state;
    static const struct {
        const char *file, *arguments;
    } plots[] = {{"reference.svg", "--platform synthetic --workload terrace-reference"},
                 {"small_batches.svg", "--platform synthetic --workload terrace-reference "
                                       "--set workload.tokens_per_rank=512"}};
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
        char command[300], path[300];
        char *drawn, *kept;
        size_t n;
        struct err e;
        struct buf out = {0};
        snprintf(command, sizeof command, "breakeven %s -o /tmp/moesim-plot-%ld.svg",
                 plots[i].arguments, (long)getpid());
        assert_int_equal(program_text(command, &out), 0);
        buf_clear(&out);
        snprintf(path, sizeof path, "/tmp/moesim-plot-%ld.svg", (long)getpid());
        assert_ok(file_read(path, 1 << 20, &drawn, &n, &e), &e);
        unlink(path);
        snprintf(path, sizeof path, TEST_DATA_DIR "/../../model/plots/%s", plots[i].file);
        assert_ok(file_read(path, 1 << 20, &kept, &n, &e), &e);
        assert_string_equal(drawn, kept);
        free(drawn);
        free(kept);
    }
}

/* What a ratio of fast over slow leaves as it is. */
static void tiers_between_are_said(void **state) {
    (void)state;
    struct yaml_doc *d;
    struct buf text = {0};
    assert_int_equal(program_run("breakeven --platform synthetic-racks --format json", &d), 0);
    assert_non_null(strstr(program_at(d, "note")->text, "moves the slow tier only"));
    yaml_doc_free(d);
    assert_int_equal(program_text("breakeven --platform synthetic-racks", &text), 0);
    assert_non_null(strstr(text.text, "note: the ratio moves the slow tier only"));
    buf_clear(&text);
    assert_int_equal(program_text("breakeven", &text), 0);
    assert_null(strstr(text.text, "moves the slow tier only"));
    buf_clear(&text);
}

/* Its ratio is that of the fast tier to the slow one. */
static void other_cuts_are_refused(void **state) {
    (void)state;
    struct buf out = {0};
    const char *command = MOESIM_BINARY " breakeven --platform synthetic-racks --set implementation.cut=rack 2>&1";
    assert_int_equal(program_shell(command, &out), 1);
    assert_non_null(strstr(out.text, "hops that are cut at the fast tier; implementation.cut is 'rack'"));
    buf_clear(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_between_are_said),
        cmocka_unit_test(other_cuts_are_refused),
        cmocka_unit_test(keys_of_the_contract),
        cmocka_unit_test(what_does_not_exist_is_null_with_a_reason),
        cmocka_unit_test(groups_that_differ_have_no_formula),
        cmocka_unit_test(simulated_ratio_equals_one_of_gain_one),
        cmocka_unit_test(rates_of_the_slow_fabric_follow_the_ratio),
        cmocka_unit_test(same_answer_whatever_the_cores),
        cmocka_unit_test(spreads_fit_together_and_hang_on_the_seed),
        cmocka_unit_test(causes_add_up),
        cmocka_unit_test(plots_are_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
