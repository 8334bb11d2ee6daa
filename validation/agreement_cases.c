/* SPDX-License-Identifier: BSD-3-Clause */
/* The random cases: shipped machines whose fabrics, shapes, links, bytes and library are changed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "validation/agreement.h"

enum { LAUNCHES_DRAWN = 3, PIECES_MOST = 400 /* of all messages of a case, on the average */ };

/* Settings of a tier; rates are those of an 8-rank machine of today, a few times faster inside than between. */
static const char *const fasts[] = {
    "fast.bandwidth=450GBps",
    "fast.kind=full-mesh fast.link_bandwidth=150GBps",
    "fast.kind=ring fast.link_bandwidth=200GBps",
    "fast.kind=torus fast.dims=%dx2 fast.link_bandwidth=150GBps",
    NULL, // a graph: the machine as it is shipped
};
static const char *const slows[] = {
    "slow.oversubscription=2",
    "slow.nics=2 slow.nic_bandwidth=70GBps slow.nic_map=round-robin",
    "slow.kind=fat-tree slow.levels=2 slow.ports=12 slow.oversubscription=2",
    "slow.kind=rail-optimised slow.oversubscription=3",
    "slow.kind=multi-plane slow.nics=2 slow.nic_bandwidth=50GBps",
    ("slow.kind=dragonfly slow.routers=1 slow.router_groups=1 slow.local_bandwidth=50GBps "
     "slow.global_bandwidth=60GBps slow.routing=spread"),
    "slow.kind=torus slow.dims=%dx2 slow.link_bandwidth=60GBps",
    "slow.kind=ring slow.link_bandwidth=60GBps",
};
enum { N_FASTS = sizeof fasts / sizeof *fasts, N_SLOWS = sizeof slows / sizeof *slows, RING = 2, GRAPH = 4 };

static bool one_in(struct rng *r, uint64_t n) {
    return rng_below(r, n) == 0;
}

/* The settings of a machine, in text; a word of the tables says half of the number that it is for. */
static void describe(struct rng *r, int i, char *text, size_t size, int *ranks) {
    bool graph = i % N_FASTS == GRAPH;
    // halves of the numbers of groups and of ranks in one; a torus has two dimensions
    int least = i % N_FASTS < RING ? 1 : 2, groups = 2 + (int)rng_below(r, 3);
    int local = least + (int)rng_below(r, 5 - (uint64_t)least);
    char fast[200] = "", slow[300] = "";
    if (graph)
        groups = 1 + (int)rng_below(r, 8); // of 8 ranks each
    *ranks = graph ? 8 * groups : 4 * groups * local;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    if (!graph) {
        snprintf(fast, sizeof fast, fasts[i % N_FASTS], local);
        snprintf(slow, sizeof slow, slows[i / N_FASTS % N_SLOWS], groups);
    }
#pragma GCC diagnostic pop
    int n = graph ? snprintf(text, size, "groups=%d slow.routers=1 slow.router_groups=1", groups)
                  : snprintf(text, size, "groups=%d ranks_per_group=%d %s %s", 2 * groups, 2 * local, fast, slow);
    if (one_in(r, 3))
        snprintf(text + n, size - (size_t)n, " copy_bandwidth=%dGBps", 100 + (int)rng_below(r, 500));
}

/* How the library sends. */
static void draw_library(struct rng *r, struct agreement_case *c) {
    struct implementation *m = c->bench.implementation;
    struct call *call = &c->bench.call;
    uint64_t window = rng_below(r, 4);
    m->window = window == 0 ? 0 : window == 1 ? 1 : 2 + (int64_t)rng_below(r, 15);
    m->order = (int)rng_below(r, ORDER_RANDOM + 1);
    m->start = (int)rng_below(r, 2);
    m->receive_window = one_in(r, 2) ? 0 : 1 + (int64_t)rng_below(r, 8);
    call->order_seed = rng_u64(r);
    call->chunks = one_in(r, 3) ? 2 + (int)rng_below(r, 4) : 1;
    call->pipelined = call->chunks > 1;
    c->n_calls = one_in(r, 4) ? 2 + (size_t)rng_below(r, 2) : 0;
    c->host = one_in(r, 2) ? REGIME_AHEAD : REGIME_OBSERVED;
    for (size_t i = 0; i < AGREEMENT_CALLS; i++) {
        struct costs *costs = &c->costs[i];
        *costs = (struct costs){.name = "drawn"};
        for (int s = 0; s < LAUNCHES_DRAWN; s++)
            costs->alpha_s[s] = one_in(r, 3) ? 0 : 20e-6 * rng_unit(r);
        for (int tier = 0; tier < TIER_MAX; tier++)
            costs->latency_s[tier] = one_in(r, 2) ? 0 : 5e-6 * rng_unit(r);
        costs->splits_s = one_in(r, 2) ? 0 : 10e-6 * rng_unit(r);
    }
}

/* Sizes: log-normal, of few values, or all equal; some pairs send nothing. With more ranks fewer of them do: how many
 * cases are chaotic grows with the number of messages, for each one that ends may come close to another one. */
static void draw_bytes(struct rng *r, struct agreement_case *c) {
    struct call *call = &c->bench.call;
    int ranks = call->topology->ranks, rounds = call->n_stages * call->chunks * (c->n_calls ? (int)c->n_calls : 1);
    double most = (double)PIECES_MOST / rounds / ranks / ranks;
    for (int s = 0; s < call->n_stages; s++) {
        double *dense = mem_alloc((size_t)ranks * (size_t)ranks, sizeof *dense), sparse = fmax(rng_unit(r), 1 - most);
        uint64_t kind = rng_below(r, 6), few = 1 + rng_below(r, 4);
        for (int i = 0; i < ranks * ranks; i++) {
            double skewed = 1e5 * exp(1.5 * rng_normal(r)), one_of_few = 1e5 * (double)(1 + rng_below(r, few));
            dense[i] = rng_unit(r) < sparse ? 0 : kind > 1 ? skewed : kind == 1 ? one_of_few : 1e5;
        }
        matrix_clear(&call->stages[s].bytes);
        matrix_from_dense(dense, ranks, false, &call->stages[s].bytes);
        free(dense);
    }
}

/* What topo_apply() makes of background traffic and of degraded links: another capacity. */
static void draw_links(struct rng *r, struct agreement_case *c) {
    struct topology *t = c->bench.topology;
    c->kinds[AGREEMENT_BACKGROUND] = one_in(r, 4);
    c->kinds[AGREEMENT_DEGRADED] = one_in(r, 4);
    for (int l = 0; l < t->n_links; l++) {
        double factor = 0.1 + 0.9 * rng_unit(r), less = 0.7 * rng_unit(r);
        bool degraded = one_in(r, 4), shared = one_in(r, 3);
        if (c->kinds[AGREEMENT_DEGRADED] && degraded)
            t->links[l].capacity_Bps *= factor;
        if (c->kinds[AGREEMENT_BACKGROUND] && shared)
            t->links[l].capacity_Bps *= 1 - less;
    }
}

/* Which kinds a case is of, as it stands. */
static void find_kinds(struct agreement_case *c) {
    static const enum agreement_kind of_fabric[] = {
        [FABRIC_SWITCH] = AGREEMENT_SWITCH,     [FABRIC_FULL_MESH] = AGREEMENT_FULL_MESH,
        [FABRIC_RING] = AGREEMENT_RING,         [FABRIC_TORUS] = AGREEMENT_TORUS,
        [FABRIC_GRAPH] = AGREEMENT_GRAPH,       [FABRIC_FAT_TREE] = AGREEMENT_FAT_TREE,
        [FABRIC_RAIL] = AGREEMENT_RAIL,         [FABRIC_MULTI_PLANE] = AGREEMENT_MULTI_PLANE,
        [FABRIC_DRAGONFLY] = AGREEMENT_DRAGONFLY};
    const struct topology *t = c->bench.topology;
    const struct call *call = &c->bench.call;
    struct route *route = mem_alloc(1, sizeof *route);
    for (int tier = 0; tier < c->bench.platform->n_tiers; tier++)
        c->kinds[of_fabric[c->bench.platform->tier[tier].fabric.kind]] = true;
    for (int l = 0; l < t->n_links; l++) {
        enum link_role role = t->links[l].role;
        c->kinds[AGREEMENT_SHARED] = c->kinds[AGREEMENT_SHARED] || role == LINK_UP || role == LINK_DOWN;
        c->kinds[AGREEMENT_HALF_DUPLEX] = c->kinds[AGREEMENT_HALF_DUPLEX] || role == LINK_BOTH;
    }
    for (int src = 0; src < t->ranks; src++)
        for (int dst = 0; dst < t->ranks && !c->kinds[AGREEMENT_SEVERAL_PATHS]; dst++) {
            if (src != dst)
                call_route(call, src, dst, route);
            c->kinds[AGREEMENT_SEVERAL_PATHS] = src != dst && route->paths > 1;
        }
    int64_t window = c->bench.implementation->window;
    c->kinds[window == 0 ? AGREEMENT_WINDOW_ALL : window == 1 ? AGREEMENT_WINDOW_ONE : AGREEMENT_WINDOW_SEVERAL] = true;
    c->kinds[AGREEMENT_PIPELINED] = call->chunks > 1;
    c->kinds[AGREEMENT_SEQUENCE] = c->n_calls > 0;
    free(route);
}

enum rc agreement_random(uint64_t seed, int i, struct agreement_case *c, struct err *e) {
    struct rng r;
    char machine[700], routing[160];
    int ranks = 0;
    rng_init(&r, seed, "agreement", (uint64_t)i);
    describe(&r, i, machine, sizeof machine, &ranks);
    snprintf(routing, sizeof routing, "tokens_per_rank=8 experts=%d top_k=2 group_limit=none routing.mode=global_topk",
             2 * ranks);
    const struct bench_ask ask = {.platform = i % N_FASTS == GRAPH ? "frontier" : "dgx-h100",
                                  .platform_set = machine,
                                  .workload = "terrace-reference",
                                  .workload_set = routing,
                                  .implementation = "nccl-p2p",
                                  .strategy = one_in(&r, 2) ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP,
                                  .seed = 1};
    *c = (struct agreement_case){.n_calls = 0};
    snprintf(c->label, sizeof c->label, "seed %llu/%d", (unsigned long long)seed, i);
    enum rc rc = bench_open(&ask, &c->bench, e);
    if (rc) {
        err_prefix(e, "%s", c->label);
        return rc;
    }
    draw_library(&r, c);
    draw_bytes(&r, c);
    draw_links(&r, c);
    find_kinds(c);
    return RC_OK;
}
