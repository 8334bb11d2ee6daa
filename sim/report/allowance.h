/* SPDX-License-Identifier: BSD-3-Clause */
/* allowance.h - what packet transports may add to a call's wire time, ready to be written beside it.
 *
 * Units: SI. Errors: none. Edges: a call that was not simulated has none, and nothing is written.
 * Ownership: the writers borrow everything. */
#ifndef SIM_REPORT_ALLOWANCE_H
#define SIM_REPORT_ALLOWANCE_H

#include "gates/claim.h"
#include "platforms/base/json.h"

enum { ALLOWANCE_QUANTILES = 3 }; /* p50, p95, p99 */

struct result_allowance {
    bool present, shown; /* shown: in text too, where the platform states a transport or hashes paths */
    const char *transport; /* as the tier states it, or NULL */
    struct claim lo, hi; /* unknown: no claim, or withdrawn */
    char basis[400]; /* from what, or why there is none */
    int draws; /* of hashed paths; 0: none are */
    struct claim spread,
        drawn[ALLOWANCE_QUANTILES]; /* largest link load on spread paths; p50, p95, p99 over the draws */
};

/* The keys `allowance` and `hashed_load` of a call. */
void allowance_write_json(struct json *j, const struct result_allowance *a);
/* A line for each; label names the call. */
void allowance_write_text(const struct result_allowance *a, const char *label, struct buf *out);

#endif
