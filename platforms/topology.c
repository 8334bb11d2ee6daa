/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topology.h"

#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/blocks.h"
#include "platforms/mesh.h"
#include "platforms/route_table.h"

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

/* Finds the NIC of each rank among those of its group. */
static void find_nics(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_domains *groups = &p->domains[TIER_FAST];
    for (int rank = 0; rank < t->ranks; rank++) {
        int group = groups->of_rank[rank];
        t->nic[tier][rank] = fabric_nic_of(&p->tier[tier].fabric, groups->first[group + 1] - groups->first[group],
                                           rank - groups->first[group]);
    }
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
        t->hashed = t->hashed || topo_is_hashed(t, (enum tier)tier);
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

void topo_list_routes(struct topology *t, enum topo_path path) {
    if (!t->routes && !t->hashed)
        t->routes = route_table_build(t, path);
}

/* Returns a failed link without which one rank does not reach another, or NULL. */
static const struct link *find_gap(const struct topology *t, int src, int dst, struct route *route) {
    struct leg legs[2];
    int n = topo_find_legs(t, src, dst, TOPO_PATH_FAST, legs), ends[2];
    for (int i = 0; i < n; i++) {
        const struct mesh *m = &t->mesh[legs[i].tier];
        int instance = t->platform->domains[legs[i].tier].of_rank[legs[i].src];
        topo_find_ends(t, &legs[i], ends);
        for (int l = m->base + instance * m->n_links; !mesh_joins(m, instance, ends[0], ends[1]); l++)
            if (t->links[l].failed)
                return &t->links[l];
    }
    const struct link *failed = NULL;
    for (int i = 0; i < n && !failed; i++)
        failed = topo_find_failed(t, &legs[i], route);
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

/* Changes the links that a name means: multiplies their rate by `factor`, then takes off what others use. A failed link
 * keeps its rate, unused. */
static enum rc change_links(struct topology *t, const char *name, double factor, double less_Bps,
                            const struct place *at, struct err *e) {
    bool found = false;
    for (int l = 0; l < t->n_links; l++) {
        struct link *link = &t->links[l];
        if (!topo_is_meant(t, link, name))
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
