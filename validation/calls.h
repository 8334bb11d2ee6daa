/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h - what the estimands of calls share, whether the closed form or the simulator answers.
 *
 * Units: SI. Errors: none. Ownership: tables are static; points are borrowed. Edges: curves that do not
 * cross have NAN for their interval. */
#ifndef VALIDATION_CALLS_H
#define VALIDATION_CALLS_H

#include "validation/estimand.h"

/* Columns and constants of the two kinds of corpora of calls. */
enum { SWEEP_COLUMNS = 3, STRATEGY_COLUMNS = 3, GEOMETRY_CONSTANTS = 6 };
extern const struct corpus_need sweep_needs[SWEEP_COLUMNS];       /* world, total_bytes, time */
extern const struct corpus_need strategy_needs[STRATEGY_COLUMNS]; /* tokens_per_rank, one_hop, two_hop */
/* groups, ranks_per_group, top_k, group_limit, hidden, element */
extern const struct corpus_need geometry_needs[GEOMETRY_CONSTANTS];

/* One-hop over two-hop time at one number of tokens. */
struct crossing {
    double tokens;
    double predicted, measured;
};
/* Adds the metrics of strategies: median and worst error, and the intervals in which the curves cross. */
void calls_strategy_metrics(struct gate_evidence *x, const struct crossing *points, size_t n);

#endif
