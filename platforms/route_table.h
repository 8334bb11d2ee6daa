/* SPDX-License-Identifier: BSD-3-Clause */
/* route_table.h - the routes of all pairs of a small topology, worked out once, and routes to look at.
 *
 * Only a topology of few ranks where every pair has one path has a table.
 * Units: none.
 * Shapes: entries[src * ranks + dst].
 * Errors: none.
 * Ownership: the topology has its table and releases it by route_table_free(); a way borrows from the table or from
 * the route.
 * Edges: without a table each way is worked out. */
#ifndef PLATFORMS_ROUTE_TABLE_H
#define PLATFORMS_ROUTE_TABLE_H

#include "platforms/topo_route.h"

enum { ROUTE_TABLE_RANKS = 512, ROUTE_TABLE_LINKS = 4 << 20 };

struct route_entry {
    int first; /* its links stand in links[first] .. */
    int n, cost_link;
    enum tier tier;
};

struct route_table {
    enum topo_path path;
    struct route_entry *entries; /* [src * ranks + dst] */
    int *links;
    int n, room;
};

/* Returns the table of a path, or NULL for a topology that has none. */
struct route_table *route_table_build(const struct topology *t, enum topo_path path);
void route_table_free(struct route_table *table); /* NULL is allowed */

/* A route as a message needs it: its links, the share on each, and where its costs are paid. */
struct way {
    const int *links; /* [n] of all paths */
    int n, cost_link;
    enum tier tier;
    double share; /* of a message on each entry of links[] */
};

/* Returns the way from src to dst under a seed of hashed paths: looked up in the table, or worked out in `route`. */
static inline struct way route_way(const struct topology *t, enum topo_path path, int src, int dst, uint64_t seed,
                                   struct route *route) {
    const struct route_table *table = t->routes;
    if (table && table->path == path) {
        const struct route_entry *e = &table->entries[(size_t)src * (size_t)t->ranks + (size_t)dst];
        return (struct way){table->links + e->first, e->n, e->cost_link, e->tier, 1};
    }
    topo_draw_route(t, src, dst, path, seed, route);
    return (struct way){route->links, route->n, route->cost_link, route->tier, route_share(route)};
}

#endif
