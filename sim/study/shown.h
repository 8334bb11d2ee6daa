/* SPDX-License-Identifier: BSD-3-Clause */
/* shown.h - what the run that is shown says of stages, ranks, links and messages.
 *
 * Units: SI; the map in bytes. Errors: none. Ownership: borrow everything; what they fill belongs to the result. Edges:
 * where the call time is not known all of it is of the wire; a run without detail has no ranks and no links. */
#ifndef SIM_STUDY_SHOWN_H
#define SIM_STUDY_SHOWN_H

#include "sim/study/asking.h"

/* Fills a call's part of the result from an outcome under the costs that are shown. */
void shown_publish(const struct outcome *o, const struct call_run *run, const struct question *q);
/* Fills the map of who sends to whom, blocks of ranks on large machines. */
void shown_map(const struct call *call, struct result_call *c);

#endif
