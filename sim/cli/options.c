/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/rows.h"

static const struct option *find_row(const struct option *const *rows, const char *word, size_t n) {
    for (; *rows; rows++)
        if (strlen((*rows)->name) == n && strncmp((*rows)->name, word, n) == 0)
            return *rows;
    return NULL;
}

static enum rc unknown_option(const char *word, const char *command, const struct option *const *rows,
                              struct err *e) {
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; rows[n] && n < MOST; n++)
        names[n] = rows[n]->name;
    return err_set(e, RC_USAGE, "unknown option '%.60s' of %s%s; see 'moesim %s --help'", word, command,
                   err_hint(", ", word, names, n).text, command);
}

/* The command that a line belongs to, its options, and where errors go. */
struct parser {
    const char *command;
    const struct option *const *rows;
    int argc;
    const char *const *argv;
    bool *help;
};

/* Parses the option at argv[*i], whose value stands in the same word after '=' or in the next word. */
static enum rc parse_option(const struct parser *p, int *i, void *into, struct err *e) {
    const char *word = strcmp(p->argv[*i], "-h") == 0 ? "--help" : p->argv[*i];
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
    const struct option *row = find_row(p->rows, word, n);
    if (!row)
        return unknown_option(word, p->command, p->rows, e);
    const char *value = word[n] == '=' ? word + n + 1 : NULL;
    if (!row->value && value)
        return err_set(e, RC_USAGE, "%s takes no value", row->name);
    if (row->value && !value) {
        if (*i + 1 >= p->argc)
            return err_set(e, RC_USAGE, "%s needs a value: %s", row->name, row->value);
        value = p->argv[++*i];
    }
    if (value && !*value)
        return err_set(e, RC_USAGE, "%s: an empty value found, expected %s", row->name, row->value);
    *p->help = *p->help || row == &option_help;
    return row == &option_help ? RC_OK : option_take(row, value, into, e);
}

enum rc options_parse(const char *command, int argc, const char *const *argv, void *into, bool *help, struct err *e) {
    const struct parser p = {command, rows_of(command), argc, argv, help};
    struct line *line = into;
    bool open = true; // until "--"
    *help = false;
    question_init(&line->question);
    line->question.arguments = argv + 1;
    line->question.n_arguments = argc - 1;
    line->words = arena_alloc(&line->question.arena, (size_t)argc, sizeof *line->words);
    for (int i = 2; i < argc; i++) {
        if (open && strcmp(argv[i], "--") == 0) {
            open = false;
        } else if (open && argv[i][0] == '-' && argv[i][1]) {
            enum rc rc = parse_option(&p, &i, into, e);
            if (rc)
                return rc;
        } else {
            line->words[line->n_words++] = argv[i];
        }
    }
    return RC_OK;
}

void line_clear(struct line *line) {
    question_clear(&line->question);
}

void options_help(const char *command, struct buf *out) {
    for (const struct option *const *rows = rows_of(command); *rows; rows++) {
        const struct option *row = *rows;
        char *left = mem_printf("%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
        buf_printf(out, "  %-28s %s\n", left, row->help);
        free(left);
    }
}
