/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topo_route.h"

#include <math.h>
#include <string.h>

#include "platforms/base/rng.h"
#include "platforms/blocks.h"
#include "platforms/mesh.h"

enum tier topo_tier(const struct topology *t, int src, int dst) {
    const struct plat_domains *d = t->platform->domains;
    int tier = TIER_FAST;
    while (d[tier].of_rank[src] != d[tier].of_rank[dst])
        tier++;
    return (enum tier)tier;
}

static void add_if(struct route *route, int link) {
    if (link >= 0)
        route->links[route->n++] = link;
}

void topo_find_ends(const struct topology *t, const struct leg *leg, int ends[static 2]) {
    ends[0] = plat_end_of(t->platform, leg->tier, leg->src, false);
    ends[1] = plat_end_of(t->platform, leg->tier, leg->dst, false);
}

/* Returns the number of paths that the topology offers to a leg, hashed or not. */
static int leg_choices(const struct topology *t, const struct leg *leg) {
    int ends[2];
    if (t->mesh[leg->tier].kind == FABRIC_SWITCH)
        return blocks_spines(t, leg->tier, leg->src, leg->dst);
    topo_find_ends(t, leg, ends);
    return mesh_paths(&t->mesh[leg->tier], ends[0], ends[1]);
}

/* Returns the number of paths that a message takes on a leg: all, or with hashed paths one for each of its flows. */
static int leg_paths(const struct topology *t, const struct leg *leg) {
    int choices = leg_choices(t, leg);
    return topo_is_hashed(t, leg->tier) && choices > 1 ? (int)t->platform->tier[leg->tier].fabric.flows_per_message
                                                  : choices;
}

uint64_t topo_path_seed(uint64_t seed, uint64_t draw) {
    struct rng r;
    rng_init(&r, seed, "path-seed", draw);
    return rng_u64(&r);
}

int topo_draw(uint64_t seed, int src, int dst, int flow, int paths) {
    struct rng r;
    rng_init(&r, seed, "path", ((uint64_t)src << 32) | ((uint64_t)dst << 8) | (uint64_t)flow);
    return (int)rng_below(&r, (uint64_t)paths);
}

/* Returns the path that flow i of a leg takes. A spine that a failed link cuts off is not drawn. */
static int leg_path(const struct topology *t, const struct leg *leg, int i, uint64_t seed) {
    int choices = leg_choices(t, leg), alive = 0;
    if (!topo_is_hashed(t, leg->tier) || choices == 1)
        return i;
    if (t->mesh[leg->tier].kind != FABRIC_SWITCH)
        return topo_draw(seed, leg->src, leg->dst, i, choices);
    for (int spine = 0; spine < choices; spine++)
        alive += blocks_spine_works(t, leg->tier, leg->src, leg->dst, spine);
    int left = alive ? topo_draw(seed, leg->src, leg->dst, i, alive) : 0;
    for (int spine = 0; spine < choices && alive; spine++)
        if (blocks_spine_works(t, leg->tier, leg->src, leg->dst, spine) && left-- == 0)
            return spine;
    return 0;
}

/* Appends path i of a leg. */
static void traverse(const struct topology *t, const struct leg *leg, int i, struct route *route) {
    const struct mesh *mesh = &t->mesh[leg->tier];
    int src = leg->src, dst = leg->dst, ends[2], cable = mesh_cable(t, leg->tier, src, dst);
    bool direct = cable >= 0; // then only what all tiers of a rank share is on the way too
    enum tier blocks = direct ? TIER_MAX : leg->tier;
    add_if(route, direct ? cable : t->egress[leg->tier][src]);
    add_if(route, t->port_out[src]);
    blocks_out(t, blocks, (const int[]){src, dst, i}, route);
    if (mesh->kind != FABRIC_SWITCH) {
        topo_find_ends(t, leg, ends);
        mesh_path(mesh, t->platform->domains[leg->tier].of_rank[src], ends, i, route);
    }
    blocks_in(t, blocks, (const int[]){src, dst, i}, route);
    add_if(route, t->port_in[dst]);
    add_if(route, direct ? -1 : t->ingress[leg->tier][dst]);
}

/* Returns whether a tier joins two ranks only by way of a third one, because they are on different rails without a
 * spine. */
static bool rails_apart(const struct topology *t, enum tier tier, int src, int dst) {
    return fabric_is_apart(&t->platform->tier[tier].fabric) && t->nic[tier][src] != t->nic[tier][dst];
}

/* Returns the next tier beyond the fast one that joins anything; where there is none, the fast one. */
static enum tier beyond_fast(const struct platform *p) {
    int tier = 1;
    while (tier < p->n_tiers && plat_ends(p, (enum tier)tier) < 2)
        tier++;
    return tier < p->n_tiers ? (enum tier)tier : TIER_FAST;
}

int topo_find_legs(const struct topology *t, int src, int dst, enum topo_path path, struct leg legs[static 2]) {
    const struct platform *p = t->platform;
    enum tier tier = topo_tier(t, src, dst);
    legs[0] = (struct leg){src, dst, tier};
    if (tier == TIER_FAST) {
        enum tier beyond = path == TOPO_PATH_SLOW ? beyond_fast(p) : TIER_FAST;
        if (!rails_apart(t, beyond, src, dst))
            legs[0].tier = beyond;
        return 1;
    }
    // the rank of the sender's group on the receiver's rail
    int relay = plat_peer(p, TIER_FAST, plat_group_of(p, src), dst);
    if ((path != TOPO_PATH_RAIL && !rails_apart(t, tier, src, dst)) || relay == src)
        return 1;
    legs[0] = (struct leg){src, relay, TIER_FAST};
    legs[1] = (struct leg){relay, dst, tier};
    return 2;
}

static double path_latency_s(const struct topology *t, const struct route *route, int path) {
    double sum_s = 0;
    for (int k = path ? route->end[path - 1] : 0; k < route->end[path]; k++)
        sum_s += t->links[route->links[k]].latency_s;
    return sum_s;
}

void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route) {
    topo_draw_route(t, src, dst, path, 0, route);
}

void topo_draw_route(const struct topology *t, int src, int dst, enum topo_path path, uint64_t seed,
                     struct route *route) {
    BUG_ON(src == dst);
    struct leg legs[2];
    int n = topo_find_legs(t, src, dst, path, legs), first = leg_paths(t, &legs[0]);
    route->n = 0;
    route->paths = n > 1 ? first * leg_paths(t, &legs[1]) : first;
    route->latency_s = 0;
    BUG_ON(route->paths > TOPO_PATHS_MAX);
    for (int i = 0; i < route->paths; i++) {
        BUG_ON(route->n + TOPO_SPARE > TOPO_ROUTE_MAX);
        traverse(t, &legs[0], leg_path(t, &legs[0], i % first, seed), route);
        if (n > 1)
            traverse(t, &legs[1], leg_path(t, &legs[1], i / first, seed), route);
        route->end[i] = route->n;
        if (t->has_latency)
            route->latency_s = fmax(route->latency_s, path_latency_s(t, route, i));
    }
    route->tier = legs[n - 1].tier;
    route->via = n > 1 ? (int)legs[0].tier : -1;
    int cable = mesh_cable(t, route->tier, legs[n - 1].src, dst);
    route->cost_link = cable >= 0 ? cable : t->egress[route->tier][legs[n - 1].src];
}

const struct link *topo_find_failed(const struct topology *t, const struct leg *leg, struct route *route) {
    bool spines = t->mesh[leg->tier].kind == FABRIC_SWITCH; // of which those that work are drawn
    int n = topo_is_hashed(t, leg->tier) && !spines ? leg_choices(t, leg) : leg_paths(t, leg);
    for (int i = 0; i < n; i++) {
        route->n = 0;
        traverse(t, leg, spines ? leg_path(t, leg, i, 0) : i, route);
        for (int k = 0; k < route->n; k++)
            if (t->links[route->links[k]].failed)
                return &t->links[route->links[k]];
    }
    return NULL;
}

int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]) {
    struct route route;
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    memcpy(links, route.links, (size_t)route.end[0] * sizeof *links);
    return route.end[0];
}
