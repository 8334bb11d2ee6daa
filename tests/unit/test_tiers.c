/* SPDX-License-Identifier: BSD-3-Clause */
/* Platforms of more than two tiers, groups that differ in size, cables with a latency. */
#include "tests/support/racks.h"

#include "model/bound.h"
#include "sim/engine/engine.h"

#define EXACT 1e-9

/* --- which ranks a tier joins --------------------------------------------------------------------- */

static void domains_of_three_tiers(void **state) {
    (void)state;
    struct platform *p = load_racks(RACKS);
    struct topology *t = topo_build(p);
    assert_int_equal(p->n_tiers, 3);
    assert_int_equal(plat_find_tier(p, "rack"), 1);
    assert_int_equal(plat_find_tier(p, "rac"), -1);
    static const int domains[] = {4, 2, 1}, spans[] = {2, 4, 8};
    for (int tier = 0; tier < 3; tier++) {
        assert_int_equal(p->domains[tier].n, domains[tier]);
        assert_int_equal(plat_span(p, (enum tier)tier), spans[tier]);
        assert_int_equal(plat_ends(p, (enum tier)tier), 2);
    }
    assert_int_equal(topo_tier(t, 0, 1), 0);
    assert_int_equal(topo_tier(t, 0, 2), 1);
    assert_int_equal(topo_tier(t, 0, 7), 2);
    assert_int_equal(plat_index(p, (enum tier)1, 6), 2);
    assert_int_equal(plat_peer(p, (enum tier)1, 0, 6), 2);
    assert_int_equal(plat_peer(p, TIER_FAST, 3, 4), 6);
    assert_int_equal(plat_end_of(p, (enum tier)1, 5, false), 0);
    assert_int_equal(plat_end_of(p, (enum tier)1, 5, true), 2);
    assert_rel(plat_hierarchy_ratio(p), 4, 0);
    topo_free(t);
    plat_free(p);
}

static void a_pair_uses_its_own_tier_only(void **state) {
    (void)state;
    static const struct {
        int dst;
        const char *links;
    } cases[] = {{1, "fast-out-0 fast-in-1 "}, {3, "rack-out-0 rack-in-3 "}, {6, "slow-out-0 slow-in-6 "}};
    struct platform *p = load_racks(RACKS);
    struct topology *t = topo_build(p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct route route;
        struct buf words = {0};
        topo_find_route(t, 0, cases[i].dst, TOPO_PATH_FAST, &route);
        for (int k = 0; k < route.n; k++)
            buf_printf(&words, "%s ", t->links[route.links[k]].name);
        assert_string_equal(words.text, cases[i].links);
        assert_int_equal(route.via, -1);
        buf_clear(&words);
    }
    topo_free(t);
    plat_free(p);
}

/* Inside a group over the next tier that joins anything; where there is none, over the fast one. */
static void the_slow_path_skips_tiers_that_join_nothing(void **state) {
    (void)state;
    static const struct {
        const char *platform, *links; /* from rank 0 to rank 1 */
    } cases[] = {
        {RACKS, "rack-out-0 rack-in-1 "},
        {"groups: 2\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\nslow: {bandwidth: 1GBps}\n"
         "middle: [{name: rack, joins: 1, bandwidth: 2GBps, kind: multi-plane}]\n", "slow-out-0 slow-in-1 "},
        {"groups: 1\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\nslow: {bandwidth: 1GBps}\n",
         "fast-out-0 fast-in-1 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct platform *p = load_racks(cases[i].platform);
        struct topology *t = topo_build(p);
        struct route route;
        struct buf words = {0};
        topo_find_route(t, 0, 1, TOPO_PATH_SLOW, &route);
        for (int k = 0; k < route.n; k++)
            buf_printf(&words, "%s ", t->links[route.links[k]].name);
        assert_string_equal(words.text, cases[i].links);
        assert_int_equal(route.cost_link, route.links[0]);
        buf_clear(&words);
        topo_free(t);
        plat_free(p);
    }
}

/* Planes join equal indices of groups: to others a message first crosses its own group, and pays both latencies. */
static void a_relay_stands_in_the_own_group(void **state) {
    (void)state;
    static const struct setting planes[] = {{"slow.kind", "multi-plane"}, {"middle.rack.kind", "multi-plane"},
                                            {"fast.latency", "1us"}, {"middle.rack.latency", "2us"},
                                            {"slow.latency", "4us"}};
    struct platform *p;
    struct err e;
    folder_put("p.yaml", HEAD RACKS);
    assert_ok(plat_load("p.yaml", planes, 5, &p, &e), &e);
    struct topology *t = topo_build(p);
    struct route route;
    struct buf words = {0};
    topo_find_route(t, 0, 7, TOPO_PATH_FAST, &route);
    for (int k = 0; k < route.n; k++)
        buf_printf(&words, "%s ", t->links[route.links[k]].name);
    assert_string_equal(words.text, "fast-out-0 fast-in-1 slow-out-1 slow-in-7 ");
    assert_int_equal(route.via, 0);
    assert_int_equal((int)route.tier, 2);
    buf_clear(&words);
    struct implementation how = {.name = "lib", .start = START_ONE_SIDED, .efficiency = {{.value = 1}, {.value = 1}}};
    struct call call = {
        .platform = p, .topology = t, .implementation = &how, .row_bytes = 1, .chunks = 1};
    matrix_init(&call_add_stage(&call, "a")->bytes, 8, 1, false);
    call.stages[0].world = 1;
    call.stages[0].bytes.dst[0] = 7;
    call.stages[0].bytes.value[0] = 1000;
    for (int rank = 1; rank <= 8; rank++)
        call.stages[0].bytes.start[rank] = 1;
    const struct costs known = {.name = "known", .latency_s = {1e-6, 2e-6, 4e-6}};
    struct outcome o = {0};
    assert_ok(sim_run(&call, &known, 1, &(struct sim_options){0}, &o, &e), &e);
    assert_rel(o.time_s, 1e-6 + 1e-6 + 4e-6, EXACT);
    outcome_clear(&o);
    call_clear(&call);
    topo_free(t);
    plat_free(p);
}

/* Every kind that may stand between groups, in the racks, with names of its own. */
static void fabrics_between(void **state) {
    (void)state;
    static const struct {
        const char *rack, *links; /* from rank 0 to rank 6, in the rack: groups 0 and 3 of 4 */
    } cases[] = {
        {"oversubscription: 2", "rack-out-0 rack-uplink-0 rack-downlink-3 rack-in-6 "},
        {"nics: 1, nic_bandwidth: 3GBps", "rack-out-0 rack-nic-out-0 rack-nic-in-3 rack-in-6 "},
        {"kind: rail-optimised, oversubscription: 2", "rack-out-0 rack-in-6 "}, // one leaf, which nothing leaves
        {"kind: fat-tree, levels: 2, ports: 4", "rack-out-0 rack-leaf-out-0 rack-leaf-in-3 rack-in-6 "},
        {"kind: ring, link_bandwidth: 1GBps", "rack-out-0 rack-link-0-3 rack-in-6 "},
        {"kind: full-mesh, link_bandwidth: 1GBps", "rack-out-0 rack-link-0-3 rack-in-6 "},
        {"kind: dragonfly, routers: 2, router_groups: 1, local_bandwidth: 1GBps, global_bandwidth: 1GBps",
         "rack-out-0 rack-global-0-1 rack-local-2-3 rack-in-6 "},
        {"shared: [{name: half, ranks: 4, bandwidth: 1GBps}]", "rack-out-0 half-out-0 half-in-1 rack-in-6 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mem_printf("groups: 8\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\nmiddle:\n"
                                "  - {name: rack, joins: 4, bandwidth: 2GBps, %s}\nslow: {bandwidth: 1GBps}\n",
                                cases[i].rack);
        struct platform *p = load_racks(text);
        struct topology *t = topo_build(p);
        struct route near, far;
        struct buf words = {0};
        topo_find_route(t, 0, 6, TOPO_PATH_FAST, &near);
        for (int k = 0; k < near.n; k++)
            buf_printf(&words, "%s ", t->links[near.links[k]].name);
        assert_string_equal(words.text, cases[i].links);
        // the other rack has links of its own, which carry nothing of the first
        topo_find_route(t, 8, 14, TOPO_PATH_FAST, &far);
        assert_int_equal(far.n, near.n);
        for (int k = 0; k < far.n; k++)
            for (int l = 0; l < near.n; l++)
                assert_int_not_equal(far.links[k], near.links[l]);
        buf_clear(&words);
        topo_free(t);
        plat_free(p);
        free(text);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
#define FOUR "groups: 4\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\nslow: {bandwidth: 1GBps}\n"
#define MIDDLE(items) FOUR "middle: [" items "]\n"
#define SIZES(text) DIFFER "group_sizes: " text "\n"
    static const struct {
        const char *text;
        enum rc rc;
        const char *message;
    } cases[] = {
        {MIDDLE("{name: rack, joins: 3, bandwidth: 1GBps}"), RC_RANGE,
         "p.yaml:7:10: middle: 'rack' joins 3, which does not divide 4 groups"},
        {MIDDLE("{name: rack, joins: 2, bandwidth: 1GBps}, {name: row, joins: 4, bandwidth: 1GBps}"), RC_RANGE,
         "middle: 'row' joins 4, which does not divide 2 racks"},
        {MIDDLE("{joins: 2, bandwidth: 1GBps}"), RC_SCHEMA, "p.yaml:7:10: middle: missing key 'name'"},
        {MIDDLE("{name: rack, joins: 2, bandwidth: 1GBps}, {joins: 2, bandwidth: 1GBps}"), RC_SCHEMA,
         "middle: missing key 'name'"},
        {MIDDLE("{name: rack, bandwidth: 1GBps}"), RC_SCHEMA, "p.yaml:7:10: middle: missing key 'joins'"},
        {MIDDLE("{name: rack, joins: 2}"), RC_SCHEMA, "p.yaml:7:10: middle: missing key 'bandwidth'"},
        {MIDDLE("{name: slow, joins: 2, bandwidth: 1GBps}"), RC_SCHEMA,
         "middle: the name 'slow' is taken or not allowed"},
        {MIDDLE("{name: a, joins: 2, bandwidth: 1GBps}, {name: a, joins: 1, bandwidth: 1GBps}"), RC_SCHEMA,
         "middle: the name 'a' is taken or not allowed"},
        // a small group has no rank on the last planes of a large one
        {"groups: 2\nranks_per_group: 4\ngroup_sizes: 4 2\nfast: {bandwidth: 4GBps}\n"
         "slow: {bandwidth: 1GBps, kind: multi-plane}\n",
         RC_RANGE, "p.yaml:7:32: kind 'multi-plane' needs groups of one size"},
        {"groups: 2\nranks_per_group: 4\ngroup_sizes: 4 2\nfast: {bandwidth: 4GBps}\n"
         "slow: {bandwidth: 1GBps, kind: rail-optimised, cross_rail: fast}\n",
         RC_RANGE, "p.yaml:7:32: kind 'rail-optimised' needs groups of one size"},
        // links of the tier have these names
        {MIDDLE("{name: rack, joins: 2, bandwidth: 1GBps, shared: [{name: rack, ranks: 2, bandwidth: 1GBps}]}"),
         RC_SCHEMA, "shared: the name 'rack' is taken or not allowed"},
        {MIDDLE("{name: rack, joins: 2, bandwidth: 1GBps, shared: [{name: rack-nic, ranks: 2, bandwidth: 1GBps}]}"),
         RC_SCHEMA, "shared: the name 'rack-nic' is taken or not allowed"},
        {"groups: 4\nranks_per_group: 2\nfast: {bandwidth: 4GBps, shared: [{name: rack, ranks: 1, bandwidth: 1GBps}]}\n"
         "slow: {bandwidth: 1GBps}\nmiddle: [{name: rack, joins: 2, bandwidth: 1GBps}]\n",
         RC_SCHEMA, "p.yaml:5:35: shared: the name 'rack' is taken or not allowed"},
        {MIDDLE("{name: a, joins: 2, bandwidth: 1GBps}, {name: a-nic, joins: 1, bandwidth: 1GBps}"), RC_SCHEMA,
         "middle: the name 'a-nic' is taken or not allowed"},
        {MIDDLE("{name: a, joins: 2, bandwidth: 1GBps}, {name: b, joins: 1, bandwidth: 1GBps}, {name: c, joins: 1, "
                "bandwidth: 1GBps}"),
         RC_RANGE, "p.yaml:7:9: middle: 3 tiers, at most 2 are possible"},
        {"groups: 4\nranks_per_group: 2\nfast: {bandwidth: 4GBps, joins: 2}\nslow: {bandwidth: 1GBps}\n", RC_SCHEMA,
         "p.yaml:5:33: 'joins' belongs to the tiers of 'middle'"},
        {SIZES("3x4x2"), RC_SCHEMA, "p.yaml:7:14: group_sizes: '3x4x2' found, expected sizes such as '2x8 1x4'"},
        {SIZES("x4"), RC_SCHEMA, "expected sizes such as"},
        {SIZES("0x4"), RC_SCHEMA, "expected sizes such as"},
        {SIZES("99999999999999999999x4"), RC_SCHEMA, "expected sizes such as"},
        {SIZES("1x4 1x2"), RC_RANGE,
         "group_sizes: 2 groups of at most 4 ranks, but groups is 3 and ranks_per_group 4"},
        {SIZES("3x2"), RC_RANGE, "group_sizes: 3 groups of at most 2 ranks"},
        {"groups: 2\nranks_per_group: 4\nfast: {bandwidth: 4GBps, kind: ring, link_bandwidth: 1GBps}\n"
         "slow: {bandwidth: 1GBps}\ngroup_sizes: 4 2\n",
         RC_RANGE, "p.yaml:5:32: kind 'ring' needs groups of one size"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mem_printf(HEAD "%s", cases[i].text);
        struct platform *p = NULL;
        struct err e;
        assert_fails(load_text(text, &p, &e), cases[i].rc, &e, cases[i].message);
        free(text);
    }
}

/* --- constants of a tier in between --------------------------------------------------------------- */

static void settings_reach_a_tier_by_its_name(void **state) {
    (void)state;
    static const struct setting right[] = {{"middle.rack.bandwidth", "3GBps"}, {"middle.0.latency", "1us"}},
                                wrong[] = {{"middle.rck.bandwidth", "3GBps"}}, whole[] = {{"middle.rack", "3GBps"}};
    struct platform *p;
    struct err e;
    folder_put("p.yaml", HEAD RACKS);
    assert_ok(plat_load("p.yaml", right, 2, &p, &e), &e);
    assert_rel(p->tier[1].bandwidth_Bps.value, 3e9, 0);
    assert_rel(p->tier[1].latency_s.value, 1e-6, 0);
    plat_free(p);
    assert_fails(plat_load("p.yaml", wrong, 1, &p, &e), RC_SCHEMA, &e,
                 "--set: 'middle.rck.bandwidth': the list has no item 'rck'");
    assert_fails(plat_load("p.yaml", whole, 1, &p, &e), RC_SCHEMA, &e, "--set: 'middle.rack': no such key");
}

static void alpha_of_a_tier_in_between(void **state) {
    (void)state;
    struct platform *p = load_racks(RACKS "alpha:\n  - implementation: lib\n    entries:\n"
                                    "      - {world: 2, span: rack, time: 3us}\n"
                                    "      - {world: 2, span: slow, time: 9us}\n"
                                    "alpha_treatments:\n  - name: t\n    entries:\n"
                                    "      - {world: 2, span: slow, time: 5us}\n");
    struct alpha_answer a;
    plat_alpha(p, "lib", 2, (enum tier)1, REGIME_AHEAD, &a);
    assert_true(a.known);
    assert_rel(a.time_s, 3e-6, 0);
    plat_alpha(p, "lib", 2, (enum tier)2, REGIME_AHEAD, &a);
    assert_rel(a.time_s, 9e-6, 0);
    plat_alpha(p, "lib", 2, TIER_FAST, REGIME_AHEAD, &a);
    assert_false(a.known); // nobody measured inside a group
    for (int tier = 0; tier < 3; tier++) // an assumption is one for the tiers inside, too
        assert_rel(plat_treatment_alpha_s(p, 0, 2, (enum tier)tier), 5e-6, 1e-15);
    plat_free(p);
}

static void a_library_reaches_what_a_tier_counts_as(void **state) {
    (void)state;
    static const struct setting half[] = {{"efficiency.fast", "0.5"}};
    static const char *const as[] = {"slow", "fast"};
    for (int fast = 0; fast < 2; fast++) {
        const struct setting how[] = {{"middle.rack.counts_as", as[fast]}};
        struct platform *p;
        struct implementation *m;
        struct err e;
        folder_put("p.yaml", HEAD RACKS);
        assert_ok(plat_load("p.yaml", how, 1, &p, &e), &e);
        assert_ok(implementation_load("collective-eager", half, 1, &m, &e), &e);
        struct topology *t = topo_build(p);
        assert_ok(implementation_apply(m, t, &e), &e);
        assert_rel(t->links[t->egress[TIER_FAST][0]].capacity_Bps, 2e9, 0);
        assert_rel(t->links[t->egress[1][0]].capacity_Bps, fast ? 1e9 : 2e9, 0);
        assert_rel(t->links[t->egress[2][0]].capacity_Bps, 1e9, 0);
        topo_free(t);
        implementation_free(m);
        plat_free(p);
    }
}

/* --- groups of different sizes -------------------------------------------------------------------- */

static void groups_that_differ(void **state) {
    (void)state;
    struct platform *p = load_racks("groups: 3\nranks_per_group: 4\ngroup_sizes: 1x4 2x2\nfast: {bandwidth: 4GBps}\n"
                              "slow: {bandwidth: 1GBps, oversubscription: 2}\n"
                              "degraded: [{link: group-1..2, factor: 0.5}]\n");
    struct topology *t = topo_build(p);
    struct err e;
    static const int first[] = {0, 4, 6, 8}, peers[] = {4, 5, 4, 5};
    for (int g = 0; g <= 3; g++)
        assert_int_equal(p->domains[TIER_FAST].first[g], first[g]);
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(plat_peer(p, TIER_FAST, 1, rank), peers[rank]);
    assert_int_equal(plat_local_of(p, 7), 1);
    assert_false(plat_is_even(p));
    assert_true(plat_hierarchy_ratio(p) < 0);
    assert_string_equal(plat_no_ratio(p), "the fast domains are not uniform: groups differ in size");
    assert_rel(t->links[t->blocks[0].out].capacity_Bps, 4 * 1e9 / 2, 0); // uplinks by size
    assert_rel(t->links[t->blocks[0].out + 2].capacity_Bps, 2 * 1e9 / 2, 0);
    assert_ok(implementation_apply(NULL, t, &e), &e);
    assert_rel(t->links[t->egress[TIER_FAST][3]].capacity_Bps, 4e9, 0);
    assert_rel(t->links[t->egress[TIER_FAST][4]].capacity_Bps, 2e9, 0);
    assert_rel(t->links[t->egress[TIER_FAST][7]].capacity_Bps, 2e9, 0);
    topo_free(t);
    plat_free(p);
}

/* A NIC that no rank uses belongs to no rank and no group. */
static void idle_links_are_nobodys(void **state) {
    (void)state;
    struct platform *p = load_racks("groups: 2\nranks_per_group: 2\nfast: {bandwidth: 4GBps}\n"
                                    "slow: {bandwidth: 1GBps, nics: 3, nic_bandwidth: 1GBps, nic_map: 0 2}\n"
                                    "degraded: [{link: group-0, factor: 0.5}, {link: rank-0, factor: 0.5}]\n");
    struct topology *t = topo_build(p);
    struct err e;
    assert_ok(implementation_apply(NULL, t, &e), &e);
    static const double left[] = {0.25, 1, 0.5, 1, 1, 1};
    for (int nic = 0; nic < 6; nic++)
        assert_rel(t->links[t->blocks[0].out + nic].capacity_Bps, left[nic] * 1e9, 0);
    topo_free(t);
    plat_free(p);
}

/* --- cables with a latency ------------------------------------------------------------------------ */

static void cables_delay_arrivals(void **state) {
    (void)state;
    struct platform *p = load_racks("groups: 1\nranks_per_group: 3\nslow: {bandwidth: 1GBps}\n"
                              "fast: {bandwidth: 1GBps, latency: 1us, kind: graph, links: [{from: 0, to: 1, "
                              "bandwidth: 1GBps, latency: 2us}, {from: 1, to: 2, bandwidth: 1GBps, latency: 4us}]}\n");
    struct topology *t = topo_build(p);
    struct implementation how = {.name = "lib", .order = ORDER_SHIFT, .start = START_ONE_SIDED,
                                 .efficiency = {{.value = 1}, {.value = 1}}};
    struct call call = {
        .platform = p, .topology = t, .implementation = &how, .row_bytes = 1, .chunks = 1};
    // 0 sends 1000 B to 2, then 2 sends 500 B to 1
    for (int i = 0; i < 2; i++) {
        matrix_init(&call_add_stage(&call, i ? "b" : "a")->bytes, 3, 1, false);
        call.stages[i].world = 1;
        call.stages[i].bytes.dst[0] = i ? 1 : 2;
        call.stages[i].bytes.value[0] = i ? 500 : 1000;
        for (int rank = i ? 3 : 1; rank <= 3; rank++)
            call.stages[i].bytes.start[rank] = 1;
    }
    struct costs cases[2] = {{.name = "wire"}, {.name = "known", .cables = true, .latency_s = {1e-6}}};
    struct outcome o[2] = {0};
    struct err e;
    assert_ok(sim_run(&call, cases, 2, &(struct sim_options){0}, o, &e), &e);
    assert_rel(o[0].time_s, 1.5e-6, EXACT);
    assert_rel(o[1].time_s, 1.5e-6 + (1 + 2 + 4) * 1e-6 + (1 + 4) * 1e-6, EXACT);
    assert_true(o[1].time_s >= bound_call_s(&call, &cases[1]) * (1 - EXACT));
    assert_rel(o[1].recv_end_s[2], 1e-6 + 7e-6, EXACT);
    outcome_clear(&o[0]);
    outcome_clear(&o[1]);
    call_clear(&call);
    topo_free(t);
    plat_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_of_three_tiers),
        cmocka_unit_test(a_pair_uses_its_own_tier_only),
        cmocka_unit_test(the_slow_path_skips_tiers_that_join_nothing),
        cmocka_unit_test(a_relay_stands_in_the_own_group),
        cmocka_unit_test(fabrics_between),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(settings_reach_a_tier_by_its_name),
        cmocka_unit_test(alpha_of_a_tier_in_between),
        cmocka_unit_test(a_library_reaches_what_a_tier_counts_as),
        cmocka_unit_test(groups_that_differ),
        cmocka_unit_test(idle_links_are_nobodys),
        cmocka_unit_test(cables_delay_arrivals),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
