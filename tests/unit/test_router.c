/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/folder.h"
#include "tests/support/matrices.h"

#include "platforms/base/stat.h"
#include "workloads/draw/choice.h"
#include "workloads/draw/skew.h"
#include "workloads/traffic.h"

enum { E = 256, K = 8 };

/* Mean and standard error of a count of places per token. */
struct mean {
    double sum, squares, n;
};

static void mean_add(struct mean *m, double x) {
    m->sum += x;
    m->squares += x * x;
    m->n++;
}

static double mean_of(const struct mean *m) {
    return m->sum / m->n;
}

static double error_of(const struct mean *m) {
    return sqrt((m->squares / m->n - mean_of(m) * mean_of(m)) / m->n);
}

/* Returns on how many of `places` equal blocks of the experts a token's experts lie. */
static int places_of(const int *ids, int n, int experts, int places) {
    bool seen[E] = {false};
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool *here = &seen[ids[i] / (experts / places)];
        count += !*here;
        *here = true;
    }
    return count;
}

static struct choice *build(const struct choice_shape *s, const double *weight) {
    struct choice *c = NULL;
    struct err e;
    assert_ok(choice_check(s, (enum routing_mode)s->mode, &e), &e);
    assert_ok(choice_build(s, weight, &c, &e), &e);
    return c;
}

static void fill(double *weight, int n, double value) {
    for (int i = 0; i < n; i++)
        weight[i] = value;
}

/* Mean nodes a token of DeepSeek-V3's geometry at 2, 4, 8 and 16 nodes, over 400,000 tokens, by
 * another program. */
static const int nodes[] = {2, 4, 8, 16};
static const double published[2][4] = {{1.966, 3.115, 3.954, 5.728}, {1.970, 3.133, 3.983, 5.685}};

static void nodes_of_a_token_of_deepseek(void **state) {
    enum { TOKENS = 200000 };
    (void)state;
    double weight[E];
    fill(weight, E, 1);
    for (int score = 0; score < 2; score++) {
        struct choice_shape s = {MODE_GLOBAL_TOPK, E, K, 1, 0, {8, 4, score}};
        struct choice *c = build(&s, weight);
        struct mean mean[4] = {{0}};
        struct rng r;
        int ids[K];
        rng_init(&r, check_seed("nodes"), "tokens", (uint64_t)score);
        for (int t = 0; t < TOKENS; t++) {
            choice_draw(c, &r, ids);
            for (int i = 0; i < 4; i++)
                mean_add(&mean[i], places_of(ids, K, E, nodes[i]));
        }
        choice_free(c);
        for (int i = 0; i < 4; i++) {
            double own = mean_of(&mean[i]), allowed = 4 * error_of(&mean[i]);
            assert_near(own, published[score][i], allowed);
            assert_true(fabs(own - published[1 - score][i]) > allowed); // the other rule would be seen
        }
    }
}

/* The rule once more, by sorting. score[]: -1 for experts that are out. */
struct ranked {
    double value;
    int id;
};

static int by_falling_value(const void *a, const void *b) {
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x < y) - (x > y);
}

static void keep_by_sorting(double *score, int experts, int groups, int most, int rule) {
    struct ranked group[E], own[E];
    int size = experts / groups;
    for (int g = 0; g < groups; g++) {
        for (int i = 0; i < size; i++)
            own[i] = (struct ranked){score[g * size + i], i};
        qsort(own, (size_t)size, sizeof *own, by_falling_value);
        double two = size > 1 && own[1].value >= 0 ? (own[0].value + own[1].value) / 2 : own[0].value;
        group[g] = (struct ranked){rule == GROUP_MAX ? own[0].value : two, g};
    }
    qsort(group, (size_t)groups, sizeof *group, by_falling_value);
    for (int i = most; i < groups; i++)
        for (int x = 0; x < size; x++)
            score[group[i].id * size + x] = -1;
}

static void token_by_sorting(const struct choice_shape *s, const double *weight, struct rng *r, int *ids) {
    double score[E], mean = stat_sum(weight, (size_t)s->experts) / s->experts;
    struct ranked best[E];
    for (int i = 0; i < s->experts; i++) {
        double u = rng_unit(r), w = weight[i] / mean;
        score[i] = w * u / (1 - u + w * u);
    }
    if (s->router.n_group)
        keep_by_sorting(score, s->experts, s->router.n_group, s->router.topk_group, s->router.group_score);
    if (s->mode == MODE_GROUP_LIMITED)
        keep_by_sorting(score, s->experts, s->n_groups, s->group_limit, GROUP_TOP2_SUM);
    for (int i = 0; i < s->experts; i++)
        best[i] = (struct ranked){score[i], i};
    qsort(best, (size_t)s->experts, sizeof *best, by_falling_value);
    for (int i = 0; i < s->top_k; i++) {
        assert_true(best[i].value >= 0);
        ids[i] = best[i].id;
    }
}

/* V3, V2, one expert a group, device-limited (a group per rank), and with a limit of the machine behind it: coarser,
 * finer and crossing groups. */
static const struct choice_shape shapes[] = {{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {8, 4, GROUP_TOP2_SUM}},
                                             {MODE_GLOBAL_TOPK, 160, 6, 1, 0, {8, 3, GROUP_MAX}},
                                             {MODE_GLOBAL_TOPK, 16, 4, 1, 0, {16, 5, GROUP_TOP2_SUM}},
                                             {MODE_GLOBAL_TOPK, 256, 8, 1, 0, {64, 3, GROUP_MAX}},
                                             {MODE_GROUP_LIMITED, 256, 8, 4, 1, {8, 4, GROUP_TOP2_SUM}},
                                             {MODE_GROUP_LIMITED, 256, 8, 32, 3, {8, 2, GROUP_MAX}},
                                             {MODE_GROUP_LIMITED, 96, 4, 4, 2, {6, 3, GROUP_TOP2_SUM}}};

static void a_router_follows_its_rule(void **state) {
    enum { TOKENS = 2000 };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct choice_shape *s = &shapes[i];
        double weight[E];
        struct rng r, same;
        int ids[K], other[K];
        rng_init(&r, check_seed("router"), "weights", i);
        for (int x = 0; x < s->experts; x++)
            weight[x] = exp(rng_normal(&r));
        struct choice *c = build(s, weight);
        same = r;
        for (int t = 0; t < TOKENS; t++) {
            choice_draw(c, &r, ids);
            token_by_sorting(s, weight, &same, other);
            assert_memory_equal(ids, other, (size_t)s->top_k * sizeof *ids);
            assert_true(places_of(ids, s->top_k, s->experts, s->router.n_group) <= s->router.topk_group);
            if (s->mode == MODE_GROUP_LIMITED)
                assert_true(places_of(ids, s->top_k, s->experts, s->n_groups) <= s->group_limit);
        }
        choice_free(c);
    }
}

static void a_router_that_cannot_be_is_refused(void **state) {
    static const struct {
        struct choice_shape shape;
        const char *says;
    } cases[] = {
        {{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {7, 4, 0}}, "routing.n_group 7 does not divide 256 experts"},
        {{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {8, 9, 0}}, "routing.topk_group 9 is above routing.n_group 8"},
        {{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {128, 3, 0}},
         "routing.topk_group 3 with groups of 2 experts (256 in 128 groups) allows a token 6 experts, fewer than "
         "top_k 8"},
        {{MODE_GROUP_LIMITED, 256, 8, 8, 1, {64, 4, 0}},
         "routing.topk_group 4 of 64 and group_limit 1 of 8 can leave a token 4 experts, fewer than top_k 8"}};
    (void)state;
    struct err e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fails(choice_check(&cases[i].shape, (enum routing_mode)cases[i].shape.mode, &e), RC_RANGE, &e,
                     cases[i].says);
    // as many groups kept as there are: no choice by scores, hence exact loads
    struct choice_shape all = {MODE_GLOBAL_TOPK, 256, 8, 1, 0, {8, 8, 0}};
    assert_ok(choice_check(&all, MODE_GLOBAL_TOPK, &e), &e);
    assert_false(choice_by_scores(&all));
}

/* Returns the most experts of one rank in any topk_group groups, over all ranks, by trying all sets of groups. */
static int most_by_trying(const struct choice_shape *s, int ranks) {
    int most = 0, n = s->router.n_group;
    for (int rank = 0; rank < ranks; rank++)
        for (int set = 0; set < 1 << n; set++) {
            int groups = 0, held = 0;
            for (int g = 0; g < n; g++)
                groups += set >> g & 1;
            for (int i = 0; i < s->experts; i++)
                held += i * ranks / s->experts == rank && set >> (i / (s->experts / n)) & 1;
            held = held < s->top_k ? held : s->top_k;
            if (groups == s->router.topk_group && held > most)
                most = held;
        }
    return most;
}

static void ceilings_of_a_router(void **state) {
    static const int ranks[] = {1, 2, 3, 4, 6, 8, 12, 24};
    (void)state;
    for (int n = 2; n <= 12; n++)
        for (int kept = 1; kept < n && 24 % n == 0; kept++)
            for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
                int room = kept * (24 / n);
                struct choice_shape s = {MODE_GLOBAL_TOPK, 24, room < 6 ? room : 6, 1, 0, {n, kept, 0}};
                assert_near(skew_ceiling(&s, ranks[i]), (double)ranks[i] * most_by_trying(&s, ranks[i]) / s.top_k,
                            1e-12);
            }
    // ranks of 3 experts across groups of 2, one group kept: 2 of them, not 3
    struct choice_shape across = {MODE_GLOBAL_TOPK, 24, 2, 1, 0, {12, 1, 0}};
    assert_near(skew_ceiling(&across, 8), 8, 0);
    struct skew s = {.shape = {MODE_GLOBAL_TOPK, 24, 4, 1, 0, {12, 2, 0}}, .family = SKEW_HOT_RANK, .ranks = 8};
    double weight[24];
    struct err e;
    s.rho_max = 6.1; // 8 x 3 / 4 is the most
    assert_fails(skew_weights(&s, weight, NULL, &e), RC_RANGE, &e, "rho_max 6.1 is above 6, the most that 8 ranks");
}

static void targets_are_met_under_a_router(void **state) {
    static const struct {
        struct choice_shape shape;
        int family, ranks;
        double rho;
    } cases[] = {{{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {8, 4, 0}}, SKEW_ZIPF, 64, 2},
                 {{MODE_GLOBAL_TOPK, 256, 8, 1, 0, {8, 4, GROUP_MAX}}, SKEW_HOT_RANK, 64, 31}}; // of 32
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum { TOKENS = 100000 };
        struct skew s = {.shape = cases[i].shape,
                         .family = cases[i].family,
                         .ranks = cases[i].ranks,
                         .rho_max = cases[i].rho,
                         .seed = i + 1};
        double weight[E], load[E] = {0};
        struct buf notes = {0};
        struct err e;
        struct rng r;
        int ids[K];
        assert_ok(skew_weights(&s, weight, &notes, &e), &e);
        struct choice *c = build(&s.shape, weight);
        rng_init(&r, check_seed("targets"), "tokens", i);
        for (int t = 0; t < TOKENS; t++) {
            choice_draw(c, &r, ids);
            for (int x = 0; x < s.shape.top_k; x++)
                load[ids[x]]++;
        }
        assert_rel(skew_rho(load, s.shape.experts, s.ranks), cases[i].rho, 0.02);
        choice_free(c);
        buf_clear(&notes);
    }
}

/* --- through the workload ------------------------------------------------------------------------ */

enum { SETTINGS = 12 };

struct asked {
    struct platform *p;
    struct workload *w;
    struct traffic *t;
};

static enum rc ask(const char *groups, const struct setting *set, struct asked *a, struct err *e) {
    const struct setting shape[] = {{"groups", groups}, {"ranks_per_group", "8"}};
    size_t n = 0;
    *a = (struct asked){0};
    while (set[n].key)
        n++;
    assert_ok(plat_load("dgx-h100", shape, 2, &a->p, e), e);
    enum rc rc = workload_load("terrace-reference", set, n, &a->w, e);
    return rc ? rc : traffic_build(a->p, a->w, 1, &a->t, e);
}

static void done(struct asked *a) {
    traffic_free(a->t);
    workload_free(a->w);
    plat_free(a->p);
}

#define V3                                                                                                           \
    {"experts", "256"}, {"top_k", "8"}, {"routing.n_group", "8"}, {                                                  \
        "routing.topk_group", "4"                                                                                    \
    }
#define SAMPLED                                                                                                      \
    { "routing.draw", "sampled" }

static void the_router_does_not_see_the_machine(void **state) {
    static const char *const groups[] = {"2", "4", "8", "16"};
    const struct setting set[] = {V3, SAMPLED, {"group_limit", "none"}, {"tokens_per_rank", "1600"}, {0}};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct asked a;
        struct err e;
        assert_ok(ask(groups[i], set, &a, &e), &e); // 25,600 tokens at least
        assert_near(a.t->fan_out, published[0][i], 4 * 1 / sqrt((double)a.t->tokens_total));
        // mode full of the file, without a limit
        assert_int_equal(a.w->routing.mode, MODE_GLOBAL_TOPK);
        assert_non_null(strstr(a.t->notes.text, "routing.mode 'full' is taken as 'global_topk'"));
        done(&a);
    }
}

static void a_machine_limit_and_a_router_both_hold(void **state) {
    const struct setting set[] = {
        V3, SAMPLED, {"group_limit", "2"}, {"routing.mode", "group_limited"}, {"tokens_per_rank", "200"}, {0}};
    (void)state;
    struct asked a;
    struct err e;
    assert_ok(ask("16", set, &a, &e), &e);
    assert_true(a.t->fan_out > 1.5 && a.t->fan_out <= 2);
    assert_int_equal(a.w->routing.mode, MODE_GROUP_LIMITED);
    done(&a);
}

static void what_a_router_does_not_go_with(void **state) {
    static const struct {
        struct setting set[SETTINGS];
        const char *says;
    } cases[] = {
        {{V3, SAMPLED, {"group_limit", "2"}},
         "routing.n_group acts in routing.mode 'global_topk' and 'group_limited'"},
        {{V3, {"group_limit", "none"}},
         "routing.n_group 8 with topk_group 4 has no closed form: use routing.draw 'sampled'"},
        {{V3, SAMPLED, {"group_limit", "none"}, {"routing.pair_sigma", "1"}}, "routing.pair_sigma does not go with"},
        {{{"routing.n_group", "8"}, {"group_limit", "none"}}, "routing.n_group and routing.topk_group go together"},
        {{V3, SAMPLED, {"group_limit", "none"}, {"experts", "255"}},
         "routing.n_group 8 does not divide 255 experts"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked a;
        struct err e;
        enum rc rc = ask("16", cases[i].set, &a, &e);
        assert_true(rc == RC_SCHEMA || rc == RC_RANGE);
        if (!strstr(e.text, cases[i].says))
            fail_msg("'%s' lacks '%s'", e.text, cases[i].says);
        done(&a);
    }
}

/* Returns how far the loads of two draws differ, as the largest difference over the mean load. */
static double difference(const struct traffic *a, const struct traffic *b) {
    double most = 0, mean = stat_sum(a->expert_load, (size_t)a->experts) / a->experts;
    for (int i = 0; i < a->experts; i++)
        most = fmax(most, fabs(a->expert_load[i] - b->expert_load[i]) / mean);
    return most;
}

static void drift_under_a_router(void **state) {
    const struct setting still[] = {V3,
                                    SAMPLED,
                                    {"group_limit", "none"},
                                    {"tokens_per_rank", "400"},
                                    {"routing.source", "synthetic"},
                                    {"routing.exponent", "0.7"},
                                    {0}},
                         moved[] = {V3,
                                    SAMPLED,
                                    {"group_limit", "none"},
                                    {"tokens_per_rank", "400"},
                                    {"routing.source", "synthetic"},
                                    {"routing.exponent", "0.7"},
                                    {"routing.drift", "0.5"},
                                    {"routing.batch", "1"},
                                    {0}};
    (void)state;
    struct asked a, b;
    struct err e;
    assert_ok(ask("8", still, &a, &e), &e);
    assert_ok(ask("8", moved, &b, &e), &e);
    assert_true(difference(a.t, b.t) > 1); // hot experts are elsewhere
    done(&a);
    done(&b);
}

static void counts_are_popularities_under_a_router(void **state) {
    const struct setting set[] = {{"experts", "64"},
                                  {"top_k", "8"},
                                  SAMPLED,
                                  {"group_limit", "none"},
                                  {"routing.source", "trace"},
                                  {"routing.trace", TEST_DATA_DIR "/../../workloads/traces/olmoe_github_counts.csv"},
                                  {"routing.model", "olmoe"},
                                  {"routing.corpus", "github"},
                                  {"routing.layer", "1"},
                                  {"routing.n_group", "4"},
                                  {"routing.topk_group", "2"},
                                  {0}};
    (void)state;
    struct asked a;
    struct err e;
    assert_ok(ask("8", set, &a, &e), &e);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    assert_true(rho.expert > 1.5);
    assert_true(a.t->max_over_mean > 1.5);
    assert_non_null(strstr(a.t->notes.text, "its counts are popularities"));
    done(&a);
}

/* The other mode that counts the machine's groups: its draw is that of global_topk to the last token, and a note says
 * so; without a router it stays what it is. */
static void quota_only_becomes_global_topk(void **state) {
    const struct setting quota[] = {V3, SAMPLED, {"group_limit", "none"}, {"routing.mode", "quota_only"},
                                    {"tokens_per_rank", "50"}, {0}};
    const struct setting global[] = {V3, SAMPLED, {"group_limit", "none"}, {"routing.mode", "global_topk"},
                                     {"tokens_per_rank", "50"}, {0}};
    const struct setting without[] = {{"experts", "256"}, {"top_k", "8"}, SAMPLED, {"group_limit", "none"},
                                      {"routing.mode", "quota_only"}, {"tokens_per_rank", "50"}, {0}};
    (void)state;
    struct asked a, b, c;
    struct err e;
    assert_ok(ask("4", quota, &a, &e), &e);
    assert_ok(ask("4", global, &b, &e), &e);
    assert_ok(ask("4", without, &c, &e), &e);
    assert_int_equal(a.w->routing.mode, MODE_GLOBAL_TOPK);
    assert_non_null(strstr(a.t->notes.text, "routing.mode 'quota_only' is taken as 'global_topk'"));
    assert_true(same_matrix(&a.t->one_hop, &b.t->one_hop));
    assert_int_equal(c.w->routing.mode, MODE_QUOTA_ONLY);
    assert_rel(c.t->fan_out, 4, 0); // every token in every group
    assert_true(a.t->fan_out < 3.9);
    done(&a);
    done(&b);
    done(&c);
}

/* Choices and bytes of a record are as they are: no router makes others of them. One that keeps all groups does not act
 * and is let pass. */
static void exact_records_are_refused_under_a_router(void **state) {
    static const struct {
        const char *name, *text, *says;
    } records[] = {
        {"r.jsonl", "{\"layer\": 0, \"src_rank\": 0, \"topk_ids\": [0, 1]}\n",
         "r.jsonl: token-level records are exact, no router (routing.n_group) can be imposed on one"},
        {"m.csv", "src,dst,bytes\n0,1,5\n15,0,7\n",
         "m.csv: a matrix is exact, no router (routing.n_group) can be imposed on one"}};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        for (int kept = 1; kept <= 2; kept++) {
            const struct setting set[] = {{"experts", "16"}, {"top_k", "2"}, SAMPLED, {"group_limit", "none"},
                                          {"routing.mode", "global_topk"}, {"routing.source", "trace"},
                                          {"routing.trace", records[i].name}, {"routing.n_group", "2"},
                                          {"routing.topk_group", kept == 1 ? "1" : "2"}, {0}};
            struct asked a;
            struct err e;
            folder_put(records[i].name, records[i].text);
            enum rc rc = ask("2", set, &a, &e);
            if (kept == 2)
                assert_ok(rc, &e);
            else
                assert_fails(rc, RC_SCHEMA, &e, records[i].says);
            done(&a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_a_token_of_deepseek),
        cmocka_unit_test(a_router_follows_its_rule),
        cmocka_unit_test(a_router_that_cannot_be_is_refused),
        cmocka_unit_test(ceilings_of_a_router),
        cmocka_unit_test(targets_are_met_under_a_router),
        cmocka_unit_test(the_router_does_not_see_the_machine),
        cmocka_unit_test(a_machine_limit_and_a_router_both_hold),
        cmocka_unit_test(what_a_router_does_not_go_with),
        cmocka_unit_test(drift_under_a_router),
        cmocka_unit_test(counts_are_popularities_under_a_router),
        cmocka_unit_test(quota_only_becomes_global_topk),
        cmocka_unit_test(exact_records_are_refused_under_a_router),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
