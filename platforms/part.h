/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h - some ranks of a machine, seen as a platform of their own.
 *
 * A part has the tiers and constants of the whole; its ranks are numbered from 0 in the order given, and its domains
 * are those of the whole as far as they hold ranks of the part. It has no links: a message between two of its ranks
 * takes the links of the whole.
 * Units: those of the platform.
 * Errors: none.
 * Ownership: plat_part() returns what plat_part_free() releases; texts, lists and document are borrowed.
 * Edges: ranks must rise and exist, and be at least one; on a part of one rank no tier joins anything. */
#ifndef PLATFORMS_PART_H
#define PLATFORMS_PART_H

#include "platforms/platform.h"

/* Returns the part that consists of ranks[n]. */
struct platform *plat_part(const struct platform *whole, const int *ranks, int n);
void plat_part_free(struct platform *part); /* NULL is allowed */

/* Returns whether two parts have domains of the same sizes on all tiers. */
bool plat_same_shape(const struct platform *a, const struct platform *b);

/* Fills into[], which has room for all groups, with the groups that the job runs on, rising, and returns their
 * number. */
int plat_used_groups(const struct platform *p, int *into);

#endif
