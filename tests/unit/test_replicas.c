/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/program.h"

#include "platforms/base/stat.h"
#include "workloads/placement/balance.h"
#include "workloads/placement/replicas.h"
#include "workloads/traffic.h"

#define DATA TEST_DATA_DIR "/placement/"

enum { SETTINGS = 16 };

struct asked {
    struct platform *p;
    struct workload *w;
    struct traffic *t;
};

static enum rc ask_on(const char *platform, const struct setting *shape, size_t shapes, const char *workload,
                      const struct setting *set, struct asked *a, struct err *e) {
    size_t n = 0;
    *a = (struct asked){0};
    while (set[n].key)
        n++;
    assert_ok(plat_load(platform, shape, shapes, &a->p, e), e);
    enum rc rc = workload_load(workload, set, n, &a->w, e);
    return rc ? rc : traffic_build(a->p, a->w, 1, &a->t, e);
}

static void done(struct asked *a) {
    traffic_free(a->t);
    workload_free(a->w);
    plat_free(a->p);
}

/* Rows between groups of two ranks, and between ranks of one group. */
static void sums(const struct traffic *t, double *across, double *inside) {
    *across = *inside = 0;
    for (int src = 0; src < t->ranks; src++)
        for (size_t i = t->one_hop.start[src]; i < t->one_hop.start[src + 1]; i++)
            if (src / 2 != t->one_hop.dst[i] / 2)
                *across += t->one_hop.value[i];
            else if (src != t->one_hop.dst[i])
                *inside += t->one_hop.value[i];
}

/* Experts 0, 1 on ranks 0, 1 and again on 2, 3; 1000 tokens a rank, top 1, even. Rows of 2000 bytes. */
static void choices_by_hand(void **state) {
    static const struct {
        const char *choice, *cap;
        double across, inside;
    } cases[] = {{"in-turn", "1", 2000, 1000},        {"nearest", "1", 0, 2000},
                 {"by-source-rank", "1", 2000, 1000}, // ranks 0 and 3 have all near, 1 and 2 all far
                 {"nearest", "0.75", 1000, 1500},     {"by-source-rank", "0.75", 2000, 1000},
                 {"nearest", "0.1", 2000, 1000}, // of two replicas one takes half at least
                 {"weighted", "1", 2000, 1000},       {"random", "1", 2000, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sampled = 0; sampled < 2; sampled++) {
            const struct setting set[] = {{"replica_choice", cases[i].choice},
                                          {"replica_cap", cases[i].cap},
                                          {"routing.draw", sampled ? "sampled" : "expected"},
                                          {0}};
            struct asked a;
            struct err e;
            double across, inside;
            assert_ok(ask_on(DATA "two_by_two.yaml", NULL, 0, DATA "two_experts.yaml", set, &a, &e), &e);
            sums(a.t, &across, &inside);
            // drawn: an expert has 500 +- 16 rows of a source; 4 sigma over four sources
            assert_near(across, cases[i].across, sampled && cases[i].across > 0 ? 4 * sqrt(4000 * 0.25) : 1e-9);
            assert_near(inside, cases[i].inside, sampled ? 4 * sqrt(4000 * 0.25) : 1e-9);
            assert_non_null(strstr(a.t->notes.text, "replicas: "));
            done(&a);
        }
}

/* Rank 0 holds expert 0, rank 1 experts 0 and 1, rank 2 experts 1 and 2, with loads 9, 3, 6: 6 rows each. */
static void weighted_levels_the_ranks(void **state) {
    static const int start[] = {0, 1, 3, 5, 5}, slot[] = {0, 0, 1, 1, 2};
    static const double load[] = {9, 3, 6};
    (void)state;
    struct placement_ask ask = {.ranks = 4, .experts = 3};
    struct placement *p = NULL;
    struct platform *platform = NULL;
    struct err e;
    double at[4];
    assert_ok(plat_load(DATA "two_by_two.yaml", NULL, 0, &platform, &e), &e);
    assert_ok(placement_of_slots(&ask, start, slot, "t", &p, &e), &e);
    const struct replicas_ask how = {.placement = p, .platform = platform, .choice = REPLICA_WEIGHTED, .load = load};
    struct replicas *r = replicas_build(&how);
    replicas_load(r, load, at);
    for (int i = 0; i < 3; i++)
        assert_near(at[i], 6, 1e-9);
    assert_near(replicas_shares(r)[0], 2.0 / 3, 1e-9);
    // dealt out: 9 rows of expert 0, of which 6 to rank 0
    int first = 0;
    for (int row = 0; row < 9; row++)
        first += replicas_take(r, 0, row) == 0;
    assert_int_equal(first, 6);
    replicas_free(r);
    placement_free(p);
    plat_free(platform);
}

static void a_pool_is_levelled(void **state) {
    static const double base[] = {5, 1, 2, 9};
    double into[4];
    (void)state;
    balance_level(base, 4, 3, into); // 1 and 2 rise to 3
    assert_near(into[0] + into[3], 0, 0);
    assert_near(into[1], 2, 1e-15);
    assert_near(into[2], 1, 1e-15);
    balance_level(base, 4, 0, into);
    for (int i = 0; i < 4; i++)
        assert_near(into[i], 0, 1e-15);
    balance_level(base, 4, 23, into);
    for (int i = 0; i < 4; i++)
        assert_near(base[i] + into[i], 10, 1e-12);
}

/* Expected rows are the mean of drawn ones, under every choice and both caps, on EPLB's placement of two tiers. */
static void drawn_rows_scatter_around_expected_ones(void **state) {
    static const char *const choices[] = {"in-turn", "nearest", "by-source-rank", "random", "weighted"};
    static const struct setting shape[] = {{"groups", "4"}, {"ranks_per_group", "4"}};
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct asked drawn, expected;
        struct err e;
        for (int sampled = 0; sampled < 2; sampled++) {
            const struct setting set[] = {{"replica_choice", choices[i / 2]},
                                          {"replica_cap", i % 2 ? "0.4" : "1"},
                                          {"routing.draw", sampled ? "sampled" : "expected"},
                                          {"routing.mode", "global_topk"},
                                          {"group_limit", "none"},
                                          {"experts", "32"},
                                          {"top_k", "4"},
                                          {"tokens_per_rank", "2000"},
                                          {"placement", "eplb"},
                                          {"placement_slots", "48"},
                                          {"shared_experts", i % 2 ? "least-loaded" : "own-rank"},
                                          {"routing.source", "synthetic"},
                                          {"routing.rho_max", "2"},
                                          {0}};
            assert_ok(ask_on("dgx-h100", shape, 2, "terrace-reference", set, sampled ? &drawn : &expected, &e), &e);
        }
        double *x = matrix_dense(&drawn.t->one_hop), *y = matrix_dense(&expected.t->one_hop);
        for (int pair = 0; pair < 256; pair++)
            assert_near(x[pair], y[pair], 6 * sqrt(y[pair]) + 3);
        free(x);
        free(y);
        assert_rel(drawn.t->fan_out, expected.t->fan_out, 0.02);
        assert_rel(matrix_total(&expected.t->one_hop, true), 16 * 2000 * 5, 1e-9);
        done(&drawn);
        done(&expected);
    }
}

/* The README of EPLB: 12 experts in 4 groups, 2 nodes of 4 GPUs, 16 slots; layer 0, 16,000 rows. Its loads, from the
 * weights by the placement that the README prints: 121.5 86.5 125 113 147.5 131.5 156 152 of 1033. */
static void the_example_of_eplb(void **state) {
    static const double rows[] = {1882, 1340, 1936, 1750, 2285, 2037, 2416, 2354};
    static const char *const groups[] = {"4", "2"};
    (void)state;
    for (int g = 0; g < 2; g++) {
        char arguments[900];
        double sum[8] = {0};
        snprintf(arguments, sizeof arguments,
                 "matrix -o . --platform dgx-h100 --set platform.groups=2 --set platform.ranks_per_group=4 --trace "
                 DATA "eplb_layer0.csv --set workload.experts=12 --set workload.top_k=1 --set "
                      "workload.tokens_per_rank=2000 --set workload.routing.draw=expected --set "
                      "workload.placement=eplb --set "
                 "workload.placement_slots=16 --set workload.expert_groups=%s",
                 groups[g]);
        assert_int_equal(program_text(arguments, NULL), 0);
        char *text = get_file("one_hop.csv"), *rest = text;
        int src, dst, pairs = 0;
        double value;
        for (char *line; (line = strtok_r(rest, "\n", &rest));)
            if (sscanf(line, "%d,%d,%lf", &src, &dst, &value) == 3) {
                sum[dst] += value;
                pairs++;
            }
        free(text);
        assert_int_equal(pairs, 64);
        bool same = true;
        for (int rank = 0; rank < 8; rank++)
            same = same && fabs(sum[rank] - rows[rank]) <= 0.5;
        assert_int_equal(same, g == 0); // groups of ranks instead give another packing
        assert_int_equal(program_shell("rm -f *.csv *.npy", NULL), 0);
    }
}

static void experts_that_do_not_divide_get_a_hint_that_works(void **state) {
    static const struct setting shape[] = {{"groups", "36"}, {"ranks_per_group", "8"}};
    const struct setting plain[] = {{"tokens_per_rank", "16"}, {0}},
                         hinted[] = {{"tokens_per_rank", "16"},
                                     {"placement", "eplb"},
                                     {"placement_slots", "288"},
                                     {0}},
                         limited[] = {{"routing.mode", "group_limited"}, {"group_limit", "4"}, {"experts", "64"},
                                      {"top_k", "4"}, {"placement_remainder", "first"}, {"tokens_per_rank", "4"},
                                      {"routing.n_group", "none"}, {"routing.topk_group", "none"}, {0}};
    static const struct setting uneven[] = {{"groups", "4"}, {"ranks_per_group", "6"}};
    (void)state;
    struct asked a;
    struct err e;
    assert_fails(ask_on("dgx-h100", shape, 2, "deepseek-v3", plain, &a, &e), RC_SHAPE, &e,
                 "256 experts cannot be placed evenly on 288 ranks; replicas fill them: --set workload.placement=eplb "
                 "--set workload.placement_slots=288");
    done(&a);
    assert_ok(ask_on("dgx-h100", shape, 2, "deepseek-v3", hinted, &a, &e), &e);
    assert_rel(matrix_total(&a.t->one_hop, true), 288 * 16 * 8, 0);
    done(&a);
    // contiguous, with a remainder: no advice to use contiguous
    assert_fails(ask_on("dgx-h100", uneven, 2, "deepseek-v3", limited, &a, &e), RC_SHAPE, &e,
                 "the groups of ranks hold unequal numbers of experts: use mode global_topk");
    done(&a);
}

static void at_most_is_at_most(void **state) {
    static const struct setting shape[] = {{"groups", "8"}, {"ranks_per_group", "8"}};
    static const struct {
        const char *rounding;
        double most;
    } cases[] = {{"floor", 15}, {"ceil", 16}}; // 1.25 x 100 x 8 / 64 = 15.6
    (void)state;
    struct asked a;
    struct err e;
    for (size_t i = 0; i < 2; i++) {
        const struct setting set[] = {{"tokens_per_rank", "100"}, {"capacity_factor", "1.25"},
                                      {"capacity_rounding", cases[i].rounding}, {0}};
        double most = 0;
        assert_ok(ask_on("dgx-h100", shape, 2, "olmoe", set, &a, &e), &e);
        for (size_t x = 0; x < a.t->one_hop.start[64]; x++)
            most = fmax(most, a.t->one_hop.value[x]);
        assert_near(most, cases[i].most, 0);
        done(&a);
    }
    const struct setting none[] = {{"tokens_per_rank", "4"}, {"capacity_factor", "1"}, {0}};
    assert_fails(ask_on("dgx-h100", shape, 2, "olmoe", none, &a, &e), RC_RANGE, &e,
                 "capacity_factor 1 allows a source 0.5 rows an expert, less than one");
    done(&a);
}

/* Top 1 of 4 experts with counts 4:2:1:1 on 4 ranks, 8 tokens each: 16 8 4 4 rows, and 32 of shared experts. */
static void shared_experts_by_hand(void **state) {
    static const struct {
        const char *where;
        double load[4];
        double fan_out;
    } cases[] = {{"not-sent", {16, 8, 4, 4}, 1},
                 {"own-rank", {24, 16, 12, 12}, 1.5}, // half of the rows go to the other group
                 {"least-loaded", {16, 16, 16, 16}, 0}};
    (void)state;
    folder_put("counts.csv", "layer_id,expert_id,count\n0,0,4\n0,1,2\n0,2,1\n0,3,1\n");
    for (size_t i = 0; i < 3; i++) {
        const struct setting set[] = {{"placement", "contiguous"}, {"routing.source", "trace"},
                                      {"routing.trace", "counts.csv"}, {"experts", "4"}, {"tokens_per_rank", "8"},
                                      {"shared_experts", cases[i].where}, {0}};
        struct asked a;
        struct err e;
        put_file("w.yaml", "schema: moesim/workload/1\nname: w\ntokens_per_rank: 8\nexperts: 4\ntop_k: 1\nhidden: 8\n"
                           "routing: {source: uniform, draw: expected}\n");
        assert_ok(ask_on(DATA "two_by_two.yaml", NULL, 0, "./w.yaml", set, &a, &e), &e);
        for (int rank = 0; rank < 4; rank++)
            assert_near(a.t->rank_load[rank], cases[i].load[rank], 1e-9);
        if (cases[i].fan_out > 0)
            assert_near(a.t->fan_out, cases[i].fan_out, 1e-9);
        assert_int_equal(workload_slots(a.w), i ? 2 : 1);
        // experts carry what the router sends them, shared rows apart
        assert_near(stat_sum(a.t->expert_load, 4), 32, 1e-9);
        done(&a);
    }
    unlink("w.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_by_hand),
        cmocka_unit_test(weighted_levels_the_ranks),
        cmocka_unit_test(a_pool_is_levelled),
        cmocka_unit_test(drawn_rows_scatter_around_expected_ones),
        cmocka_unit_test(the_example_of_eplb),
        cmocka_unit_test(experts_that_do_not_divide_get_a_hint_that_works),
        cmocka_unit_test(at_most_is_at_most),
        cmocka_unit_test(shared_experts_by_hand),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
