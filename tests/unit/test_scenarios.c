/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/paper.h"

#include "model/checklist.h"
#include "model/skew.h"
#include "model/uncertainty.h"
#include "platforms/base/mem.h"
#include "platforms/base/rng.h"

/* --- scenario tables ------------------------------------------------------------------------- */

static double machine_a_gain(enum chain_preset chain) {
    struct breakeven b = paper_reference(paper_chain(chain));
    // fast 122.4 GB/s without x_half, slow 0.974 x flat, flat 117.8 GB/s
    b.base_Bps = 122.4e9;
    b.fast_x_half_bytes = 0;
    b.flat_scale = 117.8 / 122.4;
    b.slow_scale = 0.974 * 117.8 / 122.4;
    return paper_gain(&b, 1);
}

/* Rows 17 to 23. */
static void scenario_tables(void **state) {
    (void)state;
    assert_printed(machine_a_gain(CHAIN_V1), 0.37, 2);
    assert_printed(machine_a_gain(CHAIN_FUSED), 0.80, 2);
    static const struct {
        enum chain_preset chain;
        double ratio, gain;
    } rows[] = {
        {CHAIN_V1, 2, 0.63},          {CHAIN_V1, 4, 1.00},         {CHAIN_V1, 9, 1.60},
        {CHAIN_V1, 18, 2.14},         {CHAIN_FUSED, 2, 1.18},      {CHAIN_FUSED, 4, 1.67},
        {CHAIN_FUSED, 9, 2.28},       {CHAIN_FUSED, 18, 2.69},     {CHAIN_V1, 1.03, 0.40},
        {CHAIN_V1, 3.2, 0.87},        {CHAIN_V1, 8, 1.51},         {CHAIN_V1, 15.7, 2.04},
        {CHAIN_MEASURED, 1.03, .58},  {CHAIN_MEASURED, 3.2, 1.16}, {CHAIN_MEASURED, 8, 1.85},
        {CHAIN_MEASURED, 15.7, 2.35}, {CHAIN_FUSED, 1.03, 0.81},   {CHAIN_FUSED, 3.2, 1.51},
        {CHAIN_FUSED, 8, 2.19},       {CHAIN_FUSED, 15.7, 2.62},   {CHAIN_NONE, 1.03, 0.97},
        {CHAIN_NONE, 3.2, 1.70},      {CHAIN_NONE, 8, 2.36},       {CHAIN_NONE, 15.7, 2.74}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct breakeven b = paper_reference(paper_chain(rows[i].chain));
        double gain = paper_gain(&b, rows[i].ratio);
        assert_printed(gain, rows[i].gain, 2);
    }
}

/* --- scale ----------------------------------------------------------------------------------- */

static struct breakeven fused_world(int ranks) {
    struct breakeven b = paper_reference(paper_chain(CHAIN_FUSED));
    b.geometry.groups = ranks / 8;
    paper_alphas(&b);
    return b;
}

/* Row 61. */
static void worlds_up_to_128(void **state) {
    (void)state;
    const int ranks[] = {32, 64, 128};
    const double published[] = {1.50, 1.47, 1.51};
    for (int i = 0; i < 3; i++) {
        struct breakeven b = fused_world(ranks[i]);
        assert_printed(paper_gain(&b, 3.2), published[i], 2);
    }
}

/* Row 62: alpha(512) by four treatments, alpha(64) and alpha(8) by the table. */
static void four_treatments_at_512(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    assert_ok(plat_load("terrace-a", NULL, 0, &p, &e), &e);
    const struct plat_treatment *t = p->alpha_treatments.items;
    static const struct {
        const char *name;
        double gain;
    } expected[] = {{"refit", 2.54}, {"table", 2.17}, {"constant", 1.63}, {"linear", 3.12}};
    assert_int_equal(p->alpha_treatments.n, 4);
    for (size_t i = 0; i < 4; i++) {
        struct breakeven b = fused_world(512);
        b.alpha_one_hop_s = plat_treatment_alpha_s(p, i, 512, TIER_SLOW);
        b.alpha_hop_a_s = plat_treatment_alpha_s(p, i, 64, TIER_SLOW);
        b.alpha_hop_b_s = plat_treatment_alpha_s(p, i, 8, TIER_FAST);
        assert_string_equal(t[i].name, expected[i].name);
        assert_printed(paper_gain(&b, 3.2), expected[i].gain, 2);
    }
    plat_free(p);
}

/* Rows 63, 64: the flat calibration of the time, with the older self share. */
static void older_scale_series(void **state) {
    (void)state;
    const int ranks[] = {32, 64, 128};
    const double published[] = {1.68, 1.52, 1.47};
    for (int i = 0; i < 3; i++) {
        struct breakeven b = fused_world(ranks[i]);
        b.fast_x_half_bytes = b.slow_x_half_bytes = b.flat_x_half_bytes = 0;
        b.geometry.hop_a_local_frac = 2.0 / b.geometry.groups;
        assert_printed(paper_gain(&b, 3.2), published[i], 2);
    }
    struct breakeven b = fused_world(512);
    b.fast_x_half_bytes = b.slow_x_half_bytes = b.flat_x_half_bytes = 0;
    b.geometry.hop_a_local_frac = 2.0 / 64;
    b.alpha_one_hop_s = 0.378e-3;
    assert_printed(paper_gain(&b, 3.2), 1.37, 2);
    b.alpha_one_hop_s = 4.4868e-3;
    assert_printed(paper_gain(&b, 3.2), 2.937, 3);
}

/* Row 65: largest spread of the breakeven over (k, M) at a fixed world. */
static void geometry_grid(void **state) {
    (void)state;
    static const double choices[][2] = {{4, 1}, {4, 2}, {6, 2}, {6, 3}, {8, 2}, {8, 4}};
    const enum chain_preset chain[] = {CHAIN_FUSED, CHAIN_V1, CHAIN_MEASURED};
    const double published[] = {0.70, 1.91, 1.26};
    for (int c = 0; c < 3; c++) {
        double spread = 0;
        int points = 0;
        for (int groups = 8; groups <= 32; groups *= 2)
            for (int ranks = 4; ranks <= 16; ranks *= 2) {
                double low = INFINITY, high = 0;
                for (size_t i = 0; i < sizeof choices / sizeof *choices; i++, points++) {
                    struct breakeven b = paper_reference(paper_chain(chain[c]));
                    b.geometry.groups = groups;
                    b.geometry.ranks_per_group = ranks;
                    b.geometry.top_k = choices[i][0];
                    b.geometry.fan_out = choices[i][1];
                    paper_alphas(&b);
                    double ratio = breakeven_effective(&b).x;
                    low = fmin(low, ratio);
                    high = fmax(high, ratio);
                }
                spread = fmax(spread, high - low);
            }
        assert_int_equal(points, 54);
        assert_printed(spread, published[c], 2);
    }
}

/* Row 66: each level at the marginal bandwidth of its own world. */
static void bandwidth_of_each_world(void **state) {
    (void)state;
    const enum chain_preset chain[] = {CHAIN_V1, CHAIN_MEASURED, CHAIN_FUSED, CHAIN_NONE};
    const double published[] = {4.52, 2.88, 1.78, 1.34};
    for (int i = 0; i < 4; i++) {
        struct breakeven b = paper_reference(paper_chain(chain[i]));
        b.fast_scale = 107.4 / 117.8;
        b.slow_scale = 103.0 / 117.8;
        b.flat_scale = 120.6 / 117.8;
        assert_printed(breakeven_effective(&b).x, published[i], 2);
    }
}

/* Rows 112, 113: a synthetic H100 cluster, 450 and 50 GB/s, H 7168, k 8. */
static void group_cap_table(void **state) {
    (void)state;
    // ns per pair = index + bytes / gather, both split off the chain by the width sweep; the older
    // ones unrounded
    const double index_s = 28.6e-9, older_index_s = 85.82e-9;
    const double chain[4] = {index_s + 28672 / 1469e9, 14336 / 1469e9,
                             older_index_s + 28672 / 489.6e9, 14336 / 489.6e9};
    static const double published[4][3] = {
        {1.362, 1.960, 2.510}, {1.649, 2.614, 3.694}, {0.948, 1.204, 1.391}, {1.490, 2.234, 2.979}};
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++) {
            struct breakeven b = paper_reference(chain[c]);
            b.base_Bps = 450e9;
            b.geometry.row_bytes = 14336;
            b.geometry.top_k = 8;
            b.geometry.fan_out = i == 0 ? 4 : i == 1 ? 2 : 1;
            assert_printed(paper_gain(&b, 9), published[c][i], 3);
        }
}

/* --- skew ------------------------------------------------------------------------------------- */

/* Row 67, and the exact maxima. */
static void skew_factors(void **state) {
    (void)state;
    assert_printed(skew_paper(SKEW_CV, 128, 1), 1.42, 2);
    assert_printed(skew_paper(SKEW_CV, 8, 1), 1.28, 2);
    assert_printed(skew_paper(SKEW_CV, 16, 3), 1.185, 3); // printed as 1.19
    assert_printed(skew_expected_max(8), 1.42, 2);
    assert_printed(skew_expected_max(16), 1.77, 2);
    assert_printed(skew_expected_max(128), 2.59, 2);
    assert_printed(skew_exact(SKEW_CV, 128, 1), 1.353, 3);
    assert_printed(skew_exact(SKEW_CV, 8, 1), 1.194, 3);
    assert_printed(skew_exact(SKEW_CV, 16, 3), 1.139, 3);
    // known in closed form: n = 2: 1 / sqrt(pi), n = 3: 3 / (2 sqrt(pi))
    assert_rel(skew_expected_max(2), 1 / sqrt(acos(-1)), 1e-9);
    assert_rel(skew_expected_max(3), 1.5 / sqrt(acos(-1)), 1e-9);
    assert_rel(skew_paper(SKEW_CV, 1, 1), 1, 0);
    assert_rel(skew_exact(SKEW_CV, 1, 1), 1, 0);
}

static void exact_maximum_meets_draws(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("exact_maximum_meets_draws"), "skew", 0);
    double sum = 0;
    enum { DRAWS = 40000, PEERS = 16 };
    for (int i = 0; i < DRAWS; i++) {
        double most = -INFINITY;
        for (int k = 0; k < PEERS; k++)
            most = fmax(most, rng_normal(&r));
        sum += most;
    }
    assert_near(sum / DRAWS, skew_expected_max(PEERS),
                4 * 0.55 / sqrt(DRAWS)); // sigma of the maximum
}

/* Charges skew as the paper does: the rows of every exchange times its factor, fixed costs untouched. */
static void charge_skew(struct model_geometry *g) {
    g->skew.one_hop = skew_paper(SKEW_CV, g->groups * g->ranks_per_group, 1);
    g->skew.hop_a = skew_paper(SKEW_CV, g->groups, g->top_k / g->fan_out);
    g->skew.hop_b = skew_paper(SKEW_CV, g->ranks_per_group, 1);
}

/* Row 68: with the older self share, as the artifact's module has it. */
static void skew_moves_the_gain(void **state) {
    (void)state;
    const double ratio[] = {1.03, 8}, older[] = {0.0899, 0.3992}, newer[] = {0.089, 0.382};
    for (int i = 0; i < 2; i++) {
        struct breakeven b = paper_reference(paper_chain(CHAIN_FUSED));
        double plain = paper_gain(&b, ratio[i]);
        charge_skew(&b.geometry);
        assert_printed(paper_gain(&b, ratio[i]) - plain, newer[i], 3);
        b.geometry.hop_a_local_frac = 2.0 / 16;
        double skewed = paper_gain(&b, ratio[i]);
        b.geometry.skew = (struct model_skew){0};
        assert_printed(skewed - paper_gain(&b, ratio[i]), older[i], 4);
    }
}

/* --- uncertainty -------------------------------------------------------------------------------
 */

struct anchor {
    struct breakeven b;
    double ratio;
};

enum { FACTORS = 6 };
static const struct uncertain factors[FACTORS] = {{"alpha", 0.80, 1.20, 1},
                                                  {"slow and flat bandwidth", 0.90, 1.10, 1},
                                                  {"fast bandwidth", 0.995, 1.005, 1},
                                                  {"splits", 0.95, 1.05, 1},
                                                  {"chain", 0.90, 1.10, 1},
                                                  {"x_half", 30.0 / 54, 87.0 / 54, 1}};

static void factored_gain(const double *f, const void *context, double *gain) {
    const struct anchor *a = context;
    struct breakeven b = a->b;
    b.alpha_one_hop_s *= f[0];
    b.alpha_hop_a_s *= f[0];
    b.alpha_hop_b_s *= f[0];
    b.slow_scale = b.flat_scale = f[1];
    b.fast_scale = f[2];
    b.splits_s *= f[3];
    b.chain_s_per_pair *= f[4];
    b.fast_x_half_bytes = b.slow_x_half_bytes = b.flat_x_half_bytes = 55296 * f[5];
    *gain = paper_gain(&b, a->ratio);
}

static struct spread anchor_spread(double ratio, enum chain_preset chain, int threads) {
    const struct anchor a = {paper_reference(paper_chain(chain)), ratio};
    const struct uncertainty_question q = {.inputs = factors,
                                           .n_inputs = FACTORS,
                                           .n_outputs = 1,
                                           .evaluate = factored_gain,
                                           .context = &a,
                                           .draws = 400,
                                           .seed = 20260825,
                                           .threads = threads};
    struct spread s;
    uncertainty_run(&q, &s);
    return s;
}

/* Rows 58, 59, 60: the artifact's generator, seed and draws. */
static void monte_carlo_anchors(void **state) {
    (void)state;
    assert_printed(anchor_spread(8, CHAIN_V1, 1).p5, 1.406, 3);
    assert_printed(anchor_spread(1.03, CHAIN_NONE, 1).p95, 1.028, 3);
    assert_printed(anchor_spread(8, CHAIN_MEASURED, 1).p5, 1.759, 3);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    struct spread one = anchor_spread(8, CHAIN_V1, 1);
    for (int threads = 2; threads <= 9; threads++) {
        struct spread many = anchor_spread(8, CHAIN_V1, threads);
        assert_memory_equal(&one, &many, sizeof one);
    }
}

static void swings_are_ranked(void **state) {
    (void)state;
    const struct anchor a = {paper_reference(paper_chain(CHAIN_V1)), 8};
    const struct uncertainty_question q = {.inputs = factors,
                                           .n_inputs = FACTORS,
                                           .n_outputs = 1,
                                           .evaluate = factored_gain,
                                           .context = &a,
                                           .draws = 1,
                                           .threads = 1};
    struct swing s[FACTORS];
    uncertainty_swings(&q, 0, s);
    for (int i = 1; i < FACTORS; i++)
        assert_true(fabs(s[i - 1].high - s[i - 1].low) >= fabs(s[i].high - s[i].low));
    assert_int_equal(s[FACTORS - 1].input, 3); // 2 us of splits move it least
    // by hand: the chain at both ends
    for (int i = 0; i < FACTORS; i++)
        if (s[i].input == 4) {
            struct breakeven b = paper_reference(1.1 * paper_chain(CHAIN_V1));
            assert_rel(s[i].high, paper_gain(&b, 8), 1e-12);
            assert_true(s[i].high < s[i].low);
        }
}

/* --- checklist ----------------------------------------------------------------------------------
 */

/* The artifact's own check clears this target on which its model has G = 0.815. */
static void checklist_at_the_targets_own_geometry(void **state) {
    (void)state;
    const struct breakeven reference = paper_reference(0.0424e-6);
    struct breakeven target = reference;
    target.geometry.row_bytes = 2048;
    struct checklist list;
    checklist_fill(&target, 2.5, &reference, &list);
    assert_true(list.cleared);
    assert_printed(list.gain, 0.815, 3);
    checklist_fill(&target, 2.5, NULL, &list);
    assert_false(list.cleared);
    assert_false(list.rows[CHECK_RATIO].passed);
    assert_true(list.breakeven > 2.5);
    assert_false(list.chain_fused);
}

static void what_is_cleared_wins(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("what_is_cleared_wins"), "checklist", 0);
    const struct breakeven reference = paper_reference(0.0424e-6);
    int cleared = 0, contradictions = 0;
    for (int i = 0; i < 20000; i++) {
        struct breakeven b = paper_reference(0.1e-6 * rng_unit(&r));
        b.kind = BETA_CLOSED;
        b.hold = rng_below(&r, 2) ? HOLD_TIME : HOLD_BYTES;
        b.base_Bps = 1e9 * (20 + 400 * rng_unit(&r));
        struct model_geometry *g = &b.geometry;
        g->groups = 1 << rng_below(&r, 6);
        g->ranks_per_group = 1 << rng_below(&r, 6);
        g->fan_out = 1 + (double)rng_below(&r, 4);
        g->top_k = g->fan_out * (1 + (double)rng_below(&r, 6));
        g->tokens = 128 << rng_below(&r, 7);
        g->row_bytes = 2048 << rng_below(&r, 3);
        b.alpha_one_hop_s = 1e-3 * rng_unit(&r);
        b.alpha_hop_a_s = 5e-4 * rng_unit(&r);
        b.alpha_hop_b_s = 5e-4 * rng_unit(&r);
        b.flat_scale = 0.9 + 0.3 * rng_unit(&r);
        double ratio = 0.5 + 20 * rng_unit(&r) * rng_unit(&r);
        struct checklist list;
        checklist_fill(&b, ratio, NULL, &list);
        if (list.cleared && list.gain < 1)
            fail_msg("case %d is cleared with G = %.17g at ratio %g", i, list.gain, ratio);
        cleared += list.cleared;
        checklist_fill(&b, ratio, &reference, &list);
        contradictions += list.cleared && list.gain < 1;
    }
    print_message("cleared %d, contradictions of the artifact's rule %d\n", cleared,
                  contradictions);
    assert_true(cleared > 500);
    assert_true(contradictions > 50); // the rule it replaces fails on the same grid
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_tables),
        cmocka_unit_test(worlds_up_to_128),
        cmocka_unit_test(four_treatments_at_512),
        cmocka_unit_test(older_scale_series),
        cmocka_unit_test(geometry_grid),
        cmocka_unit_test(bandwidth_of_each_world),
        cmocka_unit_test(group_cap_table),
        cmocka_unit_test(skew_factors),
        cmocka_unit_test(exact_maximum_meets_draws),
        cmocka_unit_test(skew_moves_the_gain),
        cmocka_unit_test(monte_carlo_anchors),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(swings_are_ranked),
        cmocka_unit_test(checklist_at_the_targets_own_geometry),
        cmocka_unit_test(what_is_cleared_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
