/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - a command line: parsing and --help walk the same rows of options.
 *
 * Each command has a struct of its own that begins with a struct line, and a list of rows (sim/study/option.h). Rows
 * of a question serve every command, since the question comes first in a line; a command's own rows stand beside its
 * struct.
 * Units: SI. Errors: RC_USAGE (unknown option with the nearest one, missing or bad value).
 * Ownership: line_clear() releases; texts are borrowed from argv. Edges: "--" ends the options, words follow. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "sim/study/option.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* What every command line has. The question is the default one until rows fill it. */
struct line {
    struct question question; /* first: its options are those of the line */
    int format; /* enum format */
    bool help;
    const char **words; /* positional arguments after the command */
    int n_words;
};

/* Beside the options of a question. */
extern const struct option option_format, option_format_two, option_help;

/* Parses the words behind the command; rows ends with NULL. name: of the command, for messages. into: its zeroed
 * struct. */
enum rc options_parse(const char *name, const struct option *const *rows, int argc, const char *const *argv,
                      void *into, struct err *e);
void line_clear(struct line *line);

/* Appends the lines that describe rows. */
void options_help(const struct option *const *rows, struct buf *out);

#endif
