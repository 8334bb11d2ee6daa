/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep_main.h - the command `sweep`, with workers on this machine and, under MPI, on others. */
#ifndef SIM_CLI_SWEEP_MAIN_H
#define SIM_CLI_SWEEP_MAIN_H

#include "sim/cli/sweep_run.h"

/* remote NULL: this machine only. */
enum rc sweep_main(const struct options *o, const struct sweep_remote *remote, struct buf *out, struct err *e);

#endif
