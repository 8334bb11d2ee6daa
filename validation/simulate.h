/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate.h - whoever answers a call, handed in: nothing here knows the engine.
 *
 * A simulator fills outcomes[n_cases], one for each case of fixed costs.
 * Units: SI. Errors: those of the simulator handed in. Ownership: the caller clears the outcomes. */
#ifndef VALIDATION_SIMULATE_H
#define VALIDATION_SIMULATE_H

#include "workloads/costs.h"

typedef enum rc (*simulate_f)(const struct call *call, const struct costs *cases, size_t n_cases,
                              void *context, struct outcome *outcomes, struct err *e);

struct simulator {
    simulate_f run;
    void *context;
};

/* Time of one case; nothing is left to clear. */
enum rc simulate_time(const struct simulator *s, const struct call *call, const struct costs *costs,
                      double *time_s, struct err *e);

#endif
