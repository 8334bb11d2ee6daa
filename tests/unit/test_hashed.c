/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashed paths: one of several spines for each flow, by hand, the same for engine, bound and load, and how many of 64
 * flows meet on the fullest of 4. Rates are in B/s and messages in bytes. */
#include "tests/support/bed.h"
#include "tests/support/program.h"

#include "model/bound.h"
#include "model/hashed.h"
#include "platforms/base/rng.h"

/* Two leaves of 4 ranks and 2 spines: each leaf has a link of 200 B/s to each. */
#define LEAVES(paths)                                                                                                  \
    "groups: 2\nranks_per_group: 4\nfast: {bandwidth: 1000Bps}\nslow: {bandwidth: 100Bps, " paths "}\n"

struct answer {
    double time_s, bound_s;
    double *link_bytes; /* of the engine */
    double *loads; /* of call_link_load() */
};

static void clear(struct answer *a) {
    free(a->link_bytes);
    free(a->loads);
}

static struct answer answer(struct bed *b, uint64_t seed) {
    struct costs wire;
    size_t n = (size_t)b->topology->n_links;
    b->call.path_seed = seed;
    costs_wire(&b->call, &wire);
    struct outcome o = bed_run(b, &wire);
    struct answer a = {
        .time_s = o.time_s, .bound_s = bound_call_s(&b->call, &wire), .loads = mem_alloc(n, sizeof(double))};
    a.link_bytes = o.link_bytes;
    o.link_bytes = NULL;
    call_link_load(&b->call, 0, a.loads, NULL);
    outcome_clear(&o);
    return a;
}

static void open_two_flows(struct bed *b, const char *platform) {
    double bytes[64] = {0};
    bytes[0 * 8 + 4] = bytes[1 * 8 + 5] = 1000;
    bed_open(b, platform, ORDER_SHIFT, 0, START_ONE_SIDED);
    bed_stage(b, "x", bytes);
}

/* A spine link that is no wider than a port: two flows on it take twice as long as apart. */
static void two_flows_on_one_of_two_spines(void **state) {
    (void)state;
    struct bed b;
    int together = 0;
    open_two_flows(&b, LEAVES("oversubscription: 2, paths: hashed, spines: 2")); // 400 / 2 / 2 = 100 B/s a link
    for (uint64_t seed = 0; seed < 40; seed++) {
        bool same = topo_draw(seed, 0, 4, 0, 2) == topo_draw(seed, 1, 5, 0, 2);
        struct answer a = answer(&b, seed);
        assert_rel(a.time_s, same ? 20 : 10, 1e-9);
        assert_rel(a.bound_s, same ? 20 : 10, 1e-9);
        together += same;
        clear(&a);
    }
    assert_in_range(together, 10, 30); // 20 +- 3.2
    bed_close(&b);
    open_two_flows(&b, LEAVES("oversubscription: 2")); // spread over both: 200 B/s for two flows of 100
    struct answer a = answer(&b, 1);
    assert_rel(a.time_s, 10, 1e-9);
    clear(&a);
    bed_close(&b);
    open_two_flows(&b, LEAVES("oversubscription: 2, paths: adaptive"));
    a = answer(&b, 1);
    assert_rel(a.time_s, 10, 1e-9);
    clear(&a);
    bed_close(&b);
}

static void a_message_of_several_flows(void **state) {
    (void)state;
    struct bed b;
    open_two_flows(&b, LEAVES("oversubscription: 2, paths: hashed, spines: 2, flows_per_message: 4"));
    for (uint64_t seed = 0; seed < 20; seed++) {
        double on[2] = {0, 0};
        for (int f = 0; f < 4; f++) {
            on[topo_draw(seed, 0, 4, f, 2)] += 250;
            on[topo_draw(seed, 1, 5, f, 2)] += 250;
        }
        struct answer a = answer(&b, seed);
        assert_rel(a.bound_s, fmax(10, fmax(on[0], on[1]) / 100), 1e-9);
        assert_true(a.time_s >= a.bound_s * (1 - 1e-9));
        clear(&a);
    }
    bed_close(&b);
}

static void engine_bound_and_loads_take_the_same_path(void **state) {
    (void)state;
    static const char *const machines[] = {
        LEAVES("paths: hashed, spines: 4"),
        LEAVES("oversubscription: 2, paths: hashed, spines: 3, flows_per_message: 2"),
        "groups: 8\nranks_per_group: 1\nfast: {bandwidth: 1000Bps}\n"
        "slow: {bandwidth: 100Bps, kind: fat-tree, ports: 4, levels: 2, paths: hashed}\n",
        "groups: 1\nranks_per_group: 8\nslow: {bandwidth: 1Bps}\n"
        "fast: {bandwidth: 100Bps, kind: torus, dims: 4x2, link_bandwidth: 50Bps, paths: hashed}\n",
        "groups: 8\nranks_per_group: 1\nfast: {bandwidth: 1000Bps}\n"
        "slow: {bandwidth: 100Bps, kind: dragonfly, routers: 1, router_groups: 2, local_bandwidth: 100Bps, "
        "global_bandwidth: 50Bps, routing: spread, paths: hashed}\n"};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct bed b;
        double least_s = INFINITY, most_s = 0;
        bed_open(&b, machines[m], ORDER_SHIFT, 0, START_ONE_SIDED);
        bed_uniform(&b, "x", 1000);
        for (uint64_t seed = 0; seed < 8; seed++) {
            struct answer a = answer(&b, seed);
            for (int l = 0; l < b.topology->n_links; l++)
                assert_near(a.link_bytes[l], a.loads[l], 1e-6 * (1 + a.loads[l]));
            assert_true(a.time_s >= a.bound_s * (1 - 1e-9));
            least_s = fmin(least_s, a.bound_s);
            most_s = fmax(most_s, a.bound_s);
            clear(&a);
        }
        if (!(most_s > least_s))
            fail_msg("machine %zu: the seed moves nothing", m);
        bed_close(&b);
    }
}

/* --- how many meet ----------------------------------------------------------------------------- */

/* Chance that of n flows none of the spines gets more than `most`, by adding one spine after the other. */
static double none_above(int n, int spines, int most) {
    double ways[65] = {1}; // over those placed so far: sum of n! / product of counts!, divided by placed!
    for (int s = 0; s < spines; s++) {
        double next[65] = {0};
        for (int placed = 0; placed <= n; placed++)
            for (int here = 0; here <= most && placed + here <= n; here++)
                next[placed + here] += ways[placed] / tgamma(here + 1);
        memcpy(ways, next, sizeof next);
    }
    return ways[n] * tgamma(n + 1) / pow(spines, n);
}

/* The exact mean of the fullest one against 100 000 throws of the function that decides. */
static void the_fullest_of_four_spines(void **state) {
    (void)state;
    enum { FLOWS = 64, SPINES = 4, THROWS = 100000 };
    double expected = 0, square = 0, sum = 0;
    for (int most = 0; most < FLOWS; most++) {
        double above = 1 - none_above(FLOWS, SPINES, most);
        expected += above;
        square += (2 * most + 1) * above;
    }
    for (uint64_t seed = 0; seed < THROWS; seed++) {
        int on[SPINES] = {0}, most = 0;
        for (int flow = 0; flow < FLOWS; flow++) {
            int *into = &on[topo_draw(seed, flow / 8, 8 + flow % 8, 0, SPINES)];
            most = ++*into > most ? *into : most;
        }
        sum += most;
    }
    double sigma = sqrt((square - expected * expected) / THROWS);
    print_message("64 flows, 4 spines: %.4f on the fullest\n", expected);
    assert_in_range((int)expected, 19, 21); // 16 on the mean one
    assert_near(sum / THROWS, expected, 4 * sigma);
}

/* Quantiles of the load against the exact distribution: 64 equal messages between two leaves of 8 with 4 spines. */
static void the_load_over_many_draws(void **state) {
    (void)state;
    static const double shares[] = {0.5, 0.95, 0.99};
    struct bed b;
    struct err e;
    struct hashed_load load;
    double bytes[256] = {0};
    for (int i = 0; i < 64; i++)
        bytes[i / 8 * 16 + 8 + i % 8] = 100;
    bed_open(&b,
             "groups: 2\nranks_per_group: 8\nfast: {bandwidth: 1e6Bps}\nslow: {bandwidth: 100Bps, "
             "oversubscription: 4, paths: hashed, spines: 4}\n",
             0, 0, START_ONE_SIDED);
    b.how.efficiency.fast.value = b.how.efficiency.slow.value = 1;
    bed_stage(&b, "x", bytes);
    assert_ok(hashed_find(&b.call, 3, 4000, &load, &e), &e);
    assert_rel(load.spread_s, 6400 / 200.0, 1e-12);
    for (int q = 0; q < HASHED_QUANTILES; q++) {
        int most = 0;
        while (none_above(64, 4, most) < shares[q])
            most++;
        // 3 sigma of the share: 0.024, 0.010, 0.005
        int low =
            none_above(64, 4, most - 1) > shares[q] - 3 * sqrt(shares[q] * (1 - shares[q]) / 4000) ? most - 1 : most;
        int high = none_above(64, 4, most) < shares[q] + 3 * sqrt(shares[q] * (1 - shares[q]) / 4000) ? most + 1 : most;
        assert_in_range(lround(load.drawn_s[q] / load.spread_s * 16), low, high);
    }
    bed_close(&b);
    // without a choice every draw is the same
    open_two_flows(&b, LEAVES("oversubscription: 2"));
    b.how.efficiency.fast.value = b.how.efficiency.slow.value = 1;
    assert_ok(hashed_find(&b.call, 3, 5, &load, &e), &e);
    assert_rel(load.drawn_s[2], load.spread_s, 0);
    bed_close(&b);
}

/* --- links ------------------------------------------------------------------------------------- */

static void links_to_spines(void **state) {
    (void)state;
    struct bed b;
    struct route route;
    bed_open(&b, LEAVES("oversubscription: 2, paths: hashed"), 0, 0, START_ONE_SIDED); // 4 ports, 2 up
    double up_Bps = 0;
    int ups = 0;
    for (int l = 0; l < b.topology->n_links; l++)
        if (b.topology->links[l].role == LINK_UP) {
            up_Bps += b.topology->links[l].capacity_Bps;
            ups++;
        }
    assert_int_equal(ups, 4);
    assert_rel(up_Bps, 400, 1e-12);
    topo_draw_route(b.topology, 1, 6, TOPO_PATH_FAST, 7, &route);
    char up[40], down[40];
    snprintf(up, sizeof up, "uplink-0-%d", topo_draw(7, 1, 6, 0, 2));
    snprintf(down, sizeof down, "downlink-1-%d", topo_draw(7, 1, 6, 0, 2));
    assert_int_equal(route.n, 4);
    assert_string_equal(b.topology->links[route.links[1]].name, up);
    assert_string_equal(b.topology->links[route.links[2]].name, down);
    assert_rel(route_share(&route), 1, 0);
    bed_close(&b);
}

/* What a failed link cuts off is not drawn; what it leaves without a way is an error. */
static void a_failed_spine_is_gone_round(void **state) {
    (void)state;
    struct bed b;
    struct err e;
    const double all[TIER_MAX] = {1, 1, 1, 1};
    bed_open(&b, LEAVES("paths: hashed, spines: 3") "degraded: [{link: uplink-0-1, factor: 0}]\n", 0, 0,
             START_ONE_SIDED);
    assert_ok(topo_apply(b.topology, all, &e), &e);
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct route route;
        topo_draw_route(b.topology, 0, 4, TOPO_PATH_FAST, seed, &route);
        for (int i = 0; i < route.n; i++)
            assert_false(b.topology->links[route.links[i]].failed);
    }
    bed_close(&b);
    bed_open(&b, LEAVES("paths: hashed, spines: 3") "degraded: [{link: uplink-0-*, factor: 0}]\n", 0, 0,
             START_ONE_SIDED);
    assert_fails(topo_apply(b.topology, all, &e), RC_RANGE, &e, "has failed, and rank 0 has no other way to rank 4");
    bed_close(&b);
    bed_open(
        &b,
        "groups: 1\nranks_per_group: 8\nslow: {bandwidth: 1Bps}\nfast: {bandwidth: 100Bps, kind: torus, dims: 4x2, "
        "link_bandwidth: 50Bps, paths: hashed}\ndegraded: [{link: fast-link-0-2, factor: 0}]\n",
        0, 0, START_ONE_SIDED);
    assert_fails(topo_apply(b.topology, all, &e), RC_RANGE, &e, "fast-link-0-2 has failed");
    bed_close(&b);
}

static enum rc load(const char *text, struct err *e) {
    char *file = mem_printf("/tmp/moesim-hashed-%d.yaml", getpid());
    FILE *f = fopen(file, "w");
    fprintf(f, "schema: " PLATFORM_SCHEMA "\nname: x\n%s", text);
    fclose(f);
    struct platform *p = NULL;
    enum rc rc = plat_load(file, NULL, 0, &p, e);
    plat_free(p);
    unlink(file);
    free(file);
    return rc;
}

static void where_there_is_nothing_to_draw(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } all[] = {
        {LEAVES("kind: rail-optimised, paths: hashed"), "paths: 'rail-optimised' has no several paths to draw from"},
        {LEAVES("kind: multi-plane, paths: hashed"), "paths: 'multi-plane' has no several paths"},
        {LEAVES("kind: fat-tree, ports: 8, levels: 3, paths: hashed"), "a fat tree of 2 levels"},
        {LEAVES("spines: 2"), "spines belongs to 'paths: hashed' of a switch between groups"},
        {LEAVES("flows_per_message: 2"), "flows_per_message belongs to 'paths: hashed'"},
        {LEAVES("paths: hashed, flows_per_message: 17"), "flows_per_message"},
        {LEAVES("paths: random"), "expected spread, hashed or adaptive"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct err e;
        enum rc rc = load(all[i].text, &e);
        if (!rc || !strstr(e.text, all[i].part))
            fail_msg("case %zu: %d '%s'", i, rc, rc ? e.text : "");
    }
}

/* --- the program ------------------------------------------------------------------------------- */

#define UNIFORM                                                                                                        \
    "simulate --format json --strategy one-hop --implementation nccl-p2p --window all --schedule shift --set "         \
    "workload.routing.source=uniform --set platform.groups=4 --set platform.slow.latency=2us "
#define HASHED "--set platform.slow.paths=hashed --set platform.slow.spines=4 "

static double wire_s(const char *arguments) {
    struct yaml_doc *d;
    assert_int_equal(program_run(arguments, &d), 0);
    double time_s = program_number(d, "calls.0.wire_s");
    yaml_doc_free(d);
    return time_s;
}

static void seeds_and_draws(void **state) {
    (void)state;
    struct yaml_doc *d;
    double spread_s = wire_s(UNIFORM);
    assert_rel(wire_s(UNIFORM "--set platform.slow.paths=adaptive"), spread_s, 0);
    double one_s = wire_s(UNIFORM HASHED "--seed 1"), two_s = wire_s(UNIFORM HASHED "--seed 2");
    assert_true(one_s > spread_s && two_s > spread_s && one_s != two_s);
    assert_rel(wire_s(UNIFORM HASHED "--seed 1"), one_s, 0);
    assert_int_equal(program_run(UNIFORM HASHED "--set platform.slow.transport=one-path --draws 20", &d), 0);
    double p50_s = program_number(d, "calls.0.wire_quantiles_s.p50"),
           p99_s = program_number(d, "calls.0.wire_quantiles_s.p99");
    assert_true(p50_s > spread_s && p99_s > p50_s);
    assert_string_equal(program_at(d, "calls.0.allowance.transport")->text, "one-path");
    assert_true(program_number(d, "calls.0.allowance.hi_s") > program_number(d, "calls.0.allowance.lo_s"));
    assert_true(program_number(d, "calls.0.allowance.lo_s") >= program_number(d, "calls.0.wire_bound_s"));
    double load_s = program_number(d, "calls.0.hashed_load.spread_s");
    assert_true(program_number(d, "calls.0.hashed_load.p99_s") > program_number(d, "calls.0.hashed_load.p50_s"));
    yaml_doc_free(d);
    // not stated: the widest; a transport without a claim: null and the reason
    assert_int_equal(program_run(UNIFORM, &d), 0);
    assert_string_equal(program_at(d, "calls.0.allowance.transport")->text, "null");
    assert_non_null(strstr(program_at(d, "calls.0.allowance.basis")->text, "the widest of"));
    assert_rel(program_number(d, "calls.0.wire_bound_s"), load_s, 1e-9);
    yaml_doc_free(d);
    assert_int_equal(program_run(UNIFORM "--window 1", &d), 0);
    assert_string_equal(program_at(d, "calls.0.allowance.hi_s")->text, "null");
    assert_non_null(strstr(program_at(d, "calls.0.allowance.basis")->text, "bounds packets neither way"));
    yaml_doc_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_flows_on_one_of_two_spines),
        cmocka_unit_test(a_message_of_several_flows),
        cmocka_unit_test(engine_bound_and_loads_take_the_same_path),
        cmocka_unit_test(the_fullest_of_four_spines),
        cmocka_unit_test(the_load_over_many_draws),
        cmocka_unit_test(links_to_spines),
        cmocka_unit_test(a_failed_spine_is_gone_round),
        cmocka_unit_test(where_there_is_nothing_to_draw),
        cmocka_unit_test(seeds_and_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
