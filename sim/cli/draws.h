/* SPDX-License-Identifier: BSD-3-Clause */
/* draws.h - one call over many batches and layers of its workload: quantiles of its times. */
#ifndef SIM_CLI_DRAWS_H
#define SIM_CLI_DRAWS_H

#include "sim/cli/cli.h"
#include "sim/cli/figures.h"
#include "workloads/costs.h"

/* Draws o->draws batches and simulates each under known (NULL: not known) and wire costs. like: the call. */
enum rc draws_run(const struct inputs *in, const struct options *o, const struct call *like, bool known,
                  const struct costs *cases, struct draws_figures *d, struct err *e);

#endif
