/* SPDX-License-Identifier: BSD-3-Clause */
/* Strategies beside one hop and two: all-gather, inside first, levelled. */
#include "tests/support/folder.h"

#include <math.h>

#include "platforms/base/mem.h"
#include "tests/support/racks.h"
#include "tests/support/wire.h"
#include "workloads/hops.h"
#include "workloads/strategy.h"

#define EXACT 1e-9

/* Everything of a call. */
struct scene {
    struct platform *p;
    struct topology *t;
    struct workload *w;
    struct implementation *how;
    struct traffic *traffic;
    struct call call;
};

/* A made-up machine of groups with 4 GB/s inside, 1 GB/s between them; what else is set by name. */
static void scene_open(struct scene *s, const struct setting *machine, size_t n_machine, const struct setting *work,
                       size_t n_work, const struct setting *library, size_t n_library) {
    struct err e;
    *s = (struct scene){0};
    assert_ok(plat_load("dgx-h100", machine, n_machine, &s->p, &e), &e);
    assert_ok(workload_load("terrace-reference", work, n_work, &s->w, &e), &e);
    assert_ok(implementation_load("nccl-p2p", library, n_library, &s->how, &e), &e);
    s->t = topo_build(s->p);
    assert_ok(implementation_apply(s->how, s->t, &e), &e);
    assert_ok(traffic_build(s->p, s->w, 1, &s->traffic, &e), &e);
}

static void scene_build(struct scene *s, enum strategy strategy, enum phase phase) {
    struct err e;
    call_clear(&s->call);
    assert_ok(call_check(s->p, s->how, strategy, &e), &e);
    call_build(s->t, s->w, s->how, s->traffic, strategy, phase, &s->call);
}

static void scene_close(struct scene *s) {
    call_clear(&s->call);
    traffic_free(s->traffic);
    implementation_free(s->how);
    workload_free(s->w);
    topo_free(s->t);
    plat_free(s->p);
}

static const struct setting uniform_work[] = {
    {"experts", "16"},         {"top_k", "4"},           {"tokens_per_rank", "64"},  {"hidden", "1000"},
    {"routing.source", "uniform"}, {"group_limit", "none"}, {"routing.mode", "global_topk"},
    {"routing.draw", "expected"}};
enum { UNIFORM_WORK = 8 };

static const struct setting two_by_four[] = {{"groups", "2"}, {"ranks_per_group", "4"}};

/* --- inside first ------------------------------------------------------------------------------ */

enum { FOUR = 4 };

static void assert_matrix(const struct matrix *m, const double *want) {
    double *have = matrix_dense(m);
    for (int i = 0; i < m->ranks * m->ranks; i++)
        assert_near(have[i], want[i], 1e-12);
    free(have);
}

static void platform_of(int groups, int each, struct platform **p) {
    char n[2][8];
    snprintf(n[0], sizeof n[0], "%d", groups);
    snprintf(n[1], sizeof n[1], "%d", each);
    const struct setting shape[] = {{"groups", n[0]}, {"ranks_per_group", n[1]}};
    struct err e;
    assert_ok(plat_load("dgx-h100", shape, 2, p, &e), &e);
}

/* Two groups of two: 0 has 2 rows for 1 and 4 for 3, which its neighbour 1 takes across; the like for the others. */
static void inside_first_by_hand(void **state) {
    (void)state;
    static const double direct[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const double inside[] = {1 + 3, 2 + 4, 0,      0,       5 + 7, 6 + 8, 0,       0,
                                    0,     0,     9 + 11, 10 + 12, 0,     0,     13 + 15, 14 + 16};
    static const double across[] = {1 + 5,  0, 3 + 7,   0, 0, 2 + 6,   0, 4 + 8,
                                    9 + 13, 0, 11 + 15, 0, 0, 10 + 14, 0, 12 + 16};
    struct platform *p;
    struct matrix m, rows[2];
    platform_of(2, 2, &p);
    matrix_from_dense(direct, FOUR, true, &m);
    hops_inside_first(p, TIER_FAST, &m, rows);
    assert_matrix(&rows[0], inside);
    assert_matrix(&rows[1], across);
    matrix_clear(&m);
    matrix_clear(&rows[0]);
    matrix_clear(&rows[1]);
    plat_free(p);
}

/* System: 2 x 4, uniform, 32 rows of a rank to each... Expectation: R-1 messages of N_g pair blocks inside, N_g-1 of R
 * pair blocks across, one after the other, each with its cost. Because: nobody shares a port. [F15] */
static void inside_first_meets_the_closed_form(void **state) {
    (void)state;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct scene s;
        scene_open(&s, two_by_four, 2, uniform_work, UNIFORM_WORK, NULL, 0);
        scene_build(&s, STRATEGY_INSIDE_FIRST, (enum phase)phase);
        const double block = 64 * 4 / 8.0 * 1000 * 2, o_fast = 54 * 1024 / 450e9, o_slow = 54 * 1024 / 50e9;
        double inside_s = 3 * (o_fast + 2 * block / 450e9), across_s = 1 * (o_slow + 4 * block / 50e9);
        assert_rel(wire_simulated_s(&s.call), inside_s + across_s, EXACT);
        assert_rel(wire_closed_s(&s.call), inside_s + across_s, EXACT);
        scene_close(&s);
    }
}

/* --- all-gather -------------------------------------------------------------------------------- */

/* Bytes that each rank sends and receives, over all stages. */
static void assert_each_way(const struct call *call, double bytes) {
    int ranks = call->topology->ranks;
    double *out = mem_alloc((size_t)ranks, sizeof *out), *in = mem_alloc((size_t)ranks, sizeof *in);
    double *one = mem_alloc((size_t)ranks, sizeof *one);
    for (int i = 0; i < call->n_stages; i++)
        for (int way = 0; way < 2; way++) {
            matrix_sums(&call->stages[i].bytes, way == 0, false, one);
            for (int r = 0; r < ranks; r++)
                (way == 0 ? out : in)[r] += one[r];
        }
    for (int r = 0; r < ranks; r++) {
        assert_rel(out[r], bytes, EXACT);
        assert_rel(in[r], bytes, EXACT);
    }
    free(out);
    free(in);
    free(one);
}

/* (n - 1) T x out and in, whichever way it goes; the times are those of the slowest link a round, by hand. [F16] */
static void all_gather_by_hand(void **state) {
    (void)state;
    const double x = 64 * 1000 * 2, o_fast = 54 * 1024 / 450e9, o_slow = 54 * 1024 / 50e9;
    const struct {
        const char *how;
        int stages;
        double time_s;
    } cases[] = {{"direct", 1, 4 * (o_slow + x / 50e9)}, // 4 peers across, beside them 3 inside
                 {"ring", 7, 7 * (o_slow + x / 50e9)},   // two of eight links are slow, and each round waits for them
                 {"two-rings", 1 + 3, o_slow + x / 50e9 + 3 * (o_fast + 2 * x / 450e9)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            const struct setting how[] = {{"all_gather", cases[i].how}, {"window", "all"}};
            struct scene s;
            scene_open(&s, two_by_four, 2, uniform_work, UNIFORM_WORK, how, 2);
            scene_build(&s, STRATEGY_ALL_GATHER, (enum phase)phase);
            assert_int_equal(s.call.n_stages, cases[i].stages);
            assert_each_way(&s.call, 7 * x);
            assert_rel(wire_simulated_s(&s.call), cases[i].time_s, EXACT);
            if (i > 0)
                assert_rel(wire_closed_s(&s.call), cases[i].time_s, EXACT);
            scene_close(&s);
        }
}

/* One domain, uniform: where each token goes to all n ranks, one hop moves the bytes of an all-gather. */
static void all_gather_moves_what_one_hop_does_at_k_n(void **state) {
    (void)state;
    static const struct setting one_domain[] = {{"groups", "1"}, {"ranks_per_group", "8"}};
    struct setting work[UNIFORM_WORK];
    memcpy(work, uniform_work, sizeof work);
    work[0].value = work[1].value = "8";
    struct scene s;
    scene_open(&s, one_domain, 2, work, UNIFORM_WORK, NULL, 0);
    scene_build(&s, STRATEGY_ONE_HOP, PHASE_DISPATCH);
    assert_each_way(&s.call, 7 * 64 * 1000 * 2);
    scene_build(&s, STRATEGY_ALL_GATHER, PHASE_DISPATCH);
    assert_each_way(&s.call, 7 * 64 * 1000 * 2);
    scene_close(&s);
}

/* Unequal tokens: round k of a ring passes on the block of the k-th rank before. */
static void all_gather_v_passes_blocks_round(void **state) {
    (void)state;
    static const struct setting shape[] = {{"groups", "1"}, {"ranks_per_group", "4"}, };
    static const struct setting list = {"tokens_list", "10,20,30,40"};
    struct setting work[UNIFORM_WORK + 1];
    memcpy(work, uniform_work, sizeof uniform_work);
    work[UNIFORM_WORK] = list;
    struct scene s;
    scene_open(&s, shape, 2, work, UNIFORM_WORK + 1, NULL, 0);
    scene_build(&s, STRATEGY_ALL_GATHER, PHASE_DISPATCH);
    for (int round = 0; round < 3; round++) {
        double want[FOUR * FOUR] = {0};
        for (int rank = 0; rank < FOUR; rank++)
            want[rank * FOUR + (rank + 1) % FOUR] = 10 * (1 + (rank - round + FOUR) % FOUR) * 2000.0;
        assert_matrix(&s.call.stages[round].bytes, want);
        assert_int_equal(s.call.stages[round].launch, round == 0 ? 0 : -1);
    }
    struct outcome o = wire_simulated(&s.call);
    assert_int_equal(o.n_stages, 1); // the rounds are one exchange
    assert_string_equal(o.stages[0].name, "all_gather");
    assert_rel(o.stages[0].bytes, 3 * 100 * 2000.0, EXACT);
    assert_rel(o.stages[0].messages, 12, EXACT);
    outcome_clear(&o);
    scene_close(&s);
}

/* --- levelled ---------------------------------------------------------------------------------- */

/* Two groups of two. 0 has 8 rows for group 1 (2 for rank 2, 6 for 3), 1 has none: 0 hands half of each to 1. Rank 2
 * has 2 rows for 0 and 4 for 1, and 3 has 6 for 1: both hold 6 already. */
static void levelled_by_hand(void **state) {
    (void)state;
    static const double direct[] = {5, 3, 2, 6, 1, 1, 0, 0, 2, 4, 7, 1, 0, 6, 1, 1};
    static const double level[] = {0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const double across[] = {0, 0, 4, 0, 0, 0, 0, 4, 6, 0, 0, 0, 0, 6, 0, 0};
    static const double scatter[] = {5 + 2, 3 + 4, 0, 0, 1, 1 + 6, 0, 0, 0, 0, 7 + 1, 1 + 3, 0, 0, 1 + 1, 1 + 3};
    struct platform *p;
    struct matrix m, rows[3];
    platform_of(2, 2, &p);
    matrix_from_dense(direct, FOUR, true, &m);
    hops_levelled(p, &m, rows);
    assert_matrix(&rows[0], level);
    assert_matrix(&rows[1], across);
    assert_matrix(&rows[2], scatter);
    for (int i = 0; i < 3; i++)
        matrix_clear(&rows[i]);
    matrix_clear(&m);
    plat_free(p);
}

/* Bytes of the busiest group, out or in, over all of its NICs. */
static double group_bound_s(const struct scene *s) {
    const struct matrix *m = &s->traffic->one_hop;
    int groups = (int)s->p->groups, each = (int)s->p->ranks_per_group;
    double out[16] = {0}, in[16] = {0}, most = 0;
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            if (src / each != m->dst[i] / each) {
                out[src / each] += m->value[i];
                in[m->dst[i] / each] += m->value[i];
            }
    for (int g = 0; g < groups; g++)
        most = fmax(most, fmax(out[g], in[g]));
    return most * s->call.row_bytes / (each * 50e9);
}

/* 64 ranks of an H100 class machine under skew: the exchange between groups takes what the busiest group's NICs need
 * together, within 5 %, where one hop takes what the busiest rank's NIC needs. */
static void levelled_uses_all_nics(void **state) {
    (void)state;
    static const char *const rho[] = {"1.5", "2.5", "4"};
    for (size_t i = 0; i < 3; i++) {
        const struct setting work[] = {{"experts", "256"},           {"top_k", "8"},
                                       {"group_limit", "none"},      {"routing.mode", "global_topk"},
                                       {"routing.source", "synthetic"}, {"routing.rho_max", rho[i]},
                                       {"routing.pair_sigma", "0.5"}};
        struct scene s;
        scene_open(&s, NULL, 0, work, 7, NULL, 0);
        assert_int_equal(s.t->ranks, 64);
        scene_build(&s, STRATEGY_LEVELLED, PHASE_DISPATCH);
        struct outcome o = wire_simulated(&s.call);
        assert_string_equal(o.stages[0].name, "level");
        assert_string_equal(o.stages[1].name, "across");
        double across_s = o.stages[1].end_s - o.stages[1].start_s, bound_s = group_bound_s(&s);
        print_message("rho %s: %.4f of the busiest group's NICs; levelling %.1f us, %.2g bytes\n", rho[i],
                      across_s / bound_s, o.stages[0].end_s * 1e6, o.stages[0].bytes);
        assert_true(across_s >= bound_s * (1 - EXACT));
        assert_true(across_s <= 1.05 * bound_s);
        assert_true(o.stages[0].bytes > 0); // senders differ, so that there is something to level
        outcome_clear(&o);
        scene_close(&s);
    }
}

/* Whatever is levelled, what arrives is what one hop brings; nothing is lost on the way. */
static void levelled_delivers_what_one_hop_does(void **state) {
    (void)state;
    static const struct setting work[] = {{"experts", "48"}, {"top_k", "4"}, {"tokens_per_rank", "50"},
                                          {"group_limit", "none"},
                                          {"routing.mode", "global_topk"}, {"routing.source", "synthetic"},
                                          {"routing.rho_max", "3"}};
    static const struct setting shape[] = {{"groups", "3"}, {"ranks_per_group", "4"}};
    struct scene s;
    scene_open(&s, shape, 2, work, 7, NULL, 0);
    struct matrix rows[3];
    double want[12], got[12];
    hops_levelled(s.p, &s.traffic->one_hop, rows);
    matrix_sums(&s.traffic->one_hop, false, true, want);
    matrix_sums(&rows[2], false, true, got);
    for (int r = 0; r < 12; r++)
        assert_rel(got[r], want[r], 1e-12);
    for (int i = 0; i < 3; i++)
        matrix_clear(&rows[i]);
    scene_close(&s);
}

static void groups_of_one_size_are_asked_for(void **state) {
    (void)state;
    struct platform *p = load_racks(DIFFER "group_sizes: 1x4 2x2\n");
    struct implementation how = {.all_gather = GATHER_TWO_RINGS};
    struct err e;
    assert_int_equal(call_check(p, &how, STRATEGY_LEVELLED, &e), RC_RANGE);
    assert_non_null(strstr(e.text, "levelled needs groups of one size"));
    assert_int_equal(call_check(p, &how, STRATEGY_ALL_GATHER, &e), RC_RANGE);
    assert_non_null(strstr(e.text, "all-gather by two rings needs groups of one size"));
    assert_int_equal(call_check(p, &how, STRATEGY_INSIDE_FIRST, &e), RC_OK);
    plat_free(p);
}

/* One launch for both rings is that of the payload: the collectives of a one hop, which tell sizes, are none of it. */
static void a_fused_all_gather_is_one_collective(void **state) {
    (void)state;
    static const struct setting fused[] = {
        {"alpha_calls", "fused"}, {"all_gather", "two-rings"}, {"collectives.one_hop", "3"}};
    struct scene s;
    scene_open(&s, two_by_four, 2, uniform_work, UNIFORM_WORK, fused, 3);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        scene_build(&s, STRATEGY_ALL_GATHER, (enum phase)phase);
        assert_int_equal(s.call.stages[0].collectives, 1);
        assert_int_equal(s.call.stages[0].world, 8);
        scene_build(&s, STRATEGY_INSIDE_FIRST, (enum phase)phase);
        assert_int_equal(s.call.stages[0].collectives, phase == PHASE_DISPATCH ? 3 : 1);
    }
    scene_close(&s);
}

/* --- a matrix of bytes --------------------------------------------------------------------------- */

/* Two nodes of two and the bytes 1 .. 16 of each pair: without de-duplication two hops add up the bytes for a group and
 * hand them on, inside first the other way round. Nothing is known of tokens: no all-gather, no copies taken once. */
static void a_matrix_of_bytes_goes_by_groups(void **state) {
    (void)state;
    static const struct setting shape[] = {{"groups", "2"}, {"ranks_per_group", "2"}};
    static const struct setting work[] = {{"routing.source", "trace"}, {"routing.trace", "m.csv"},
                                          {"group_limit", "none"},     {"routing.mode", "global_topk"},
                                          {"routing.draw", "sampled"}};
    static const struct setting plain[] = {{"dedup.hop_a", "none"}};
    static const double hop_a[] = {1 + 2, 0, 3 + 4, 0, 0, 5 + 6, 0, 7 + 8,
                                   9 + 10, 0, 11 + 12, 0, 0, 13 + 14, 0, 15 + 16};
    static const double hop_b[] = {1 + 9, 2 + 10, 0, 0, 5 + 13, 6 + 14, 0, 0,
                                   0, 0, 3 + 11, 4 + 12, 0, 0, 7 + 15, 8 + 16};
    struct buf csv = {0};
    buf_text(&csv, "src,dst,bytes\n");
    for (int i = 0; i < 16; i++)
        buf_printf(&csv, "%d,%d,%d\n", i / 4, i % 4, i + 1);
    folder_put("m.csv", csv.text);
    buf_clear(&csv);
    struct scene s;
    struct err e;
    scene_open(&s, shape, 2, work, 5, plain, 1);
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        if (strategy != STRATEGY_THREE_HOP && strategy != STRATEGY_ALL_GATHER)
            assert_ok(call_check_traffic(s.p, s.traffic, s.how, (enum strategy)strategy, &e), &e);
    scene_build(&s, STRATEGY_TWO_HOP, PHASE_DISPATCH);
    assert_matrix(&s.call.stages[0].bytes, hop_a);
    assert_matrix(&s.call.stages[1].bytes, hop_b);
    assert_null(s.call.stages[1].pairs); // nobody knows how many rows a chain would handle
    scene_build(&s, STRATEGY_INSIDE_FIRST, PHASE_DISPATCH);
    assert_rel(matrix_total(&s.call.stages[1].bytes, true), 136, EXACT);
    assert_fails(call_check_traffic(s.p, s.traffic, s.how, STRATEGY_ALL_GATHER, &e), RC_UNSUPPORTED, &e,
                 "all-gather: the record is a matrix of bytes");
    s.how->dedup.hop_a = DEDUP_GROUP;
    assert_fails(call_check_traffic(s.p, s.traffic, s.how, STRATEGY_TWO_HOP, &e), RC_UNSUPPORTED, &e,
                 "--set implementation.dedup.hop_a=none");
    assert_ok(call_check_traffic(s.p, s.traffic, s.how, STRATEGY_LEVELLED, &e), &e);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_first_by_hand),
        cmocka_unit_test(inside_first_meets_the_closed_form),
        cmocka_unit_test(all_gather_by_hand),
        cmocka_unit_test(all_gather_moves_what_one_hop_does_at_k_n),
        cmocka_unit_test(all_gather_v_passes_blocks_round),
        cmocka_unit_test(levelled_by_hand),
        cmocka_unit_test(levelled_uses_all_nics),
        cmocka_unit_test(levelled_delivers_what_one_hop_does),
        cmocka_unit_test(groups_of_one_size_are_asked_for),
        cmocka_unit_test(a_fused_all_gather_is_one_collective),
        cmocka_unit_test(a_matrix_of_bytes_goes_by_groups),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
