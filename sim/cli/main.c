/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/manual.h"
#include "sim/cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"

static const struct command *const commands[] = {&command_simulate, &command_compare, &command_breakeven,
                                                 &command_matrix, &command_gates, &command_platform,
                                                 &command_sweep, &command_report, &command_workload,
                                                 &command_calibrate, &command_freeze, &command_score,
                                                 &command_diagnose};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void help_all(struct buf *out) {
    buf_text(out, "moesim - simulates the all-to-all calls of Mixture-of-Experts steps\n\n"
                  "usage: moesim COMMAND [options]\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        buf_printf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    buf_text(out, "  help       this text, or that of a command\n"
                  "  man        the manual page of a command, as man(1) reads it\n"
                  "  completion a script that completes command lines, for bash, zsh or fish\n\n"
                  "moesim COMMAND --help lists a command's options. Exit codes: 0 done, 1 bad input or\n"
                  "failed run, 2 usage, 3 capability withdrawn by a gate, 4 engine crashed or timed out.\n");
}

static void help_one(const struct command *c, struct buf *out) {
    buf_printf(out, "usage: moesim %s %s\n\n%s: %s.\n%s\nOptions:\n", c->name, c->usage, c->name,
               c->summary, c->text);
    options_help(c->name, out);
    if (c->help_more)
        c->help_more(out);
}

static enum rc unknown_command(const char *name, struct err *e) {
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    return err_set(e, RC_USAGE, "unknown command '%.60s'%s; see 'moesim help'", name,
                   err_hint(", ", name, names, COMMANDS).text);
}

static enum rc main_run(const struct command *c, int argc, const char *const *argv, struct buf *out, struct err *e) {
    struct line *line = mem_alloc(1, c->size);
    bool help;
    enum rc rc = options_parse(c->name, argc, argv, line, &help, e);
    if (!rc && help)
        help_one(c, out);
    else if (!rc && !c->csv && line->format == FORMAT_CSV)
        rc = err_set(e, RC_USAGE, "%s: --format csv found, expected text or json", c->name);
    else if (!rc)
        rc = c->run(line, out, e);
    line_clear(line);
    free(line);
    return rc;
}

/* man [COMMAND], completion SHELL */
static enum rc write_manual(const char *name, int n_words, const char *const *words, struct buf *out, struct err *e) {
    const struct command_list list = {commands, COMMANDS};
    const char *word = n_words > 0 ? words[0] : NULL;
    if (n_words > 1)
        return err_set(e, RC_USAGE, "%s: '%.60s' found, expected one word", name, words[1]);
    return strcmp(name, "man") == 0 ? manual_page(&list, word, out, e) : completion_script(&list, word, out, e);
}

static enum rc dispatch(int argc, const char *const *argv, struct buf *out, struct err *e) {
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0) {
        buf_printf(out, "moesim %s%s%s%s (SimGrid %s)\n", study_version(), *study_git() ? " (" : "",
                   study_git(), *study_git() ? ")" : "", study_engine());
        return RC_OK;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        bool of_help = argc > 2 && (strcmp(argv[2], "help") == 0 || strcmp(argv[2], "--help") == 0);
        const struct command *c = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && !c && !of_help)
            return unknown_command(argv[2], e);
        c ? help_one(c, out) : help_all(out);
        return RC_OK;
    }
    if (strcmp(name, "man") == 0 || strcmp(name, "completion") == 0)
        return write_manual(name, argc - 2, argv + 2, out, e);
    const struct command *c = find_command(name);
    if (!c)
        return unknown_command(name, e);
    return main_run(c, argc, argv, out, e);
}

int main(int argc, char **argv) {
    struct buf out = {0};
    struct err e = {.text = ""};
    file_open_standard();
    enum rc rc = dispatch(argc, (const char *const *)argv, &out, &e);
    if (rc)
        fprintf(stderr, "moesim: %s\n", e.text);
    else if (out.n && fwrite(out.text, 1, out.n, stdout) != out.n)
        rc = RC_IO;
    if ((fflush(stdout) != 0 || rc == RC_IO) && !*e.text) {
        fprintf(stderr, "moesim: cannot write to standard output\n");
        rc = RC_IO;
    }
    buf_clear(&out);
    return cli_exit_code(rc);
}
