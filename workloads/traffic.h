/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - from routing to rows: how many token rows each rank sends to each other in every stage.
 *
 * A plan holds what many draws share (the record, read once); a draw is one batch of one layer. A record
 * that is a matrix of bytes has no tokens: unit is TRAFFIC_BYTES, one_hop and one_hop_rank hold bytes, the others
 * are empty.
 *
 * A job of several EP groups (job.h) is drawn EP group after EP group; the whole is their union.
 *
 * Shapes: matrices over ranks, in rows, dispatch direction, diagonal included (see matrix.h).
 *   one_hop  one row per (token, expert) pair, to the expert's rank                       FORMULAS.md [M1]
 *   hop_a    one row per token and distinct destination group, to the rank of that group with the
 *            sender's index; once for the domains of each tier but the outermost [tier]   [M2]
 *   hop_b    (fast tier) at the forwarder, every received row once per expert of its group, to the expert's rank  [M3]
 *   one_hop_rank, hop_b_rank  the same as one_hop and hop_b, but one row per token and distinct destination
 *            rank, whatever number of its experts are there (de-duplication per rank)     [M5]
 * Source: tokens are drawn (draw: sampled, whole numbers), taken at their expected values (draw:
 * expected), or read one by one (token-level records, exact). Marginals (counts, synthetic): each token
 * draws top_k distinct experts with inclusion probabilities proportional to them, by maximum entropy
 * within the routing mode (choice.h)  [M4]; the same distribution on every source rank unless pair_sigma
 * is given.
 * Valid for: sums of bytes below 2^63 (checked, the pair is named).
 * Errors: RC_SHAPE, RC_RANGE, and those of the trace readers.
 * Ownership: traffic_free() releases. */
#ifndef WORKLOADS_TRAFFIC_H
#define WORKLOADS_TRAFFIC_H

#include <stdint.h>

#include "workloads/job.h"
#include "workloads/records/matrix.h"

enum traffic_unit { TRAFFIC_ROWS, TRAFFIC_BYTES };

struct traffic {
    int ranks;
    int experts;
    struct matrix one_hop, one_hop_rank, hop_a[TIER_MAX], hop_b, hop_b_rank;
    double *expert_load;  /* rows per expert, [experts] */
    double *rank_load;    /* rows per destination rank, local ones included, [ranks] */
    double fan_out;       /* mean distinct destination groups of a token, own group included; 0: no token */
    double max_over_mean; /* of the marginals; 1 for uniform routing, -1 without any row */
    char trace_sha256[HASH_TEXT]; /* empty when no trace was read */
    struct buf notes;     /* one line each: what was assumed or dropped */
    enum traffic_unit unit; /* of one_hop; TRAFFIC_BYTES: one hop only, a row is a byte */
    int64_t *tokens;        /* per source rank, [ranks]; NULL for TRAFFIC_BYTES */
    int64_t tokens_total;
    int64_t layer, batch;   /* which draw; layer -1: none */
    int64_t dropped_rows, suspected_rows; /* of the record's layer */
    double rho_kept;        /* rank rho_max without suspected rows; 0 when there are none */
    int64_t over_capacity;  /* rows dropped for capacity */
    struct job *job;        /* the ranks above are job ranks of it; NULL: those of the machine, in one EP group */
    struct traffic **parts; /* [job->n_groups] traffic of each EP group over its own ranks */
};

struct traffic_plan;

enum rc traffic_plan_build(const struct platform *p, const struct workload *w, uint64_t seed,
                           struct traffic_plan **plan, struct err *e);
void traffic_plan_free(struct traffic_plan *plan); /* NULL is allowed */

/* Layers that draws walk through (1 when routing.layer is given), and whole or begun batches of a
 * token-level record (0: any number of batches can be drawn). */
int traffic_plan_layers(const struct traffic_plan *plan);
int64_t traffic_plan_batches(const struct traffic_plan *plan);

/* Draw d is layer d mod layers of batch routing.batch + d / layers. Draw 0 is what traffic_build()
 * returns. */
enum rc traffic_plan_draw(const struct traffic_plan *plan, int64_t draw, struct traffic **traffic,
                          struct err *e);

/* What traffic_build() returns when the workload asks for the record's layer at place `layer`. */
enum rc traffic_plan_layer(const struct traffic_plan *plan, int layer, struct traffic **traffic, struct err *e);

enum rc traffic_build(const struct platform *p, const struct workload *w, uint64_t seed,
                      struct traffic **traffic, struct err *e);
void traffic_free(struct traffic *t); /* NULL is allowed */

/* rho_max as the results name it; -1 where the mean is 0. */
struct traffic_rho {
    double rank, expert;
    double one_hop_in, one_hop_out, hop_a_in, hop_a_out, hop_b_in, hop_b_out;
};
void traffic_rho(const struct traffic *t, struct traffic_rho *rho);

/* Checks that sums of bytes fit 63 bits, RC_RANGE. A rank's buffer above 31 bits is noted, since some libraries refuse
 * it; the network does not care. */
enum rc traffic_check_bytes(struct traffic *t, double row_bytes, struct err *e);

#endif
