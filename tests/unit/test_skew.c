/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing modes and skew on purpose: what always holds, what is met, what is refused. */
#include "tests/support/check.h"

#include "platforms/base/stat.h"
#include "workloads/draw/pairs.h"
#include "workloads/draw/skew.h"
#include "workloads/traffic.h"

/* --- modes ---------------------------------------------------------------------------------------- */

static void draw_random_weights(struct rng *r, double *weight, int n) {
    for (int i = 0; i < n; i++)
        weight[i] = exp(2 * rng_normal(r));
}

/* Chosen experts per group of one token; fails on a repeated or impossible expert. */
static int count_groups(const struct choice_shape *s, const int *ids, int *per_group) {
    bool seen[512] = {false};
    int groups = 0, size = s->experts / s->n_groups;
    memset(per_group, 0, (size_t)s->n_groups * sizeof *per_group);
    for (int i = 0; i < s->top_k; i++) {
        assert_in_range(ids[i], 0, (unsigned)s->experts - 1);
        assert_false(seen[ids[i]]);
        seen[ids[i]] = true;
        groups += per_group[ids[i] / size]++ == 0;
    }
    return groups;
}

static void check_token(const struct choice_shape *s, const int *ids) {
    int per_group[64], groups = count_groups(s, ids, per_group);
    for (int g = 0; g < s->n_groups; g++) {
        if (s->mode == MODE_FULL && per_group[g])
            assert_int_equal(per_group[g], s->top_k / s->group_limit);
        if (s->mode == MODE_QUOTA_ONLY)
            assert_int_equal(per_group[g], s->top_k / s->n_groups);
    }
    if (s->mode == MODE_FULL)
        assert_int_equal(groups, s->group_limit);
    if (s->mode == MODE_GROUP_LIMITED)
        assert_true(groups <= s->group_limit);
}

static void every_mode_keeps_its_promises(void **state) {
    (void)state;
    enum { TOKENS = 400 };
    static const struct choice_shape shapes[] = {
        {MODE_GLOBAL_TOPK, 64, 8, 1, 0, {0}},   {MODE_GLOBAL_TOPK, 7, 7, 1, 0, {0}},
        {MODE_FULL, 128, 6, 16, 2, {0}},        {MODE_FULL, 64, 8, 8, 4, {0}},
        {MODE_FULL, 32, 8, 4, 1, {0}},          {MODE_GROUP_LIMITED, 256, 8, 8, 4, {0}},
        {MODE_GROUP_LIMITED, 32, 8, 8, 2, {0}}, {MODE_GROUP_LIMITED, 8, 3, 8, 3, {0}},
        {MODE_QUOTA_ONLY, 64, 8, 8, 0, {0}},    {MODE_QUOTA_ONLY, 48, 12, 4, 0, {0}},
    };
    uint64_t seed = check_seed("routing modes");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct choice_shape *s = &shapes[i];
        double weight[512], inclusion[512];
        struct choice *c = NULL;
        struct rng r;
        struct err e;
        int ids[16];
        rng_init(&r, seed, "modes", i);
        draw_random_weights(&r, weight, s->experts);
        assert_ok(choice_check(s, (enum routing_mode)s->mode, &e), &e);
        choice_inclusion(s, weight, TOKENS, inclusion);
        assert_rel(stat_sum(inclusion, (size_t)s->experts), s->top_k, 1e-9);
        assert_ok(choice_build(s, s->mode == MODE_GROUP_LIMITED ? weight : inclusion, &c, &e), &e);
        for (int t = 0; t < TOKENS; t++) {
            choice_draw(c, &r, ids);
            check_token(s, ids);
        }
        choice_free(c);
    }
}

static void uniform_modes_are_fair(void **state) {
    (void)state;
    enum { TOKENS = 40000, E = 32, K = 4 };
    double weight[E], load[E];
    for (int i = 0; i < E; i++)
        weight[i] = 3;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        struct choice_shape s = {mode, E, K, 4, 2, {0}};
        struct choice *c = NULL;
        struct err e;
        struct rng r;
        int ids[K];
        memset(load, 0, sizeof load);
        choice_inclusion(&s, weight, TOKENS, load);
        for (int i = 0; i < E && mode != MODE_GROUP_LIMITED; i++)
            assert_rel(load[i], (double)K / E, 1e-12);
        assert_ok(choice_build(&s, mode == MODE_GROUP_LIMITED ? weight : load, &c, &e), &e);
        memset(load, 0, sizeof load);
        rng_init(&r, 3, "fair", (uint64_t)mode);
        for (int t = 0; t < TOKENS; t++) {
            choice_draw(c, &r, ids);
            for (int i = 0; i < K; i++)
                load[ids[i]]++;
        }
        for (int i = 0; i < E; i++) // five standard deviations of a binomial count
            assert_near(load[i], TOKENS * K / E, 5 * sqrt((double)TOKENS * K / E));
        choice_free(c);
    }
}

/* The rule of [M9] word by word, with the same random numbers. */
static void limited_by_the_rule(const struct choice_shape *s, const double *weight, struct rng *r,
                                bool *chosen) {
    int size = s->experts / s->n_groups;
    double a[64], score[16], mean = stat_sum(weight, (size_t)s->experts) / s->experts;
    bool open[16] = {false};
    for (int i = 0; i < s->experts; i++) {
        double u = rng_unit(r);
        a[i] = 1 / (1 + exp(-(log(weight[i] / mean) + log(u / (1 - u)))));
        chosen[i] = false;
    }
    for (int g = 0; g < s->n_groups; g++) {
        double sorted[16];
        memcpy(sorted, a + g * size, (size_t)size * sizeof *sorted);
        for (int i = 0; i < 2; i++) // the two highest to the front
            for (int k = i + 1; k < size; k++)
                if (sorted[k] > sorted[i]) {
                    double x = sorted[i];
                    sorted[i] = sorted[k];
                    sorted[k] = x;
                }
        score[g] = (sorted[0] + sorted[1]) / 2;
    }
    for (int m = 0; m < s->group_limit; m++) {
        int best = -1;
        for (int g = 0; g < s->n_groups; g++)
            if (!open[g] && (best < 0 || score[g] > score[best]))
                best = g;
        open[best] = true;
    }
    for (int k = 0; k < s->top_k; k++) {
        int best = -1;
        for (int i = 0; i < s->experts; i++)
            if (open[i / size] && !chosen[i] && (best < 0 || a[i] > a[best]))
                best = i;
        chosen[best] = true;
    }
}

static void group_limited_follows_its_rule(void **state) {
    (void)state;
    struct choice_shape s = {MODE_GROUP_LIMITED, 64, 8, 8, 4, {0}};
    double weight[64];
    bool chosen[64];
    int ids[8];
    struct choice *c = NULL;
    struct rng r, same;
    struct err e;
    rng_init(&r, check_seed("group_limited"), "weights", 0);
    draw_random_weights(&r, weight, 64);
    assert_ok(choice_build(&s, weight, &c, &e), &e);
    rng_init(&r, 4, "rule", 0);
    same = r;
    for (int t = 0; t < 2000; t++) {
        limited_by_the_rule(&s, weight, &same, chosen);
        choice_draw(c, &r, ids);
        for (int i = 0; i < 8; i++)
            assert_true(chosen[ids[i]]);
    }
    choice_free(c);
}

static void shares_never_pass_one(void **state) {
    (void)state;
    double weight[] = {1000, 10, 1, 1, 1, 1}, share[6];
    choice_shares(weight, 6, 3, share);
    assert_near(share[0], 1, 0);
    assert_near(share[1], 1, 0); // 2 left, 10 of 14 would be 1.43
    for (int i = 2; i < 6; i++)
        assert_rel(share[i], 0.25, 1e-15);
}

/* --- targets -------------------------------------------------------------------------------------- */

static void targets_are_met(void **state) {
    (void)state;
    static const struct {
        int family;
        double rho;
    } cases[] = {{SKEW_ZIPF, 1.2},     {SKEW_ZIPF, 3},        {SKEW_LOGNORMAL, 1.5},
                 {SKEW_LOGNORMAL, 4},  {SKEW_DIRICHLET, 1.5}, {SKEW_DIRICHLET, 3},
                 {SKEW_HOT_EXPERT, 2}, {SKEW_HOT_RANK, 1.1},  {SKEW_HOT_RANK, 6},
                 {SKEW_HOT_RANK, 31.9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct skew s = {.shape = {MODE_GLOBAL_TOPK, 256, 8, 1, 0, {0}},
                         .family = cases[i].family,
                         .ranks = 64,
                         .rho_max = cases[i].rho,
                         .seed = i};
        double weight[256], load[256];
        struct buf notes = {0};
        struct err e;
        assert_ok(skew_weights(&s, weight, &notes, &e), &e);
        choice_inclusion(&s.shape, weight, 1, load);
        assert_rel(skew_rho(load, 256, 64), cases[i].rho, 1e-6);
        s.rho_max = 0;
        s.cv = 0.5;
        assert_ok(skew_weights(&s, weight, &notes, &e), &e);
        choice_inclusion(&s.shape, weight, 1, load);
        assert_rel(stat_cv(load, 256), 0.5, 1e-6);
        buf_clear(&notes);
    }
}

static void ceilings_are_enforced(void **state) {
    (void)state;
    struct choice_shape global = {MODE_GLOBAL_TOPK, 256, 8, 1, 0, {0}}, full = {MODE_FULL, 256, 8, 8, 4, {0}};
    double weight[256];
    struct buf notes = {0};
    struct err e;
    assert_near(skew_ceiling(&global, 64), 32, 0); // 64 x 4 / 8
    assert_near(skew_ceiling(&global, 8), 8, 0); // 8 x 8 / 8
    assert_near(skew_ceiling(&global, 256), 32, 0); // E / k
    assert_near(skew_ceiling(&full, 8), 2, 0); // 8 x 2 / 8
    struct skew s = {.shape = global, .family = SKEW_HOT_RANK, .ranks = 64, .rho_max = 32.5};
    assert_fails(skew_weights(&s, weight, &notes, &e), RC_RANGE, &e,
                 "rho_max 32.5 is above 32, the most that 64 ranks with 256 experts can have: a token "
                 "chooses 8 distinct experts, at most 4 of one rank");
    s.rho_max = 20;
    s.family =
        SKEW_HOT_EXPERT; // one expert in every token, the others alike: 64 (1 + 3 x 7 / 255) / 8
    assert_fails(skew_weights(&s, weight, &notes, &e), RC_RANGE, &e,
                 "rho_max 20 is above 8.65882, the most that family hot-expert reaches here");
    s.rho_max = 0;
    s.cv = 7;
    assert_fails(skew_weights(&s, weight, &notes, &e), RC_RANGE, &e, "routing.cv 7 is above");
    buf_clear(&notes);
}

static void presets_and_benchmark_knobs_are_named(void **state) {
    (void)state;
    assert_rel(skew_preset_rho(SKEW_MIXED_WEB, 8), 1.1, 1e-15);
    assert_rel(skew_preset_rho(SKEW_ONE_DOMAIN, 32), 1.8, 1e-15);
    assert_rel(skew_preset_rho(SKEW_BAD_LAYER, 64), 9, 1e-15);
    assert_rel(skew_preset_rho(SKEW_BAD_LAYER, 16), 3.6, 1e-15);
    // 8 ranks, the hot one with 4 times the mean of the others: 4 x 8 / 11
    assert_rel(skew_rho_of_hot_ratio(4, 8), 32.0 / 11, 1e-15);
    assert_rel(skew_rho_of_hot_ratio(1, 8), 1, 1e-15);
}

static void drift_swaps_popularities(void **state) {
    (void)state;
    struct skew s = {
        .shape = {MODE_GLOBAL_TOPK, 64, 4, 1, 0, {0}}, .ranks = 64, .rho_max = 3, .drift = 0.25};
    double first[64], later[64];
    struct buf notes = {0};
    struct err e;
    assert_ok(skew_weights(&s, first, &notes, &e), &e);
    s.step = 1;
    assert_ok(skew_weights(&s, later, &notes, &e), &e);
    int moved = 0;
    for (int i = 0; i < 64; i++)
        moved += first[i] != later[i];
    assert_int_equal(moved, 16);
    assert_rel(stat_max(first, 64), stat_max(later, 64), 0);
    buf_clear(&notes);
}

/* --- pairs ---------------------------------------------------------------------------------------- */

static void pair_skew_keeps_the_loads(void **state) {
    (void)state;
    enum { RANKS = 16, E = 32, K = 4 };
    double base[E], weight[E];
    int64_t tokens[RANKS];
    struct buf notes = {0};
    for (int i = 0; i < E; i++)
        weight[i] = 1 + i % 5;
    choice_shares(weight, E, K, base);
    for (int i = 0; i < RANKS; i++)
        tokens[i] = i == 3 ? 0 : 100 * (1 + i % 3);
    struct pairs_ask ask = {RANKS, E, K, 1, base, tokens, 1.5, 5};
    double *share = pairs_build(&ask, &notes), total = 0, different = 0;
    for (int src = 0; src < RANKS; src++) {
        assert_rel(stat_sum(share + src * E, E), K, 1e-9);
        total += (double)tokens[src];
    }
    for (int i = 0; i < E; i++) {
        double sum = 0;
        for (int src = 0; src < RANKS; src++) {
            assert_true(share[src * E + i] >= 0 && share[src * E + i] <= 1);
            sum += share[src * E + i] * (double)tokens[src];
            different = fmax(different, fabs(share[src * E + i] / base[i] - 1));
        }
        assert_rel(sum, base[i] * total, 2e-3);
    }
    assert_true(different > 0.5);
    assert_string_equal(
        notes.text,
        "pair skew: sigma 1.5; each source prefers other ranks, loads per expert stay\n");
    free(share);
    buf_clear(&notes);
}

/* --- the generated matrix -------------------------------------------------------------------------- */

struct question {
    const char *groups, *local, *experts;
    double rho;
    struct setting extra[4];
    int n_extra;
};

static void matrices_meet_the_target(void **state) {
    (void)state;
    static const struct question questions[] = {
        {"8", "8", "256", 1.5, {{"routing.family", "lognormal"}}, 1},
        {"16", "8", "256", 3, {{"routing.family", "zipf"}}, 1},
        {"16", "8", "128", 5, {{"routing.family", "hot-rank"}}, 1},
        {"8", "8", "64", 2, {{"routing.mode", "quota_only"}}, 1},
        {"8", "8", "256", 1.7, {{"routing.mode", "group_limited"}, {"group_limit", "4"}}, 2},
        {"8", "8", "256", 2.5, {{"routing.mode", "full"}, {"group_limit", "4"}}, 2},
        {"8", "8", "256", 2, {{"routing.pair_sigma", "0.5"}}, 1},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *q = &questions[i];
        char rho[16];
        snprintf(rho, sizeof rho, "%g", q->rho);
        struct setting shape[] = {{"groups", q->groups}, {"ranks_per_group", q->local}};
        struct setting set[12] = {{"experts", q->experts},
                                  {"routing.source", "synthetic"},
                                  {"routing.rho_max", rho},
                                  {"tokens_per_rank", "4096"}};
        memcpy(set + 4, q->extra, sizeof q->extra);
        struct platform *p;
        struct workload *w;
        struct traffic *t;
        struct traffic_rho measured;
        struct err e;
        assert_ok(plat_load("dgx-h100", shape, 2, &p, &e), &e);
        assert_ok(workload_load("olmoe-github", set, (size_t)(4 + q->n_extra), &w, &e), &e);
        assert_ok(traffic_build(p, w, 11, &t, &e), &e);
        traffic_rho(t, &measured);
        assert_rel(measured.rank, q->rho, 0.02);
        traffic_free(t);
        workload_free(w);
        plat_free(p);
    }
}

/* On counts a mode is imposed: what it promises holds, whatever the counts. */
static void modes_are_imposed_on_counts(void **state) {
    (void)state;
    static const char *const modes[] = {"quota_only", "full", "group_limited"};
    for (int i = 0; i < 3; i++) {
        struct setting shape[] = {{"groups", "4"}, {"ranks_per_group", "4"}};
        struct setting set[] = {{"routing.mode", modes[i]}, {"tokens_per_rank", "512"},
                                {"group_limit", i ? "2" : "none"}};
        struct platform *p;
        struct workload *w;
        struct traffic *t;
        struct err e;
        assert_ok(plat_load("dgx-h100", shape, 2, &p, &e), &e);
        assert_ok(workload_load("olmoe-github", set, 3, &w, &e), &e);
        assert_ok(traffic_build(p, w, 5, &t, &e), &e);
        assert_non_null(strstr(t->notes.text, "the routing mode is imposed on the record"));
        if (i == 0)
            for (int g = 0; g < 4; g++)
                assert_rel(stat_sum(t->rank_load + 4 * g, 4), 16 * 512 * 2, 0);
        assert_true(i == 0 ? t->fan_out == 4 : i == 1 ? t->fan_out == 2 : t->fan_out <= 2);
        assert_true(t->fan_out > 1.5);
        traffic_free(t);
        workload_free(w);
        plat_free(p);
    }
}

/* 4 groups of 2 experts, 2 groups chosen, 1 expert in each: places that span groups, by hand. */
static void a_place_may_span_routing_groups(void **state) {
    (void)state;
    static const struct choice_shape shape = {
        .mode = MODE_FULL, .experts = 8, .top_k = 2, .n_groups = 4, .group_limit = 2};
    static const struct {
        int n, ids[4];
        double keep[4], miss;
    } cases[] = {{4, {0, 1, 2, 3}, {0}, 1.0 / 6}, // neither of two groups chosen
                 {2, {0, 2}, {0}, (1 + 4.0 / 2 + 1.0 / 4) / 6}, // one expert of each
                 {2, {0, 2}, {1, 0}, 3.0 / 4}, // the first is elsewhere: 1 - 2 / 8
                 {2, {6, 7}, {0}, 1.0 / 2},
                 {0, {0}, {0}, 1}};
    double inclusion[8];
    struct choice *c;
    struct err e;
    for (int i = 0; i < 8; i++)
        inclusion[i] = 2.0 / 8;
    assert_ok(choice_build(&shape, inclusion, &c, &e), &e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_rel(choice_miss(c, cases[i].ids, cases[i].keep, cases[i].n), cases[i].miss, 1e-9);
    choice_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_may_span_routing_groups),
        cmocka_unit_test(every_mode_keeps_its_promises),
        cmocka_unit_test(uniform_modes_are_fair),
        cmocka_unit_test(group_limited_follows_its_rule),
        cmocka_unit_test(shares_never_pass_one),
        cmocka_unit_test(targets_are_met),
        cmocka_unit_test(ceilings_are_enforced),
        cmocka_unit_test(presets_and_benchmark_knobs_are_named),
        cmocka_unit_test(drift_swaps_popularities),
        cmocka_unit_test(pair_skew_keeps_the_loads),
        cmocka_unit_test(matrices_meet_the_target),
        cmocka_unit_test(modes_are_imposed_on_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
