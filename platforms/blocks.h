/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - links that several ranks share on the way out of a block of them, and on the way in: uplinks, NICs,
 * caps of a rank, trays, nodes, leaves and pods of a tree, rails, a switch with a stated capacity, half-duplex ports.
 *
 * Blocks are used in the order in which they were added on the way out, in the reverse order on the way in. */
#ifndef PLATFORMS_BLOCKS_H
#define PLATFORMS_BLOCKS_H

#include "platforms/topo_links.h"

/* Returns whether there are no blocks but uplinks of oversubscribed switches. */
bool blocks_build(struct topology *t);
void blocks_clear(struct topology *t);

/* Append the links that a leg uses at its two sides; of TIER_MAX: those that all tiers share. leg: sender, receiver and
 * the spine in between, where there are several. */
void blocks_out(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route);
void blocks_in(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route);

/* Returns how many spines a leg may go by, at least 1, and whether the links by way of one have not failed. */
int blocks_ways(const struct topology *t, enum tier tier, int src, int dst);
bool blocks_way_works(const struct topology *t, enum tier tier, int src, int dst, int way);

#endif
