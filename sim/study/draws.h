/* SPDX-License-Identifier: BSD-3-Clause */
/* draws.h - one call over many batches and layers of its workload: quantiles of its times.
 *
 * Units: SI. Errors: those of the traffic and of the engine. Ownership: borrows everything. Edges: of a
 * record of tokens no more draws are made than it has layers times batches; the result says how many. */
#ifndef SIM_STUDY_DRAWS_H
#define SIM_STUDY_DRAWS_H

#include "sim/study/asking.h"

/* Fills the quantiles of a call over question.draws draws. */
enum rc draws_run(const struct asking *a, struct call_run *run, struct err *e);

#endif
