/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.h - how unevenly the experts of a workload, or of a record, are loaded, per layer.
 *
 * Units: rows. Errors: those of the readers. Ownership: loads_clear() releases. Edges: a layer without rows has no
 * statistics. */
#ifndef SIM_STUDY_LOADS_H
#define SIM_STUDY_LOADS_H

#include "sim/study/inputs.h"
#include "workloads/records/record.h"

struct loads_question {
    struct question q;
    const char *trace;      /* a record instead of the workload's; NULL: none */
    int64_t experts, top_k; /* of a record that does not say; 0: not given */
};

/* Zero-initialise. */
struct loads {
    struct inputs in;
    struct record *record; /* NULL: not from a record */
    struct counts *own;    /* loads that are no record's counts */
    const struct counts *counts;
    double *kept;          /* counts without suspected rows, laid out as counts; NULL: none are suspected */
    int64_t dropped, suspected;
    int64_t top_k;
    const char *notes;
    struct buf more;
};

enum rc loads_load(const struct loads_question *question, struct loads *s, struct err *e);
void loads_clear(struct loads *s);

/* Loads of the experts of a layer, [counts->n_experts]. */
const double *loads_of_layer(const struct loads *s, int l);
/* The layer whose experts are loaded most unevenly. */
int loads_worst_layer(const struct loads *s);

#endif
