/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws that hold on every kind of fabric, with random traffic: nothing is faster than its links, links carry what
 * the routes say, scaling bytes and rates together changes no time, more capacity raises no bound; and ranks of
 * a uniform group may change places. */
#include "tests/support/bed.h"

#include "platforms/base/rng.h"

#define EXACT 1e-9

/* Of 4 groups of 4 ranks, or of 4 racks of two such groups; three rates. */
static const char *const middles[] = {
    "",
    "middle: [{name: rack, joins: 2, bandwidth: %2$.17gBps}]\n",
    "middle: [{name: rack, joins: 2, bandwidth: %1$.17gBps, oversubscription: 2}]\n",
    "middle: [{name: rack, joins: 2, bandwidth: %3$.17gBps, nics: 2, nic_bandwidth: %1$.17gBps, kind: multi-plane}]\n",
    "middle: [{name: rack, joins: 2, bandwidth: %3$.17gBps, kind: ring, link_bandwidth: %1$.17gBps}]\n",
    "middle: [{name: rack, joins: 2, bandwidth: %3$.17gBps}, {name: row, joins: 1, bandwidth: %1$.17gBps}]\n"};
static const char *const fasts[] = {
    "{bandwidth: %1$.17gBps}",
    "{bandwidth: %1$.17gBps, capacity: %1$.17gBps, half_duplex: true}",
    "{kind: full-mesh, bandwidth: %1$.17gBps, link_bandwidth: %2$.17gBps}",
    "{bandwidth: %1$.17gBps, links: [{from: 0, to: 3, bandwidth: %2$.17gBps}]}",
    "{kind: ring, bandwidth: %1$.17gBps, link_bandwidth: %2$.17gBps}",
    "{kind: torus, dims: 2x2, bandwidth: %1$.17gBps, link_bandwidth: %2$.17gBps}",
    ("{kind: graph, bandwidth: %1$.17gBps, links: [{from: 0, to: 1, bandwidth: %2$.17gBps}, {from: 1, to: 2, "
     "bandwidth: %1$.17gBps}, {from: 2, to: 3, bandwidth: %2$.17gBps}]}"),
    "{bandwidth: %1$.17gBps, shared: [{name: tray, ranks: 2, bandwidth: %2$.17gBps, both_ways: true}]}"};
static const char *const slows[] = {
    "{bandwidth: %2$.17gBps}",
    "{bandwidth: %2$.17gBps, oversubscription: 2}",
    "{bandwidth: %2$.17gBps, nics: 3, nic_bandwidth: %3$.17gBps, nic_map: round-robin}",
    "{bandwidth: %2$.17gBps, kind: fat-tree, levels: 2, ports: 12, oversubscription: 2}",
    "{bandwidth: %2$.17gBps, kind: rail-optimised, oversubscription: 3}",
    "{bandwidth: %2$.17gBps, kind: rail-optimised, ports: 4, cross_rail: fast}",
    "{bandwidth: %2$.17gBps, kind: multi-plane, nics: 2, nic_bandwidth: %2$.17gBps}",
    "{bandwidth: %2$.17gBps, kind: dragonfly, routers: 1, router_groups: 1, local_bandwidth: %2$.17gBps, "
    "global_bandwidth: %3$.17gBps, routing: spread}",
    "{bandwidth: %2$.17gBps, kind: dragonfly, routers: 2, router_groups: 1, local_bandwidth: %3$.17gBps, "
    "global_bandwidth: %2$.17gBps}",
    "{bandwidth: %2$.17gBps, kind: torus, dims: 2x2, link_bandwidth: %3$.17gBps}",
    "{bandwidth: %2$.17gBps, kind: ring, link_bandwidth: %3$.17gBps}",
    "{bandwidth: %2$.17gBps, shared: [{name: two, ranks: 8, bandwidth: %1$.17gBps}]}"};
enum { N_FASTS = sizeof fasts / sizeof *fasts, N_SLOWS = sizeof slows / sizeof *slows,
       N_MIDDLES = sizeof middles / sizeof *middles, RANKS = 32, LOCAL = 4 };

/* A question: which fabrics, which rates, which bytes in two stages. */
struct question {
    int fast, slow, middle, path, chunks;
    bool copy;
    int64_t window;
    double rate_Bps[3];
    double bytes[2][RANKS * RANKS];
};

static struct question ask(struct rng *r) {
    struct question q = {.fast = (int)rng_below(r, N_FASTS),
                         .slow = (int)rng_below(r, N_SLOWS),
                         .middle = rng_below(r, 2) ? 0 : (int)rng_below(r, N_MIDDLES),
                         .path = (int)rng_below(r, TOPO_PATH_RAIL + 1),
                         .chunks = rng_below(r, 3) ? 1 : 3,
                         .copy = rng_below(r, 4) == 0,
                         .window = rng_below(r, 2) ? 0 : 1 + (int64_t)rng_below(r, 4)};
    if (q.middle == 3 && (q.slow == 5 || q.slow == 6))
        q.slow = 4; // rails without a spine on two tiers are refused
    for (int i = 0; i < 3; i++)
        q.rate_Bps[i] = (double)(1 + rng_below(r, 100)) * 1e6;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < RANKS * RANKS; i++)
            q.bytes[s][i] = rng_below(r, 3) ? 0 : (double)(1 + rng_below(r, 1000)) * 1e3;
    return q;
}

/* With rates and bytes times scale. */
static void open_question(struct bed *b, const struct question *q, double scale) {
    char text[2000], fast[600], slow[600], middle[600], copy[80] = "";
    double x = q->rate_Bps[0] * scale, y = q->rate_Bps[1] * scale, z = q->rate_Bps[2] * scale;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(fast, sizeof fast, fasts[q->fast], x, y, z);
    snprintf(slow, sizeof slow, slows[q->slow], x, y, z);
    snprintf(middle, sizeof middle, middles[q->middle], x, y, z);
#pragma GCC diagnostic pop
    if (q->copy)
        snprintf(copy, sizeof copy, "copy_bandwidth: %.17gBps\n", 1.5 * x);
    snprintf(text, sizeof text, "groups: %d\nranks_per_group: 4\n%s%sfast: %s\nslow: %s\n", q->middle ? 8 : 4, copy,
             middle, fast, slow);
    bed_open(b, text, 0, q->window, START_ONE_SIDED);
    b->how.intra_group_path = q->path;
    b->call.chunks = q->chunks;
    double *bytes = calloc(RANKS * RANKS, sizeof *bytes);
    int ranks = b->topology->ranks;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < ranks * ranks; i++)
            bytes[i] = q->bytes[s][i / ranks * RANKS + i % ranks] * scale;
        bed_stage(b, s ? "b" : "a", bytes);
    }
    free(bytes);
}

static double answer(const struct question *q, double scale) {
    struct bed b;
    struct costs c;
    open_question(&b, q, scale);
    costs_wire(&b.call, &c);
    struct outcome o = bed_run(&b, &c);
    double time_s = o.time_s;
    assert_true(time_s >= bed_bound_s(&b) * (1 - EXACT));
    double *bytes = calloc((size_t)b.topology->n_links, sizeof *bytes);
    for (int s = 0; s < 2; s++)
        call_link_load(&b.call, s, bytes, NULL);
    for (int l = 0; l < b.topology->n_links; l++)
        assert_near(o.link_bytes[l], bytes[l], EXACT * fmax(bytes[l], 1e5));
    free(bytes);
    outcome_clear(&o);
    bed_close(&b);
    return time_s;
}

static void links_carry_what_routes_say(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("fabric"), "fabric", 0);
    for (int i = 0; i < 120; i++) {
        struct question q = ask(&r);
        answer(&q, 1);
    }
}

static void scaling_changes_nothing(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("fabric"), "scale", 0);
    for (int i = 0; i < 30; i++) {
        struct question q = ask(&r);
        assert_rel(answer(&q, 8), answer(&q, 1), 1e-9);
    }
}

static double bound_s(const struct question *q, int raised) {
    struct question more = *q;
    if (raised >= 0)
        more.rate_Bps[raised] *= 1.7;
    struct bed b;
    open_question(&b, &more, 1);
    double time_s = bed_bound_s(&b);
    bed_close(&b);
    return time_s;
}

/* Except of a graph, where a wider cable may draw routes to it. */
static void more_capacity_raises_no_bound(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("fabric"), "capacity", 0);
    for (int i = 0; i < 60; i++) {
        struct question q = ask(&r);
        for (int k = 0; k < 3 && q.fast != 6; k++)
            assert_true(bound_s(&q, k) <= bound_s(&q, -1) * (1 + EXACT));
    }
}

/* Ranks of each group change places. */
static void permute(const struct question *q, struct rng *r, struct question *into) {
    int to[RANKS];
    for (int i = 0; i < RANKS; i++)
        to[i] = i;
    for (int i = 0; i < RANKS; i++) {
        int first = i / LOCAL * LOCAL, k = first + (int)rng_below(r, (uint64_t)(i - first + 1)), keep = to[i];
        to[i] = to[k];
        to[k] = keep;
    }
    *into = *q;
    for (int s = 0; s < 2; s++)
        for (int src = 0; src < RANKS; src++)
            for (int dst = 0; dst < RANKS; dst++)
                into->bytes[s][to[src] * RANKS + to[dst]] = q->bytes[s][src * RANKS + dst];
}

static void ranks_of_a_uniform_group_may_change_places(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("fabric"), "permute", 0);
    static const int same_slow[] = {0, 1, 7, 8, 9, 10, 11}; // no NICs or rails: local indices do not matter
    for (int i = 0; i < 40; i++) {
        struct question q = ask(&r), other;
        q.fast = (int)rng_below(&r, 3);
        q.slow = same_slow[rng_below(&r, 7)];
        q.middle = (int)rng_below(&r, 3);
        q.window = 0;
        q.chunks = 1;
        q.path = TOPO_PATH_FAST;
        memset(q.bytes[1], 0, sizeof q.bytes[1]);
        permute(&q, &r, &other);
        assert_rel(answer(&other, 1), answer(&q, 1), 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_carry_what_routes_say),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(more_capacity_raises_no_bound),
        cmocka_unit_test(ranks_of_a_uniform_group_may_change_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
