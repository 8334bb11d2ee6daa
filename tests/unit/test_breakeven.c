/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/paper.h"

#include "platforms/base/rng.h"
#include "workloads/strategy.h"

/* Row 1, 2: byte-only. */
static void byte_only_breakevens(void **state) {
    (void)state;
    double ratio;
    const double q[] = {2, 3, 6, 8}, plain[] = {1.75, 1.31, 1.05, 1},
                 dedup[] = {1.67, 1.19, 0.82, 0.70};
    for (int i = 0; i < 4; i++) {
        assert_true(breakeven_byte_only(8, q[i], 0, &ratio));
        assert_printed(ratio, plain[i], 2);
        assert_true(breakeven_byte_only(8, q[i], 4, &ratio));
        assert_printed(ratio, dedup[i], 2);
    }
    assert_true(breakeven_byte_only(128, 2, 0, &ratio));
    assert_printed(ratio, 1.98, 2);
    assert_true(breakeven_byte_only(128, 3, 0, &ratio));
    assert_printed(ratio, 1.49, 2);
    ratio = 77;
    assert_false(breakeven_byte_only(8, 1, 0, &ratio)); // a row a token: nothing is saved
    assert_false(breakeven_byte_only(1, 4, 0, &ratio));
    assert_rel(ratio, 77, 0);
    // one expert a rank: a token is on as many ranks as it has experts, nothing to leave out
    double same;
    breakeven_byte_only(8, 3, 1, &ratio);
    breakeven_byte_only(8, 3, 0, &same);
    assert_rel(ratio, same, 1e-12);
}

static double effective(double chain_s_per_pair) {
    struct breakeven b = paper_reference(chain_s_per_pair);
    struct root r = breakeven_effective(&b);
    assert_int_equal(r.state, ROOT_FOUND);
    return r.x;
}

/* Rows 3, 4, 6, 7, 8. */
static void effective_breakevens(void **state) {
    (void)state;
    assert_printed(effective(paper_chain(CHAIN_V1)), 3.98, 2);
    assert_printed(effective(paper_chain(CHAIN_FUSED)), 1.49, 2);
    assert_printed(effective(0), 1.10, 2);
    assert_printed(effective(paper_chain(CHAIN_MEASURED)), 2.49, 2);
    assert_printed(effective(0.0987e-6), 4.345, 3);
    assert_printed(effective(0.0315e-6), 2.13, 2);
    assert_printed(effective(0.0424e-6), 2.49, 2);
    assert_printed(effective(0.0303e-6), 2.09, 2);
    assert_printed(effective(0.0291e-6), 2.05, 2);
    assert_printed(effective(2.51e-3 / 73728), 2.22, 2);
    // more digits of an independent program
    assert_printed(effective(paper_chain(CHAIN_V1)), 3.976, 3);
    assert_printed(effective(paper_chain(CHAIN_MEASURED)), 2.492, 3);
    assert_printed(effective(paper_chain(CHAIN_FUSED)), 1.491, 3);
    assert_printed(effective(0), 1.096, 3);
    // the closed form moves the first by 0.003
    struct breakeven b = paper_reference(paper_chain(CHAIN_V1));
    b.kind = BETA_CLOSED;
    assert_printed(breakeven_effective(&b).x, 3.979, 3);
}

/* Row 5: the older share of hop A that stays at home. */
static void older_self_share(void **state) {
    (void)state;
    const double chain[] = {paper_chain(CHAIN_V1), paper_chain(CHAIN_FUSED), 0};
    const double published[] = {3.87, 1.45, 1.07};
    for (int i = 0; i < 3; i++) {
        struct breakeven b = paper_reference(chain[i]);
        b.geometry.hop_a_local_frac = 2.0 / 16;
        assert_printed(breakeven_effective(&b).x, published[i], 2);
    }
}

/* Rows 9, 10, 11. */
static void host_exposure(void **state) {
    (void)state;
    const double chain[] = {paper_chain(CHAIN_V1), paper_chain(CHAIN_MEASURED), 0};
    const double published[] = {4.15, 2.67, 1.27};
    for (int i = 0; i < 3; i++) {
        struct breakeven b = paper_reference(chain[i]);
        b.host_exposure_s = 0.130e-3;
        assert_printed(breakeven_effective(&b).x, published[i], 2);
    }
}

/* x_half in bytes makes every message dearer as the tier slows; held in time it does not. */
static void x_half_held_in_time(void **state) {
    (void)state;
    const double chain[] = {paper_chain(CHAIN_V1), paper_chain(CHAIN_MEASURED),
                            paper_chain(CHAIN_FUSED), 0};
    const double expected[] = {4.25, 2.63, 1.54, 1.11};
    for (int i = 0; i < 4; i++) {
        struct breakeven b = paper_reference(chain[i]);
        b.hold = HOLD_TIME;
        assert_printed(breakeven_effective(&b).x, expected[i], 2);
    }
}

/* The breakeven belongs to a base bandwidth and to a number of tokens. */
static void base_and_tokens_move_it(void **state) {
    (void)state;
    const double base[] = {50, 100, 122.4, 200, 450}, measured[] = {1.84, 2.49, 2.78, 3.80, 7.07},
                 v1[] = {2.58, 3.98, 4.60, 6.77, 13.7};
    for (int i = 0; i < 5; i++) {
        struct breakeven b = paper_reference(paper_chain(CHAIN_MEASURED));
        b.base_Bps = base[i] * 1e9;
        assert_printed(breakeven_effective(&b).x, measured[i], 2);
        b.chain_s_per_pair = paper_chain(CHAIN_V1);
        assert_printed(breakeven_effective(&b).x, v1[i], i < 4 ? 2 : 1);
    }
    const double tokens[] = {512, 1024, 2048, 8192}, by_tokens[] = {1.21, 1.80, 2.22, 2.65};
    for (int i = 0; i < 4; i++) {
        struct breakeven b = paper_reference(paper_chain(CHAIN_MEASURED));
        b.geometry.tokens = tokens[i];
        assert_printed(breakeven_effective(&b).x, by_tokens[i], 2);
    }
}

static double at_width(double hidden, double chain_s_per_pair, enum beta_kind kind, double factor) {
    struct breakeven b = paper_reference(chain_s_per_pair * factor);
    b.kind = kind;
    b.geometry.row_bytes = 2 * hidden;
    return breakeven_effective(&b).x;
}

/* Rows 12 to 15. */
static void hidden_width_moves_the_chain(void **state) {
    (void)state;
    const double hidden[] = {1024, 2048, 4096, 8192};
    const double unrounded_ms[] = {2.36835, 2.50965, 2.84995, 3.78665}; // means of two nodes
    const double as_printed[] = {5.96, 3.98, 2.9, 2.4}, v1[] = {5.95, 3.98, 2.89, 2.4},
                 measured[] = {3.37, 2.49, 2.02, 1.8};
    struct err e;
    for (int i = 0; i < 4; i++) {
        double factor;
        bool interpolated = true;
        assert_ok(breakeven_chain_width(hidden[i], false, &factor, &interpolated, &e), &e);
        assert_false(interpolated);
        assert_printed(at_width(hidden[i], paper_chain(CHAIN_V1), BETA_TABLE, factor), v1[i],
                       i == 3 ? 1 : 2);
        assert_printed(at_width(hidden[i], paper_chain(CHAIN_MEASURED), BETA_TABLE, factor),
                       measured[i], i == 3 ? 1 : 2);
        assert_printed(at_width(hidden[i], paper_chain(CHAIN_V1), BETA_CLOSED,
                                unrounded_ms[i] / unrounded_ms[1]),
                       as_printed[i], i < 2 ? 2 : 1);
    }
    assert_printed(effective(2.51e-3 / 24576), 4.46, 2); // row 15
}

static void widths_nobody_measured(void **state) {
    (void)state;
    double factor = 77;
    bool interpolated = false;
    struct err e;
    assert_fails(breakeven_chain_width(3072, false, &factor, &interpolated, &e), RC_UNSUPPORTED, &e,
                 "--interpolate");
    assert_rel(factor, 77, 0);
    assert_ok(breakeven_chain_width(3072, true, &factor, &interpolated, &e), &e);
    assert_true(interpolated);
    assert_rel(factor, (2.51 + 2.85) / 2 / 2.51, 1e-12);
    assert_fails(breakeven_chain_width(512, true, &factor, &interpolated, &e), RC_UNSUPPORTED, &e,
                 "512");
    assert_fails(breakeven_chain_width(16384, true, &factor, &interpolated, &e), RC_UNSUPPORTED, &e,
                 "16384");
}

/* Row 16: the ratio is held at 3.98 for both widths. */
static void share_of_the_chain(void **state) {
    (void)state;
    const double hidden[] = {2048, 8192}, published[] = {46, 27};
    for (int i = 0; i < 2; i++) {
        double factor;
        bool interpolated;
        struct err e;
        assert_ok(breakeven_chain_width(hidden[i], false, &factor, &interpolated, &e), &e);
        struct breakeven b = paper_reference(paper_chain(CHAIN_V1) * factor);
        b.geometry.row_bytes = 2 * hidden[i];
        struct model_terms t;
        breakeven_predict(&b, 3.98, &t);
        assert_printed(100 * t.chain_s / t.two_hop_s, published[i], 0);
    }
}

/* At the ratio that the file states the family is the closed form of both calls, whatever the library. */
static void family_meets_the_closed_form(void **state) {
    (void)state;
    static const char *const libraries[] = {"collective-eager", "nccl-p2p", "deepep-normal",
                                            "deepep-ll"};
    static const char *const platforms[] = {"synthetic", "terrace-a", "dgx-h100"};
    static const struct setting stated[] = {
        {"slow.message_cost", "2us"}, {"groups", "8"}, {"ranks_per_group", "4"}};
    for (int i = 0; i < 24; i++) {
        struct platform *p;
        struct workload *w;
        struct implementation *how;
        struct traffic *traffic;
        struct call steps[2];
        struct costs costs[2];
        struct outcome calls[2];
        struct breakeven b;
        struct model_terms t;
        struct err e;
        assert_ok(
            plat_load(platforms[i / 4 % 3], i < 12 ? stated : stated + 1, i < 12 ? 3 : 2, &p, &e),
            &e);
        assert_ok(workload_load("olmoe-github", NULL, 0, &w, &e), &e);
        assert_ok(implementation_load(libraries[i % 4], NULL, 0, &how, &e), &e);
        assert_ok(traffic_build(p, w, 1, &traffic, &e), &e);
        struct topology *topology = topo_build(p);
        for (int k = 0; k < 2; k++) {
            call_build(topology, w, how, traffic, k ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP,
                       PHASE_DISPATCH, &steps[k]);
            costs_treatment(&steps[k], p->alpha_treatments.n - 1, &costs[k]);
            model_call(&steps[k], &costs[k], &calls[k]);
        }
        breakeven_from_calls(&steps[0], &costs[0], &steps[1], &costs[1], &b);
        breakeven_predict(&b, plat_hierarchy_ratio(p), &t);
        assert_rel(b.base_Bps, p->tier[TIER_FAST].bandwidth_Bps.value, 0);
        assert_rel(t.one_hop_s, calls[0].time_s, 1e-12);
        assert_rel(t.two_hop_s, calls[1].time_s, 1e-12);
        for (int k = 0; k < 2; k++) {
            outcome_clear(&calls[k]);
            call_clear(&steps[k]);
        }
        topo_free(topology);
        traffic_free(traffic);
        implementation_free(how);
        workload_free(w);
        plat_free(p);
    }
}

static void none_in_the_range(void **state) {
    (void)state;
    struct breakeven b = paper_reference(1e-6); // 24.6 ms of chain
    assert_int_equal(breakeven_effective(&b).state, ROOT_NEVER);
    b = paper_reference(0);
    b.range[0] = 2;
    b.range[1] = 4;
    struct root r = breakeven_effective(&b);
    assert_int_equal(r.state, ROOT_ALREADY);
    assert_rel(r.x, 2, 0);
}

/* A breakeven is where the gain crosses 1, whatever the machine. */
static void gain_is_1_at_the_breakeven(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("gain_is_1_at_the_breakeven"), "breakeven", 0);
    int found = 0;
    for (int i = 0; i < 2000; i++) {
        struct breakeven b = paper_reference(0.1e-6 * rng_unit(&r));
        b.kind = rng_below(&r, 2) ? BETA_CLOSED : BETA_TABLE;
        b.hold = rng_below(&r, 2) ? HOLD_TIME : HOLD_BYTES;
        b.base_Bps = 1e9 * (20 + 400 * rng_unit(&r));
        b.geometry.groups = 2 + (int)rng_below(&r, 30);
        b.geometry.ranks_per_group = 2 + (int)rng_below(&r, 30);
        b.geometry.tokens = 64 + (double)rng_below(&r, 8192);
        struct root root = breakeven_effective(&b);
        if (root.state != ROOT_FOUND)
            continue;
        found++;
        assert_rel(paper_gain(&b, root.x), 1, 1e-9);
        assert_true(paper_gain(&b, root.x * 0.999) < 1);
    }
    assert_true(found > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_only_breakevens),
        cmocka_unit_test(effective_breakevens),
        cmocka_unit_test(older_self_share),
        cmocka_unit_test(host_exposure),
        cmocka_unit_test(x_half_held_in_time),
        cmocka_unit_test(base_and_tokens_move_it),
        cmocka_unit_test(hidden_width_moves_the_chain),
        cmocka_unit_test(widths_nobody_measured),
        cmocka_unit_test(share_of_the_chain),
        cmocka_unit_test(family_meets_the_closed_form),
        cmocka_unit_test(none_in_the_range),
        cmocka_unit_test(gain_is_1_at_the_breakeven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
