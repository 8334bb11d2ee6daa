/* SPDX-License-Identifier: BSD-3-Clause */
/* show_platform.h - in words and a table: the links that will be simulated, who shares them, sample routes.
 *
 * Units: SI. Errors: none. Ownership: borrow the topology, append to the buffer. Edges: of many sorts of links the
 * first are shown and the others counted. */
#ifndef SIM_REPORT_SHOW_PLATFORM_H
#define SIM_REPORT_SHOW_PLATFORM_H

#include "platforms/topology.h"

void show_tiers(const struct topology *t, struct buf *out);
void show_links(const struct topology *t, struct buf *out);
void show_routes(const struct topology *t, struct buf *out);

/* Returns the rate at which half of the groups (of the ranks of one group) sends evenly to the other half, in one
 * direction. */
double show_bisection_Bps(const struct topology *t);

/* Returns the rate that the widest tier leaves to the worst placed rank when every rank sends to one far away. */
double show_share_Bps(const struct topology *t);

#endif
