/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
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

/* A port of a rank, or the uplink of a group. */
static int add_link(struct topology *t, enum link_role role, enum tier tier, int owner,
                    double capacity_Bps) {
    static const char *const words[] = {
        [LINK_EGRESS] = "out", [LINK_INGRESS] = "in", [LINK_PORT_OUT] = "port-out",
        [LINK_PORT_IN] = "port-in", [LINK_UP] = "uplink", [LINK_DOWN] = "downlink"};
    bool of_group = role == LINK_UP || role == LINK_DOWN;
    int local = (int)t->platform->ranks_per_group;
    struct link l = {.role = role,
                     .tier = tier,
                     .owner = owner,
                     .first_rank = of_group ? owner * local : owner,
                     .n_ranks = of_group ? local : 1,
                     .capacity_Bps = capacity_Bps};
    if (role == LINK_EGRESS || role == LINK_INGRESS)
        return topo_add_link(t, &l, "%s-%s-%d", tier_name(tier), words[role], owner);
    return topo_add_link(t, &l, "%s-%d", words[role], owner);
}

static int *no_links(int n) {
    int *ids = mem_alloc((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = -1;
    return ids;
}

static bool has_peers(const struct platform *p, enum tier tier) {
    return tier == TIER_FAST ? p->ranks_per_group > 1 : p->groups > 1;
}

static void add_ports(struct topology *t, int rank) {
    const struct platform *p = t->platform;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        if (!has_peers(p, (enum tier)tier))
            continue; // nobody to talk to on this tier
        double rate = p->tier[tier].bandwidth_Bps.value;
        t->egress[tier][rank] = add_link(t, LINK_EGRESS, (enum tier)tier, rank, rate);
        t->ingress[tier][rank] = add_link(t, LINK_INGRESS, (enum tier)tier, rank, rate);
    }
    if (p->port_bandwidth_Bps.given) {
        t->port_out[rank] = add_link(t, LINK_PORT_OUT, TIER_SLOW, rank, p->port_bandwidth_Bps.value);
        t->port_in[rank] = add_link(t, LINK_PORT_IN, TIER_SLOW, rank, p->port_bandwidth_Bps.value);
    }
}

static void add_uplinks(struct topology *t) {
    const struct platform *p = t->platform;
    const struct plat_tier *slow = &p->tier[TIER_SLOW];
    int groups = (int)p->groups;
    double uplink =
        (double)p->ranks_per_group * slow->bandwidth_Bps.value / slow->oversubscription.value;
    if (groups < 2 || slow->fabric.kind != FABRIC_SWITCH || !(slow->oversubscription.value > 1))
        return;
    for (int g = 0; g < groups; g++) {
        t->up[g] = add_link(t, LINK_UP, TIER_SLOW, g, uplink);
        t->down[g] = add_link(t, LINK_DOWN, TIER_SLOW, g, uplink);
    }
}

struct topology *topo_build(const struct platform *p) {
    struct topology *t = mem_alloc(1, sizeof *t);
    int ranks = plat_ranks(p), groups = (int)p->groups;
    t->platform = p;
    t->ranks = ranks;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        t->egress[tier] = no_links(ranks);
        t->ingress[tier] = no_links(ranks);
    }
    t->port_out = no_links(ranks);
    t->port_in = no_links(ranks);
    t->up = no_links(groups);
    t->down = no_links(groups);
    t->nic = no_links((int)p->ranks_per_group);
    for (int i = 0; i < p->ranks_per_group; i++)
        t->nic[i] = fabric_nic_of(&p->tier[TIER_SLOW].fabric, p->ranks_per_group, i);
    for (int rank = 0; rank < ranks; rank++)
        add_ports(t, rank);
    add_uplinks(t);
    int simple = t->n_links;
    blocks_build(t);
    for (int tier = 0; tier < TIER_COUNT; tier++)
        mesh_build(t, (enum tier)tier);
    t->plain = t->n_links == simple;
    return t;
}

void topo_free(struct topology *t) {
    if (!t)
        return;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        free(t->egress[tier]);
        free(t->ingress[tier]);
        mesh_clear(&t->mesh[tier]);
    }
    free(t->port_out);
    free(t->port_in);
    free(t->up);
    free(t->down);
    free(t->nic);
    blocks_clear(t);
    route_table_free(t->routes);
    free(t->links);
    free(t);
}

enum tier topo_tier(const struct topology *t, int src, int dst) {
    return plat_group_of(t->platform, src) == plat_group_of(t->platform, dst) ? TIER_FAST : TIER_SLOW;
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
    bool fast = leg->tier == TIER_FAST;
    ends[0] = fast ? plat_local_of(t->platform, leg->src) : plat_group_of(t->platform, leg->src);
    ends[1] = fast ? plat_local_of(t->platform, leg->dst) : plat_group_of(t->platform, leg->dst);
}

static int leg_paths(const struct topology *t, const struct leg *leg) {
    int ends[2];
    if (t->mesh[leg->tier].kind == FABRIC_SWITCH)
        return 1;
    find_ends(t, leg, ends);
    return mesh_paths(&t->mesh[leg->tier], ends[0], ends[1]);
}

/* Appends path i of a leg. */
static void traverse(const struct topology *t, const struct leg *leg, int i, struct route *route) {
    const struct mesh *mesh = &t->mesh[leg->tier];
    int src = leg->src, dst = leg->dst, ends[2];
    int from = plat_group_of(t->platform, src), to = plat_group_of(t->platform, dst);
    add_if(route, t->egress[leg->tier][src]);
    add_if(route, t->port_out[src]);
    blocks_out(t, leg->tier, src, dst, route);
    if (from != to) {
        add_if(route, t->up[from]);
        add_if(route, t->down[to]);
    }
    if (mesh->kind != FABRIC_SWITCH) {
        find_ends(t, leg, ends);
        mesh_path(mesh, leg->tier == TIER_FAST ? from : 0, ends, i, route);
    }
    blocks_in(t, leg->tier, src, dst, route);
    add_if(route, t->port_in[dst]);
    add_if(route, t->ingress[leg->tier][dst]);
}

/* Whether the slow tier only joins the two ranks by way of a third one: other rails, no spine. */
static bool rails_apart(const struct topology *t, int src, int dst) {
    const struct plat_fabric *f = &t->platform->tier[TIER_SLOW].fabric;
    bool apart = f->kind == FABRIC_MULTI_PLANE || (f->kind == FABRIC_RAIL && f->cross_rail == CROSS_FAST);
    return apart && t->nic[plat_local_of(t->platform, src)] != t->nic[plat_local_of(t->platform, dst)];
}

void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route) {
    BUG_ON(src == dst);
    struct leg legs[2] = {{src, dst, topo_tier(t, src, dst)}};
    int relay = src - plat_local_of(t->platform, src) + plat_local_of(t->platform, dst), n = 1;
    bool apart = rails_apart(t, src, dst);
    if (legs[0].tier == TIER_SLOW && (path == TOPO_PATH_RAIL || apart) && relay != src) {
        legs[0] = (struct leg){src, relay, TIER_FAST};
        legs[n++] = (struct leg){relay, dst, TIER_SLOW};
    } else if (path == TOPO_PATH_SLOW && !apart) {
        legs[0].tier = TIER_SLOW;
    }
    int first = leg_paths(t, &legs[0]);
    route->n = 0;
    route->paths = n > 1 ? first * leg_paths(t, &legs[1]) : first;
    BUG_ON(route->paths > TOPO_PATHS_MAX);
    for (int i = 0; i < route->paths; i++) {
        BUG_ON(route->n + TOPO_SPARE > TOPO_ROUTE_MAX);
        traverse(t, &legs[0], i % first, route);
        if (n > 1)
            traverse(t, &legs[1], i / first, route);
        route->end[i] = route->n;
    }
    route->tier = legs[n - 1].tier;
    route->cost_link = t->egress[route->tier][legs[n - 1].src];
}

void topo_list_routes(struct topology *t, enum topo_path path) {
    if (!t->routes)
        t->routes = route_table_build(t, path);
}

int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]) {
    struct route route;
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    memcpy(links, route.links, (size_t)route.end[0] * sizeof *links);
    return route.end[0];
}

/* Whether a name means the link: its own, or that of a rank or group whose ports and NIC it is. */
static bool is_meant(const struct topology *t, const struct link *l, const char *name) {
    int number;
    char rest;
    if (sscanf(name, "rank-%d%c", &number, &rest) == 1)
        return l->n_ranks == 1 && l->first_rank == number;
    if (sscanf(name, "group-%d%c", &number, &rest) == 1) {
        int local = (int)t->platform->ranks_per_group, last = l->first_rank + l->n_ranks - 1;
        return l->first_rank / local == number && last / local == number;
    }
    return strcmp(l->name, name) == 0;
}

/* Changes the links meant: times factor, then less what others take. */
static enum rc change_links(struct topology *t, const char *name, double factor, double less_Bps,
                            const struct place *at, struct err *e) {
    bool found = false;
    for (int l = 0; l < t->n_links; l++) {
        struct link *link = &t->links[l];
        if (!is_meant(t, link, name))
            continue;
        found = true;
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
    const char *near = err_nearest(name, names, (size_t)t->n_links);
    enum rc rc = err_at(e, RC_SCHEMA, at, "no link named '%.40s'%s%s%s; see platform show", name,
                        near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return rc;
}

enum rc topo_apply(struct topology *t, const double efficiency[static TIER_COUNT], struct err *e) {
    for (int l = 0; l < t->n_links; l++)
        t->links[l].capacity_Bps *= efficiency[t->links[l].tier];
    const struct plat_degraded *slowed = t->platform->degraded.items;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < t->platform->degraded.n && !rc; i++)
        rc = change_links(t, slowed[i].link, slowed[i].factor.value, 0, &slowed[i].factor.at, e);
    const struct plat_background *taken = t->platform->background.items;
    for (size_t i = 0; i < t->platform->background.n && !rc; i++)
        rc = change_links(t, taken[i].link, 1, taken[i].rate_Bps.value, &taken[i].rate_Bps.at, e);
    return rc;
}
