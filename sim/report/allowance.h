/* SPDX-License-Identifier: BSD-3-Clause */
/* allowance.h - writes what packet transports may add to a call's wire time beside it.
 *
 * Units: SI. Errors: none. Ownership: borrows everything.
 * Edges: of a call that was not simulated nothing is written. */
#ifndef SIM_REPORT_ALLOWANCE_H
#define SIM_REPORT_ALLOWANCE_H

#include "platforms/base/json.h"
#include "sim/study/result_spread.h"

/* The keys `allowance` and `hashed_load` of a call. */
void allowance_write_json(struct json *j, const struct result_allowance *a);
/* A line for each; label names the call. */
void allowance_write_text(const struct result_allowance *a, const char *label, struct buf *out);

#endif
