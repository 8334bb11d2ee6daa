/* SPDX-License-Identifier: BSD-3-Clause */
/* gate_run.h - evaluates gates now, from their corpora.
 *
 * A gate whose evidence is missing, unreadable, altered or of the wrong kind is not evaluated, with the
 * reason, and so does not pass; that is no error of the run. A gate file of the user that
 * cannot be read is an error.
 * Units: SI. Edges: without a simulator gates that simulate are not evaluated.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_RANGE of the user's files.
 * Ownership: gate_run_clear() releases; results borrow the gates of the run. */
#ifndef VALIDATION_GATE_RUN_H
#define VALIDATION_GATE_RUN_H

#include "validation/estimand.h"
#include "validation/gate_file.h"

struct gate_run_options {
    const char *folder; /* of the user's gates and corpora, or NULL */
    const char *only;   /* evaluate this gate alone, or NULL */
    bool analytic_only; /* gates that simulate are left out of the results */
    struct estimand_tools tools;
};

struct gate_run {
    struct gate_result *results;
    size_t n;
    struct gate_files own;
};

enum rc gate_run(const struct gate_run_options *o, struct gate_run *run, struct err *e);
void gate_run_clear(struct gate_run *run);

/* Evaluates one gate. folder: where its corpus lies when it is the user's. */
void gate_evaluate(const struct gate *gate, const char *folder, const struct estimand_tools *tools,
                   struct gate_result *result);

#endif
