/* SPDX-License-Identifier: BSD-3-Clause */
/* One alpha for all hops or one for each, serial or in pieces: fixed cost and time of a whole call. */
#include "tests/support/check.h"

#include "model/bound.h"
#include "model/model.h"
#include "sim/engine/engine.h"
#include "workloads/strategy.h"

struct inputs {
    struct platform *p;
    struct topology *topology;
    struct workload *w;
    struct traffic *traffic;
};

struct times {
    double simulated_s, bound_s, model_s, fixed_s;
};

static void open_inputs(struct inputs *in) {
    static const struct setting shape[] = {{"groups", "4"}, {"ranks_per_group", "4"}};
    struct err e;
    assert_ok(plat_load("terrace-a", shape, 2, &in->p, &e), &e);
    assert_ok(workload_load("terrace-reference", NULL, 0, &in->w, &e), &e);
    assert_ok(traffic_build(in->p, in->w, 1, &in->traffic, &e), &e);
    in->topology = topo_build(in->p);
}

static void close_inputs(struct inputs *in) {
    topo_free(in->topology);
    traffic_free(in->traffic);
    workload_free(in->w);
    plat_free(in->p);
}

static struct times ask(const struct inputs *in, enum strategy strategy, enum phase phase, const char *hops,
                        const char *chunks, const char *alpha_calls) {
    const struct setting set[] = {{"hops", hops}, {"chunks", chunks}, {"alpha_calls", alpha_calls}};
    struct implementation *how;
    struct call call;
    struct costs costs;
    struct outcome o = {0}, closed = {0};
    char reason[200];
    struct err e;
    assert_ok(implementation_load("collective-eager", set, 3, &how, &e), &e);
    call_build(in->topology, in->w, how, in->traffic, strategy, phase, &call);
    assert_true(costs_known(&call, REGIME_AHEAD, &costs, NULL, reason));
    assert_ok(sim_run(&call, &costs, 1, &(struct sim_options){0}, &o, &e), &e);
    model_call(&call, &costs, &closed);
    struct times t = {.simulated_s = o.time_s, .model_s = closed.time_s};
    t.bound_s = bound_call_s(&call, &costs);
    for (int i = 0; i < FIXED_PARTS; i++)
        t.fixed_s += costs.fixed_s[i];
    outcome_clear(&o);
    outcome_clear(&closed);
    call_clear(&call);
    implementation_free(how);
    return t;
}

static void assert_same(struct times a, struct times b) {
    assert_memory_equal(&a, &b, sizeof a); // to the last bit
}

static void one_piece_is_the_serial_call(void **state) {
    (void)state;
    static const char *const calls[] = {"per-hop", "fused"};
    struct inputs in;
    double simulated_s[2];
    open_inputs(&in);
    for (int i = 0; i < 2; i++)
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            struct times serial = ask(&in, STRATEGY_TWO_HOP, (enum phase)phase, "serial", "1", calls[i]);
            assert_same(ask(&in, STRATEGY_TWO_HOP, (enum phase)phase, "pipelined", "1", calls[i]), serial);
            assert_same(ask(&in, STRATEGY_TWO_HOP_PIPELINED, (enum phase)phase, "serial", "1", calls[i]), serial);
            if (phase == PHASE_DISPATCH)
                simulated_s[i] = serial.simulated_s;
        }
    // alpha of 4 ranks (between 0.090 at 2 and 0.111 ms at 8) twice and splits of 0.044 ms, or of all 16 once
    struct times fused = ask(&in, STRATEGY_TWO_HOP, PHASE_DISPATCH, "serial", "1", "fused");
    struct times hops = ask(&in, STRATEGY_TWO_HOP, PHASE_DISPATCH, "serial", "1", "per-hop");
    assert_rel(hops.fixed_s, (2 * (0.090 + 2.0 / 6 * 0.021) + 0.044) * 1e-3, 1e-12);
    assert_true(fused.fixed_s > 0.111e-3 && fused.fixed_s < 0.2e-3);
    assert_rel(simulated_s[0] - simulated_s[1], hops.fixed_s - fused.fixed_s, 1e-6);
    close_inputs(&in);
}

static void strategy_and_key_agree(void **state) {
    (void)state;
    static const char *const calls[] = {"per-hop", "fused"};
    struct inputs in;
    open_inputs(&in);
    for (int i = 0; i < 2; i++) {
        struct times key = ask(&in, STRATEGY_TWO_HOP, PHASE_DISPATCH, "pipelined", "4", calls[i]);
        assert_same(ask(&in, STRATEGY_TWO_HOP_PIPELINED, PHASE_DISPATCH, "serial", "4", calls[i]), key);
        assert_same(ask(&in, STRATEGY_TWO_HOP_PIPELINED, PHASE_DISPATCH, "pipelined", "4", calls[i]), key);
    }
    close_inputs(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_piece_is_the_serial_call),
        cmocka_unit_test(strategy_and_key_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
