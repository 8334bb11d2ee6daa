/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topology.h"

#include <stdio.h>
#include <stdlib.h>

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

int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]) {
    BUG_ON(src == dst);
    enum tier tier = topo_tier(t, src, dst);
    int group_of_src = plat_group_of(t->platform, src), group_of_dst = plat_group_of(t->platform, dst);
    const int all[] = {t->egress[tier][src],
                       t->port_out[src],
                       tier == TIER_SLOW ? t->up[group_of_src] : -1,
                       tier == TIER_SLOW ? t->down[group_of_dst] : -1,
                       t->port_in[dst],
                       t->ingress[tier][dst]};
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            links[n++] = all[i];
    return n;
}
