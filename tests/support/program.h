/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - runs the program and reads its JSON (with the YAML reader). */
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

#include "tests/support/check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/yaml.h"

/* Runs a command of the shell; appends stdout unless out is NULL. Returns the exit code, -1 after a signal. */
static inline int program_shell(const char *command, struct buf *out) {
    FILE *p = popen(command, "r");
    assert_non_null(p);
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, p)) > 0;)
        if (out)
            buf_add(out, chunk, n);
    int status = pclose(p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Appends stdout; returns the exit code. */
static inline int program_text(const char *arguments, struct buf *out) {
    char *command = mem_printf("%s %s 2>/dev/null", MOESIM_BINARY, arguments);
    int code = program_shell(command, out);
    free(command);
    assert_int_not_equal(code, -1);
    return code;
}

/* doc: stdout read as a document. */
static inline int program_run(const char *arguments, struct yaml_doc **doc) {
    struct buf out = {0};
    struct err e;
    int code = program_text(arguments, &out);
    assert_ok(yaml_parse(out.text, out.n, "stdout", doc, &e), &e);
    buf_clear(&out);
    return code;
}

/* Value under a dotted path; a number selects an item of a list. */
static inline const struct yaml_node *program_at(const struct yaml_doc *doc, const char *path) {
    const struct yaml_node *node = doc->root;
    char *copy = mem_copy(path), *rest = copy;
    for (char *key; node && (key = strtok_r(rest, ".", &rest));) {
        size_t i = strtoul(key, NULL, 10);
        if (node->type == YAML_LIST)
            node = i < node->n ? node->items[i] : NULL;
        else
            node = yaml_get(node, key);
    }
    free(copy);
    if (!node)
        fail_msg("no key '%s'", path);
    return node;
}

static inline double program_number(const struct yaml_doc *doc, const char *path) {
    const struct yaml_node *node = program_at(doc, path);
    char *end;
    double value = strtod(node->text, &end);
    if (end == node->text || *end || !node->plain)
        fail_msg("%s: '%s' is not a number", path, node->text);
    return value;
}

static inline void program_is_null(const struct yaml_doc *doc, const char *path) {
    assert_string_equal(program_at(doc, path)->text, "null");
    assert_true(program_at(doc, path)->plain);
}

#endif
