/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static int add_link(struct topology *t, enum link_role role, enum tier tier, int owner,
                    double capacity_Bps) {
    static const char *const words[] = {
        [LINK_EGRESS] = "out", [LINK_INGRESS] = "in", [LINK_PORT_OUT] = "port-out",
        [LINK_PORT_IN] = "port-in", [LINK_UP] = "uplink", [LINK_DOWN] = "downlink"};
    struct link *l = &t->links[t->n_links];
    *l = (struct link){.role = role, .tier = tier, .owner = owner, .capacity_Bps = capacity_Bps};
    if (role == LINK_EGRESS || role == LINK_INGRESS)
        snprintf(l->name, sizeof l->name, "%s-%s-%d", tier_name(tier), words[role], owner);
    else
        snprintf(l->name, sizeof l->name, "%s-%d", words[role], owner);
    return t->n_links++;
}

static int *no_links(int n) {
    int *ids = mem_alloc((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = -1;
    return ids;
}

static void add_ports(struct topology *t, int rank) {
    const struct platform *p = t->platform;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        if (tier == TIER_FAST ? p->ranks_per_group < 2 : p->groups < 2)
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

struct topology *topo_build(const struct platform *p) {
    struct topology *t = mem_alloc(1, sizeof *t);
    int ranks = plat_ranks(p), groups = (int)p->groups;
    t->platform = p;
    t->ranks = ranks;
    t->links = mem_alloc((size_t)(6 * ranks + 2 * groups), sizeof *t->links);
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        t->egress[tier] = no_links(ranks);
        t->ingress[tier] = no_links(ranks);
    }
    t->port_out = no_links(ranks);
    t->port_in = no_links(ranks);
    t->up = no_links(groups);
    t->down = no_links(groups);
    for (int rank = 0; rank < ranks; rank++)
        add_ports(t, rank);
    double over = p->tier[TIER_SLOW].oversubscription.value;
    double uplink = (double)p->ranks_per_group * p->tier[TIER_SLOW].bandwidth_Bps.value / over;
    if (groups > 1 && over > 1)
        for (int g = 0; g < groups; g++) {
            t->up[g] = add_link(t, LINK_UP, TIER_SLOW, g, uplink);
            t->down[g] = add_link(t, LINK_DOWN, TIER_SLOW, g, uplink);
        }
    return t;
}

void topo_free(struct topology *t) {
    if (!t)
        return;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        free(t->egress[tier]);
        free(t->ingress[tier]);
    }
    free(t->port_out);
    free(t->port_in);
    free(t->up);
    free(t->down);
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

/* Appends one traversal of a tier, from port to port. */
static void traverse(const struct topology *t, int src, int dst, enum tier tier, struct route *route) {
    int from = plat_group_of(t->platform, src), to = plat_group_of(t->platform, dst);
    route->cost_link = t->egress[tier][src];
    route->tier = tier;
    add_if(route, t->egress[tier][src]);
    add_if(route, t->port_out[src]);
    if (from != to) {
        add_if(route, t->up[from]);
        add_if(route, t->down[to]);
    }
    add_if(route, t->port_in[dst]);
    add_if(route, t->ingress[tier][dst]);
}

void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route) {
    BUG_ON(src == dst);
    *route = (struct route){.cost_link = -1};
    enum tier tier = path == TOPO_PATH_SLOW ? TIER_SLOW : topo_tier(t, src, dst);
    int relay = src - plat_local_of(t->platform, src) + plat_local_of(t->platform, dst);
    if (path == TOPO_PATH_RAIL && tier == TIER_SLOW && relay != src) {
        traverse(t, src, relay, TIER_FAST, route);
        traverse(t, relay, dst, TIER_SLOW, route);
    } else {
        traverse(t, src, dst, tier, route);
    }
}

int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]) {
    struct route route;
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    memcpy(links, route.links, (size_t)route.n * sizeof *links);
    return route.n;
}

/* Changes the named link, or all links of "rank-N": times factor, then less what others take. */
static enum rc change_links(struct topology *t, const char *name, double factor, double less_Bps,
                            const struct place *at, struct err *e) {
    int rank = -1;
    char rest;
    bool found = false, all = sscanf(name, "rank-%d%c", &rank, &rest) == 1;
    for (int l = 0; l < t->n_links; l++) {
        struct link *link = &t->links[l];
        bool of_rank = link->role != LINK_UP && link->role != LINK_DOWN && link->owner == rank;
        if (!(all ? of_rank : strcmp(link->name, name) == 0))
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
