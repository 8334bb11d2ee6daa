/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - a command line: parsing and --help walk the rows of rows.h.
 *
 * Units: SI. Errors: RC_USAGE (unknown option with the nearest one, missing or bad value).
 * Ownership: line_clear() releases what was filled, after an error too; texts are borrowed from argv. Edges: "--" ends
 * the options, words follow; "-" alone is a word. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "sim/cli/line.h"

/* Parses the words behind a command into its zeroed struct. *help: the help text was asked for. */
enum rc options_parse(const char *command, int argc, const char *const *argv, void *into, bool *help, struct err *e);
void line_clear(struct line *line);

/* Appends the lines that describe the options of a command. */
void options_help(const char *command, struct buf *out);

#endif
