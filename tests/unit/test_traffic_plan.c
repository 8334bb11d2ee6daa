/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws over layers and batches, tokens per rank, token-level traffic, capacity. */
#include "tests/support/matrices.h"
#include "tests/support/records.h"

#include "workloads/tokens.h"

static struct traffic_plan *plan_of(const struct asked *a) {
    struct traffic_plan *plan = NULL;
    struct err e;
    assert_ok(traffic_plan_build(a->p, a->w, 1, &plan, &e), &e);
    return plan;
}

static struct traffic *draw(const struct traffic_plan *plan, int64_t number) {
    struct traffic *t = NULL;
    struct err e;
    assert_ok(traffic_plan_draw(plan, number, &t, &e), &e);
    return t;
}

static void draws_walk_through_layers_then_batches(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    sample("olmoe_mixtral_expert_counts.csv", path);
    const struct setting set[] = {{"routing.source", "trace"},
                                  {"routing.trace", path},
                                  {"routing.model", "olmoe"},
                                  {"routing.corpus", "github"},
                                  {NULL, NULL}};
    struct asked a = get_traffic("8", "8", set);
    struct traffic_plan *plan = plan_of(&a);
    assert_int_equal(traffic_plan_layers(plan), 3);
    assert_int_equal(traffic_plan_batches(plan), 0);
    static const double worst[] = {5.006, 6.157, 4.509}; // max over mean of the layers
    for (int i = 0; i < 5; i++) {
        struct traffic *t = draw(plan, i);
        assert_int_equal(t->layer, i % 3);
        assert_int_equal(t->batch, i / 3);
        assert_near(t->max_over_mean, worst[i % 3], 1e-3);
        if (i == 0)
            assert_true(same_matrix(&t->one_hop, &a.t->one_hop)); // what traffic_build() gives
        traffic_free(t);
    }
    struct traffic *x = draw(plan, 1), *y = draw(plan, 4), *z = draw(plan, 4);
    assert_false(same_matrix(&x->one_hop, &y->one_hop));
    assert_true(same_matrix(&y->one_hop, &z->one_hop));
    traffic_free(x);
    traffic_free(y);
    traffic_free(z);
    traffic_plan_free(plan);
    done(&a);
}

/* A plan gives a layer as traffic_build() does when the workload asks for it. */
static void a_layer_is_the_one_that_is_asked_for(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    sample("olmoe_mixtral_expert_counts.csv", path);
    struct setting set[] = {{"routing.source", "trace"},
                            {"routing.trace", path},
                            {"routing.model", "olmoe"},
                            {"routing.corpus", "github"},
                            {"routing.layer", "1"},
                            {NULL, NULL}};
    struct asked one = get_traffic("8", "8", set);
    set[4].key = NULL;
    struct asked all = get_traffic("8", "8", set);
    struct traffic_plan *plan = plan_of(&all);
    struct traffic *t;
    struct err e;
    assert_ok(traffic_plan_layer(plan, 1, &t, &e), &e);
    assert_int_equal(t->layer, 1);
    assert_true(same_matrix(&t->one_hop, &one.t->one_hop));
    assert_false(same_matrix(&t->one_hop, &all.t->one_hop));
    traffic_free(t);
    traffic_plan_free(plan);
    done(&one);
    done(&all);
}

/* A record of `n` tokens: token t chooses experts t mod 16 and t mod 16 + 16 of 32. */
static void write_rows(int n, char path[static RECORDS_PATH]) {
    struct buf b = {0};
    for (int t = 0; t < n; t++) {
        int ids[] = {t % 16, t % 16 + 16};
        route_line(&b, ids, 2);
    }
    write_record(&b, path);
    buf_clear(&b);
}

#define ROUTES(path, tokens)                                                                       \
    {"experts", "32"}, {"top_k", "2"}, {"routing.source", "trace"}, {"routing.trace", path}, {     \
        "tokens_per_rank", tokens                                                                  \
    }

static void batches_of_a_record_are_exact(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    write_rows(40, path);
    const struct setting set[] = {ROUTES(path, "4"), {NULL, NULL}};
    struct asked a = get_traffic("2", "2", set);
    struct traffic_plan *plan = plan_of(&a);
    struct traffic *t;
    struct err e;
    assert_int_equal(traffic_plan_batches(plan), 3); // 16, 16 and 8 tokens
    /* Rank r of 4 has tokens 4 r .. 4 r + 3, whose experts are 4 r .. 4 r + 3 and those plus 16. A rank holds
     * 8 experts: ranks 0 and 1 send to ranks 0 and 2, ranks 2 and 3 to ranks 1 and 3. */
    static const double want[] = {4, 0, 4, 0, 4, 0, 4, 0, 0, 4, 0, 4, 0, 4, 0, 4};
    double *dense = matrix_dense(&a.t->one_hop);
    assert_memory_equal(dense, want, sizeof want);
    free(dense);
    assert_rel(a.t->fan_out, 2, 0);
    t = draw(plan, 2);
    assert_int_equal(t->tokens_total, 8);
    assert_int_equal(t->tokens[0], 2);
    traffic_free(t);
    assert_fails(traffic_plan_draw(plan, 3, &t, &e), RC_RANGE, &e,
                 "batch 3: layer 0 has 40 rows that count");
    traffic_plan_free(plan);
    done(&a);
    const struct setting repeat[] = {ROUTES(path, "16"), {"routing.fill", "repeat"}, {NULL, NULL}};
    a = get_traffic("2", "2", repeat);
    assert_int_equal(a.t->tokens_total, 64);
    done(&a);
    const struct setting robin[] = {
        ROUTES(path, "4"), {"routing.assign", "round-robin"}, {NULL, NULL}};
    a = get_traffic("2", "2", robin);
    dense =
        matrix_dense(&a.t->one_hop); // rank r has tokens r, r + 4, ..: half of them below expert 8
    for (int src = 0; src < 4; src++)
        for (int dst = 0; dst < 4; dst++)
            assert_rel(dense[src * 4 + dst], 2, 0);
    free(dense);
    done(&a);
    const struct setting request[] = {
        ROUTES(path, "16"), {"routing.assign", "request"}, {NULL, NULL}};
    a = get_traffic("2", "2", request);
    int with_tokens = 0; // one request: all on one rank
    for (int r = 0; r < 4; r++)
        with_tokens += a.t->tokens[r] > 0;
    assert_int_equal(with_tokens, 1);
    done(&a);
    static const struct setting bad[][7] = {{{"routing.draw", "expected"}},
                                            {{"routing.pair_sigma", "1"}},
                                            {{"routing.mode", "quota_only"}}};
    for (int i = 0; i < 3; i++) {
        struct setting all[] = {ROUTES(path, "4"), bad[i][0], {NULL, NULL}};
        refuse_traffic("2", "1", all, RC_SCHEMA, "token-level records are exact");
    }
    unlink(path);
}

static void rows_per_rank_and_group_count_a_token_once(void **state) {
    (void)state;
    struct buf b = {0};
    static const int ids[] = {0, 1,  2,
                              3, 12, 4}; // on 4 ranks x 4: three of rank 0, none twice elsewhere
    route_line(&b, ids, 6);
    char path[RECORDS_PATH];
    write_record(&b, path);
    const struct setting set[] = {{"experts", "16"},           {"top_k", "6"},
                                  {"routing.source", "trace"}, {"routing.trace", path},
                                  {"tokens_per_rank", "1"},    {NULL, NULL}};
    struct asked a = get_traffic("2", "2", set);
    double *one = matrix_dense(&a.t->one_hop), *rank = matrix_dense(&a.t->one_hop_rank);
    double *hop_a = matrix_dense(&a.t->hop_a[TIER_FAST]), *hop_b = matrix_dense(&a.t->hop_b);
    double *hop_b_rank = matrix_dense(&a.t->hop_b_rank);
    assert_rel(one[0], 4, 0);
    assert_rel(one[1], 1, 0);
    assert_rel(one[3], 1, 0);
    assert_rel(rank[0], 1, 0);
    assert_rel(matrix_total(&a.t->one_hop_rank, true), 3, 0);
    assert_rel(hop_a[0], 1, 0);
    assert_rel(hop_a[2], 1, 0);
    assert_rel(hop_b[0 * 4 + 0], 4, 0);
    assert_rel(hop_b[2 * 4 + 3], 1, 0);
    assert_rel(hop_b_rank[0], 1, 0);
    free(one);
    free(rank);
    free(hop_a);
    free(hop_b);
    free(hop_b_rank);
    done(&a);
    unlink(path);
    buf_clear(&b);
}

static void tokens_per_rank_come_in_many_ways(void **state) {
    (void)state;
    int64_t tokens[64];
    struct buf notes = {0};
    struct err e;
    struct tokens_ask ask = {.ranks = 64, .each = 1000, .cv = 0.5, .idle = 0.25, .seed = 1};
    assert_ok(tokens_fill(&ask, tokens, &notes, &e), &e);
    int idle = 0;
    double x[64], busy = 0;
    for (int i = 0; i < 64; i++) {
        idle += tokens[i] == 0;
        if (tokens[i])
            x[(int)busy++] = (double)tokens[i];
    }
    assert_int_equal(idle, 16);
    assert_near(stat_sum(x, 48) / 48, 1000, 5 * 500 / sqrt(48));
    assert_true(stat_cv(x, 48) > 0.25 && stat_cv(x, 48) < 0.85);
    buf_clear(&notes);
    int64_t list[4];
    int count;
    assert_ok(tokens_parse("7x2, 0\n 12", "t", list, 4, &count, &e), &e);
    assert_int_equal(count, 4);
    assert_true(list[1] == 7 && list[2] == 0 && list[3] == 12);
    assert_fails(tokens_parse("7x", "t", list, 4, &count, &e), RC_SYNTAX, &e,
                 "t: '7x': expected numbers");
    assert_fails(tokens_parse("-1", "t", list, 4, &count, &e), RC_SYNTAX, &e, "'-1'");
    assert_fails(tokens_parse("99999999", "t", list, 4, &count, &e), RC_SYNTAX, &e,
                 "up to 16777216");
    const struct setting few[] = {{"tokens_list", "1,2,3"}, {NULL, NULL}};
    refuse_traffic("1", "4", few, RC_SHAPE,
                   "tokens_list: tokens of 3 ranks, but there are 4 ranks");
    char path[RECORDS_PATH];
    buf_text(&notes, "5\n6\n7\n8\n");
    write_record(&notes, path);
    const struct setting file[] = {{"tokens_file", path}, {NULL, NULL}};
    struct asked a = get_traffic("1", "4", file);
    assert_int_equal(a.t->tokens[3], 8);
    assert_int_equal(a.t->tokens_total, 26);
    done(&a);
    unlink(path);
    buf_clear(&notes);
}

static void capacity_drops_or_pads(void **state) {
    (void)state;
    const struct setting base[] = {{"routing.source", "synthetic"},
                                   {"routing.rho_max", "4"},
                                   {"routing.family", "hot-rank"},
                                   {"capacity_factor", "1.5"},
                                   {NULL, NULL}};
    struct asked a = get_traffic("1", "8", base);
    // a source has 256 x 8 / 64 = 32 rows an expert on average: at most 48
    assert_true(a.t->over_capacity > 0);
    assert_rel(matrix_total(&a.t->one_hop, true), 8.0 * 256 * 8 - (double)a.t->over_capacity, 0);
    for (int i = 0; i < 64; i++)
        assert_true(a.t->expert_load[i] <= 8 * 48);
    assert_rel(stat_max(a.t->expert_load, 64), 8 * 48, 0);
    done(&a);
    struct setting pad[6];
    memcpy(pad, base, 4 * sizeof *pad);
    pad[4] = (struct setting){"capacity_policy", "pad"};
    pad[5] = (struct setting){NULL, NULL};
    a = get_traffic("1", "8", pad);
    for (int i = 0; i < 64; i++)
        assert_rel(a.t->expert_load[i], 8 * 48, 0);
    done(&a);
}

/* Pair skew moves the pairs, not the loads; expected and sampled agree. */
static void pair_skew_is_its_own_knob(void **state) {
    (void)state;
    struct asked a[2];
    double *dense[2];
    for (int i = 0; i < 2; i++) {
        const struct setting set[] = {{"routing.pair_sigma", "0.8"},
                                      {"tokens_per_rank", "4096"},
                                      {"routing.draw", i ? "expected" : "sampled"},
                                      {NULL, NULL}};
        a[i] = get_traffic("2", "4", set);
        dense[i] = matrix_dense(&a[i].t->one_hop);
        struct traffic_rho rho;
        traffic_rho(a[i].t, &rho);
        assert_true(rho.rank < 1.02);
        assert_null(strstr(a[i].t->notes.text, "rank-one"));
    }
    double most = 0;
    for (int i = 0; i < 64; i++) {
        assert_near(dense[0][i], dense[1][i], 5 * sqrt(dense[1][i]));
        most = fmax(most, dense[1][i] / 4096);
    }
    assert_true(most > 1.5); // 1 everywhere without
    for (int i = 0; i < 2; i++) {
        free(dense[i]);
        done(&a[i]);
    }
}

/* The yaml form: a list in place of the number. */
static void a_list_may_stand_for_the_number(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    snprintf(path, sizeof path, "/tmp/moesim_plan_%ld.yaml", (long)getpid());
    static const char text[] = "schema: moesim/workload/1\nname: x\ntokens_per_rank: [3, 0, 5, 1]\n"
                               "experts: 8\ntop_k: 2\nhidden: 16\nrouting: {source: uniform}\n";
    struct err e;
    assert_ok(file_write(path, text, strlen(text), &e), &e);
    struct setting shape[] = {{"groups", "2"}, {"ranks_per_group", "2"}};
    struct asked a = {0};
    assert_ok(plat_load("dgx-h100", shape, 2, &a.p, &e), &e);
    assert_ok(workload_load(path, NULL, 0, &a.w, &e), &e);
    assert_int_equal(a.w->tokens_per_rank, 5);
    assert_ok(traffic_build(a.p, a.w, 1, &a.t, &e), &e);
    assert_int_equal(a.t->tokens_total, 9);
    assert_rel(matrix_total(&a.t->one_hop, true), 18, 0);
    traffic_free(a.t);
    workload_free(a.w);
    const struct setting number = {"tokens_per_rank", "7"};
    assert_ok(workload_load(path, &number, 1, &a.w, &e), &e);
    assert_null(a.w->tokens_list);
    assert_int_equal(a.w->tokens_per_rank, 7);
    workload_free(a.w);
    plat_free(a.p);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_walk_through_layers_then_batches),
        cmocka_unit_test(a_layer_is_the_one_that_is_asked_for),
        cmocka_unit_test(batches_of_a_record_are_exact),
        cmocka_unit_test(rows_per_rank_and_group_count_a_token_once),
        cmocka_unit_test(tokens_per_rank_come_in_many_ways),
        cmocka_unit_test(capacity_drops_or_pads),
        cmocka_unit_test(pair_skew_is_its_own_knob),
        cmocka_unit_test(a_list_may_stand_for_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
