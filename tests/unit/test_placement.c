/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/records.h"

#include "workloads/placement/balance.h"
#include "workloads/placement/placement_build.h"
#include "workloads/placement/placement_file.h"

/* The worked example of EPLB's README: 2 layers, 12 experts, 16 slots, 4 groups, 2 nodes, 8 ranks. */
static void eplb_worked_example(void **state) {
    (void)state;
    static const double load[2][12] = {{90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86},
                                       {20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27}};
    static const int want[2][16] = {{5, 6, 5, 7, 8, 4, 3, 4, 10, 9, 10, 2, 0, 1, 11, 1},
                                    {7, 10, 6, 8, 6, 11, 8, 9, 2, 4, 5, 1, 5, 0, 3, 1}};
    for (int l = 0; l < 2; l++) {
        struct placement_ask ask = {.kind = PLACEMENT_EPLB,
                                    .packing = PACKING_HIERARCHICAL,
                                    .ranks = 8,
                                    .groups = 2,
                                    .experts = 12,
                                    .slots = 16,
                                    .routing_groups = 4,
                                    .load = load[l]};
        struct placement *p;
        struct err e;
        assert_ok(placement_build(&ask, &p, &e), &e);
        assert_memory_equal(p->slot_expert, want[l], sizeof want[l]);
        assert_non_null(strstr(p->notes.text, "eplb, hierarchical packing, 16 slots"));
        placement_free(p);
    }
}

static void global_packing_balances_better(void **state) {
    (void)state;
    double load[64], plain[16], global[16];
    struct rng r;
    struct err e;
    rng_init(&r, check_seed("packing"), "packing", 0);
    for (int i = 0; i < 64; i++)
        load[i] = exp(rng_normal(&r));
    struct placement_ask ask = {.ranks = 16, .groups = 2, .experts = 64, .load = load};
    struct placement *p;
    assert_ok(placement_build(&ask, &p, &e), &e);
    assert_true(p->blocks);
    placement_load(p, load, plain);
    placement_free(p);
    ask.kind = PLACEMENT_EPLB;
    ask.packing = PACKING_GLOBAL;
    ask.slots = 80;
    assert_ok(placement_build(&ask, &p, &e), &e);
    placement_load(p, load, global);
    assert_rel(stat_sum(global, 16), stat_sum(load, 64), 1e-12);
    assert_true(stat_max_over_mean(global, 16) < 0.8 * stat_max_over_mean(plain, 16));
    assert_int_equal(p->slots, 80);
    for (int i = 0; i < 64; i++)
        assert_true(placement_replicas(p, i) >= 1);
    placement_free(p);
    ask.slots = 81;
    assert_fails(placement_build(&ask, &p, &e), RC_SHAPE, &e,
                 "81 slots, expected a multiple of 16 ranks");
}

static void round_robin_and_lpt(void **state) {
    (void)state;
    static const double load[] = {8, 1, 7, 2, 6, 3, 5, 4};
    struct placement_ask ask = {
        .kind = PLACEMENT_ROUND_ROBIN, .ranks = 4, .groups = 1, .experts = 8, .load = load};
    struct placement *p;
    struct err e;
    double rank[4];
    assert_ok(placement_build(&ask, &p, &e), &e);
    for (int i = 0; i < 8; i++)
        assert_int_equal(p->home[p->home_start[i]], i % 4);
    placement_free(p);
    ask.kind = PLACEMENT_LPT;
    assert_ok(placement_build(&ask, &p, &e), &e);
    placement_load(p, load, rank);
    for (int r = 0; r < 4; r++) // 8 + 1, 7 + 2, 6 + 3, 5 + 4
        assert_rel(rank[r], 9, 0);
    placement_free(p);
}

/* Sampled rows on a placement with replicas scatter around the expected ones, and keep every token. */
static void replicas_share_the_rows(void **state) {
    (void)state;
    struct traffic *t[2];
    struct asked a[2];
    for (int i = 0; i < 2; i++) {
        const struct setting set[] = {{"tokens_per_rank", "2048"},
                                      {"routing.draw", i ? "expected" : "sampled"},
                                      {"routing.source", "synthetic"},
                                      {"routing.rho_max", "2.2"},
                                      {"placement", "eplb"},
                                      {"placement_slots", "80"},
                                      {NULL, NULL}};
        a[i] = get_traffic("2", "8", set);
        t[i] = a[i].t;
        assert_rel(matrix_total(&t[i]->one_hop, true), 16 * 2048 * 8, i ? 1e-9 : 0);
        struct traffic_rho rho;
        traffic_rho(t[i], &rho);
        assert_true(rho.rank < 1.4); // 2.2 before
    }
    double *x[2], *y[2], *z[2];
    for (int i = 0; i < 2; i++) {
        x[i] = matrix_dense(&t[i]->one_hop);
        y[i] = matrix_dense(&t[i]->one_hop_rank);
        z[i] = matrix_dense(&t[i]->hop_a[TIER_FAST]);
    }
    for (int i = 0; i < 256;
         i++) { // five standard deviations; replicas in turn are a little less random
        assert_near(x[0][i], x[1][i], 5 * sqrt(x[1][i]));
        assert_near(y[0][i], y[1][i], 5 * sqrt(y[1][i]) + 0.02 * y[1][i]);
        assert_near(z[0][i], z[1][i], 5 * sqrt(z[1][i]) + 0.02 * z[1][i]);
    }
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        free(y[i]);
        free(z[i]);
        done(&a[i]);
    }
}

static void files_place_slots_in_blocks(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    struct placement_ask ask = {
        .kind = PLACEMENT_FILE, .ranks = 4, .groups = 1, .experts = 6, .layer = 1};
    struct placement *p;
    struct err e;
    ask.path = sample("synthetic_placement.npy", path);
    assert_ok(placement_build(&ask, &p, &e), &e);
    static const int second[] = {5, 4, 3, 2, 1, 0, 5, 4};
    assert_memory_equal(p->slot_expert, second, sizeof second);
    placement_free(p);
    ask.layer = 2;
    assert_fails(placement_build(&ask, &p, &e), RC_RANGE, &e, "no layer 2, the file has 0 to 1");
    ask.layer = -1;
    ask.ranks = 3;
    assert_fails(placement_build(&ask, &p, &e), RC_SHAPE, &e,
                 "8 slots cannot be split evenly on 3 ranks");
    ask.path = sample("vllm_ascend_expert_map.json", path);
    assert_fails(placement_build(&ask, &p, &e), RC_SHAPE, &e,
                 "lies on 2 devices, but there are 3 ranks");
    static const char map[] = "{\"physical_to_logical_map\":[[0,1,-1,2]]}";
    ask = (struct placement_ask){.ranks = 2, .groups = 1, .experts = 3, .path = "m", .layer = -1};
    assert_ok(placement_file_parse(map, strlen(map), &ask, &p, &e), &e);
    assert_int_equal(p->slots, 3);
    assert_int_equal(p->slot_start[1], 2);
    placement_free(p);
    static const char none[] = "{\"a\":[]}";
    assert_fails(placement_file_parse(none, strlen(none), &ask, &p, &e), RC_SCHEMA, &e,
                 "no placement found");
}

static void modes_need_their_groups_together(void **state) {
    (void)state;
    const struct setting set[] = {
        {"routing.mode", "quota_only"}, {"placement", "round-robin"}, {NULL, NULL}};
    refuse_traffic("8", "4", set, RC_SHAPE, "does not lie on one group of ranks of its own");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eplb_worked_example),
        cmocka_unit_test(global_packing_balances_better),
        cmocka_unit_test(round_robin_and_lpt),
        cmocka_unit_test(replicas_share_the_rows),
        cmocka_unit_test(files_place_slots_in_blocks),
        cmocka_unit_test(modes_need_their_groups_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
