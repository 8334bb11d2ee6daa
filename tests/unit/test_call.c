/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/mem.h"
#include "workloads/hops.h"
#include "workloads/costs.h"
#include "workloads/strategy.h"

enum { GROUPS = 2, LOCAL = 2, RANKS = 4 };

/* Two groups of two ranks and rows of our own making. */
struct question {
    struct platform *p;
    struct topology *topology;
    struct workload *w;
    struct implementation *how;
    struct traffic t;
};

static void dense(const double *rows, struct matrix *m) {
    matrix_init(m, RANKS, RANKS * RANKS, true);
    for (int i = 0; i < RANKS * RANKS; i++) {
        m->dst[i] = i % RANKS;
        m->value[i] = rows[i];
    }
    for (int i = 0; i <= RANKS; i++)
        m->start[i] = (size_t)i * RANKS;
}

/* rows per (token, expert), per (token, rank), per (token, group) */
static const double pairs[RANKS * RANKS] = {5, 3, 8, 1, 2, 6, 4, 4, 7, 1, 3, 5, 1, 2, 6, 7};
static const double tokens[RANKS * RANKS] = {4, 2, 5, 1, 1, 4, 3, 3, 5, 1, 2, 4, 1, 2, 4, 5};
static const double to_group[RANKS * GROUPS] = {5, 5, 4, 4, 5, 5, 3, 6};

static void fill_traffic(struct traffic *t) {
    double a[RANKS * RANKS] = {0}, b[RANKS * RANKS] = {0}, b_rank[RANKS * RANKS] = {0};
    for (int src = 0; src < RANKS; src++)
        for (int dst = 0; dst < RANKS; dst++) {
            int relay = dst / LOCAL * LOCAL + src % LOCAL;
            a[src * RANKS + relay] = to_group[src * GROUPS + dst / LOCAL];
            b[relay * RANKS + dst] += pairs[src * RANKS + dst];
            b_rank[relay * RANKS + dst] += tokens[src * RANKS + dst];
        }
    *t = (struct traffic){.ranks = RANKS};
    dense(pairs, &t->one_hop);
    dense(tokens, &t->one_hop_rank);
    dense(a, &t->hop_a[TIER_FAST]);
    dense(b, &t->hop_b);
    dense(b_rank, &t->hop_b_rank);
}

static void open_question(struct question *q, const struct setting *how, size_t n) {
    static const struct setting shape[] = {{"groups", "2"}, {"ranks_per_group", "2"}};
    struct err e;
    assert_ok(plat_load("terrace-a", shape, 2, &q->p, &e), &e);
    assert_ok(workload_load("terrace-reference", NULL, 0, &q->w, &e), &e);
    assert_ok(implementation_load("collective-eager", how, n, &q->how, &e), &e);
    q->topology = topo_build(q->p);
    fill_traffic(&q->t);
}

static void close_question(struct question *q) {
    struct matrix *all[] = {&q->t.one_hop, &q->t.one_hop_rank, &q->t.hop_a[TIER_FAST], &q->t.hop_b,
                            &q->t.hop_b_rank};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        matrix_clear(all[i]);
    topo_free(q->topology);
    implementation_free(q->how);
    workload_free(q->w);
    plat_free(q->p);
}

static void build(struct question *q, enum strategy strategy, enum phase phase, struct call *s) {
    call_build(q->topology, q->w, q->how, &q->t, strategy, phase, s);
}

/* Rows of a stage are its bytes over the bytes of a row. */
static void assert_rows(const struct call *s, int stage, const double *rows) {
    double *bytes = matrix_dense(&s->stages[stage].bytes);
    for (int i = 0; i < RANKS * RANKS; i++)
        assert_near(bytes[i] / s->row_bytes, rows[i], 1e-12);
    free(bytes);
}

static void transposed(const double *rows, double *into) {
    for (int i = 0; i < RANKS * RANKS; i++)
        into[i % RANKS * RANKS + i / RANKS] = rows[i];
}

static void dispatch_rows_by_deduplication(void **state) {
    (void)state;
    static const struct setting per_rank[] = {{"dedup.one_hop", "rank"}, {"dedup.hop_b", "rank"},
                                              {"dedup.hop_a", "none"}};
    struct question q;
    struct call s;
    open_question(&q, NULL, 0);
    build(&q, STRATEGY_ONE_HOP, PHASE_DISPATCH, &s);
    assert_rows(&s, 0, pairs);
    call_clear(&s);
    close_question(&q);
    open_question(&q, per_rank, 3);
    build(&q, STRATEGY_ONE_HOP, PHASE_DISPATCH, &s);
    assert_rows(&s, 0, tokens);
    call_clear(&s);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    // rank 0 sends its 8 + 1 pairs for group 1 to rank 2, and keeps 5 + 3
    static const double folded[] = {8, 0, 9, 0, 0, 8, 0, 8, 8, 0, 8, 0, 0, 3, 0, 13};
    static const double forwarded[] = {9, 3, 0, 0, 2, 6, 0, 0, 0, 0, 7, 5, 0, 0, 7, 8};
    assert_rows(&s, 0, folded);
    assert_rows(&s, 1, forwarded);
    assert_rel(s.stages[1].pairs[0], 5 + 3 + 7 + 1, 0); // the chain works on pairs all the same
    assert_true(s.stages[1].splits && !s.stages[0].splits);
    call_clear(&s);
    close_question(&q);
}

static void combine_rows_by_place_of_reduction(void **state) {
    (void)state;
    static const struct {
        const char *reduce, *hop_b;
        const double *one_hop;
        double slow_0_from_2; /* rows that forwarder 2 sends back to rank 0 */
        double fast_3_to_2;   /* rows that rank 3 sends to forwarder 2 */
    } cases[] = {{"none", "none", pairs, 8 + 1, 1 + 5},
                 {"expert-rank", "none", tokens, 5 + 1, 1 + 4},
                 {"forwarder", "none", pairs, 5, 1 + 5},
                 {"forwarder", "rank", pairs, 5, 1 + 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct setting how[] = {{"reduce", cases[i].reduce}, {"dedup.hop_b", cases[i].hop_b}};
        struct question q;
        struct call s;
        double back[RANKS * RANKS];
        open_question(&q, how, 2);
        build(&q, STRATEGY_ONE_HOP, PHASE_COMBINE, &s);
        transposed(cases[i].one_hop, back);
        assert_rows(&s, 0, back);
        call_clear(&s);
        build(&q, STRATEGY_TWO_HOP, PHASE_COMBINE, &s);
        assert_string_equal(s.stages[0].name, "hop_b"); // fast hop first
        assert_string_equal(s.stages[1].name, "hop_a");
        assert_true(!s.stages[0].splits && !s.stages[1].splits && !s.stages[1].pairs);
        double *fast = matrix_dense(&s.stages[0].bytes), *slow = matrix_dense(&s.stages[1].bytes);
        assert_rel(fast[3 * RANKS + 2] / s.row_bytes, cases[i].fast_3_to_2, 1e-12);
        assert_rel(slow[2 * RANKS + 0] / s.row_bytes, cases[i].slow_0_from_2, 1e-12);
        free(fast);
        free(slow);
        call_clear(&s);
        close_question(&q);
    }
}

/* Nobody forwards in one hop: what a forwarder would reduce comes back as it was sent, with several experts a rank. */
static void one_hop_combine_mirrors_dispatch(void **state) {
    (void)state;
    static const struct setting layer[] = {{"experts", "16"}, {"top_k", "4"}, {"routing.mode", "global_topk"},
                                           {"group_limit", "none"}, {"routing.draw", "sampled"}};
    static const char *const dedup[] = {"none", "rank"};
    double rows[2] = {0};
    for (int i = 0; i < 2; i++) {
        const struct setting how[] = {{"reduce", "forwarder"}, {"dedup.one_hop", dedup[i]}};
        struct question q;
        struct call out, back;
        struct err e;
        open_question(&q, how, 2);
        workload_free(q.w);
        assert_ok(workload_load("terrace-reference", layer, 5, &q.w, &e), &e);
        struct traffic *drawn;
        assert_ok(traffic_build(q.p, q.w, 1, &drawn, &e), &e);
        call_build(q.topology, q.w, q.how, drawn, STRATEGY_ONE_HOP, PHASE_DISPATCH, &out);
        call_build(q.topology, q.w, q.how, drawn, STRATEGY_ONE_HOP, PHASE_COMBINE, &back);
        double *there = matrix_dense(&out.stages[0].bytes), want[RANKS * RANKS];
        for (int k = 0; k < RANKS * RANKS; k++)
            rows[i] += there[k] /= out.row_bytes;
        transposed(there, want);
        assert_rows(&back, 0, want);
        free(there);
        call_clear(&out);
        call_clear(&back);
        traffic_free(drawn);
        close_question(&q);
    }
    assert_true(rows[1] < rows[0]); // with 4 experts a rank the two ways of counting differ
}

static void gather_first_by_hand(void **state) {
    (void)state;
    struct question q;
    struct call s;
    open_question(&q, NULL, 0);
    build(&q, STRATEGY_GATHER_FIRST, PHASE_DISPATCH, &s);
    assert_int_equal(s.n_stages, 3);
    // group 1 is handled by local index 1 in group 0 (rank 1), group 0 by local index 0 in group 1 (rank 2)
    static const double gather[] = {0, 5, 0, 0, 0, 4, 0, 0, 0, 0, 5, 0, 0, 0, 3, 0};
    // rank 1 sends to local index 0 of group 1 (rank 2); rank 2 to local index 1 of group 0 (rank 1)
    static const double exchange[] = {0, 0, 0, 0, 0, 0, 9, 0, 0, 8, 0, 0, 0, 0, 0, 0};
    // rank 1 scatters what group 1 sent (7 + 1 and 1 + 2) beside its own 2 + 6
    static const double scatter[] = {5, 3, 0, 0, 2 + 8, 6 + 3, 0, 0, 0, 0, 3 + 12, 5 + 5, 0, 0, 6, 7};
    assert_rows(&s, 0, gather);
    assert_rows(&s, 1, exchange);
    assert_rows(&s, 2, scatter);
    assert_rel(s.stages[2].pairs[1], 8 + 11, 0);
    call_clear(&s);
    close_question(&q);
}

/* Whatever the way, the experts' ranks end up with the same rows. */
static void every_strategy_delivers_the_same_rows(void **state) {
    (void)state;
    static const struct setting plain = {"reduce", "none"};
    struct question q;
    open_question(&q, &plain, 1);
    double want[RANKS], got[RANKS];
    matrix_sums(&q.t.one_hop, false, true, want);
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        struct call s;
        if (strategy == STRATEGY_ALL_GATHER)
            continue; // every rank gets every token
        build(&q, (enum strategy)strategy, PHASE_DISPATCH, &s);
        matrix_sums(&s.stages[s.n_stages - 1].bytes, false, true, got);
        for (int r = 0; r < RANKS; r++)
            assert_rel(got[r] / s.row_bytes, want[r], 1e-12);
        call_clear(&s);
        build(&q, (enum strategy)strategy, PHASE_COMBINE, &s);
        matrix_sums(&s.stages[0].bytes, true, true, got);
        for (int r = 0; r < RANKS; r++)
            assert_rel(got[r] / s.row_bytes, want[r], 1e-12);
        call_clear(&s);
    }
    close_question(&q);
}

static void row_bytes_by_format(void **state) {
    (void)state;
    static const struct setting how[] = {{"dispatch_row.format", "fp8-scales"},
                                         {"dispatch_row.header", "16B"},
                                         {"combine_row.format", "bf16"}};
    struct question q;
    struct call s;
    open_question(&q, how, 3);
    q.w->hidden = 7168;
    build(&q, STRATEGY_ONE_HOP, PHASE_DISPATCH, &s);
    assert_rel(s.row_bytes, 7168 + 4 * 56 + 16, 0);
    call_clear(&s);
    build(&q, STRATEGY_ONE_HOP, PHASE_COMBINE, &s);
    assert_rel(s.row_bytes, 2 * 7168, 0);
    call_clear(&s);
    close_question(&q);
}

static void collectives_multiply_alpha(void **state) {
    (void)state;
    static const struct setting how[] = {{"collectives.hop_a", "3"},
                                         {"collectives.hop_a_communicator", "ep"}};
    struct question q;
    struct call s;
    struct costs c;
    char reason[200];
    open_question(&q, how, 2);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    assert_int_equal(s.stages[0].world, RANKS);
    assert_true(costs_known(&s, REGIME_AHEAD, &c, NULL, reason));
    // alpha of machine A between worlds 2 (0.090 ms) and 8 (0.111 ms)
    assert_rel(c.alpha_s[0], 3 * (0.090 + 2.0 / 6 * 0.021) * 1e-3, 1e-12);
    assert_rel(c.alpha_s[1], 0.090e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_PAYLOAD], (0.090 + 2.0 / 6 * 0.021 + 0.090) * 1e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_PROTOCOL], 2 * (0.090 + 2.0 / 6 * 0.021) * 1e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_READBACK], 0.044e-3, 1e-12);
    call_clear(&s);
    // the way back knows its counts: two collectives in all, as the artifact issues
    build(&q, STRATEGY_TWO_HOP, PHASE_COMBINE, &s);
    assert_true(costs_known(&s, REGIME_AHEAD, &c, NULL, reason));
    assert_rel(c.alpha_s[0], 0.090e-3, 1e-12);
    assert_rel(c.alpha_s[1], (0.090 + 2.0 / 6 * 0.021) * 1e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_PROTOCOL], 0, 0);
    assert_rel(c.fixed_s[FIXED_READBACK], 0, 0);
    call_clear(&s);
    close_question(&q);
}

/* A vendor's one hop: three collectives, and the sizes are read back where the host waits for each call. */
static void a_vendor_one_hop_reads_sizes_back(void **state) {
    (void)state;
    static const struct setting three = {"collectives.one_hop", "3"};
    struct question q;
    struct call s;
    struct costs c;
    char reason[200];
    open_question(&q, &three, 1);
    plat_free(q.p);
    topo_free(q.topology);
    static const struct setting shape[] = {{"groups", "2"}, {"ranks_per_group", "8"}};
    struct err e;
    assert_ok(plat_load("terrace-a-boundary-12", shape, 2, &q.p, &e), &e);
    q.topology = topo_build(q.p);
    build(&q, STRATEGY_ONE_HOP, PHASE_DISPATCH, &s);
    s.stages[0].world = 16;
    assert_true(costs_known(&s, REGIME_AHEAD, &c, NULL, reason));
    assert_rel(c.alpha_s[0], 3 * 0.157e-3, 1e-12);
    assert_true(costs_known(&s, REGIME_OBSERVED, &c, NULL, reason));
    assert_rel(c.alpha_s[0], 3 * 0.287e-3 + 0.097e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_PAYLOAD], 0.287e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_PROTOCOL], 2 * 0.287e-3, 1e-12);
    assert_rel(c.fixed_s[FIXED_READBACK], 0.097e-3, 1e-12);
    call_clear(&s);
    close_question(&q);
}

static void units_and_paths(void **state) {
    (void)state;
    static const struct setting rows[] = {{"message", "row"},
                                          {"message_cost.slow", "2us"},
                                          {"intra_group_path", "rail"},
                                          {"efficiency.slow", "0.5"}};
    struct question q;
    struct call s;
    double messages[TIER_MAX], bytes[TIER_MAX];
    open_question(&q, rows, 4);
    build(&q, STRATEGY_ONE_HOP, PHASE_DISPATCH, &s);
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 2e-6, 0);
    assert_rel(call_message_units(&s, 0, 7 * s.row_bytes), 7, 0);
    call_tier_traffic(&s, 0, bytes, messages);
    double between = 8 + 1 + 4 + 4 + 7 + 1 + 1 + 2;
    assert_rel(messages[TIER_SLOW], between, 0); // one message a row
    assert_rel(bytes[TIER_SLOW] / s.row_bytes, between, 1e-12);
    // rows between groups to another local index pass the fast tier first
    assert_rel(messages[TIER_FAST], 3 + 2 + 5 + 6, 0);
    assert_rel(bytes[TIER_FAST] / s.row_bytes, 16 + 1 + 4 + 1 + 1, 1e-12);
    struct route route;
    call_route(&s, 0, 3, &route);
    assert_string_equal(q.topology->links[route.links[0]].name, "fast-out-0");
    assert_string_equal(q.topology->links[route.cost_link].name, "slow-out-1");
    assert_rel(call_bandwidth_Bps(&s, TIER_SLOW), 0.5 * 114.7372e9, 1e-12);
    call_clear(&s);
    close_question(&q);
}

static void chunks_follow_the_largest_message(void **state) {
    (void)state;
    static const struct setting by_size[] = {{"hops", "pipelined"}, {"chunk_size", "8KiB"}, {"alpha_calls", "fused"}};
    struct question q;
    struct call s;
    open_question(&q, by_size, 3);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    assert_int_equal(s.chunks, 3); // 6 rows of 4096 bytes
    assert_int_equal(s.stages[0].world, RANKS); // one launch for both hops
    assert_int_equal(s.stages[1].world, 1);
    call_clear(&s);
    close_question(&q);
    // the same launch where every message fits one chunk
    static const struct setting large[] = {{"hops", "pipelined"}, {"chunk_size", "1MiB"}, {"alpha_calls", "fused"}};
    open_question(&q, large, 3);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    assert_int_equal(s.chunks, 1);
    assert_true(s.pipelined && !s.stages[1].splits);
    assert_int_equal(s.stages[0].world, RANKS);
    assert_int_equal(s.stages[1].world, 1);
    call_clear(&s);
    close_question(&q);
    open_question(&q, NULL, 0);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    assert_int_equal(s.chunks, 1);
    assert_false(s.pipelined);
    call_clear(&s);
    build(&q, STRATEGY_TWO_HOP_PIPELINED, PHASE_DISPATCH, &s);
    assert_int_equal(s.chunks, 8);
    call_clear(&s);
    close_question(&q);
}

/* What was set holds, whichever file has another value of the same. */
static void a_set_message_cost_holds(void **state) {
    (void)state;
    static const struct setting own = {"message_cost.slow", "3us"};
    struct question q;
    struct call s;
    open_question(&q, &own, 1);
    build(&q, STRATEGY_TWO_HOP, PHASE_DISPATCH, &s);
    struct plat_tier *slow = &q.p->tier[TIER_SLOW];
    q.how->message_cost_s.slow.set = false; // as if from the implementation's file
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 3e-6, 0);
    slow->x_half_bytes = (struct quantity){.value = 2 * slow->bandwidth_Bps.value, .given = true, .set = true};
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 2, 1e-12);
    slow->message_cost_s = (struct quantity){.value = 5e-6, .given = true};
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 2, 1e-12); // over the platform file's too
    slow->message_cost_s.set = true;
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 5e-6, 0);
    q.how->message_cost_s.slow.set = true; // both: the library's own
    assert_rel(call_message_cost_s(&s, TIER_SLOW), 3e-6, 0);
    call_clear(&s);
    close_question(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatch_rows_by_deduplication),
        cmocka_unit_test(combine_rows_by_place_of_reduction),
        cmocka_unit_test(one_hop_combine_mirrors_dispatch),
        cmocka_unit_test(gather_first_by_hand),
        cmocka_unit_test(every_strategy_delivers_the_same_rows),
        cmocka_unit_test(row_bytes_by_format),
        cmocka_unit_test(collectives_multiply_alpha),
        cmocka_unit_test(a_vendor_one_hop_reads_sizes_back),
        cmocka_unit_test(units_and_paths),
        cmocka_unit_test(chunks_follow_the_largest_message),
        cmocka_unit_test(a_set_message_cost_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
