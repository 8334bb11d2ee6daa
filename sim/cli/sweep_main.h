/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep_main.h - the command `sweep`, with workers on this machine and, under MPI, on others.
 *
 * Units: SI. Errors: those of the sweep. Ownership: borrows the line. Edges: remote NULL is this machine only. */
#ifndef SIM_CLI_SWEEP_MAIN_H
#define SIM_CLI_SWEEP_MAIN_H

#include "sim/cli/cli.h"
#include "sim/sweep/run.h"

/* Loads the sweep file, opens the study and names the engine of all points: the same on every machine. *spec and the
 * study are released by the caller, after an error too. */
enum rc sweep_open(const struct sweep_line *l, struct inputs_memo *memo, struct study *study, struct sweep_spec **spec,
                   struct err *e);

enum rc sweep_main(const struct sweep_line *l, const struct sweep_remote *remote, struct buf *out, struct err *e);

#endif
