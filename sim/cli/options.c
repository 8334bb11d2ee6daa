/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/options.h"

#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"text", "json", "csv", NULL};

const struct option option_format = {"--format", "text|json|csv", OPTION_CHOICE, offsetof(struct line, format),
                                     .choices = formats, .help = "of the result on stdout (default text)"};
const struct option option_format_two = {"--format", "text|json", OPTION_CHOICE, offsetof(struct line, format),
                                         .choices = formats, .help = "of the result on stdout (default text)"};
const struct option option_help = {"--help", NULL, OPTION_FLAG, offsetof(struct line, help), .help = "this text"};

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

/* One option at argv[*i], its value in the same word after '=' or in the next one. */
static enum rc parse_option(const char *command, const struct option *const *rows, int argc,
                            const char *const *argv, int *i, void *into, struct err *e) {
    const char *word = strcmp(argv[*i], "-h") == 0 ? "--help" : argv[*i];
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
    const struct option *row = find_row(rows, word, n);
    if (!row)
        return unknown_option(word, command, rows, e);
    const char *value = word[n] == '=' ? word + n + 1 : NULL;
    if (!row->value && value)
        return err_set(e, RC_USAGE, "%s takes no value", row->name);
    if (row->value && !value) {
        if (*i + 1 >= argc)
            return err_set(e, RC_USAGE, "%s needs a value: %s", row->name, row->value);
        value = argv[++*i];
    }
    if (value && !*value)
        return err_set(e, RC_USAGE, "%s: an empty value found, expected %s", row->name, row->value);
    return option_take(row, value, into, e);
}

enum rc options_parse(const char *name, const struct option *const *rows, int argc, const char *const *argv,
                      void *into, struct err *e) {
    struct line *line = into;
    bool open = true; // until "--"
    question_init(&line->question);
    line->question.arguments = argv + 1;
    line->question.n_arguments = argc - 1;
    line->words = arena_alloc(&line->question.arena, (size_t)argc, sizeof *line->words);
    for (int i = 2; i < argc; i++) {
        if (open && strcmp(argv[i], "--") == 0) {
            open = false;
        } else if (open && argv[i][0] == '-' && argv[i][1]) {
            enum rc rc = parse_option(name, rows, argc, argv, &i, into, e);
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

void options_help(const struct option *const *rows, struct buf *out) {
    for (; *rows; rows++) {
        const struct option *row = *rows;
        char *left = mem_printf("%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
        buf_printf(out, "  %-28s %s\n", left, row->help);
        free(left);
    }
}
