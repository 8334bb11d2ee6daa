/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/manual.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/rows.h"

/* Appends a text so that roff takes no part of it for a request or an escape. */
static void escape_roff(const char *text, size_t n, struct buf *out) {
    if (n && (*text == '.' || *text == '\''))
        buf_text(out, "\\&");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\\')
            buf_text(out, "\\e");
        else if (text[i] == '-')
            buf_text(out, "\\-");
        else
            buf_add(out, &text[i], 1);
    }
}

static void put(const char *text, struct buf *out) {
    escape_roff(text, strlen(text), out);
}

/* Appends lines as they stand: tables and examples keep their columns. */
static void put_lines(const char *text, struct buf *out) {
    buf_text(out, ".nf\n");
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        escape_roff(at, n, out);
        buf_text(out, "\n");
        at += n + (at[n] == '\n');
    }
    buf_text(out, ".fi\n");
}

static void put_head(const char *name, const char *summary, struct buf *out) {
    buf_printf(out, ".\\\" Written by moesim man.\n.TH %s 1 \"\" \"moesim ", name);
    put(study_version(), out);
    buf_text(out, "\" \"moesim manual\"\n.SH NAME\n");
    put(name, out);
    buf_text(out, " \\- ");
    put(summary, out);
    buf_text(out, "\n.SH SYNOPSIS\n");
}

static void put_option(const struct option *row, struct buf *out) {
    buf_text(out, ".TP\n.B ");
    put(row->name, out);
    if (row->value) {
        buf_text(out, " \\fI");
        put(row->value, out);
        buf_text(out, "\\fR");
    }
    buf_text(out, "\n");
    put(row->help, out);
    buf_text(out, "\n");
}

static const char exit_codes[] = ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nBad input, or the run failed.\n.TP\n"
                                 ".B 2\nThe command line is wrong.\n.TP\n.B 3\nA gate has withdrawn what was asked "
                                 "for.\n.TP\n.B 4\nThe simulation crashed, or reached its time limit.\n";

static void command_page(const struct command *c, struct buf *out) {
    char *name = mem_printf("moesim-%s", c->name);
    struct buf more = {0};
    put_head(name, c->summary, out);
    buf_printf(out, ".B moesim %s\n", c->name);
    put(c->usage, out);
    buf_text(out, "\n.SH DESCRIPTION\n");
    put_lines(c->text, out);
    buf_text(out, ".SH OPTIONS\n");
    for (const struct option *const *row = rows_of(c->name); *row; row++)
        put_option(*row, out);
    if (c->help_more) {
        c->help_more(&more);
        buf_text(out, ".SH FILES\n");
        put_lines(more.text, out);
    }
    buf_text(out, exit_codes);
    buf_text(out, ".SH SEE ALSO\n.BR moesim (1)\n");
    buf_clear(&more);
    free(name);
}

static void program_page(const struct command_list *commands, struct buf *out) {
    put_head("moesim", "simulates the all-to-all calls of Mixture-of-Experts steps", out);
    buf_text(out, ".B moesim\n.I COMMAND\n[options]\n.SH COMMANDS\n");
    for (size_t i = 0; i < commands->n; i++) {
        buf_text(out, ".TP\n.BR moesim\\-");
        put(commands->items[i]->name, out);
        buf_text(out, " (1)\n");
        put(commands->items[i]->summary, out);
        buf_text(out, "\n");
    }
    buf_text(out, ".TP\n.B help\nThe text of a command, or of all.\n.TP\n.B man\nThese pages.\n.TP\n.B completion\n"
                  "A script that completes command lines, for bash, zsh or fish.\n");
    buf_text(out, exit_codes);
}

static const struct command *find(const struct command_list *commands, const char *name) {
    for (size_t i = 0; i < commands->n; i++)
        if (strcmp(commands->items[i]->name, name) == 0)
            return commands->items[i];
    return NULL;
}

enum rc manual_page(const struct command_list *commands, const char *name, struct buf *out, struct err *e) {
    const struct command *c = name ? find(commands, name) : NULL;
    if (name && !c)
        return err_set(e, RC_USAGE, "man: '%.60s' found, expected a command; see 'moesim help'", name);
    if (c)
        command_page(c, out);
    else
        program_page(commands, out);
    return RC_OK;
}
