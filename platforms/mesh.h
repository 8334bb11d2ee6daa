/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h - links between neighbours: full mesh, ring, torus, graph, and the routers of a dragonfly.
 *
 * A mesh joins ends 0 .. n - 1. There is one in each domain of its tier (an instance).
 * Torus: of the shortest ways that go along one dimension after the other, in any order and either way round
 * where both are equally far, each is one path. Graph: one path, the fewest links, then the widest narrowest
 * one; a full mesh with a failed link is such a graph. Dragonfly: the shortest path, or with `spread` one more through
 * each other group.
 * Units: SI.
 * Errors: none.
 * Ownership: mesh_clear() releases the tables of a mesh; links belong to the topology.
 * Edges: switches, trees and tiers that join nothing have a mesh without links. */
#ifndef PLATFORMS_MESH_H
#define PLATFORMS_MESH_H

#include "platforms/topo_links.h"

/* Adds the links between neighbours that the kind of a tier has; none for switches and trees. */
void mesh_build(struct topology *t, enum tier tier);
/* Releases the tables of a mesh. */
void mesh_clear(struct mesh *m);

/* Returns the cable that joins two ranks of a switched tier directly, beside the switch; -1 where there is none or it
 * has failed. */
int mesh_cable(const struct topology *t, enum tier tier, int src, int dst);

/* Returns the number of paths between two ends of an instance, at least 1. */
int mesh_paths(const struct mesh *m, int from, int to);

/* Returns whether failed links leave a path from one end to another. */
bool mesh_joins(const struct mesh *m, int instance, int from, int to);

/* Appends the links of path i, 0 .. mesh_paths() - 1, between two ends to a route. */
void mesh_path(const struct mesh *m, int instance, const int ends[static 2], int i, struct route *route);

#endif
