/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - from routing to rows: how many token rows each rank sends to each other in every stage.
 *
 * Shapes: matrices over ranks, in rows, dispatch direction, diagonal included (see matrix.h).
 *   one_hop  one row per (token, expert) pair, to the expert's rank                       FORMULAS.md [M1]
 *   hop_a    one row per token and distinct destination group, to the rank of that group with the
 *            sender's local index                                                         [M2]
 *   hop_b    at the forwarder, every received row once per expert of its group, to the expert's rank  [M3]
 *   one_hop_rank, hop_b_rank  the same as one_hop and hop_b, but one row per token and distinct destination
 *            rank, whatever number of its experts are there (de-duplication per rank)     [M5]
 * Source: tokens are drawn (draw: sampled, whole numbers) or taken at their expected values (draw: expected).
 * Counts give marginals only: each token draws k distinct experts, inclusion probabilities proportional to the
 * counts, by maximum entropy (conditional Poisson); the same distribution on every source rank  [M4].
 * Valid for: experts divisible by ranks (contiguous placement, or ranks divisible by experts is refused too).
 * Errors: RC_SHAPE, RC_RANGE, and those of the trace readers.
 * Ownership: traffic_free() releases. */
#ifndef WORKLOADS_TRAFFIC_H
#define WORKLOADS_TRAFFIC_H

#include <stdint.h>

#include "workloads/matrix.h"
#include "workloads/workload.h"

struct traffic {
    int ranks;
    int experts;
    struct matrix one_hop, one_hop_rank, hop_a, hop_b, hop_b_rank;
    double *expert_load;  /* rows per expert, [experts] */
    double *rank_load;    /* rows per destination rank, local ones included, [ranks] */
    double fan_out;       /* mean distinct destination groups of a token, own group included */
    double max_over_mean; /* of the trace's marginals; 1 for uniform routing */
    char trace_sha256[HASH_TEXT]; /* empty when no trace was read */
    struct buf notes;     /* one line each: what was assumed or dropped */
};

enum rc traffic_build(const struct platform *p, const struct workload *w, uint64_t seed,
                      struct traffic **traffic, struct err *e);
void traffic_free(struct traffic *t); /* NULL is allowed */

/* rho_max as the results name it; -1 where the mean is 0. */
struct traffic_rho {
    double rank, expert;
    double one_hop_in, one_hop_out, hop_a_in, hop_a_out, hop_b_in, hop_b_out;
};
void traffic_rho(const struct traffic *t, struct traffic_rho *rho);

#endif
