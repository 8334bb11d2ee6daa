/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep_main.h - the command `sweep`, with workers on this machine and, under MPI, on others.
 *
 * Units: SI. Errors: those of the sweep. Ownership: borrows the line. Edges: without a remote (NULL) there
 * are workers of this machine only. */
#ifndef SIM_CLI_SWEEP_MAIN_H
#define SIM_CLI_SWEEP_MAIN_H

#include "sim/cli/cli.h"
#include "sim/sweep/run.h"

/* Loads the sweep file, opens the study and chooses the engine of all points: the same on every machine. The caller
 * releases *spec and the study, after an error too. */
enum rc sweep_open(const struct sweep_line *l, struct inputs_memo *memo, struct study *study, struct sweep_spec **spec,
                   struct err *e);

/* Runs the command. */
enum rc sweep_main(const struct sweep_line *l, const struct sweep_remote *remote, struct buf *out, struct err *e);

#endif
