/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h - what the runs of a question will cost, and which engine `auto` is for all of them.
 *
 * Flows are counted on the question's own traffic, exactly; seconds and bytes follow from them by constants that were
 * measured, see estimate.c.
 * Units: SI; seconds of CPU time on one core.
 * Errors: those of the inputs; RC_RESOURCE of estimate_check(). Ownership: borrows everything.
 * Edges: a question that simulates nothing has 0 flows and 0 seconds. */
#ifndef SIM_STUDY_ESTIMATE_H
#define SIM_STUDY_ESTIMATE_H

#include "sim/study/asking.h"

struct estimate {
    enum sim_engine engine; /* that the question names, or the one that `auto` stands for; never SIM_ENGINE_AUTO */
    double flows;         /* of the calls themselves, as a result counts them under engine.flows */
    double all_flows;     /* with those of causes, draws and calls back to back */
    double largest_flows; /* of one run */
    double seconds;
    struct {
        double seconds, run_bytes; /* what the largest run adds to the memory of its process */
    } by[SIM_ENGINE_FLUID + 1];    /* engines that simulate */
    double memory_bytes; /* of the process that simulates, at most */
};

/* Adds what the runs of a call will cost to the estimate. */
void estimate_add(const struct asking *a, const struct call_run *run);

/* Says which engine it is, and what follows from that, once all runs are counted. `auto` is SimGrid where a gate has
 * withdrawn the engine `fluid`. */
void estimate_conclude(const struct licences *licences, const struct question *q, struct estimate *estimate);

/* RC_RESOURCE when so much memory is not there; available_bytes: INFINITY where nothing limits it. */
enum rc estimate_check(const struct estimate *estimate, double available_bytes, struct err *e);

#endif
