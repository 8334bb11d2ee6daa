/* SPDX-License-Identifier: BSD-3-Clause */
/* allow.h - the allowance of a call that was simulated, and the load of hashed paths beside it.
 *
 * Units: SI. Errors: those of hashed_find(). Ownership: borrows everything. */
#ifndef SIM_CLI_ALLOW_H
#define SIM_CLI_ALLOW_H

#include "model/allowance.h"
#include "model/hashed.h"
#include "sim/report/allowance.h"

struct allow_figures {
    bool present, shown;
    const char *transport;
    struct allowance allowance;
    struct hashed_load load; /* draws 0: no paths are hashed */
};

enum rc allow_find(const struct call *call, const struct allowance_call *known, uint64_t seed, struct allow_figures *f,
                   struct err *e);
/* allowance: under which the ends are shown; wire: the loads. */
void allow_publish(const struct allow_figures *f, const struct licence *allowance, const struct licence *wire,
                   struct result_allowance *a);

#endif
