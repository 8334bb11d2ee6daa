/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - builds the links of a platform, and slows those that the platform or a library slows.
 *
 * What links are: topo_links.h; which of them a message uses: topo_route.h.
 * Links that can never bind are left out (a non-blocking switch, an uplink as wide as all its ports), which changes no
 * time.
 * Units: SI.
 * Errors: RC_SCHEMA, RC_RANGE of topo_apply().
 * Ownership: topo_build() returns what topo_free() releases; the platform is borrowed and has to outlive it.
 * Edges: a tier that joins nothing has no links. */
#ifndef PLATFORMS_TOPOLOGY_H
#define PLATFORMS_TOPOLOGY_H

#include "platforms/topo_route.h"

/* Builds the links of a platform, at the rates of its file. */
struct topology *topo_build(const struct platform *p);
void topo_free(struct topology *t); /* NULL is allowed */

/* Multiplies the capacity of each tier's links (a port of all tiers counts as slow) by what a library reaches of it,
 * then applies the platform's degraded and background links. RC_SCHEMA for a link that does not exist, RC_RANGE where
 * a failed link leaves a pair of ranks without a way. */
enum rc topo_apply(struct topology *t, const double efficiency[static TIER_MAX], struct err *e);

/* Works out beforehand the routes of all pairs under a path, where these are few: route_way() then looks them up. */
void topo_list_routes(struct topology *t, enum topo_path path);

#endif
