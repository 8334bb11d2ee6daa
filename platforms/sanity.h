/* SPDX-License-Identifier: BSD-3-Clause */
/* sanity.h - values that are allowed but look like a slip: bits taken for bytes, both directions for one.
 *
 * Units: SI.
 * Errors: none.
 * Ownership: borrows everything.
 * Edges: a platform without such values appends nothing. */
#ifndef PLATFORMS_SANITY_H
#define PLATFORMS_SANITY_H

#include "platforms/platform.h"

/* Appends one line for each suspicious rate. */
void plat_sanity(const struct platform *p, struct buf *warnings);

#endif
