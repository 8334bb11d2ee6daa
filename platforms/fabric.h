/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.h - how the ends of one tier are joined, as a platform file says it.
 *
 * The ends of the fast tier are the ranks of a group, those of the others the domains of the tier below: groups, or
 * racks of them. NICs, their map, rails and the leaves of trees are those of groups, whatever the ends are.
 * Units: SI; every rate is one direction.
 * Shapes: ends are numbered from 0.
 * Errors: none.
 * Ownership: lists and texts belong to the platform's document.
 * Edges: a text that the file does not give is NULL, a count 0. */
#ifndef PLATFORMS_FABRIC_H
#define PLATFORMS_FABRIC_H

#include <stdint.h>

#include "platforms/base/keys.h"

enum fabric_kind {
    FABRIC_SWITCH,
    FABRIC_FULL_MESH,
    FABRIC_RING,
    FABRIC_TORUS,
    FABRIC_GRAPH,
    FABRIC_FAT_TREE,
    FABRIC_RAIL,
    FABRIC_MULTI_PLANE,
    FABRIC_DRAGONFLY
};
extern const char *const fabric_kinds[];
extern const char *const fabric_cross_rails[], *const fabric_routings[];
extern const char *const fabric_transports[], *const fabric_paths[];

enum cross_rail { CROSS_SPINE, CROSS_FAST };
enum fabric_routing { ROUTING_MINIMAL, ROUTING_SPREAD };
/* How packets get through a network: as if nothing limited them; spread over all paths; each flow on one path, with
 * credits or pauses; through queues that drop. */
enum transport { TRANSPORT_IDEAL, TRANSPORT_SPRAYED, TRANSPORT_ONE_PATH, TRANSPORT_DROPS, TRANSPORT_COUNT };
/* How a message is divided where several paths are equally good: equal shares on all, by the sender; a path drawn for
 * each of its flows; equal shares, by switches that choose the emptiest. */
enum fabric_paths { PATHS_SPREAD, PATHS_HASHED, PATHS_ADAPTIVE };

enum { FABRIC_DIMS = 3, FABRIC_GRAPH_ENDS = 1024 };

/* A cable of a graph: one link each way. */
struct plat_edge {
    int64_t from, to;
    struct quantity bandwidth_Bps;
    struct quantity latency_s; /* beside that of the tier */
};

/* A link that blocks of consecutive ranks share on the way out of the block, and one on the way in. */
struct plat_shared {
    const char *name;
    int64_t ranks;
    struct quantity bandwidth_Bps;
    bool both_ways; /* one link for both directions */
};

struct plat_fabric {
    int kind;                           /* enum fabric_kind */
    struct quantity link_bandwidth_Bps; /* full mesh, ring, torus */
    struct quantity capacity_Bps;       /* switch: all that passes it at a time */
    const char *dims;                   /* torus */
    struct key_list links;              /* graph: struct plat_edge */
    struct key_list shared;             /* struct plat_shared */
    bool half_duplex;                   /* a rank's port sends and receives at one rate in sum */
    int64_t nics;                       /* of a group on this tier; 0: each rank has its own */
    struct quantity nic_bandwidth_Bps;
    const char *nic_map; /* "blocks", "round-robin", "pooled", or the NIC of each rank of a group */
    int64_t ports;       /* of a switch: fat tree, rails, planes */
    int64_t levels;      /* fat tree: 1 to 3 */
    int cross_rail;      /* enum cross_rail */
    int64_t routers;       /* dragonfly: of one of its groups */
    int64_t router_groups; /* ends at one of its routers */
    struct quantity local_bandwidth_Bps, global_bandwidth_Bps;
    int routing; /* enum fabric_routing */
    int transport; /* enum transport */
    bool transport_stated;
    struct quantity ack_share; /* of the bytes received, sent back on the reverse way */
    int paths;                  /* enum fabric_paths */
    int64_t flows_per_message;  /* hashed: each takes a path of its own */
    int64_t spines;             /* hashed tree: switches above the leaves; 0: as many as a leaf has ports up */
};

/* Reads "4x4x8" into dim[] and returns the number of dimensions, or 0 where the text is none. */
int fabric_dims(const char *text, int dim[static FABRIC_DIMS]);

/* Returns the NIC, 0 .. nics - 1, of an index among the `ranks` of a group; -1 where the map does not say. Where the
 * file states no NICs that is the index itself. */
int fabric_nic_of(const struct plat_fabric *f, int64_t ranks, int index);
/* Returns whether all NICs of a group act as one. */
bool fabric_is_pooled(const struct plat_fabric *f);
/* Returns whether nothing joins the rails of a fabric: to another rail a message goes by way of a relay. */
bool fabric_is_apart(const struct plat_fabric *f);

/* Returns whether a name is free for a shared link or a tier: at most 16 small letters, digits and dashes, and not the
 * first word of other links. */
bool fabric_is_name(const char *name);
/* Returns whether a name is that of a tier in between, or may be one of its links: "rack", "rack-nic". */
bool fabric_begins(const char *name, const char *tier);

/* Returns the number of NICs below a first-level switch of a fat tree, and of groups below one of a rail or plane. */
int64_t fabric_leaf_ends(const struct plat_fabric *f, double oversubscription);

/* Returns the number of links from a leaf, or from an end of a switch, to the spines that hashed paths choose from; 1:
 * there is no choice. below: ranks of an end. */
int fabric_spines(const struct plat_fabric *f, int64_t below, double oversubscription);

#endif
