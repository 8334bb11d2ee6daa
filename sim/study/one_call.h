/* SPDX-License-Identifier: BSD-3-Clause */
/* one_call.h - one call of a question: its licence, its runs, and its part of the result.
 *
 * The licence needs the question only, so it stands before anything is run, and each number becomes a claim where it
 * arises.
 * Units: SI. Errors: those of the engine. Ownership: call_run_clear() releases; the result keeps what it was given.
 * Edges: a call that nobody simulates has its bounds only. */
#ifndef SIM_STUDY_ONE_CALL_H
#define SIM_STUDY_ONE_CALL_H

#include "sim/study/asking.h"

/* Asks for the licence, runs (or estimates) the call as the next one of the result, and by the closed form when that
 * was asked. */
enum rc call_run(struct asking *a, enum strategy strategy, enum phase phase, const struct implementation *how,
                 struct call_run *run, struct err *e);
/* Adds all else that was asked of it: causes, ports, a sequence, draws, the map. */
enum rc call_run_more(struct asking *a, struct call_run *run, struct err *e);
void call_run_clear(struct call_run *run);

/* Releases what a call of a result owns. */
void result_call_clear(struct result_call *c);

#endif
