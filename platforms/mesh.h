/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h - links between neighbours: full mesh, ring, torus, graph, and the routers of a dragonfly.
 *
 * A mesh joins ends 0 .. n - 1. There is one in each domain of its tier (an instance).
 * Torus: of the shortest ways that go along one dimension after the other, in any order and either way round
 * where both are equally far, each is one path. Graph: one path, the fewest links, then the widest narrowest
 * one; a full mesh with a failed link is such a graph. Dragonfly: the shortest path, or with `spread` one more through
 * each other group.
 * Ownership: mesh_clear() releases; links belong to the topology. */
#ifndef PLATFORMS_MESH_H
#define PLATFORMS_MESH_H

#include "platforms/topo_links.h"

/* Adds the links of a tier that its kind has; nothing for switches and trees. */
void mesh_build(struct topology *t, enum tier tier);
void mesh_clear(struct mesh *m);

/* The cable that joins two ranks of a switched tier directly, beside the switch; -1: none, or it has failed. */
int mesh_cable(const struct topology *t, enum tier tier, int src, int dst);

/* How many paths there are between two ends of an instance, at least 1. */
int mesh_paths(const struct mesh *m, int from, int to);

/* Whether failed links leave a way from one end to another. */
bool mesh_joins(const struct mesh *m, int instance, int from, int to);

/* Appends the links of path i. */
void mesh_path(const struct mesh *m, int instance, const int ends[static 2], int i, struct route *route);

#endif
