/* SPDX-License-Identifier: BSD-3-Clause */
/* topo_links.h - the links of a platform, what they are made for, and a list of some of them: a route.
 *
 * Units: SI; a link carries one direction, unless its platform says that both share it.
 * Shapes: links are numbered 0 .. n_links - 1; arrays per rank or tier have `ranks` or n_tiers entries.
 * Errors: none.
 * Ownership: the topology owns all of it, see topology.h; the platform is borrowed.
 * Edges: a number of a link is -1 where there is none. */
#ifndef PLATFORMS_TOPO_LINKS_H
#define PLATFORMS_TOPO_LINKS_H

#include "platforms/platform.h"

/* TOPO_ROUTE_MAX: most links of a route, over all its paths; TOPO_PATHS_MAX: most paths of a route. */
enum { TOPO_ROUTE_MAX = 4096, TOPO_PATHS_MAX = 48, TOPO_NAME = 40 };

/* TOPO_SPARE: most links of a path beside those of a mesh, over both legs. */
enum { BLOCKS_MAX = 30, TOPO_SPARE = 4 * BLOCKS_MAX + 20 };

struct route {
    int n;                   /* of all paths */
    int paths;               /* each carries 1 / paths of the message */
    int end[TOPO_PATHS_MAX]; /* path i: links[end[i - 1]] .. links[end[i] - 1] */
    int cost_link;           /* egress port of the tier used: carries the per-message cost */
    enum tier tier;          /* the widest one used */
    int via;                 /* the other tier used, on the way to a relay; -1: none */
    double latency_s;        /* of the links of a graph on the longest path, beside that of the tiers */
    int links[TOPO_ROUTE_MAX];
};

/* Returns the share of a message that each entry of links[] carries; a link on several paths is listed for each. */
static inline double route_share(const struct route *r) {
    return 1.0 / r->paths;
}

enum link_role {
    LINK_EGRESS,
    LINK_INGRESS,
    LINK_PORT_OUT,
    LINK_PORT_IN,
    LINK_UP,
    LINK_DOWN,
    LINK_BOTH, /* one for both directions */
    LINK_MESH  /* between neighbours */
};

struct link {
    char name[TOPO_NAME]; /* "slow-out-12", "uplink-3" */
    enum link_role role;
    enum tier tier;       /* a port of all tiers counts as slow, the widest one */
    int owner;            /* rank of a port, number of a block, end of a mesh */
    int first_rank, n_ranks; /* from the first to the last rank below it; of a mesh: at its near end */
    int block;               /* 1 + index of its block; 0: all ranks from first to last are below it */
    double capacity_Bps;
    double latency_s; /* of a graph's cable, beside that of the tier */
    bool failed;      /* degraded to 0: no way goes over it */
};

/* Links that blocks of ranks share towards those outside: uplinks, NICs, leaves, trays, nodes. */
struct block {
    enum tier tier;
    int *of_rank;   /* block of each rank */
    int n;
    int out, in;    /* number of the first link each way; the same when one link serves both */
    int spines;     /* links of a block each way, to as many spines; 1 where a message has no choice */
    bool always;    /* also between ranks of one block */
    bool all_tiers;
};

struct mesh {
    int kind; /* enum fabric_kind; FABRIC_SWITCH: no links */
    int ends, base, n_links; /* per instance */
    int n_dims, dim[FABRIC_DIMS];
    int routers, router_ends, n_groups; /* dragonfly */
    bool spread;
    int width;       /* of a row of hop[] */
    int *hop, *next; /* numbers of links from base; next end of a graph, links between dragonfly groups */
    size_t next_each; /* entries of next[] for each instance; 0: all have the same */
};

struct topology {
    const struct platform *platform;
    int ranks;
    struct link *links;
    int n_links;
    int room;
    /* link of a rank per tier; -1 where there is none */
    int *egress[TIER_MAX], *ingress[TIER_MAX];
    int *port_out, *port_in;
    int *nic[TIER_MAX]; /* of a rank, counted in its group */
    struct block *blocks;
    size_t n_blocks, blocks_room;
    struct mesh mesh[TIER_MAX];
    bool has_latency; /* some link has one of its own */
    bool plain; /* two tiers; ports, and uplinks of groups, only */
    bool hashed; /* some tier draws paths: routes depend on the seed */
    struct route_table *routes; /* NULL: each route is worked out when it is asked for */
};

/* Returns whether a link is on the way of that rank's own traffic. */
static inline bool topo_is_below(const struct topology *t, const struct link *l, int rank) {
    return rank >= l->first_rank && rank < l->first_rank + l->n_ranks &&
           (!l->block || t->blocks[l->block - 1].of_rank[rank] == l->owner);
}

/* Returns whether the platform says that a link has failed. */
bool topo_has_failed(const struct topology *t, const struct link *l);

/* Appends a link to the topology and returns its number; the name is printed. */
int topo_add_link(struct topology *t, const struct link *l, const char *format, ...) ERR_PRINTF(3, 4);

/* Returns whether a name means a link: its own name, that of a rank or group whose ports and NIC it is, or of several
 * of them, "group-4..7". A name may have * and ?, "leaf-out-*". */
bool topo_is_meant(const struct topology *t, const struct link *l, const char *name);

#endif
