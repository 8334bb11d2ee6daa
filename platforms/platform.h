/* SPDX-License-Identifier: BSD-3-Clause */
/* platform.h - one machine: groups of ranks, a fast tier inside a group and a slow tier between groups; between
 * these two there may be more.
 *
 * Units: SI; every bandwidth is one direction, per rank.
 * Tiers are numbered from the inside; which ranks they join: domains.h. Fixed costs: alpha.h.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE; outputs untouched on failure.
 * Ownership: plat_load() returns a platform that plat_free() releases with all its texts and lists. */
#ifndef PLATFORMS_PLATFORM_H
#define PLATFORMS_PLATFORM_H

#include "platforms/domains.h"

#define PLATFORM_SCHEMA "moesim/platform/1"
#define PLATFORM_DEFAULT "dgx-h100"

/* Settings are paths such as "slow.bandwidth": --set with the leading "platform." taken off.
 * Loads a built-in platform by name, or a file by its path (anything with a slash or ending in .yaml). */
enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e);
void plat_free(struct platform *p); /* NULL is allowed */

/* Works out again what follows from other constants: the slow bandwidth of a platform that states `ratio`. */
void plat_settle(struct platform *p);

/* Per-message cost o of a tier, seconds: message_cost, or x_half / bandwidth. FORMULAS.md [F2] */
double plat_message_cost_s(const struct platform *p, enum tier tier);

/* "16 groups x 8 ranks", "4 racks x 4 groups x 8 ranks", "3 groups of ranks 2x8 1x4". */
void plat_shape(const struct platform *p, struct buf *out);

/* Widest tier that joins anything; the same up to a tier. */
enum tier plat_widest(const struct platform *p);
enum tier plat_widest_in(const struct platform *p, enum tier tier);
/* Bandwidth that the closed form charges a one-hop call with. */
double plat_collective_bandwidth_Bps(const struct platform *p);

/* Fast over slow bandwidth per rank as the file states them; -1 where there is none, with the reason. */
double plat_hierarchy_ratio(const struct platform *p);
const char *plat_no_ratio(const struct platform *p); /* NULL: there is one */

#endif
