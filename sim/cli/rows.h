/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - the table of options: which command has which, and which field of its struct in line.h each one fills.
 *
 * Units: SI. Errors: none. Ownership: rows live as long as the program. Edges: a list of rows ends with NULL. */
#ifndef SIM_CLI_ROWS_H
#define SIM_CLI_ROWS_H

#include "sim/study/option.h"

/* Returns the rows of a command, in the order of its --help; NULL for a name that is no command. */
const struct option *const *rows_of(const char *command);
/* The one row that fills no field: it asks for the help text. */
extern const struct option option_help;

#endif
