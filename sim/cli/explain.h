/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - why the closed form and the simulation differ, and who is last at best. */
#ifndef SIM_CLI_EXPLAIN_H
#define SIM_CLI_EXPLAIN_H

#include "sim/cli/figures.h"
#include "sim/cli/options.h"
#include "workloads/costs.h"

/* Fills the waterfall from the analytic to the simulated time under costs; empty where causes.h has none. */
enum rc explain_causes(const struct call *call, const struct costs *costs, const struct options *o,
                       struct call_figures *figures, struct err *e);

/* Fills the port model's ends under costs. */
void explain_ports(const struct call *call, const struct costs *costs, struct call_figures *figures);

#endif
