/* SPDX-License-Identifier: BSD-3-Clause */
/* result_spread.h - what of a result stands beside a call's one time: quantiles over draws, ends of EP groups, and
 * what packet transports may add to the wire time.
 *
 * Units: SI. Errors: none. Edges: what was not asked for is zeroed; a call that was not simulated has no allowance.
 * Ownership: texts are borrowed. */
#ifndef SIM_STUDY_RESULT_SPREAD_H
#define SIM_STUDY_RESULT_SPREAD_H

#include "gates/claim.h"

/* Quantiles over draws of batches and layers. */
enum { RESULT_QUANTILES = 3 };
struct result_draws {
    int n, layers; /* n 0: not asked for */
    struct claim time[RESULT_QUANTILES], wire[RESULT_QUANTILES]; /* p50, p95, p99 */
    const char *tail_reason; /* why p95 and p99 of the time are withdrawn, or NULL */
};

/* What packet transports may make of the wire time, and the load of hashed paths. */
struct result_allowance {
    bool present;
    const char *transport; /* as the tier states it, or NULL */
    struct claim lo, hi; /* unknown: no claim, or withdrawn */
    char basis[400]; /* from what, or why there is none */
    int draws; /* of hashed paths; 0: none are */
    struct claim spread, drawn[RESULT_QUANTILES]; /* largest link load: on spread paths; over the draws */
};

/* The note of a call whose bound may stand for a simulation. */
#define RESULT_BOUND_IS_NEAR "a simulation would end within 1 % of the bound of the wire time (gate bound-agreement)"

/* When an EP group of the job is done with the call, in the run that is shown. */
struct result_group {
    int first_rank, ranks; /* the machine's number of its first rank */
    struct claim end;
};

#endif
