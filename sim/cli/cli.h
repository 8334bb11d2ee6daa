/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - the program's commands and what they share.
 *
 * To add a command: write cmd_NAME.c with a function of the type below and the struct command that names it; declare
 * that here and list it in main.c. What the command is asked is a struct of line.h, which rows of rows.c fill.
 * Results go to a buffer that main writes to stdout at the end, once and checked; everything else to stderr.
 * A command returns an rc; main turns it into the exit code: 0 done, 1 bad input or failed run, 2 usage,
 * 3 capability withdrawn, 4 engine crashed or timed out.
 * Units: SI. Errors: RC_USAGE and those of the study. Ownership: a command borrows its line.
 * Edges: on an error main prints nothing of the buffer. */
#ifndef SIM_CLI_CLI_H
#define SIM_CLI_CLI_H

#include "sim/cli/line.h"
#include "sim/study/study.h"

/* line: the command's own struct, parsed. */
typedef enum rc (*command_f)(const void *line, struct buf *out, struct err *e);

struct command {
    const char *name;
    command_f run;
    size_t size;                         /* of its struct */
    bool csv;                            /* has a --format csv */
    const char *summary, *usage, *text;
    void (*help_more)(struct buf *out); /* behind the options; NULL: nothing */
};

extern const struct command command_simulate, command_compare, command_breakeven, command_matrix, command_gates,
    command_platform, command_sweep, command_report, command_workload, command_calibrate, command_freeze,
    command_score, command_diagnose;

/* RC_USAGE when words stand behind a command that takes none. */
enum rc cli_no_words(const struct line *line, struct err *e);
int cli_exit_code(enum rc rc);

#endif
