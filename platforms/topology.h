/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - the links of a platform and which of them a message uses.
 *
 * Units: SI; a link carries one direction, unless its platform says that both share it.
 * Shapes: links are numbered 0 .. n_links - 1. A route lists the links from sender to receiver; the first one
 * is the sender's egress port of the tier used, where the per-message cost is charged. Where several paths
 * are equally good a route lists one after the other, and each carries an equal share of the message.
 * Links that can never bind are left out (a non-blocking switch, an uplink as wide as all its ports), which
 * changes no time. Ownership: topo_build() returns what topo_free() releases; the platform is borrowed. */
#ifndef PLATFORMS_TOPOLOGY_H
#define PLATFORMS_TOPOLOGY_H

#include "platforms/platform.h"

/* TOPO_ROUTE_MAX: links of all paths of a route together */
enum { TOPO_ROUTE_MAX = 4096, TOPO_PATHS_MAX = 48, TOPO_NAME = 40 };

/* How messages use the tiers. */
enum topo_path {
    TOPO_PATH_FAST, /* over the innermost tier that joins the two ranks */
    TOPO_PATH_SLOW, /* the same, but inside a group too over the next tier, where one joins groups */
    TOPO_PATH_RAIL  /* between groups first over the fast tier to the rank with the receiver's local index */
};

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

/* What of a message each entry of links[] carries; a link that all paths share is listed once for each. */
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
    int ways;       /* links of a block each way, to as many spines; 1 where a message has no choice */
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
    int *nic[TIER_MAX]; /* of a rank, counted in its end of the tier */
    struct block *blocks;
    size_t n_blocks, blocks_room;
    struct mesh mesh[TIER_MAX];
    bool has_latency; /* some link has one of its own */
    bool plain; /* two tiers; ports, and uplinks of groups, only */
    bool hashed; /* some tier draws paths: routes depend on the seed */
    struct route_table *routes; /* NULL: each route is worked out when it is asked for */
};

struct topology *topo_build(const struct platform *p);
void topo_free(struct topology *t); /* NULL is allowed */

/* Multiplies the capacity of each tier's links (a port of all tiers counts as slow) by what a library reaches of it,
 * then applies the platform's degraded and background links. RC_SCHEMA for a link that does not exist, RC_RANGE where
 * a failed link leaves a pair of ranks without a way. */
enum rc topo_apply(struct topology *t, const double efficiency[static TIER_MAX], struct err *e);

/* Whether a link is on the way of that rank's own traffic. */
static inline bool topo_is_below(const struct topology *t, const struct link *l, int rank) {
    return rank >= l->first_rank && rank < l->first_rank + l->n_ranks &&
           (!l->block || t->blocks[l->block - 1].of_rank[rank] == l->owner);
}

/* Works the routes of a path out beforehand, once, where that is small: route_way() looks them up from then on. */
void topo_list_routes(struct topology *t, enum topo_path path);

void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route);
/* The same under a seed: on a tier of hashed paths each flow of a message takes the one that topo_draw() says.
 * topo_find_route() has seed 0. */
void topo_draw_route(const struct topology *t, int src, int dst, enum topo_path path, uint64_t seed,
                     struct route *route);

/* Returns the seed of paths of draw `draw` (the first is 0) of a run's seed. */
uint64_t topo_path_seed(uint64_t seed, uint64_t draw);

/* Flow `flow` of the message from src to dst takes path topo_draw() of `paths`: the one place that decides. */
int topo_draw(uint64_t seed, int src, int dst, int flow, int paths);

/* The innermost tier that joins two ranks. */
enum tier topo_tier(const struct topology *t, int src, int dst);

/* Fills links[] with the (first) path of TOPO_PATH_FAST and returns its number of links. src != dst. */
int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]);

#endif
