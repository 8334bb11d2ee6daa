/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate.h - a simulator as a function that is passed in: nothing here knows the engine.
 *
 * A simulator fills outcomes[n_cases], one for each case of fixed costs.
 * Units: SI. Errors: those of the simulator handed in. Ownership: the caller clears the outcomes.
 * Edges: a call without messages takes its fixed costs. */
#ifndef VALIDATION_SIMULATE_H
#define VALIDATION_SIMULATE_H

#include "workloads/costs.h"

typedef enum rc (*simulate_f)(const struct call *call, const struct costs *cases, size_t n_cases,
                              void *context, struct outcome *outcomes, struct err *e);

struct simulator {
    simulate_f run;
    void *context;
};

/* Finds the time of one case; the caller has nothing to clear. */
enum rc simulate_time(const struct simulator *s, const struct call *call, const struct costs *costs,
                      double *time_s, struct err *e);

#endif
