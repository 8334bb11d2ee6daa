/* SPDX-License-Identifier: BSD-3-Clause */
/* gates.h - gates evaluated now, with both engines: what `moesim gates` asks.
 *
 * Units: SI. Errors: those of the user's gate files; RC_USAGE for a gate that does not exist, RC_WITHDRAWN of
 * study_gates_check(). Ownership: gate_run_clear() releases a run; texts are borrowed. Edges: without the simulation,
 * gates that need it are not evaluated. */
#ifndef SIM_STUDY_GATES_H
#define SIM_STUDY_GATES_H

#include "validation/gate_run.h"

struct gates_question {
    const char *corpus;       /* folder of own gates, or NULL */
    const char *only;         /* id of the one gate that is evaluated; NULL: all */
    bool analytic_only, full; /* full: the whole grids */
};

/* Evaluates the gates; the run has at least one. */
enum rc study_gates(const struct gates_question *q, struct gate_run *run, struct err *e);
/* Refuses a run with a gate that did not pass and is not known to fail. */
enum rc study_gates_check(const struct gate_run *run, struct err *e);

#endif
