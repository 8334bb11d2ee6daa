/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topology.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "platforms/blocks.h"
#include "platforms/mesh.h"
#include "platforms/route_table.h"

int topo_add_link(struct topology *t, const struct link *l, const char *format, ...) {
    MEM_GROW(t->links, t->n_links, t->room);
    struct link *into = &t->links[t->n_links];
    *into = *l;
    va_list args;
    va_start(args, format);
    vsnprintf(into->name, sizeof into->name, format, args);
    va_end(args);
    return t->n_links++;
}

static int add_port(struct topology *t, enum link_role role, enum tier tier, int rank, double rate_Bps) {
    static const char *const words[] = {
        [LINK_EGRESS] = "out", [LINK_INGRESS] = "in", [LINK_PORT_OUT] = "port-out", [LINK_PORT_IN] = "port-in"};
    struct link l = {
        .role = role, .tier = tier, .owner = rank, .first_rank = rank, .n_ranks = 1, .capacity_Bps = rate_Bps};
    if (role == LINK_EGRESS || role == LINK_INGRESS)
        return topo_add_link(t, &l, "%s-%s-%d", t->platform->tier[tier].name, words[role], rank);
    return topo_add_link(t, &l, "%s-%d", words[role], rank);
}

static int *no_links(int n) {
    int *ids = mem_alloc((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = -1;
    return ids;
}

static void add_ports(struct topology *t, int rank) {
    const struct platform *p = t->platform;
    for (int tier = 0; tier < p->n_tiers; tier++) {
        if (plat_ends(p, (enum tier)tier) < 2)
            continue; // nobody to talk to on this tier
        double rate_Bps = p->tier[tier].bandwidth_Bps.value;
        t->egress[tier][rank] = add_port(t, LINK_EGRESS, (enum tier)tier, rank, rate_Bps);
        t->ingress[tier][rank] = add_port(t, LINK_INGRESS, (enum tier)tier, rank, rate_Bps);
    }
    if (p->port_bandwidth_Bps.given) {
        t->port_out[rank] = add_port(t, LINK_PORT_OUT, plat_slow(p), rank, p->port_bandwidth_Bps.value);
        t->port_in[rank] = add_port(t, LINK_PORT_IN, plat_slow(p), rank, p->port_bandwidth_Bps.value);
    }
}

/* NIC of each rank among those of its end. */
static void find_nics(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_domains *ends = &p->domains[tier - 1];
    for (int rank = 0; rank < t->ranks; rank++) {
        int end = ends->of_rank[rank];
        t->nic[tier][rank] = fabric_nic_of(&p->tier[tier].fabric, ends->first[end + 1] - ends->first[end],
                                           rank - ends->first[end]);
    }
}

static bool is_hashed(const struct topology *t, enum tier tier) {
    return t->platform->tier[tier].fabric.paths == PATHS_HASHED;
}

struct topology *topo_build(const struct platform *p) {
    struct topology *t = mem_alloc(1, sizeof *t);
    t->platform = p;
    t->ranks = plat_ranks(p);
    for (int tier = 0; tier < p->n_tiers; tier++) {
        t->egress[tier] = no_links(t->ranks);
        t->ingress[tier] = no_links(t->ranks);
        t->nic[tier] = no_links(t->ranks);
        if (tier > 0)
            find_nics(t, (enum tier)tier);
    }
    t->port_out = no_links(t->ranks);
    t->port_in = no_links(t->ranks);
    for (int rank = 0; rank < t->ranks; rank++)
        add_ports(t, rank);
    bool uplinks_only = blocks_build(t);
    int simple = t->n_links;
    for (int tier = 0; tier < p->n_tiers; tier++)
        mesh_build(t, (enum tier)tier);
    for (int tier = 0; tier < p->n_tiers; tier++)
        t->hashed = t->hashed || is_hashed(t, (enum tier)tier);
    t->plain = p->n_tiers == 2 && uplinks_only && t->n_links == simple && !t->hashed;
    return t;
}

void topo_free(struct topology *t) {
    if (!t)
        return;
    for (int tier = 0; tier < TIER_MAX; tier++) {
        free(t->egress[tier]);
        free(t->ingress[tier]);
        free(t->nic[tier]);
        mesh_clear(&t->mesh[tier]);
    }
    free(t->port_out);
    free(t->port_in);
    blocks_clear(t);
    route_table_free(t->routes);
    free(t->links);
    free(t);
}

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

/* One traversal of a tier, from port to port. */
struct leg {
    int src, dst;
    enum tier tier;
};

/* The ends of a leg in the mesh of its tier. */
static void find_ends(const struct topology *t, const struct leg *leg, int ends[static 2]) {
    ends[0] = plat_end_of(t->platform, leg->tier, leg->src, false);
    ends[1] = plat_end_of(t->platform, leg->tier, leg->dst, false);
}

/* Paths that the topology offers, hashed or not. */
static int leg_choices(const struct topology *t, const struct leg *leg) {
    int ends[2];
    if (t->mesh[leg->tier].kind == FABRIC_SWITCH)
        return blocks_ways(t, leg->tier, leg->src, leg->dst);
    find_ends(t, leg, ends);
    return mesh_paths(&t->mesh[leg->tier], ends[0], ends[1]);
}

/* Paths that a message takes: all, or one for each of its flows. */
static int leg_paths(const struct topology *t, const struct leg *leg) {
    int choices = leg_choices(t, leg);
    return is_hashed(t, leg->tier) && choices > 1 ? (int)t->platform->tier[leg->tier].fabric.flows_per_message
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

/* The path that flow i of a leg takes. A spine that a failed link cuts off is not drawn. */
static int leg_path(const struct topology *t, const struct leg *leg, int i, uint64_t seed) {
    int choices = leg_choices(t, leg), alive = 0;
    if (!is_hashed(t, leg->tier) || choices == 1)
        return i;
    if (t->mesh[leg->tier].kind != FABRIC_SWITCH)
        return topo_draw(seed, leg->src, leg->dst, i, choices);
    for (int way = 0; way < choices; way++)
        alive += blocks_way_works(t, leg->tier, leg->src, leg->dst, way);
    int left = alive ? topo_draw(seed, leg->src, leg->dst, i, alive) : 0;
    for (int way = 0; way < choices && alive; way++)
        if (blocks_way_works(t, leg->tier, leg->src, leg->dst, way) && left-- == 0)
            return way;
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
        find_ends(t, leg, ends);
        mesh_path(mesh, t->platform->domains[leg->tier].of_rank[src], ends, i, route);
    }
    blocks_in(t, blocks, (const int[]){src, dst, i}, route);
    add_if(route, t->port_in[dst]);
    add_if(route, direct ? -1 : t->ingress[leg->tier][dst]);
}

/* Whether a tier only joins the two ranks by way of a third one: other rails, no spine. */
static bool rails_apart(const struct topology *t, enum tier tier, int src, int dst) {
    return fabric_is_apart(&t->platform->tier[tier].fabric) && t->nic[tier][src] != t->nic[tier][dst];
}

/* The next tier beyond the fast one that joins anything; where there is none, the fast one. */
static enum tier beyond_fast(const struct platform *p) {
    int tier = 1;
    while (tier < p->n_tiers && plat_ends(p, (enum tier)tier) < 2)
        tier++;
    return tier < p->n_tiers ? (enum tier)tier : TIER_FAST;
}

/* One leg, or two by way of a relay. */
static int find_legs(const struct topology *t, int src, int dst, enum topo_path path, struct leg legs[static 2]) {
    const struct platform *p = t->platform;
    enum tier tier = topo_tier(t, src, dst);
    legs[0] = (struct leg){src, dst, tier};
    if (tier == TIER_FAST) {
        enum tier beyond = path == TOPO_PATH_SLOW ? beyond_fast(p) : TIER_FAST;
        if (!rails_apart(t, beyond, src, dst))
            legs[0].tier = beyond;
        return 1;
    }
    bool apart = rails_apart(t, tier, src, dst);
    // to a rail of the tier inside its own end, otherwise inside the group
    enum tier near = apart ? (enum tier)(tier - 1) : TIER_FAST;
    int relay = plat_peer(p, near, p->domains[near].of_rank[src], dst);
    if ((path != TOPO_PATH_RAIL && !apart) || relay == src)
        return 1;
    legs[0] = (struct leg){src, relay, topo_tier(t, src, relay)};
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
    int n = find_legs(t, src, dst, path, legs), first = leg_paths(t, &legs[0]);
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

void topo_list_routes(struct topology *t, enum topo_path path) {
    if (!t->routes && !t->hashed)
        t->routes = route_table_build(t, path);
}

int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]) {
    struct route route;
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    memcpy(links, route.links, (size_t)route.end[0] * sizeof *links);
    return route.end[0];
}

/* Whether a name means the link: its own, or that of a rank or group whose ports and NIC it is, or of several of
 * them, "group-4..7"; a name may have * and ?, "leaf-out-*". */
static bool is_meant(const struct topology *t, const struct link *l, const char *name) {
    int from, to, last = l->first_rank + l->n_ranks - 1;
    char rest;
    bool rank = strncmp(name, "rank-", 5) == 0, group = strncmp(name, "group-", 6) == 0;
    const char *numbers = name + (rank ? 5 : 6);
    if (!rank && !group)
        return fnmatch(name, l->name, 0) == 0;
    if (l->n_ranks == 0)
        return false; // a NIC that no rank uses
    if (sscanf(numbers, "%d..%d%c", &from, &to, &rest) != 2) {
        if (sscanf(numbers, "%d%c", &from, &rest) != 1)
            return false;
        to = from;
    }
    int low = rank ? l->first_rank : plat_group_of(t->platform, l->first_rank);
    int high = rank ? last : plat_group_of(t->platform, last);
    return low == high && low >= from && low <= to;
}

bool topo_has_failed(const struct topology *t, const struct link *l) {
    const struct plat_degraded *slowed = t->platform->degraded.items;
    for (size_t i = 0; i < t->platform->degraded.n; i++)
        if (slowed[i].factor.value == 0 && is_meant(t, l, slowed[i].link))
            return true;
    return false;
}

static const struct link *find_failed(const struct topology *t, const struct route *route) {
    for (int i = 0; i < route->n; i++)
        if (t->links[route->links[i]].failed)
            return &t->links[route->links[i]];
    return NULL;
}

/* A failed link without which one rank does not reach another, or NULL. */
static const struct link *find_gap(const struct topology *t, int src, int dst, struct route *route) {
    struct leg legs[2];
    int n = find_legs(t, src, dst, TOPO_PATH_FAST, legs), ends[2];
    for (int i = 0; i < n; i++) {
        const struct mesh *m = &t->mesh[legs[i].tier];
        int instance = t->platform->domains[legs[i].tier].of_rank[legs[i].src];
        find_ends(t, &legs[i], ends);
        for (int l = m->base + instance * m->n_links; !mesh_joins(m, instance, ends[0], ends[1]); l++)
            if (t->links[l].failed)
                return &t->links[l];
    }
    topo_find_route(t, src, dst, TOPO_PATH_FAST, route);
    const struct link *failed = find_failed(t, route);
    for (int i = 0; i < n && !failed; i++) // another seed may draw any of them
        for (int k = 0; is_hashed(t, legs[i].tier) && k < leg_choices(t, &legs[i]) && !failed; k++) {
            bool spine = t->mesh[legs[i].tier].kind == FABRIC_SWITCH;
            route->n = 0;
            traverse(t, &legs[i], spine ? leg_path(t, &legs[i], 0, 0) : k, route);
            failed = find_failed(t, route);
        }
    return failed;
}

static enum rc check_failed(const struct topology *t, const struct place *at, struct err *e) {
    struct route *route = mem_alloc(1, sizeof *route);
    enum rc rc = RC_OK;
    for (int src = 0; src < t->ranks && !rc; src++)
        for (int dst = 0; dst < t->ranks && !rc; dst++) {
            const struct link *gap = src == dst ? NULL : find_gap(t, src, dst, route);
            if (gap)
                rc = err_at(e, RC_RANGE, at, "%s has failed, and rank %d has no other way to rank %d", gap->name, src,
                            dst);
        }
    free(route);
    return rc;
}

/* Changes the links meant: times factor, then less what others take. A failed one keeps its rate, unused. */
static enum rc change_links(struct topology *t, const char *name, double factor, double less_Bps,
                            const struct place *at, struct err *e) {
    bool found = false;
    for (int l = 0; l < t->n_links; l++) {
        struct link *link = &t->links[l];
        if (!is_meant(t, link, name))
            continue;
        found = true;
        link->failed = link->failed || factor == 0;
        if (link->failed)
            continue;
        link->capacity_Bps = link->capacity_Bps * factor - less_Bps;
        if (!(link->capacity_Bps > 0))
            return err_at(e, RC_RANGE, at, "background traffic leaves nothing of link '%s'",
                          link->name);
    }
    if (found)
        return RC_OK;
    const char **names = mem_alloc((size_t)t->n_links, sizeof *names);
    for (int l = 0; l < t->n_links; l++)
        names[l] = t->links[l].name;
    enum rc rc = err_at(e, RC_SCHEMA, at, "no link named '%.40s'%s; see platform show", name,
                        err_hint(", ", name, names, (size_t)t->n_links).text);
    free(names);
    return rc;
}

enum rc topo_apply(struct topology *t, const double efficiency[static TIER_MAX], struct err *e) {
    for (int l = 0; l < t->n_links; l++)
        t->links[l].capacity_Bps *= efficiency[t->links[l].tier];
    const struct plat_degraded *slowed = t->platform->degraded.items;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < t->platform->degraded.n && !rc; i++)
        rc = change_links(t, slowed[i].link, slowed[i].factor.value, 0, &slowed[i].factor.at, e);
    const struct place *failed = NULL;
    for (size_t i = 0; i < t->platform->degraded.n; i++)
        if (slowed[i].factor.value == 0)
            failed = &slowed[i].factor.at;
    const struct plat_background *taken = t->platform->background.items;
    for (size_t i = 0; i < t->platform->background.n && !rc; i++)
        rc = change_links(t, taken[i].link, 1, taken[i].rate_Bps.value, &taken[i].rate_Bps.at, e);
    return rc || !failed ? rc : check_failed(t, failed, e);
}
