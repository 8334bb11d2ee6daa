/* SPDX-License-Identifier: BSD-3-Clause */
/* topo_route.h - which links a message uses.
 *
 * A route lists the links from sender to receiver; the first one is the sender's egress port of the tier used, where
 * the per-message cost is charged. Where several paths are equally good a route lists one after the other, and each
 * carries an equal share of the message.
 * Units: SI.
 * Errors: none.
 * Ownership: routes belong to the caller; the topology is borrowed.
 * Edges: sender and receiver differ; anything else ends the program. */
#ifndef PLATFORMS_TOPO_ROUTE_H
#define PLATFORMS_TOPO_ROUTE_H

#include "platforms/topo_links.h"

/* How messages use the tiers. */
enum topo_path {
    TOPO_PATH_FAST, /* over the innermost tier that joins the two ranks */
    TOPO_PATH_SLOW, /* inside a group too over the next tier, where one joins groups; else as TOPO_PATH_FAST */
    TOPO_PATH_RAIL  /* between groups first over the fast tier to the rank with the receiver's local index */
};

/* One traversal of a tier, from port to port. */
struct leg {
    int src, dst;
    enum tier tier;
};

/* Finds the leg from src to dst, or the two by way of a relay, and returns how many there are. */
int topo_find_legs(const struct topology *t, int src, int dst, enum topo_path path, struct leg legs[static 2]);

/* Finds the numbers that the ends of a leg have in the mesh of its tier. */
void topo_find_ends(const struct topology *t, const struct leg *leg, int ends[static 2]);

/* Finds the route of a message from src to dst. */
void topo_find_route(const struct topology *t, int src, int dst, enum topo_path path,
                     struct route *route);
/* Finds the route of a message under a seed: on a tier of hashed paths each flow takes the path that topo_draw() says.
 * topo_find_route() has seed 0. */
void topo_draw_route(const struct topology *t, int src, int dst, enum topo_path path, uint64_t seed,
                     struct route *route);

/* Returns the seed that draw number `draw`, from 0, of a run draws its paths with. */
uint64_t topo_path_seed(uint64_t seed, uint64_t draw);

/* Returns the path, 0 .. paths - 1, that flow `flow` of the message from src to dst takes: the one place that
 * decides. */
int topo_draw(uint64_t seed, int src, int dst, int flow, int paths);

/* Returns whether a tier draws paths. */
static inline bool topo_is_hashed(const struct topology *t, enum tier tier) {
    return t->platform->tier[tier].fabric.paths == PATHS_HASHED;
}

/* Returns a failed link on one of the paths that a seed may draw for a leg, or NULL. route is room for a path. */
const struct link *topo_find_failed(const struct topology *t, const struct leg *leg, struct route *route);

/* Returns the innermost tier that joins two ranks. */
enum tier topo_tier(const struct topology *t, int src, int dst);

/* Fills links[] with the first path of TOPO_PATH_FAST and returns its number of links. */
int topo_route(const struct topology *t, int src, int dst, int links[static TOPO_ROUTE_MAX]);

#endif
