/* SPDX-License-Identifier: BSD-3-Clause */
/* popularity.h - how often tokens choose each expert in one draw, wherever that comes from.
 *
 * Uniform, the counts of a record's layer (weights of the routing mode), synthetic weights (skew.h), or
 * the rows of a token-level record (load only).
 * Units: inclusion holds probabilities; loads are relative.
 * Errors: RC_RANGE, RC_SHAPE (record and geometry do not fit, target out of reach, mode's conditions).
 * Ownership: popularity_clear() releases.
 * Edges: a token-level record gives loads only, inclusion is NULL. */
#ifndef WORKLOADS_POPULARITY_H
#define WORKLOADS_POPULARITY_H

#include "workloads/draw/choice.h"
#include "workloads/placement/placement.h"
#include "workloads/records/record.h"
#include "workloads/workload.h"

struct popularity_ask {
    const struct platform *platform;
    const struct workload *workload;
    const struct record *record; /* NULL: no trace */
    int layer; /* index in the record */
    int64_t step; /* of a drift */
    uint64_t seed;
};

struct popularity {
    struct choice_shape shape;
    double *inclusion; /* what choice_build() takes; NULL for token-level records */
    double *load; /* any multiple of the rows per expert */
    double max_over_mean;
};

/* Fills what a workload says about its record that the file cannot. */
void popularity_record_ask(const struct workload *w, struct record_ask *ask);

/* Fills in the popularities of one draw; what was assumed is appended to the notes. */
enum rc popularity_build(const struct popularity_ask *ask, struct popularity *p, struct buf *notes,
                         struct err *e);
void popularity_clear(struct popularity *p);

/* Checks that a mode with routing groups fits a placement: each routing group needs a group of ranks of its own, which
 * holds all its experts. */
enum rc popularity_check_groups(const struct popularity *p, const struct placement *placement,
                                const struct platform *platform, struct err *e);

#endif
