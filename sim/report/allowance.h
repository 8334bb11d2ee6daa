/* SPDX-License-Identifier: BSD-3-Clause */
/* allowance.h - writes what packet transports may add to a call's wire time beside it.
 *
 * Units: SI. Errors: none. Ownership: borrows everything.
 * Edges: of a call that was not simulated nothing is written. */
#ifndef SIM_REPORT_ALLOWANCE_H
#define SIM_REPORT_ALLOWANCE_H

#include "platforms/base/json.h"
#include "sim/study/result.h"

/* The keys `allowance` and `hashed_load` of a call. */
void allowance_write_json(struct json *j, const struct result_allowance *a);
/* A line for calls of which the same is true, and one for the load of hashed paths of each. */
void allowance_write_text(const struct result *r, struct buf *out);

#endif
