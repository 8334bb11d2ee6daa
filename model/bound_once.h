/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_once.h - the bound where no message waits for another: one exchange that all ranks enter at once.
 *
 * All messages are released at one moment. Then the loads of links are the same under all fixed costs, are worked out
 * once, and are the whole bound.
 * Units: SI. Source: FORMULAS.md [B3], own derivation. */
#ifndef MODEL_BOUND_ONCE_H
#define MODEL_BOUND_ONCE_H

#include "model/bound.h"
#include "workloads/costs.h"

bool once_is_enough(const struct call *call);

/* As bound_calls(), for such a call. */
void once_bounds(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest);

/* As bound_busiest_link(), for any call; of_tier_s as of call_load(). */
void once_busiest(const struct call *call, struct bound_link *busiest, double *of_tier_s);

#endif
