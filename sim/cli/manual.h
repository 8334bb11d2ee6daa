/* SPDX-License-Identifier: BSD-3-Clause */
/* manual.h - man pages and shell completion, written from the rows of the commands.
 *
 * `moesim man [COMMAND]` and `moesim completion bash|zsh|fish`. The build installs what they print.
 * Units: none. Errors: RC_USAGE (no such command or shell). Ownership: borrows the commands, appends to the buffer.
 * Edges: name NULL is the page of the whole program; what shells complete by name are the files built in at that
 * time. */
#ifndef SIM_CLI_MANUAL_H
#define SIM_CLI_MANUAL_H

#include "sim/cli/cli.h"

struct command_list {
    const struct command *const *items;
    size_t n;
};

/* Writes a page in the language of man(7). */
enum rc manual_page(const struct command_list *commands, const char *name, struct buf *out, struct err *e);

/* Writes the script that completes words of the program's command lines. */
enum rc completion_script(const struct command_list *commands, const char *shell, struct buf *out, struct err *e);

#endif
