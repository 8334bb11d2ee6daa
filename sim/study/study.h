/* SPDX-License-Identifier: BSD-3-Clause */
/* study.h - answers questions: the application without a command line.
 *
 * A study holds what questions share: the evaluated gates, the licences that they leave, and inputs that were loaded.
 * The closed form's gates are evaluated when it is opened (some hundredths of a second); those that simulate belong
 * to `moesim gates`.
 * Units: SI. Errors: those of the user's gate files; of the inputs, RC_ENGINE and RC_TIMEOUT; outputs untouched on
 * failure. Ownership: study_close() releases; results are released before. Edges: one result at a time. */
#ifndef SIM_STUDY_STUDY_H
#define SIM_STUDY_STUDY_H

#include "sim/study/result.h"
#include "validation/gate_run.h"

struct estimate;

struct study {
    struct gate_run run;
    struct licences *licences;
    struct inputs_memo *memo; /* NULL: each question loads its own inputs */
    /* told before a question is simulated what that will cost; NULL: nobody is */
    void (*tell)(const struct estimate *estimate);
};

/* corpus: folder of the user's own gates, or NULL. */
enum rc study_open(const char *corpus, struct inputs_memo *memo, struct study *s, struct err *e);
void study_close(struct study *s);

/* Loads the inputs, with their traffic, and counts what an answer will cost (estimate.h). */
enum rc study_estimate(const struct study *s, const struct question *q, struct estimate *estimate, struct err *e);

/* Refuses to go beyond one call, whatever the gates say: no code composes calls into a step. */
enum rc study_refuse_step(const struct study *s, struct err *e);

/* Simulates what was asked; with question.compare also by the closed form. */
enum rc study_answer(const struct study *s, const struct question *q, struct result **result, struct err *e);
void result_free(struct result *r); /* NULL is allowed */

/* The program that answers: "0.1.0", its git state ("" where there is none), and the engine's version. */
const char *study_version(void);
const char *study_git(void);
const char *study_engine(void); /* of SimGrid */

#endif
