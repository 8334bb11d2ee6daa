/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of fabrics against closed forms, simulated. Rates are in B/s and messages in bytes, so that times come
 * out in seconds by hand. */
#include "tests/support/bed.h"

enum { EXACT_PPB = 1 };
#define EXACT (EXACT_PPB * 1e-9)

/* Simulated time of one stage; all messages at once. It is never below the largest link load. */
static double run(const char *platform, const double *bytes, double each) {
    struct bed b;
    bed_open(&b, platform, 0, 0, START_ONE_SIDED);
    if (bytes)
        bed_stage(&b, "x", bytes);
    else
        bed_uniform(&b, "x", each);
    struct costs c;
    costs_wire(&b.call, &c);
    struct outcome o = bed_run(&b, &c);
    double time_s = o.time_s;
    assert_true(time_s >= bed_bound_s(&b) * (1 - 1e-9));
    outcome_clear(&o);
    bed_close(&b);
    return time_s;
}

/* Time of the messages "src dst bytes, .." among n ranks. */
static double send(const char *platform, int n, const char *messages) {
    double bytes[64 * 64] = {0};
    for (const char *at = messages; at; at = strchr(at, ',')) {
        int src, dst;
        double size;
        at += *at == ',';
        assert_int_equal(sscanf(at, "%d %d %lf", &src, &dst, &size), 3);
        bytes[src * n + dst] += size;
    }
    return run(platform, bytes, 0);
}

#define ALONE(fast) "groups: 1\nslow: {bandwidth: 1Bps}\n" fast
#define GROUPS(n, r, slow)                                                                                   \
    "groups: " n "\nranks_per_group: " r "\nfast: {bandwidth: 1000Bps}\nslow: {" slow "}\n"

static void flows_on_a_switch(void **state) {
    (void)state;
    static const char s[] = ALONE("ranks_per_group: 8\nfast: {bandwidth: 100Bps}\n");
    assert_rel(send(s, 8, "0 1 1000"), 10, EXACT);                         // one flow
    assert_rel(send(s, 8, "0 1 1000,0 2 1000,0 3 1000"), 30, EXACT);       // through one link
    assert_rel(send(s, 8, "1 0 500,2 0 500,3 0 500,4 0 500"), 20, EXACT);  // incast
    assert_rel(run(s, NULL, 100), 7, EXACT);                               // all to all
}

static void a_switch_with_a_stated_capacity(void **state) {
    (void)state;
    static const char s[] = ALONE("ranks_per_group: 4\nfast: {bandwidth: 100Bps, capacity: 150Bps}\n");
    assert_rel(send(s, 4, "0 1 1500"), 15, EXACT);
    assert_rel(send(s, 4, "0 1 1500,2 3 1500"), 20, EXACT);
    assert_rel(run(s, NULL, 100), 12 * 100 / 150.0, EXACT);
}

static void a_full_mesh_caps_each_peer(void **state) {
    (void)state;
    static const char s[] =
        ALONE("ranks_per_group: 8\nfast: {kind: full-mesh, bandwidth: 448Bps, link_bandwidth: 64Bps}\n");
    assert_rel(send(s, 8, "0 1 640"), 10, EXACT);
    assert_rel(send(s, 8, "0 1 640,0 2 640"), 10, EXACT);
    assert_rel(run(s, NULL, 64), 1, EXACT);
    assert_rel(run(s, NULL, 64), 7 * 64 / 448.0, EXACT);
}

/* Uniform all-to-all is bound by 8 x link / longest ring per rank (own share counted as sent). */
static void a_torus_is_bound_by_its_longest_ring(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n, longest;
    } all[] = {
        {ALONE("ranks_per_group: 8\nfast: {kind: ring, bandwidth: 200Bps, link_bandwidth: 100Bps}\n"), 8, 8},
        {ALONE("ranks_per_group: 16\n"
               "fast: {kind: torus, dims: 4x4, bandwidth: 400Bps, link_bandwidth: 100Bps}\n"),
         16, 4},
        {ALONE("ranks_per_group: 32\n"
               "fast: {kind: torus, dims: 4x8, bandwidth: 400Bps, link_bandwidth: 100Bps}\n"),
         32, 8},
        {ALONE("ranks_per_group: 64\n"
               "fast: {kind: torus, dims: 4x4x4, bandwidth: 600Bps, link_bandwidth: 100Bps}\n"),
         64, 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double rate_Bps = 8 * 100.0 / all[i].longest;
        assert_rel(run(all[i].text, NULL, 1000), all[i].n * 1000 / rate_Bps, 1e-6);
    }
}

static void equal_ways_of_a_torus_are_split(void **state) {
    (void)state;
    static const char ring[] =
        ALONE("ranks_per_group: 8\nfast: {kind: ring, bandwidth: 200Bps, link_bandwidth: 100Bps}\n");
    assert_rel(send(ring, 8, "0 4 1000"), 5, EXACT); // both ways round
    assert_rel(send(ring, 8, "0 3 1000"), 10, EXACT);
    static const char torus[] =
        ALONE("ranks_per_group: 16\nfast: {kind: torus, dims: 4x4, bandwidth: 400Bps, link_bandwidth: 100Bps}\n");
    assert_rel(send(torus, 16, "0 5 1000"), 5, EXACT);    // along either dimension first
    assert_rel(send(torus, 16, "0 10 1000"), 2.5, EXACT); // and either way round: all four cables
}

static void a_graph_takes_the_shortest_then_widest_way(void **state) {
    (void)state;
    static const char s[] =
        ALONE("ranks_per_group: 4\nfast:\n  {kind: graph, bandwidth: 500Bps, links: [{from: 0, to: 1, bandwidth: "
              "200Bps}, {from: 1, to: 3, bandwidth: 50Bps},\n  {from: 0, to: 2, bandwidth: 80Bps}, {from: 3, to: "
              "2, bandwidth: 100Bps}]}\n");
    assert_rel(send(s, 4, "0 1 1000"), 5, EXACT);
    assert_rel(send(s, 4, "0 3 800"), 10, EXACT);           // by 2: 80, not by 1: 50
    assert_rel(send(s, 4, "0 3 800,0 2 800"), 20, EXACT);   // shared on the first link
    assert_rel(send(s, 4, "3 0 800,0 2 800"), 10, EXACT);   // the other direction is another link
}

#define IN_RACKS(slow)                                                                                                 \
    "groups: 4\nranks_per_group: 2\nfast: {bandwidth: 1000Bps}\n"                                                      \
    "middle: [{name: rack, joins: 2, bandwidth: 500Bps}]\n"                                                            \
    "slow: {bandwidth: 10Bps, " slow "}\n"

/* NICs, their map and the rails belong to a group, also where the tier joins racks of two groups of two ranks. */
static void nics_are_those_of_a_group_in_racks_too(void **state) {
    (void)state;
    static const char one[] = IN_RACKS("nics: 1, nic_bandwidth: 10Bps");
    assert_rel(send(one, 8, "0 4 100,2 6 100"), 10, EXACT); // two groups of one rack: a NIC each
    assert_rel(send(one, 8, "0 4 100,1 6 100"), 20, EXACT); // one group
    assert_rel(send(one, 8, "0 4 100,2 5 100"), 20, EXACT); // to one group
    static const char pooled[] = IN_RACKS("nics: 2, nic_bandwidth: 5Bps, nic_map: pooled");
    assert_rel(send(pooled, 8, "0 4 100,2 6 100"), 10, EXACT);
    assert_rel(send(pooled, 8, "0 4 100,1 6 100"), 20, EXACT);
    static const char listed[] = IN_RACKS("nics: 2, nic_bandwidth: 5Bps, nic_map: 1 0"); // one for each local index
    assert_rel(send(listed, 8, "0 4 100,1 6 100"), 20, EXACT);
    assert_rel(send(listed, 8, "0 4 100,3 6 100"), 20, EXACT);
    // four groups of 10 B/s on a rail, 2 to 1; rails 0 and 1 only
    static const char rails[] = IN_RACKS("kind: rail-optimised, oversubscription: 2");
    assert_rel(send(rails, 8, "0 5 100,4 1 100"), 10, EXACT);
    assert_rel(send(rails, 8, "0 5 100,2 7 100,4 1 100,6 3 100"), 20, EXACT);
    assert_rel(send(rails, 8, "0 4 100,2 6 100,4 2 100,6 0 100"), 10, EXACT); // nothing leaves the leaf
    // a leaf of two 4-port switches: the two ranks of a group
    static const char tree[] = IN_RACKS("kind: fat-tree, levels: 2, ports: 4, nics: 2, nic_bandwidth: 10Bps");
    assert_rel(send(tree, 8, "0 4 100,1 6 100,2 7 100,3 5 100"), 10, EXACT);
}

/* Uniform traffic among N groups of R ranks over NICs that m ranks share takes m times as long. */
static void nic_maps(void **state) {
    (void)state;
    static const char one[] = GROUPS("2", "8", "bandwidth: 10Bps");
    double alone_s = run(one, NULL, 10);
    assert_rel(alone_s, 8, EXACT);
    assert_rel(run(GROUPS("2", "8", "bandwidth: 10Bps, nics: 8, nic_bandwidth: 10Bps"), NULL, 10), alone_s, EXACT);
    assert_rel(run(GROUPS("2", "8", "bandwidth: 10Bps, nics: 4, nic_bandwidth: 10Bps"), NULL, 10), 2 * alone_s,
               EXACT);
    assert_rel(run(GROUPS("2", "8", "bandwidth: 10Bps, nics: 1, nic_bandwidth: 10Bps"), NULL, 10), 8 * alone_s,
               EXACT);
    // 12 ranks on 8 NICs: blocks put two ranks on every other one, all together they are as wide as 8
    assert_rel(run(GROUPS("2", "12", "bandwidth: 10Bps, nics: 8, nic_bandwidth: 10Bps"), NULL, 10), 24, EXACT);
    assert_rel(
        run(GROUPS("2", "12", "bandwidth: 10Bps, nics: 8, nic_bandwidth: 10Bps, nic_map: pooled"), NULL, 10), 18,
        EXACT);
    static const char listed[] =
        GROUPS("2", "4", "bandwidth: 10Bps, nics: 2, nic_bandwidth: 10Bps, nic_map: 0 0 0 1");
    assert_rel(send(listed, 8, "0 4 100,2 7 100"), 20, EXACT);         // one NIC
    assert_rel(send(listed, 8, "0 4 100,3 7 100"), 10, EXACT);         // two
    // the cap of a rank is apart from the rate of its NIC
    assert_rel(send(GROUPS("2", "2", "bandwidth: 10Bps, nics: 1, nic_bandwidth: 15Bps"), 4, "0 2 30"), 3, EXACT);
    assert_rel(send(GROUPS("2", "2", "bandwidth: 10Bps, nics: 1, nic_bandwidth: 15Bps"), 4, "0 2 30,1 3 30"), 4,
               EXACT);
}

static void trees(void **state) {
    (void)state;
    // 2:1 at the leaf: 8 ports = 5 down (floor of 16/3) would not be even; 12 ports = 8 down, 4 up
    static const char two[] =
        GROUPS("4", "4", "kind: fat-tree, levels: 2, ports: 12, oversubscription: 2, bandwidth: 10Bps");
    assert_rel(run(two, NULL, 10), 8 * 8 * 10 / 40.0, EXACT); // 8 ranks to 8 beyond the leaf by 40 B/s
    static const char full[] = GROUPS("4", "4", "kind: fat-tree, levels: 2, ports: 16, bandwidth: 10Bps");
    assert_rel(run(full, NULL, 10), 12, EXACT);
    static const char old[] = GROUPS("4", "4", "oversubscription: 2, bandwidth: 10Bps");
    assert_rel(run(old, NULL, 10), 24, EXACT);
    // three levels: pods of 2 leaves of 2; the leaf binds
    static const char three[] =
        GROUPS("8", "1", "kind: fat-tree, levels: 3, ports: 4, bandwidth: 10Bps");
    assert_rel(run(three, NULL, 10), 7, EXACT);
}

static void rails_and_planes(void **state) {
    (void)state;
    static const char spine[] = GROUPS("2", "2", "kind: rail-optimised, oversubscription: 2, bandwidth: 10Bps");
    assert_rel(send(spine, 4, "0 2 100,1 3 100"), 10, EXACT);
    assert_rel(send(spine, 4, "0 3 100"), 10, EXACT);            // 2 ends up the leaf, halved: 10 B/s
    assert_rel(send(spine, 4, "0 3 100,2 1 100"), 20, EXACT);    // both leave rail 0
    static const char over[] =
        "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 4Bps}\n"
        "slow: {kind: rail-optimised, cross_rail: fast, oversubscription: 2, bandwidth: 10Bps}\n";
    assert_rel(send(over, 4, "0 3 100"), 25, EXACT); // over the fast tier to rank 1
    static const char planes[] =
        "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 4Bps}\nslow: {kind: multi-plane, bandwidth: 10Bps}\n";
    assert_rel(send(planes, 4, "0 3 100"), 25, EXACT);
    assert_rel(send(planes, 4, "0 2 100"), 10, EXACT);
}

#define DRAGONFLY(routing)                                                                                   \
    GROUPS("8", "1",                                                                                         \
           "kind: dragonfly, routers: 2, router_groups: 1, bandwidth: 90Bps, local_bandwidth: 60Bps, "       \
           "global_bandwidth: 30Bps, routing: " routing)

static void a_dragonfly_spreads_or_not(void **state) {
    (void)state;
    static const char minimal[] = DRAGONFLY("minimal"), spread[] = DRAGONFLY("spread");
    assert_rel(send(minimal, 8, "0 1 600"), 10, EXACT); // two routers of a group
    assert_rel(send(minimal, 8, "0 2 600"), 20, EXACT); // the one link between the groups
    assert_rel(send(spread, 8, "0 1 600"), 10, EXACT);
    assert_rel(send(spread, 8, "0 2 900"), 10, EXACT);  // three ways of 300 bytes
}

static void shared_uplinks_and_caps(void **state) {
    (void)state;
    // one uplink for two groups of two, a cap for each group and one for each rank
    static const char s[] =
        GROUPS("4", "2",
               "bandwidth: 100Bps, shared: [{name: two, ranks: 4, bandwidth: 60Bps}, {name: node, ranks: 2, "
               "bandwidth: 50Bps}, {name: pcie, ranks: 1, bandwidth: 40Bps}]");
    assert_rel(send(s, 8, "0 4 400"), 10, EXACT);
    assert_rel(send(s, 8, "0 4 500,1 5 500"), 20, EXACT);
    assert_rel(send(s, 8, "0 4 300,2 6 300"), 10, EXACT);
    assert_rel(send(s, 8, "0 2 400"), 10, EXACT); // inside the pair of groups
    assert_rel(send(s, 8, "0 2 400,4 6 400,2 0 400"), 10, EXACT);
    // a tray inside the fast domain
    static const char tray[] = ALONE("ranks_per_group: 4\nfast: {bandwidth: 100Bps, shared: [{name: tray, ranks: "
                                     "2, bandwidth: 50Bps, both_ways: true}]}\n");
    assert_rel(send(tray, 4, "0 1 1000"), 10, EXACT);
    assert_rel(send(tray, 4, "0 2 1000"), 20, EXACT);
    assert_rel(send(tray, 4, "0 2 1000,3 1 1000"), 40, EXACT);
}

static void what_a_rank_shares(void **state) {
    (void)state;
    static const char half[] = GROUPS("2", "1", "bandwidth: 10Bps, half_duplex: true");
    assert_rel(send(half, 2, "0 1 100"), 10, EXACT);
    assert_rel(send(half, 2, "0 1 100,1 0 100"), 20, EXACT);
    static const char copy[] = "groups: 2\nranks_per_group: 2\ncopy_bandwidth: 20Bps\n"
                               "fast: {bandwidth: 100Bps}\nslow: {bandwidth: 15Bps}\n";
    assert_rel(send(copy, 4, "0 1 100"), 5, EXACT);
    assert_rel(send(copy, 4, "0 2 150"), 10, EXACT);
    assert_rel(send(copy, 4, "0 1 100,2 0 100"), 10, EXACT);
}

/* Bridges beside a PCIe switch: a pair that has one takes it, port and switch are for the others. */
static void cables_beside_a_switch(void **state) {
    (void)state;
#define BRIDGES(more)                                                                                                \
    "groups: 2\nranks_per_group: 4\nslow: {bandwidth: 5Bps}\n"                                                       \
    "fast: {bandwidth: 20Bps, capacity: 30Bps, message_cost: 2s, "                                                   \
    "links: [{from: 0, to: 1, bandwidth: 100Bps}, {from: 2, to: 3, bandwidth: 50Bps, latency: 4s}]}\n" more
    assert_rel(send(BRIDGES(""), 8, "0 1 1000"), 2 + 10, EXACT);
    assert_rel(send(BRIDGES(""), 8, "1 0 1000"), 2 + 10, EXACT);
    assert_rel(send(BRIDGES(""), 8, "4 5 1000"), 2 + 10, EXACT); // the same in the other group
    assert_rel(send(BRIDGES(""), 8, "0 2 1000"), 2 + 50, EXACT);
    assert_rel(send(BRIDGES(""), 8, "0 1 1000,0 2 1000"), 2 + 50, EXACT); // side by side
    assert_rel(send(BRIDGES(""), 8, "0 2 600,1 3 600,0 1 1000"), 2 + 600 / 15.0, EXACT); // the switch passes 30
    assert_rel(send(BRIDGES("copy_bandwidth: 25Bps\n"), 8, "0 1 1000"), 2 + 40, EXACT);
    struct bed b;
    struct route r;
    bed_open(&b, BRIDGES(""), 0, 0, START_ONE_SIDED);
    topo_find_route(b.topology, 2, 3, TOPO_PATH_FAST, &r);
    assert_int_equal(r.n, 1);
    assert_string_equal(b.topology->links[r.links[0]].name, "fast-link-2-3");
    assert_rel(r.latency_s, 4, 0);
    assert_true(plat_hierarchy_ratio(b.platform) < 0);
    assert_string_equal(plat_no_ratio(b.platform),
                        "the fast domain is not uniform: what a rank reaches depends on the peer");
    bed_close(&b);
    // a cable that has failed leaves the switch
    assert_rel(send(BRIDGES("degraded: [{link: fast-link-0-1, factor: 0}]\n"), 8, "0 1 1000"), 2 + 50, EXACT);
#undef BRIDGES
}

static void slowed_groups(void **state) {
    (void)state;
    static const char s[] = "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100Bps}\nslow: {bandwidth: 10Bps}\n"
                            "degraded: [{link: group-1, factor: 0.5}]\n";
    struct bed b;
    struct err e;
    bed_open(&b, s, 0, 0, START_ONE_SIDED);
    const double full[TIER_MAX] = {1, 1};
    assert_ok(topo_apply(b.topology, full, &e), &e);
    assert_rel(b.topology->links[b.topology->egress[TIER_FAST][1]].capacity_Bps, 100, 0);
    assert_rel(b.topology->links[b.topology->egress[TIER_FAST][2]].capacity_Bps, 50, 0);
    assert_rel(plat_hierarchy_ratio(b.platform), -1, 0);
    assert_non_null(strstr(plat_no_ratio(b.platform), "not uniform"));
    bed_close(&b);
}

/* A spine of four down takes a quarter from every leaf. */
static void patterns_of_links(void **state) {
    (void)state;
#define TREE(link)                                                                                                   \
    "groups: 8\nranks_per_group: 1\nfast: {bandwidth: 100Bps}\n"                                                    \
    "slow: {bandwidth: 10Bps, kind: fat-tree, levels: 2, ports: 8}\ndegraded: [{link: " link ", factor: 0.75}]\n"
    struct bed b;
    struct err e;
    const double full[TIER_MAX] = {1, 1};
    bed_open(&b, TREE("leaf-*"), 0, 0, START_ONE_SIDED);
    assert_ok(topo_apply(b.topology, full, &e), &e);
    int slowed = 0;
    for (int l = 0; l < b.topology->n_links; l++) {
        bool leaf = strncmp(b.topology->links[l].name, "leaf-", 5) == 0;
        assert_rel(b.topology->links[l].capacity_Bps, leaf ? 30 : 10, 1e-12);
        slowed += leaf;
    }
    assert_int_equal(slowed, 4);
    bed_close(&b);
    bed_open(&b, TREE("\"*-out-?\""), 0, 0, START_ONE_SIDED);
    assert_non_null(plat_no_ratio(b.platform)); // links of the fast tier may be among them
    bed_close(&b);
    bed_open(&b, TREE("leaf-up-*"), 0, 0, START_ONE_SIDED);
    assert_fails(topo_apply(b.topology, full, &e), RC_SCHEMA, &e, "no link named 'leaf-up-*'");
    bed_close(&b);
#undef TREE
}

/* A factor of 0: messages go round it where ends have other cables, in the domain where it failed only. */
static void failed_links(void **state) {
    (void)state;
#define SQUARE                                                                                                       \
    "groups: 2\nranks_per_group: 4\nslow: {bandwidth: 10Bps}\n"                                                      \
    "fast: {kind: graph, bandwidth: 500Bps, links: [{from: 0, to: 1, bandwidth: 100Bps}, {from: 1, to: 2, "          \
    "bandwidth: 50Bps}, {from: 2, to: 3, bandwidth: 50Bps}, {from: 3, to: 0, bandwidth: 50Bps}]}\n"
    static const char mesh[] = "groups: 2\nranks_per_group: 3\nslow: {bandwidth: 10Bps}\n"
                               "fast: {kind: full-mesh, bandwidth: 200Bps, link_bandwidth: 100Bps}\n"
                               "degraded: [{link: fast-link-0-1, factor: 0}]\n";
    static const char graph[] = SQUARE "degraded: [{link: fast-link-4-5, factor: 0}]\n";
    struct bed b;
    struct err e;
    struct route r;
    const double full[TIER_MAX] = {1, 1};
    bed_open(&b, graph, 0, 0, START_ONE_SIDED);
    assert_ok(topo_apply(b.topology, full, &e), &e);
    bed_close(&b);
    assert_rel(send(graph, 8, "0 1 1000"), 10, EXACT);
    assert_rel(send(graph, 8, "5 4 1000"), 10, EXACT); // the other direction has not failed
    assert_rel(send(graph, 8, "4 5 1000"), 20, EXACT); // by 7 and 6
    assert_rel(send(mesh, 6, "0 2 1000"), 10, EXACT);
    assert_rel(send(mesh, 6, "0 1 1000,0 2 1000"), 20, EXACT); // both by 2
    assert_rel(send(mesh, 6, "3 4 1000,3 5 1000"), 10, EXACT);
    static const struct {
        const char *platform, *message;
    } bad[] = {
        {GROUPS("2", "2", "bandwidth: 10Bps") "degraded: [{link: slow-out-3, factor: 0}]\n",
         "slow-out-3 has failed, and rank 3 has no other way to rank 0"},
        {GROUPS("2", "2", "bandwidth: 10Bps, nics: 1, nic_bandwidth: 15Bps")
             "degraded: [{link: nic-in-1, factor: 0}]\n",
         "nic-in-1 has failed, and rank 0 has no other way to rank 2"},
        {SQUARE "degraded: [{link: fast-link-0-1, factor: 0}, {link: fast-link-0-3, factor: 0}]\n",
         "fast-link-0-1 has failed, and rank 0 has no other way to rank 1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bed_open(&b, bad[i].platform, 0, 0, START_ONE_SIDED);
        assert_fails(topo_apply(b.topology, full, &e), RC_RANGE, &e, bad[i].message);
        bed_close(&b);
    }
    bed_open(&b, mesh, 0, 0, START_ONE_SIDED);
    assert_ok(topo_apply(b.topology, full, &e), &e);
    topo_find_route(b.topology, 0, 1, TOPO_PATH_FAST, &r);
    for (int i = 0; i < r.n; i++)
        assert_false(b.topology->links[r.links[i]].failed);
    bed_close(&b);
#undef SQUARE
}

static void uneven_domains_have_no_ratio(void **state) {
    (void)state;
    struct platform *p = bed_platform("groups: 2\nranks_per_group: 4\nslow: {bandwidth: 10Bps}\n"
                                      "fast: {kind: ring, bandwidth: 200Bps, link_bandwidth: 100Bps}\n");
    assert_rel(plat_hierarchy_ratio(p), -1, 0);
    assert_non_null(strstr(plat_no_ratio(p), "not uniform"));
    plat_free(p);
    p = bed_platform("groups: 2\nranks_per_group: 4\nslow: {bandwidth: 10Bps}\nfast: {bandwidth: 200Bps}\n");
    assert_rel(plat_hierarchy_ratio(p), 20, 1e-15);
    assert_null(plat_no_ratio(p));
    plat_free(p);
#define TIERS "groups: 2\nranks_per_group: 4\nslow: {bandwidth: 10Bps}\n"                                           \
              "fast: {bandwidth: 200Bps, shared: [{name: tray, ranks: 2, bandwidth: 300Bps}]}\n"
    static const struct {
        const char *more, *word; /* NULL: uniform */
    } all[] = {{"degraded: [{link: fast-out-3, factor: 0.5}]\n", "slowed"},
               {"degraded: [{link: tray-out-0, factor: 0.5}]\n", "slowed"},
               {"background: [{link: fast-out-3, rate: 100Bps}]\n", "background"},
               {"background: [{link: rank-3, rate: 1Bps}]\n", "background"},
               {"background: [{link: slow-out-3, rate: 1Bps}]\n", NULL}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = mem_printf("%s%s", TIERS, all[i].more);
        p = bed_platform(text);
        const char *why = plat_no_ratio(p);
        assert_true(all[i].word ? why && strstr(why, all[i].word) : !why);
        free(text);
        plat_free(p);
    }
#undef TIERS
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_on_a_switch),
        cmocka_unit_test(a_switch_with_a_stated_capacity),
        cmocka_unit_test(a_full_mesh_caps_each_peer),
        cmocka_unit_test(a_torus_is_bound_by_its_longest_ring),
        cmocka_unit_test(equal_ways_of_a_torus_are_split),
        cmocka_unit_test(a_graph_takes_the_shortest_then_widest_way),
        cmocka_unit_test(nics_are_those_of_a_group_in_racks_too),
        cmocka_unit_test(nic_maps),
        cmocka_unit_test(trees),
        cmocka_unit_test(rails_and_planes),
        cmocka_unit_test(a_dragonfly_spreads_or_not),
        cmocka_unit_test(shared_uplinks_and_caps),
        cmocka_unit_test(what_a_rank_shares),
        cmocka_unit_test(cables_beside_a_switch),
        cmocka_unit_test(patterns_of_links),
        cmocka_unit_test(slowed_groups),
        cmocka_unit_test(failed_links),
        cmocka_unit_test(uneven_domains_have_no_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
