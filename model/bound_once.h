/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_once.h - the bound where no message waits for another: one exchange that all ranks enter at once.
 *
 * All messages are released at one moment. Then the loads of links are the same under all fixed costs, are worked out
 * once, and are the whole bound.
 * Units: SI. Source: FORMULAS.md [B3], own derivation.
 * Errors: none. Edges: where nothing moves the bound is the fixed costs and the busiest link is -1.
 * Ownership: borrows everything. */
#ifndef MODEL_BOUND_ONCE_H
#define MODEL_BOUND_ONCE_H

#include "model/bound_link.h"
#include "workloads/costs.h"

/* Says whether this bound holds for a call: one stage, one chunk, entered by all ranks at once. */
bool once_is_enough(const struct call *call);

/* Works out what bound_calls() does, for a call of which once_is_enough() is true. */
void once_bounds(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest);

/* Fills in when the last message of each link arrives, ends_s[n_links], for such a call; 0 where there is none. */
void once_ends(const struct call *call, const struct costs *costs, double *ends_s);

/* Returns when the last message of one link arrives whose messages are all released at release_s: [B1], from the port
 * time of those of each tier. 0 where there are none. */
double once_link_end_s(const struct costs *costs, double release_s, const double load_s[static TIER_MAX]);

/* Finds the link that is busy longest over all stages of any call, and the traffic of the tiers beside it. of_tier_s
 * (NULL: not asked for) is added to as by call_load(). */
void once_busiest(const struct call *call, struct bound_link *busiest, double *of_tier_s);

#endif
