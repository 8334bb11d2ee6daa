/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - the links of a platform and which of them a message uses.
 *
 * Units: SI; a link carries one direction.
 * Shapes: links are numbered 0 .. n_links - 1. A route lists the links from sender to receiver; the first one
 * is the sender's egress port of the tier used, where the per-message cost is charged.
 * Links that can never bind are left out (a non-blocking switch, an uplink as wide as all its ports), which
 * changes no time. Ownership: topo_build() returns what topo_free() releases; the platform is borrowed. */
#ifndef PLATFORMS_TOPOLOGY_H
#define PLATFORMS_TOPOLOGY_H

#include "platforms/platform.h"

enum { TOPO_ROUTE_MAX = 10, TOPO_NAME = 32 };

/* How messages use the two tiers. */
enum topo_path {
    TOPO_PATH_FAST, /* inside a group over the fast tier, between groups straight over the slow one */
    TOPO_PATH_SLOW, /* all over the slow tier */
    TOPO_PATH_RAIL  /* between groups first over the fast tier to the rank with the receiver's local index */
};

struct route {
    int n;
    int links[TOPO_ROUTE_MAX];
    int cost_link;  /* egress port of the tier used: carries the per-message cost */
    enum tier tier; /* the widest one used */
};

enum link_role { LINK_EGRESS, LINK_INGRESS, LINK_PORT_OUT, LINK_PORT_IN, LINK_UP, LINK_DOWN };

struct link {
    char name[TOPO_NAME]; /* "slow-out-12", "uplink-3" */
    enum link_role role;
    enum tier tier;       /* a shared port counts as slow, the wider tier */
    int owner;            /* rank of a port, group of an uplink */
    double capacity_Bps;
};

struct topology {
    const struct platform *platform;
    int ranks;
    struct link *links;
    int n_links;
    /* link of a rank per tier, of a group; -1 where there is none */
    int *egress[TIER_COUNT], *ingress[TIER_COUNT];
    int *port_out, *port_in;
    int *up, *down;
};

struct topology *topo_build(const struct platform *p);
void topo_free(struct topology *t); /* NULL is allowed */

/* Multiplies the capacity of each tier's links (a shared port counts as slow) by what a library reaches of it,
 * then applies the platform's degraded and background links. RC_SCHEMA for a link that does not exist. */
enum rc topo_apply(struct topology *t, const double efficiency[static TIER_COUNT], struct err *e);

void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route);

enum tier topo_tier(const struct topology *t, int src, int dst);

/* Fills links[] with the route of TOPO_PATH_FAST and returns their number. src != dst. */
int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]);

#endif
