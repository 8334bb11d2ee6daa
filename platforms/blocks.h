/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - links that several ranks share on the way out of a block of them, and on the way in: uplinks, NICs,
 * caps of a rank, trays, nodes, leaves and pods of a tree, rails, a switch with a stated capacity, half-duplex ports.
 *
 * Blocks are used in the order in which they were added on the way out, in the reverse order on the way in.
 * Units: SI.
 * Errors: none; more than BLOCKS_MAX kinds of blocks end the program, which checked platforms do not have.
 * Ownership: the topology owns blocks and links.
 * Edges: a tier that joins nothing has no blocks. */
#ifndef PLATFORMS_BLOCKS_H
#define PLATFORMS_BLOCKS_H

#include "platforms/topo_links.h"

/* Adds the blocks of all tiers, and returns whether they are all uplinks of oversubscribed switches. */
bool blocks_build(struct topology *t);
/* Releases the blocks, not their links. */
void blocks_clear(struct topology *t);

/* Append the links of blocks that a leg uses at the sender's side and at the receiver's; with TIER_MAX for the tier
 * only the links that all tiers share. leg: sender, receiver, and the spine in between where there are several. */
void blocks_out(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route);
void blocks_in(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route);

/* Return how many spines a leg may go by, at least 1, and whether the links to and from one of them work. */
int blocks_spines(const struct topology *t, enum tier tier, int src, int dst);
bool blocks_spine_works(const struct topology *t, enum tier tier, int src, int dst, int spine);

#endif
