/* SPDX-License-Identifier: BSD-3-Clause */
/* allowance.h - writes what packet transports may add to a call's wire time beside it.
 *
 * Units: SI. Errors: none. Ownership: borrows everything.
 * Edges: of a call that was not simulated nothing is written. */
#ifndef SIM_REPORT_ALLOWANCE_H
#define SIM_REPORT_ALLOWANCE_H

#include "platforms/base/json.h"
#include "sim/study/result.h"

/* Writes the keys `allowance` and `hashed_load` of a call. */
void allowance_write_json(struct json *j, const struct result_allowance *a);
/* Appends one line for each run of calls with the same allowance, and one for the load of hashed paths of each call. */
void allowance_write_text(const struct result *r, struct buf *out);

#endif
