/* SPDX-License-Identifier: BSD-3-Clause */
/* shared.h - shared experts as a routed slot: one more row a token, beside the top_k of the router.
 *
 *   not-sent      every rank holds the shared experts and computes them for its own tokens: nothing travels
 *   own-rank      the same, but a row passes the dispatch, to the own rank
 *   least-loaded  the row goes to the ranks with the smallest expected loads, as far as they level out  [M18]
 * Shapes: share[rank] sums to 1.
 * Units: shares in 0..1.  Errors: none.  Ownership: shared_clear() releases.
 * Edges: {0} sends nothing. The rows count towards no capacity and no group_limit. */
#ifndef WORKLOADS_SHARED_H
#define WORKLOADS_SHARED_H

#include <stdint.h>

enum shared_experts { SHARED_NOT_SENT, SHARED_OWN_RANK, SHARED_LEAST_LOADED };

struct shared {
    int kind;       /* enum shared_experts */
    int ranks;
    double *share;  /* least-loaded: of the rows of each source; NULL otherwise */
    double *below;  /* sum of the shares up to and with a rank */
    int64_t rows;   /* dealt out so far, by all sources */
};

/* Fills in the shares. rank_load[ranks]: expected routed rows of each rank, in any unit; top_k: how many of them a
 * token has. */
void shared_init(struct shared *s, int kind, int ranks, const double *rank_load, int top_k);
void shared_clear(struct shared *s);

/* Returns the rank of the source's next row. */
int shared_take(struct shared *s, int source);

/* Returns the share of a source's rows that goes to the ranks first .. end - 1. */
double shared_share(const struct shared *s, int source, int first, int end);

#endif
