/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/matrices.h"

#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/stat.h"
#include "workloads/traffic.h"

enum { SETTINGS = 12 };

/* One question: a platform of groups x local ranks and a built-in workload with some keys changed. */
struct question {
    const char *platform;
    const char *groups, *local;
    const char *workload;
    struct setting set[SETTINGS];
};

struct asked {
    struct platform *p;
    struct workload *w;
    struct traffic *t;
};

static enum rc ask(const struct question *q, uint64_t seed, struct asked *a, struct err *e) {
    struct setting shape[] = {{"groups", q->groups}, {"ranks_per_group", q->local}};
    size_t n = 0;
    *a = (struct asked){0};
    while (n < SETTINGS && q->set[n].key)
        n++;
    assert_ok(plat_load(q->platform, shape, 2, &a->p, e), e);
    assert_ok(workload_load(q->workload, q->set, n, &a->w, e), e);
    return traffic_build(a->p, a->w, seed, &a->t, e);
}

static void done(struct asked *a) {
    traffic_free(a->t);
    workload_free(a->w);
    plat_free(a->p);
}

static struct asked answer(const struct question *q, uint64_t seed) {
    struct asked a;
    struct err e;
    assert_ok(ask(q, seed, &a, &e), &e);
    return a;
}

#define UNIFORM(experts, top_k, tokens, draw)                                                      \
    {"group_limit", "none"}, {"routing.mode", "global_topk"}, {"routing.draw", draw},              \
        {"experts", experts}, {"top_k", top_k}, {                                                  \
        "tokens_per_rank", tokens                                                                  \
    }

static const struct question uniform_2x2 = {
    "dgx-h100", "2", "2", "terrace-reference", {UNIFORM("4", "2", "12", "expected")}};
static const struct question uniform_8x8 = {
    "dgx-h100", "8", "8", "terrace-reference", {UNIFORM("64", "8", "512", "sampled")}};
static const struct question uniform_4x8 = {
    "dgx-h100", "4", "8", "terrace-reference", {UNIFORM("64", "8", "512", "sampled")}};
static const struct question uniform_3x5 = {
    "dgx-h100", "3", "5", "terrace-reference", {UNIFORM("60", "4", "100", "sampled")}};
static const struct question full_sampled = {
    "terrace-a", "16", "8", "terrace-reference", {{"routing.draw", "sampled"}}};
static const struct question full_expected = {"terrace-a", "16", "8", "terrace-reference", {{0}}};
static const struct question trace_sampled = {
    "dgx-h100", "8", "8", "olmoe-github", {{"tokens_per_rank", "1024"}}};
static const struct question trace_expected = {
    "dgx-h100",
    "8",
    "8",
    "olmoe-github",
    {{"tokens_per_rank", "1024"}, {"routing.draw", "expected"}}};
static const struct question one_group = {"dgx-h100", "1", "16", "olmoe-github", {{0}}};
static const struct question one_rank_groups = {
    "dgx-h100", "16", "1", "olmoe-github", {{"tokens_per_rank", "64"}}};

static const struct question *const questions[] = {
    &uniform_2x2,   &uniform_8x8,    &uniform_3x5, &full_sampled,   &full_expected,
    &trace_sampled, &trace_expected, &one_group,   &one_rank_groups};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* --- worked by hand ------------------------------------------------------------------------------- */

static void assert_dense(const struct matrix *m, const double *want, double tolerance) {
    double *dense = matrix_dense(m);
    for (int i = 0; i < m->ranks * m->ranks; i++)
        assert_near(dense[i], want[i], tolerance);
    free(dense);
}

static void uniform_2_by_2_by_hand(void **state) {
    (void)state;
    /* 4 experts, 2 of them a token, 12 tokens: 6 rows to each rank. A token misses a group of 2 experts with
     * C(2,2) / C(4,2) = 1/6, so 10 of 12 reach each group. A forwarder gets the 6 rows of two senders. */
    static const double one_hop[] = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    static const double hop_a[] = {10, 0, 10, 0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 10, 0, 10};
    static const double hop_b[] = {12, 12, 0, 0, 12, 12, 0, 0, 0, 0, 12, 12, 0, 0, 12, 12};
    struct asked a = answer(&uniform_2x2, 1);
    assert_dense(&a.t->one_hop, one_hop, 0);
    assert_dense(&a.t->hop_a[TIER_FAST], hop_a, 1e-13);
    assert_dense(&a.t->hop_b, hop_b, 0);
    assert_rel(a.t->fan_out, 5.0 / 3, 1e-14);
    assert_rel(a.t->max_over_mean, 1, 0);
    assert_false(a.t->one_hop.whole);
    assert_string_equal(a.t->trace_sha256, "");
    done(&a);
}

/* A trace of one layer in a temporary file. */
static void write_trace(const char *text, char path[static 64]) {
    struct err e;
    snprintf(path, 64, "/tmp/test_traffic_%ld.csv", (long)getpid());
    assert_ok(file_write(path, text, strlen(text), &e), &e);
}

static void trace_2_by_2_by_hand(void **state) {
    (void)state;
    /* One expert a token, shares 1 2 3 4 of 10 tokens. */
    static const double one_hop[] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    static const double hop_a[] = {3, 0, 7, 0, 0, 3, 0, 7, 3, 0, 7, 0, 0, 3, 0, 7};
    static const double hop_b[] = {2, 4, 0, 0, 2, 4, 0, 0, 0, 0, 6, 8, 0, 0, 6, 8};
    char path[64];
    write_trace("layer,expert,count\n5,0,10\n5,1,20\n5,2,30\n5,3,40\n", path);
    struct question q = {"dgx-h100",
                         "2",
                         "2",
                         "olmoe-github",
                         {{"experts", "4"},
                          {"top_k", "1"},
                          {"tokens_per_rank", "10"},
                          {"routing.draw", "expected"},
                          {"routing.trace", path}}};
    struct asked a = answer(&q, 1);
    unlink(path);
    assert_dense(&a.t->one_hop, one_hop, 1e-14);
    assert_dense(&a.t->hop_a[TIER_FAST], hop_a, 1e-11);
    assert_dense(&a.t->hop_b, hop_b, 1e-14);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    assert_rel(rho.rank, 1.6, 1e-14);
    assert_rel(rho.expert, 1.6, 1e-14);
    assert_rel(rho.one_hop_in, 1.6, 1e-14);
    assert_rel(rho.one_hop_out, 9 / 7.5, 1e-14);
    assert_rel(rho.hop_a_in, 1.4, 1e-11);
    assert_rel(rho.hop_a_out, 1.4, 1e-11);
    assert_rel(rho.hop_b_in, 1.6, 1e-14);
    assert_rel(rho.hop_b_out, 1.6, 1e-14);
    assert_rel(a.t->fan_out, 1, 1e-12);
    assert_rel(a.t->max_over_mean, 1.6, 1e-14);
    assert_int_equal(strlen(a.t->trace_sha256), 64);
    assert_string_equal(
        a.t->notes.text,
        "layer 5 of the record, its first\n"
        "marginals only: every source rank draws from the same distribution (rank-one "
        "matrix), joint draw by maximum entropy\n");
    done(&a);
}

static void reference_geometry_is_exact(void **state) {
    (void)state;
    struct asked a = answer(&full_expected, 1);
    double *one_hop = matrix_dense(&a.t->one_hop), *hop_a = matrix_dense(&a.t->hop_a[TIER_FAST]);
    double *hop_b = matrix_dense(&a.t->hop_b);
    for (int src = 0; src < 128; src++)
        for (int dst = 0; dst < 128; dst++) {
            int i = src * 128 + dst;
            assert_rel(one_hop[i], 4096 * 6 / 128, 0);
            assert_near(hop_a[i], src % 8 == dst % 8 ? 4096 * 2 / 16 : 0, 0);
            assert_near(hop_b[i], src / 8 == dst / 8 ? 16 * 192 : 0, 0);
        }
    assert_rel(a.t->fan_out, 2, 0);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    assert_rel(rho.rank, 1, 0);
    assert_rel(rho.hop_a_in, 1, 0);
    assert_rel(rho.hop_b_out, 1, 0);
    free(one_hop);
    free(hop_a);
    free(hop_b);
    done(&a);
}

static void uniform_fan_out_is_hypergeometric(void **state) {
    (void)state;
    struct question q = {
        "dgx-h100", "8", "8", "terrace-reference", {UNIFORM("64", "8", "512", "expected")}};
    struct asked a = answer(&q, 1);
    double miss = 1;
    for (int i = 0; i < 8; i++)
        miss *= (56.0 - i) / (64.0 - i);
    assert_rel(a.t->fan_out, 8 * (1 - miss), 1e-11);
    done(&a);
}

/* --- what always holds ---------------------------------------------------------------------------- */

static void assert_totals(const struct asked *a, double tolerance) {
    const struct traffic *t = a->t;
    size_t n = (size_t)t->ranks;
    double tokens = (double)a->w->tokens_per_rank, rows = tokens * (double)a->w->top_k;
    double *sums = calloc(n, sizeof *sums);
    matrix_sums(&t->one_hop, true, true, sums);
    for (size_t r = 0; r < n; r++)
        assert_rel(sums[r], rows, tolerance);
    assert_rel(matrix_total(&t->hop_b, true), (double)n * rows, tolerance);
    assert_rel(matrix_total(&t->hop_a[TIER_FAST], true), (double)n * tokens * t->fan_out, 1e-12);
    matrix_sums(&t->one_hop, false, true, sums);
    for (size_t r = 0; r < n; r++)
        assert_rel(sums[r], t->rank_load[r], tolerance);
    matrix_sums(&t->hop_b, false, true, sums);
    for (size_t r = 0; r < n; r++)
        assert_rel(sums[r], t->rank_load[r], tolerance);
    size_t each = (size_t)t->experts / n;
    for (size_t r = 0; r < n; r++)
        assert_rel(stat_sum(t->expert_load + r * each, each), t->rank_load[r], tolerance);
    free(sums);
}

/* Rising columns, no zeros, hop_a only along local indices, hop_b only inside groups, whole where said. */
static void assert_places(const struct asked *a) {
    const struct matrix *m[] = {&a->t->one_hop, &a->t->hop_a[TIER_FAST], &a->t->hop_b};
    int local = (int)a->p->ranks_per_group;
    bool whole = a->w->routing.draw == DRAW_SAMPLED;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(m[k]->whole, whole);
        for (int src = 0; src < m[k]->ranks; src++)
            for (size_t i = m[k]->start[src]; i < m[k]->start[src + 1]; i++) {
                int dst = m[k]->dst[i];
                double value = m[k]->value[i];
                assert_true(i == m[k]->start[src] || dst > m[k]->dst[i - 1]);
                assert_true(value > 0 && (!whole || value == floor(value)));
                assert_true(k != 1 || dst % local == src % local);
                assert_true(k != 2 || dst / local == src / local);
            }
    }
}

static void totals_and_places_agree(void **state) {
    (void)state;
    uint64_t seed = check_seed("traffic invariants");
    for (int i = 0; i < QUESTIONS; i++) {
        struct asked a = answer(questions[i], seed);
        assert_totals(&a, a.w->routing.draw == DRAW_SAMPLED ? 0 : 1e-12);
        assert_places(&a);
        done(&a);
    }
}

static void special_shapes_degenerate(void **state) {
    (void)state;
    struct asked a = answer(&one_group, 1);
    // one group: hop A stays at home, hop B is the whole call
    assert_rel(a.t->fan_out, 1, 0);
    assert_rel(matrix_total(&a.t->hop_a[TIER_FAST], false), 0, 0);
    double *one_hop = matrix_dense(&a.t->one_hop);
    assert_dense(&a.t->hop_b, one_hop, 0);
    free(one_hop);
    done(&a);
    a = answer(&one_rank_groups, 1);
    // one rank a group: hop B stays at home
    assert_rel(matrix_total(&a.t->hop_b, false), 0, 0);
    assert_rel(matrix_rho_max(&a.t->hop_b, true), -1, 0);
    done(&a);
}

/* --- sampled against expected ----------------------------------------------------------------------- */

/* Draws without replacement are negatively associated: Bernstein's bound holds with variance <= mean. */
static void assert_like(const struct matrix *sampled, const struct matrix *expected) {
    const double square = 25; // five sigmas
    double *s = matrix_dense(sampled), *x = matrix_dense(expected);
    for (int i = 0; i < sampled->ranks * sampled->ranks; i++)
        assert_near(s[i], x[i],
                    x[i] > 0 ? square / 6 + sqrt(square * square / 36 + square * x[i]) : 0);
    free(s);
    free(x);
}

static void sampled_rows_scatter_around_expected_ones(void **state) {
    (void)state;
    static const struct question *const pairs[][2] = {{&full_sampled, &full_expected},
                                                      {&trace_sampled, &trace_expected}};
    uint64_t seed = check_seed("sampled against expected");
    for (int i = 0; i < 2; i++) {
        struct asked s = answer(pairs[i][0], seed), x = answer(pairs[i][1], seed);
        double tokens = (double)s.w->tokens_per_rank * s.t->ranks;
        assert_like(&s.t->one_hop, &x.t->one_hop);
        assert_like(&s.t->hop_a[TIER_FAST], &x.t->hop_a[TIER_FAST]);
        assert_like(&s.t->hop_b, &x.t->hop_b);
        // the number of groups of a token lies in 1..8: variance below 4
        assert_near(s.t->fan_out, x.t->fan_out, 4 * 2 / sqrt(tokens));
        done(&s);
        done(&x);
    }
}

static void trace_loads_follow_its_counts(void **state) {
    (void)state;
    struct asked a = answer(&trace_expected, 1);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    // layer 1 of the trace; one expert a rank
    assert_rel(rho.rank, a.t->max_over_mean, 1e-12);
    assert_rel(rho.expert, a.t->max_over_mean, 1e-12);
    assert_rel(rho.one_hop_in, a.t->max_over_mean,
               1e-12); // the same row everywhere, 63 of 64 senders
    assert_true(a.t->max_over_mean > 4.9 && a.t->max_over_mean < 6.2);
    assert_true(a.t->fan_out > 4 && a.t->fan_out < 6);
    done(&a);
}

/* --- seeds -------------------------------------------------------------------------------------------- */

static void the_seed_decides_everything(void **state) {
    (void)state;
    static const struct question *const sampled[] = {&trace_sampled, &full_sampled, &uniform_8x8};
    for (int i = 0; i < 3; i++) {
        struct asked a = answer(sampled[i], 7), b = answer(sampled[i], 7),
                     c = answer(sampled[i], 8);
        assert_true(same_matrix(&a.t->one_hop, &b.t->one_hop) && same_matrix(a.t->hop_a, b.t->hop_a) &&
                    same_matrix(&a.t->hop_b, &b.t->hop_b));
        assert_rel(a.t->fan_out, b.t->fan_out, 0);
        assert_false(same_matrix(&a.t->one_hop, &c.t->one_hop) || same_matrix(a.t->hop_a, c.t->hop_a));
        done(&a);
        done(&b);
        done(&c);
    }
}

static void a_rank_draws_the_same_tokens_on_any_platform(void **state) {
    (void)state;
    struct asked a = answer(&uniform_8x8, 3), b = answer(&uniform_4x8, 3);
    double *x = matrix_dense(&a.t->one_hop), *y = matrix_dense(&b.t->one_hop);
    // 64 experts: two ranks of 64 hold what one of 32 holds
    for (int src = 0; src < 32; src++)
        for (int dst = 0; dst < 32; dst++)
            assert_rel(x[src * 64 + 2 * dst] + x[src * 64 + 2 * dst + 1], y[src * 32 + dst], 0);
    free(x);
    free(y);
    done(&a);
    done(&b);
}

/* --- refusals ----------------------------------------------------------------------------------------- */

static void assert_refused(const struct question *q, enum rc rc, const char *message) {
    struct asked a;
    struct err e;
    assert_fails(ask(q, 1, &a, &e), rc, &e, message);
    assert_null(a.t);
    done(&a);
}

static void shapes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct {
        struct question q;
        enum rc rc;
        const char *message;
    } bad[] = {
        {{"dgx-h100", "16", "8", "olmoe-github", {{0}}},
         RC_SHAPE,
         "64 experts cannot be placed evenly on 128 ranks; replicas fill them: --set workload.placement=eplb --set "
         "workload.placement_slots=128"},
        {{"dgx-h100", "3", "8", "terrace-reference", {UNIFORM("64", "8", "1", "expected")}},
         RC_SHAPE,
         "64 experts cannot be placed evenly on 24 ranks; replicas fill them: --set workload.placement=eplb --set "
         "workload.placement_slots=72"},
        {{"terrace-a", "1", "8", "terrace-reference", {{0}}},
         RC_RANGE,
         "group_limit 2 is above the platform's 1 groups"},
        {{"terrace-a", "16", "1", "terrace-reference", {{"experts", "32"}}},
         RC_RANGE,
         "top_k 6 with group_limit 2 takes 3 distinct experts of a group, but a group holds 2"},
        {{"dgx-h100", "2", "2", "olmoe-github", {{"experts", "32"}}},
         RC_SHAPE,
         "expert 63 needs 64 experts, but there are 32 (--set workload.experts=64"},
        {{"dgx-h100", "2", "2", "olmoe-github", {{"experts", "128"}}},
         RC_SHAPE,
         "no record of experts 64 to 127, is workload.experts 128 too high? use --set "
         "workload.experts=64, or add them with count 0"},
        {{"dgx-h100", "2", "2", "olmoe-github", {{"routing.layer", "7"}}},
         RC_RANGE,
         "no counts of layer 7; --set workload.routing.layer= one of 0, 1, 2"},
        {{"dgx-h100", "2", "2", "olmoe-github", {{"routing.corpus", "githup"}}},
         RC_SCHEMA,
         "no corpus 'githup', did you mean 'github'?"},
        {{"dgx-h100", "2", "2", "olmoe-github", {{"routing.trace", "/nonexistent.csv"}}},
         RC_IO,
         "/nonexistent.csv: cannot open"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(&bad[i].q, bad[i].rc, bad[i].message);
}

static void a_load_above_its_ceiling_is_refused(void **state) {
    (void)state;
    char path[64];
    // 4 experts, 2 of them a token: the busiest may have twice the mean, not 2.08 times
    write_trace("layer,expert,count\n5,0,52\n5,1,20\n5,2,20\n5,3,8\n", path);
    struct question q = {
        "dgx-h100",
        "2",
        "2",
        "olmoe-github",
        {{"experts", "4"}, {"top_k", "2"}, {"routing.layer", "5"}, {"routing.trace", path}}};
    assert_refused(
        &q, RC_RANGE,
        "layer 5: the busiest expert has 2.08 times the mean, but 2 (experts / top_k) is the most");
    // at the ceiling every token chooses expert 0
    write_trace("layer,expert,count\n5,0,50\n5,1,20\n5,2,20\n5,3,10\n", path);
    struct asked a = answer(&q, 1);
    assert_rel(a.t->expert_load[0], 4 * 4096, 0);
    done(&a);
    unlink(path);
}

/* Two groups of two ranks, two experts a rank, k 2 of E 8, uniform: a token misses a rank with probability
 * C(6,2)/C(8,2) = 15/28, so 28 tokens reach a rank in 13 of 28 cases, with 28 x 2/4 = 14 rows. The forwarder
 * hears 28 tokens of each of two senders: 26. Drawn: never more tokens than rows, equal with one expert a rank. */
static void rows_per_rank_count_tokens_once(void **state) {
    (void)state;
    static const struct question by_hand = {
        "dgx-h100", "2", "2", "terrace-reference", {UNIFORM("8", "2", "28", "expected")}};
    struct asked a = answer(&by_hand, 1);
    for (int i = 0; i < 4 * 4; i++) {
        assert_rel(a.t->one_hop.value[i], 14, 1e-12);
        assert_rel(a.t->one_hop_rank.value[i], 13, 1e-12);
    }
    for (size_t i = 0; i < a.t->hop_b_rank.start[4]; i++)
        assert_rel(a.t->hop_b_rank.value[i], 26, 1e-12);
    done(&a);
    static const struct question *const drawn[] = {&uniform_3x5, &full_sampled, &trace_sampled};
    for (size_t q = 0; q < sizeof drawn / sizeof *drawn; q++) {
        a = answer(drawn[q], 3);
        double *rows = matrix_dense(&a.t->one_hop), *tokens = matrix_dense(&a.t->one_hop_rank);
        bool one_expert_a_rank = a.t->experts == a.t->ranks;
        for (int i = 0; i < a.t->ranks * a.t->ranks; i++) {
            assert_true(tokens[i] <= rows[i] && (tokens[i] > 0) == (rows[i] > 0));
            assert_true(!one_expert_a_rank || tokens[i] == rows[i]);
        }
        assert_rel(matrix_total(&a.t->hop_b_rank, true), matrix_total(&a.t->one_hop_rank, true), 0);
        free(rows);
        free(tokens);
        done(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_2_by_2_by_hand),
        cmocka_unit_test(trace_2_by_2_by_hand),
        cmocka_unit_test(reference_geometry_is_exact),
        cmocka_unit_test(rows_per_rank_count_tokens_once),
        cmocka_unit_test(uniform_fan_out_is_hypergeometric),
        cmocka_unit_test(totals_and_places_agree),
        cmocka_unit_test(special_shapes_degenerate),
        cmocka_unit_test(sampled_rows_scatter_around_expected_ones),
        cmocka_unit_test(trace_loads_follow_its_counts),
        cmocka_unit_test(the_seed_decides_everything),
        cmocka_unit_test(a_rank_draws_the_same_tokens_on_any_platform),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(a_load_above_its_ceiling_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
