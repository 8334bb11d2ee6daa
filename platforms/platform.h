/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.h - loads one machine, and answers what follows from its numbers.
 *
 * Units: SI; every bandwidth is one direction, per rank.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE; outputs untouched on failure.
 * Ownership: plat_load() returns a platform that plat_free() releases with all its texts and lists. The files that
 * it was made of are listed in doc->files.
 * Edges: a platform has at least 2 ranks and 2 tiers; a tier may join nothing. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include "platforms/domains.h"

#define PLATFORM_SCHEMA "moesim/platform/1"
#define PLATFORM_DEFAULT "dgx-h100"

/* Loads a built-in platform by name, or a file by its path (anything with a slash or ending in .yaml). Settings are
 * paths such as "slow.bandwidth": --set with the leading "platform." taken off. */
enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e);
void plat_free(struct platform *p); /* NULL is allowed */

/* Works out again what follows from other constants: the slow bandwidth of a platform that states `ratio`. */
void plat_settle(struct platform *p);

/* Returns the per-message cost o of a tier: message_cost, or x_half / bandwidth. FORMULAS.md [F2] */
double plat_message_cost_s(const struct platform *p, enum tier tier);

/* Appends the shape in words: "16 groups x 8 ranks", "4 racks x 4 groups x 8 ranks", "3 groups of ranks 2x8 1x4". */
void plat_shape(const struct platform *p, struct buf *out);

/* Return the widest tier that joins anything, of all and of those up to a tier; the fast one where none does. */
enum tier plat_widest(const struct platform *p);
enum tier plat_widest_in(const struct platform *p, enum tier tier);

/* Returns the bandwidth that the closed form charges a one-hop call with. */
double plat_collective_bandwidth_Bps(const struct platform *p);

/* Returns fast over slow bandwidth per rank as the file states them, or -1 where the machine has no such ratio. */
double plat_hierarchy_ratio(const struct platform *p);
/* Returns why there is no ratio, or NULL where there is one. */
const char *plat_no_ratio(const struct platform *p);

#endif
