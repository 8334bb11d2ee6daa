/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - from routing to rows: how many token rows each rank sends to each other in every stage.
 *
 * A plan holds what many draws share (the record, read once); a draw is one batch of one layer. A record
 * that is a matrix of bytes has no tokens: unit is TRAFFIC_BYTES, one_hop and one_hop_rank hold bytes, the others
 * are empty.
 *
 * A job of several EP groups (job.h) is drawn EP group after EP group; the whole is their union.
 *
 * Shapes: traffic_data.h.
 * Source: tokens are drawn (draw: sampled, whole numbers), taken at their expected values (draw:
 * expected), or read one by one (token-level records, exact). Marginals (counts, synthetic): each token
 * draws top_k distinct experts with inclusion probabilities proportional to them, by maximum entropy
 * within the routing mode (choice.h)  [M4]; the same distribution on every source rank unless pair_sigma
 * is given.
 * Valid for: sums of bytes below 2^63 (checked, the pair is named).
 * Units: rows, or bytes (traffic_data.h).
 * Errors: RC_SHAPE, RC_RANGE, and those of the trace readers.
 * Ownership: traffic_free() releases.
 * Edges: a rank without tokens sends nothing; NULL may be released. */
#ifndef WORKLOADS_TRAFFIC_H
#define WORKLOADS_TRAFFIC_H

#include <stdint.h>

#include "workloads/job.h"
#include "workloads/traffic_data.h"
#include "workloads/traffic_sums.h"
#include "workloads/workload.h"

struct traffic_plan;

/* Reads and checks all that the draws of a workload on a platform share. */
enum rc traffic_plan_build(const struct platform *p, const struct workload *w, uint64_t seed,
                           struct traffic_plan **plan, struct err *e);
void traffic_plan_free(struct traffic_plan *plan); /* NULL is allowed */

/* Return how many layers draws walk through (1 when routing.layer is given), and how many whole or begun batches a
 * token-level record has (0: any number of batches can be drawn). */
int traffic_plan_layers(const struct traffic_plan *plan);
int64_t traffic_plan_batches(const struct traffic_plan *plan);

/* Makes draw d, from 0: layer d mod layers of batch routing.batch + d / layers. Draw 0 is what traffic_build()
 * makes. */
enum rc traffic_plan_draw(const struct traffic_plan *plan, int64_t draw, struct traffic **traffic,
                          struct err *e);

/* Makes the traffic of the layer at place `layer` of the record, as traffic_build() does when the workload asks for
 * it. */
enum rc traffic_plan_layer(const struct traffic_plan *plan, int layer, struct traffic **traffic, struct err *e);

/* Makes the traffic of a workload on a platform: the plan and its draw 0. */
enum rc traffic_build(const struct platform *p, const struct workload *w, uint64_t seed,
                      struct traffic **traffic, struct err *e);
void traffic_free(struct traffic *t); /* NULL is allowed */

#endif
