/* SPDX-License-Identifier: BSD-3-Clause */
/* Two and three hops on platforms of more than two tiers, and on groups that differ in size. */
#include "tests/support/racks.h"
#include "tests/support/wire.h"

#include "workloads/strategy.h"

enum { STAGES = 3 };

#define EXACT 1e-9

/* All of a call: 8 experts, one a rank, top 2 of them, 28 tokens: each of the 28 pairs of experts once. */
struct bench_call {
    struct platform *p;
    struct topology *t;
    struct workload *w;
    struct implementation *how;
    struct traffic *traffic;
    struct call call;
};

static void open_call_of(struct bench_call *c, const char *platform, const char *cut, enum strategy strategy,
                         enum phase phase, const struct setting *skew) {
    const char *source = strcmp(skew->key, "routing.rho_max") == 0 ? "synthetic" : "uniform";
    const struct setting shape[] = {{"experts", "8"},          {"top_k", "2"},
                                           {"tokens_per_rank", "28"}, {"routing.source", source},
                                           {"hidden", "1000"},        {"group_limit", "none"},
                                           {"routing.mode", "global_topk"}, {"routing.draw", "expected"},
                                    *skew};
    const struct setting how[] = {{"window", "all"}, {"chain.preset", "none"}, {"reduce", "forwarder"}, {"cut", cut}};
    struct err e;
    c->p = load_racks(platform);
    c->t = topo_build(c->p);
    assert_ok(workload_load("terrace-reference", shape, 9, &c->w, &e), &e);
    assert_ok(implementation_load("collective-eager", how, cut ? 4 : 3, &c->how, &e), &e);
    assert_ok(traffic_build(c->p, c->w, 1, &c->traffic, &e), &e);
    assert_ok(call_check(c->p, c->how, strategy, &e), &e);
    call_build(c->t, c->w, c->how, c->traffic, strategy, phase, &c->call);
}

static void open_call(struct bench_call *c, const char *platform, const char *cut, enum strategy strategy,
                      enum phase phase) {
    static const struct setting none = {"routing.layer", "0"}; // says nothing of uniform routing
    open_call_of(c, platform, cut, strategy, phase, &none);
}

static void close_call(struct bench_call *c) {
    call_clear(&c->call);
    traffic_free(c->traffic);
    implementation_free(c->how);
    workload_free(c->w);
    topo_free(c->t);
    plat_free(c->p);
}

/* A token reaches a rank with probability 7 of 28, a group with 13 (not both in the other 6: 15), a rack with 22. */
static void hops_by_hand(void **state) {
    (void)state;
    static const struct {
        enum strategy strategy;
        const char *cut;
        struct {
            const char *name;
            double rows; /* to each peer */
            int peers, span;
        } stages[STAGES];
    } cases[] = {
        {STRATEGY_TWO_HOP, NULL, {{"hop_a", 13, 4, 2}, {"hop_b", 28, 2, 0}}},
        {STRATEGY_TWO_HOP, "fast", {{"hop_a", 13, 4, 2}, {"hop_b", 28, 2, 0}}},
        {STRATEGY_TWO_HOP, "rack", {{"hop_a", 22, 2, 2}, {"hop_b", 14, 4, 1}}},
        {STRATEGY_THREE_HOP, NULL, {{"hop_a", 22, 2, 2}, {"hop_b", 26, 2, 1}, {"hop_c", 28, 2, 0}}},
        {STRATEGY_THREE_HOP, "fast", {{"hop_a", 22, 2, 2}, {"hop_b", 26, 2, 1}, {"hop_c", 28, 2, 0}}},
        {STRATEGY_THREE_HOP, "rack", {{"hop_a", 22, 2, 2}, {"hop_b", 26, 2, 1}, {"hop_c", 28, 2, 0}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int back = 0; back < 2; back++) {
            struct bench_call c;
            open_call(&c, RACKS, cases[i].cut, cases[i].strategy, back ? PHASE_COMBINE : PHASE_DISPATCH);
            int n = c.call.n_stages;
            assert_int_equal(n, cases[i].strategy == STRATEGY_THREE_HOP ? 3 : 2);
            for (int k = 0; k < n; k++) {
                int hop = back ? n - 1 - k : k;
                const struct stage *s = &c.call.stages[k];
                assert_string_equal(s->name, cases[i].stages[hop].name);
                assert_int_equal(s->world, cases[i].stages[hop].peers);
                assert_int_equal(s->peers, cases[i].stages[hop].peers);
                assert_int_equal((int)s->span, cases[i].stages[hop].span);
                double *bytes = matrix_dense(&s->bytes);
                int sent = 0;
                for (int x = 0; x < 64; x++) {
                    sent += bytes[x] > 0;
                    if (bytes[x] > 0)
                        assert_rel(bytes[x] / c.call.row_bytes, cases[i].stages[hop].rows, 1e-12);
                }
                assert_int_equal(sent, 8 * cases[i].stages[hop].peers);
                free(bytes);
                // 56 pairs pass every forwarder
                assert_true((s->pairs != NULL) == (!back && k > 0));
                for (int rank = 0; rank < 8 && s->pairs; rank++)
                    assert_rel(s->pairs[rank], 56, 1e-12);
            }
            close_call(&c);
        }
}

/* Under skew the forwarders of racks and of groups have different pairs: those of all ranks that they stand for. */
static void chain_is_charged_where_pairs_pass(void **state) {
    (void)state;
    static const struct setting skew = {"routing.rho_max", "2"};
    struct bench_call c;
    open_call_of(&c, RACKS, NULL, STRATEGY_THREE_HOP, PHASE_DISPATCH, &skew);
    double *rows = matrix_dense(&c.traffic->one_hop);
    for (int tier = 1; tier >= 0; tier--) { // stage 1 stands before the rack, stage 2 before the group
        const struct plat_domains *d = &c.p->domains[tier];
        int differ = 0;
        for (int rank = 0; rank < 8; rank++) {
            double pairs = 0;
            for (int src = 0; src < 8; src++)
                for (int dst = 0; dst < 8; dst++)
                    if (d->of_rank[dst] == d->of_rank[rank] &&
                        plat_index(c.p, (enum tier)tier, src) == plat_index(c.p, (enum tier)tier, rank))
                        pairs += rows[src * 8 + dst];
            assert_rel(c.call.stages[2 - tier].pairs[rank], pairs, 1e-12);
            differ += fabs(pairs - 56) > 1;
        }
        assert_true(differ > 0);
    }
    assert_true(fabs(c.call.stages[1].pairs[0] - c.call.stages[2].pairs[0]) > 1);
    free(rows);
    close_call(&c);
}

/* Balanced, nothing shared: each rank sends to one peer a hop, so that stages follow each other exactly. */
static void times_by_hand(void **state) {
    (void)state;
    static const struct {
        enum strategy strategy;
        const char *cut;
        double rows_s; /* rows over GB/s, one stage after the other */
    } cases[] = {{STRATEGY_ONE_HOP, NULL, 28 / 1.0}, // beside it 14 / 2 and 7 / 4
                 {STRATEGY_THREE_HOP, NULL, 22 / 1.0 + 26 / 2.0 + 28 / 4.0},
                 {STRATEGY_TWO_HOP, "rack", 22 / 1.0 + 28 / 2.0},  // beside it 14 / 4
                 {STRATEGY_TWO_HOP, "fast", 26 / 1.0 + 28 / 4.0}}; // beside it 13 / 2
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_call c;
        open_call(&c, RACKS, cases[i].cut, cases[i].strategy, PHASE_DISPATCH);
        assert_rel(wire_simulated_s(&c.call), cases[i].rows_s * c.call.row_bytes * 1e-9, EXACT);
        if (cases[i].strategy == STRATEGY_THREE_HOP)
            assert_rel(wire_closed_s(&c.call), cases[i].rows_s * c.call.row_bytes * 1e-9, EXACT);
        close_call(&c);
    }
}

/* One rack, nothing on the slow tier: the closed form charges the rack. 22 rows between groups, 28 inside. */
static void one_rack_has_no_slow_tier(void **state) {
    (void)state;
    static const char one_rack[] = "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\n"
                                   "middle: [{name: rack, joins: 2, bandwidth: 2GBps}]\nslow: {bandwidth: 1GBps}\n";
    static const enum strategy all[] = {STRATEGY_TWO_HOP, STRATEGY_THREE_HOP};
    for (int i = 0; i < 2; i++) {
        struct bench_call c;
        open_call(&c, one_rack, NULL, all[i], PHASE_DISPATCH);
        assert_rel(wire_simulated_s(&c.call), (22 / 2.0 + 28 / 4.0) * c.call.row_bytes * 1e-9, EXACT);
        assert_rel(wire_closed_s(&c.call), (22 / 2.0 + 28 / 4.0) * c.call.row_bytes * 1e-9, EXACT);
        assert_true(plat_hierarchy_ratio(c.p) < 0);
        assert_string_equal(plat_no_ratio(c.p), "the slow tier joins nothing: a domain inside it holds all groups");
        close_call(&c);
    }
}

static void every_strategy_delivers_what_one_hop_does(void **state) {
    (void)state;
    static const enum strategy all[] = {STRATEGY_TWO_HOP, STRATEGY_THREE_HOP, STRATEGY_GATHER_FIRST};
    static const char *const platforms[] = {RACKS, DIFFER "group_sizes: 1x4 2x2\n"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            if (k == 1 && all[i] == STRATEGY_THREE_HOP)
                continue; // two tiers
            struct bench_call one, other;
            open_call(&one, platforms[k], NULL, STRATEGY_ONE_HOP, PHASE_DISPATCH);
            open_call(&other, platforms[k], NULL, all[i], PHASE_DISPATCH);
            double direct[8], last[8];
            matrix_sums(&one.call.stages[0].bytes, false, true, direct);
            matrix_sums(&other.call.stages[other.call.n_stages - 1].bytes, false, true, last);
            for (int rank = 0; rank < 8; rank++)
                assert_rel(last[rank], direct[rank], 1e-12);
            wire_simulated_s(&other.call);
            close_call(&one);
            close_call(&other);
        }
}

static void cuts_that_do_not_exist(void **state) {
    (void)state;
    static const struct {
        const char *platform, *cut;
        enum strategy strategy;
        const char *message;
    } cases[] = {
        {RACKS, "rak", STRATEGY_TWO_HOP, "implementation.cut: x has no tier 'rak', did you mean 'rack'?"},
        {RACKS, "slow", STRATEGY_TWO_HOP, "implementation.cut: 'slow' is the outermost tier, it has one domain"},
        {SHAPE TIERS, NULL, STRATEGY_THREE_HOP, "three-hop cuts at a tier between fast and slow; x has 2 tiers"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct platform *p = load_racks(cases[i].platform);
        const struct implementation how = {.cut = cases[i].cut};
        struct err e;
        assert_fails(call_check(p, &how, cases[i].strategy, &e), RC_RANGE, &e, cases[i].message);
        plat_free(p);
    }
}

static void no_closed_form_for_groups_that_differ(void **state) {
    (void)state;
    struct bench_call c;
    open_call(&c, DIFFER "group_sizes: 4 2 2\n", NULL, STRATEGY_TWO_HOP, PHASE_DISPATCH);
    assert_false(model_covers(&c.call));
    // rank 4, which stands for ranks 0 and 2, forwards the rows of both: 2 x 7, and of 4 and 6
    double *bytes = matrix_dense(&c.call.stages[1].bytes);
    assert_rel(bytes[4 * 8 + 5] / c.call.row_bytes, 28, 1e-12);
    assert_rel(bytes[0 * 8 + 1] / c.call.row_bytes, 21, 1e-12); // of ranks 0, 4, 6
    assert_near(bytes[2 * 8 + 1] / c.call.row_bytes, 7, 1e-12); // of rank 2 alone
    free(bytes);
    close_call(&c);
}

/* Hierarchical packing deals experts out to groups of one size. */
static void eplb_on_groups_that_differ(void **state) {
    (void)state;
    static const struct setting packings[] = {{"placement_packing", "auto"}, {"placement_packing", "hierarchical"}};
    struct platform *p = load_racks("groups: 2\nranks_per_group: 4\ngroup_sizes: 3 4\nfast: {bandwidth: 4GBps}\n"
                                    "slow: {bandwidth: 1GBps}\n");
    for (int i = 0; i < 2; i++) {
        const struct setting shape[] = {{"experts", "14"},         {"top_k", "2"},         {"group_limit", "none"},
                                        {"placement", "eplb"},     {"tokens_per_rank", "28"}, packings[i],
                                        {"routing.mode", "global_topk"}};
        struct workload *w;
        struct traffic *t = NULL;
        struct err e;
        assert_ok(workload_load("terrace-reference", shape, 7, &w, &e), &e);
        if (i == 0) {
            assert_ok(traffic_build(p, w, 1, &t, &e), &e);
            assert_non_null(strstr(t->notes.text, "placement: eplb, global packing, 14 slots"));
        } else {
            assert_fails(traffic_build(p, w, 1, &t, &e), RC_SHAPE, &e,
                         "placement eplb, hierarchical: needs groups of ranks of one size; use --set "
                         "workload.placement_packing=global");
        }
        traffic_free(t);
        workload_free(w);
    }
    plat_free(p);
}

/* The file's latencies count where alpha does not contain them. */
static void known_costs_count_cables(void **state) {
    (void)state;
    struct bench_call c;
    struct costs known, wire;
    char reason[200];
    open_call(&c, RACKS "alpha: [{implementation: collective-eager, includes: latency, "
                        "entries: [{world: 8, time: 1us}]}]\n",
              NULL, STRATEGY_ONE_HOP, PHASE_DISPATCH);
    costs_wire(&c.call, &wire);
    assert_true(costs_known(&c.call, REGIME_AHEAD, &known, NULL, reason));
    assert_false(wire.cables || known.cables);
    close_call(&c);
    open_call(&c, RACKS "alpha: [{implementation: collective-eager, entries: [{world: 8, time: 1us}]}]\n", NULL,
              STRATEGY_ONE_HOP, PHASE_DISPATCH);
    assert_true(costs_known(&c.call, REGIME_AHEAD, &known, NULL, reason));
    assert_true(known.cables);
    close_call(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hops_by_hand),
        cmocka_unit_test(chain_is_charged_where_pairs_pass),
        cmocka_unit_test(times_by_hand),
        cmocka_unit_test(one_rack_has_no_slow_tier),
        cmocka_unit_test(every_strategy_delivers_what_one_hop_does),
        cmocka_unit_test(cuts_that_do_not_exist),
        cmocka_unit_test(no_closed_form_for_groups_that_differ),
        cmocka_unit_test(eplb_on_groups_that_differ),
        cmocka_unit_test(known_costs_count_cables),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
