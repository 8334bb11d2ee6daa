/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h - pair skew: every source rank prefers other destinations, while the totals stay.
 *
 * Shapes: share[src * experts + e] = probability that a token of src chooses e; rows sum to top_k (to the
 * mode's share of each routing group), no entry above 1; columns, weighted with tokens[src], keep the mean
 * share of e.
 * Model: share ~ base(e) exp(sigma z(src, rank of e)), z normal, then rows and columns are scaled in turn
 * until both sums hold (iterative proportional fitting)  [M11].  Source: own.
 * Valid for: columns met within 0.2 %; caps at 1 can keep them from it, which is said in notes.
 * Units: probabilities; sigma has none.
 * Errors: none; sums that could not be met are said in notes.
 * Ownership: the caller frees the table.
 * Edges: sigma 0 gives every source the base. */
#ifndef WORKLOADS_DRAW_PAIRS_H
#define WORKLOADS_DRAW_PAIRS_H

#include <stdint.h>

#include "platforms/base/mem.h"

struct pairs_ask {
    int ranks, experts, top_k;
    int pools; /* routing groups that each keep their sum; 1 = one over all; divides top_k */
    const double *base; /* [experts] */
    const int64_t *tokens; /* [ranks] */
    double sigma;
    uint64_t seed;
};

/* Builds the table of shares. */
double *pairs_build(const struct pairs_ask *ask, struct buf *notes);

#endif
