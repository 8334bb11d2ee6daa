/* SPDX-License-Identifier: BSD-3-Clause */
/* domains.h - which ranks a tier joins: groups of the fast tier, racks of groups, the whole machine.
 *
 * A tier joins ends inside a domain; the domains of a tier are the ends of the next one. Domains of any tier have
 * consecutive ranks; a rank's index is counted from the first one.
 * Errors: RC_SCHEMA, RC_RANGE. Ownership: arrays belong to the platform's document. */
#ifndef PLATFORMS_DOMAINS_H
#define PLATFORMS_DOMAINS_H

#include "platforms/platform_data.h"

int plat_ranks(const struct platform *p);
enum tier plat_slow(const struct platform *p);         /* the outermost tier */
int plat_group_of(const struct platform *p, int rank); /* its domain of the fast tier */
int plat_local_of(const struct platform *p, int rank); /* its index there */
bool plat_is_even(const struct platform *p);           /* all groups are of one size */

/* Ranks of a domain of a tier; where they differ, of the largest. */
int plat_span(const struct platform *p, enum tier tier);
int plat_index(const struct platform *p, enum tier tier, int rank);
/* The rank of a domain that has this rank's index, taken modulo the domain's size. */
int plat_peer(const struct platform *p, enum tier tier, int domain, int rank);
/* Returns the number of groups in a domain of a tier, and which of them, from 0, a rank is in. */
int plat_groups_in(const struct platform *p, enum tier tier);
int plat_group_in(const struct platform *p, enum tier tier, int rank);

/* Ends that a tier joins in a domain, and the number of a rank's end there; over all domains with `all`. */
int plat_ends(const struct platform *p, enum tier tier);
int plat_end_of(const struct platform *p, enum tier tier, int rank, bool all);

/* Returns the map of a tier in the file. */
const struct yaml_node *plat_tier_node(const struct platform *p, enum tier tier);
/* Returns the tier of a name, or -1 where there is none. */
int plat_find_tier(const struct platform *p, const char *name);

/* Fills the domains of a platform whose tiers are in order. */
enum rc domains_build(struct platform *p, struct err *e);

#endif
