/* SPDX-License-Identifier: BSD-3-Clause */
/* Gates of the simulator on whole grids, and that each of them turns red on an engine that is wrong. */
#include "tests/support/gates.h"
#include "validation/agreement.h"

static void right_engines_pass(void **state) {
    (void)state;
    const struct estimand_tools full = {.simulator = &gates_engine, .second = &gates_engine, .full = true};
    const struct estimand_tools quick = {
        .simulator = &gates_engine, .second = &gates_second, .sequence = sim_answer_sequence};
    gates_expect("cross-check", &full, GATE_PASSED);
    gates_expect("monotonic", &full, GATE_PASSED);
    gates_expect("engine-agreement", &quick, GATE_PASSED);
    gates_expect("contention", &quick, GATE_PASSED);
    gates_expect("sim-tier1", &quick, GATE_PASSED);
    gates_expect("sim-tier1b-c2", &quick, GATE_PASSED);
    gates_expect("sim-tier1b-c4", &quick, GATE_PASSED);
}

/* Calls in a row are left as they are. */
static enum rc sequence_of_bent(const struct call *calls, const struct costs *costs, size_t n, enum regime host,
                                void *context, struct outcome *outcomes, struct err *e) {
    (void)context;
    return sim_answer_sequence(calls, costs, n, host, &gates_unlimited, outcomes, e);
}

static void expect_bent(const char *id, struct gates_bent bent, enum gate_state state) {
    const struct simulator wrong = {gates_bent_run, &bent};
    const struct estimand_tools tools = {
        .simulator = &wrong, .second = &gates_second, .sequence = sequence_of_bent};
    gates_expect(id, &tools, state);
}

static void wrong_engines_fail(void **state) {
    (void)state;
    const struct gates_bent same = {1, 1, 0, 0}, late = {1 + 2e-6, 1, 0, 0}, fast = {0.9, 1, 0, 0};
    const struct gates_bent odd = {1 + 2e-9, 1, 0, 0};
    const struct gates_bent lossy = {1, 0.999, 0, 0}, perverse = {1, 1, 1e-6, 0};
    const struct gates_bent slow = {1.3, 1, 0, 0}, hasty = {0.7, 1, 0, 0};
    expect_bent("bound", same, GATE_PASSED);
    expect_bent("bound", fast, GATE_FAILED);
    expect_bent("conservation", same, GATE_PASSED);
    expect_bent("conservation", lossy, GATE_FAILED);
    expect_bent("cross-check", late, GATE_FAILED);
    expect_bent("engine-agreement", odd, GATE_FAILED);
    // who tells no messages, or plays no sequences, is not tried
    struct sim_options quiet = {.engine = SIM_ENGINE_FLUID};
    const struct simulator silent = {sim_answer, &quiet};
    gates_expect("engine-agreement", &(struct estimand_tools){.simulator = &gates_engine, .second = &silent},
                 GATE_NOT_EVALUATED);
    gates_expect("engine-agreement", &(struct estimand_tools){.simulator = &gates_engine, .second = &gates_second},
                 GATE_NOT_EVALUATED);
    expect_bent("monotonic", perverse, GATE_FAILED);
    static const char *const measured[] = {"contention", "sim-tier1", "sim-tier1b-c2", "sim-tier1b-c4"};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        expect_bent(measured[i], same, GATE_PASSED);
        expect_bent(measured[i], slow, GATE_FAILED);
        expect_bent(measured[i], hasty, GATE_FAILED);
    }
}

/* Both engines and the longer messages must play the same case. */
static void a_comparison_leaves_its_case_alone(void **state) {
    (void)state;
    struct agreement_case c;
    struct agreement_result r;
    struct err e;
    const struct agreement_engines engines = {&gates_engine, &gates_second, sim_answer_sequence};
    assert_ok(agreement_random(20261130, 0, &c, &e), &e);
    const struct matrix *m = &c.bench.call.stages[0].bytes;
    const double bytes = matrix_total(m, false);
    assert_true(bytes > 0);
    assert_ok(agreement_compare(&engines, &c, &r, &e), &e);
    assert_true(matrix_total(m, false) == bytes);
    assert_true(r.own > 0); // the longer messages were played
    assert_true(r.own < AGREEMENT_EXACT);
    agreement_case_close(&c);
}

/* Every limit of the gate can be missed by itself: this engine treats ranks unlike. */
static void a_rank_with_a_privilege_is_noticed(void **state) {
    (void)state;
    struct gates_bent bent = {1, 1, 0, 1e-12};
    const struct simulator wrong = {gates_bent_run, &bent};
    struct gate_result r = gates_try("monotonic", &(struct estimand_tools){.simulator = &wrong});
    assert_true(gates_metric(&r, "worst_permutation") > 1e-8);
    assert_int_equal(r.state, GATE_FAILED);
    gate_result_clear(&r);
}

static void without_an_engine_nothing_passes(void **state) {
    (void)state;
    for (size_t i = 0; i < gate_table_n; i++)
        if (gate_table[i].simulates)
            gates_expect(gate_table[i].id, &(struct estimand_tools){0}, GATE_NOT_EVALUATED);
    // and this one has no means even with one
    gates_expect("external", &(struct estimand_tools){.simulator = &gates_engine}, GATE_NOT_EVALUATED);
}

/* --- host regimes ------------------------------------------------------------------------------ */

/* A host that waits adds alpha to every transfer; one that runs ahead hides it behind the transfer before. */
static enum rc issue_and_observe(const struct call *call, const struct costs *costs, enum regime regime,
                                 int calls, double *per_call_s, struct err *e) {
    const double alpha_s = costs->alpha_s[0];
    struct costs wire = {.name = "wire"};
    double transfer_s = 0;
    enum rc rc = simulate_time(&gates_engine, call, &wire, &transfer_s, e);
    double issued_s = 0, done_s = 0;
    for (int i = 0; i < calls && !rc; i++) {
        issued_s = (regime == REGIME_OBSERVED ? done_s : issued_s) + alpha_s;
        done_s = fmax(issued_s, done_s) + transfer_s;
    }
    *per_call_s = done_s / calls;
    return rc;
}

static enum rc always_add(const struct call *call, const struct costs *costs, enum regime regime,
                          int calls, double *per_call_s, struct err *e) {
    (void)regime;
    return issue_and_observe(call, costs, REGIME_OBSERVED, calls, per_call_s, e);
}

static enum rc always_overlap(const struct call *call, const struct costs *costs, enum regime regime,
                              int calls, double *per_call_s, struct err *e) {
    (void)regime;
    return issue_and_observe(call, costs, REGIME_AHEAD, calls, per_call_s, e);
}

static void host_regimes_need_both_compositions(void **state) {
    (void)state;
    static const struct {
        regime_f repeat;
        enum gate_state state;
    } all[] = {{issue_and_observe, GATE_PASSED}, {always_add, GATE_FAILED},
               {always_overlap, GATE_FAILED},    {NULL, GATE_NOT_EVALUATED}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct estimand_tools tools = {.simulator = &gates_engine, .repeat = all[i].repeat};
        gates_expect("host-regime", &tools, all[i].state);
    }
}

static enum rc counted_run(const struct call *call, const struct costs *cases, size_t n_cases, void *context,
                           struct outcome *outcomes, struct err *e) {
    ++*(int *)context;
    return sim_answer(call, cases, n_cases, &gates_unlimited, outcomes, e);
}

static int repeats;
static enum rc counted_repeat(const struct call *call, const struct costs *costs, enum regime regime, int calls,
                              double *per_call_s, struct err *e) {
    repeats++;
    return issue_and_observe(call, costs, regime, calls, per_call_s, e);
}

/* The evaluation behind `gates --analytic-only`, and behind every licence. */
static void analytic_gates_do_not_simulate(void **state) {
    (void)state;
    int runs = 0;
    struct err e;
    struct gate_run run;
    const struct simulator counted = {counted_run, &runs};
    struct gate_run_options options = {.analytic_only = true,
                                       .tools = {.simulator = &counted, .second = &counted, .repeat = counted_repeat}};
    assert_ok(gate_run(&options, &run, &e), &e);
    assert_true(run.n > 5);
    assert_int_equal(runs, 0);
    assert_int_equal(repeats, 0);
    gate_run_clear(&run);
    static const char *const simulating[] = {"bound", "host-regime"}; // the counters do count
    for (int i = 0; i < 2; i++) {
        options.only = simulating[i];
        assert_ok(gate_run(&options, &run, &e), &e);
        assert_true((i ? repeats : runs) > 0);
        gate_run_clear(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_engines_pass),
        cmocka_unit_test(wrong_engines_fail),
        cmocka_unit_test(a_comparison_leaves_its_case_alone),
        cmocka_unit_test(a_rank_with_a_privilege_is_noticed),
        cmocka_unit_test(without_an_engine_nothing_passes),
        cmocka_unit_test(analytic_gates_do_not_simulate),
        cmocka_unit_test(host_regimes_need_both_compositions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
