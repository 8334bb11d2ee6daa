/* SPDX-License-Identifier: BSD-3-Clause */
/* domains.h - which ranks a tier joins: groups of the fast tier, racks of groups, the whole machine.
 *
 * A tier joins ends inside a domain; the domains of a tier are the ends of the next one. Domains of any tier have
 * consecutive ranks; a rank's index is counted from the first one.
 * Units: none.
 * Shapes: first[n + 1], of_rank[ranks].
 * Errors: RC_SCHEMA, RC_RANGE of domains_build().
 * Ownership: arrays belong to the platform's document.
 * Edges: ranks, domains and tiers must be those of the platform; none is checked. */
#ifndef PLATFORMS_DOMAINS_H
#define PLATFORMS_DOMAINS_H

#include "platforms/platform_data.h"

/* Returns the number of ranks. */
int plat_ranks(const struct platform *p);
/* Returns the outermost tier. */
enum tier plat_slow(const struct platform *p);
/* Return the group of a rank, and its index in the group. */
int plat_group_of(const struct platform *p, int rank);
int plat_local_of(const struct platform *p, int rank);
/* Returns whether all groups are of one size. */
bool plat_is_even(const struct platform *p);

/* Returns the number of ranks in a domain of a tier; where domains differ, in the largest. */
int plat_span(const struct platform *p, enum tier tier);
/* Returns the index of a rank in its domain of a tier. */
int plat_index(const struct platform *p, enum tier tier, int rank);
/* Returns the rank of a domain that has this rank's index, taken modulo the domain's size. */
int plat_peer(const struct platform *p, enum tier tier, int domain, int rank);
/* Returns the number of groups in a domain of a tier, and which of them, from 0, a rank is in. */
int plat_groups_in(const struct platform *p, enum tier tier);
int plat_group_in(const struct platform *p, enum tier tier, int rank);

/* Returns the number of ends that a tier joins in a domain, where domains differ in the largest; below 2 it joins
 * nothing. */
int plat_ends(const struct platform *p, enum tier tier);
/* Returns the number of a rank's end in its domain, or counted over all domains with `all`. */
int plat_end_of(const struct platform *p, enum tier tier, int rank, bool all);

/* Returns the map of a tier in the file. */
const struct yaml_node *plat_tier_node(const struct platform *p, enum tier tier);
/* Returns the tier of a name, or -1 where there is none. */
int plat_find_tier(const struct platform *p, const char *name);

/* Fills the domains of a platform whose tiers are in order. */
enum rc domains_build(struct platform *p, struct err *e);

#endif
