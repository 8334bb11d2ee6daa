/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/err.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rc_text(enum rc code) {
    static const char *const text[] = {
#define RC_TEXT(name, meaning) meaning,
        RC_LIST(RC_TEXT)
#undef RC_TEXT
    };
    return (size_t)code < sizeof text / sizeof *text ? text[code] : "unknown code";
}

bool rc_is_circumstance(enum rc code) {
    return code == RC_TIMEOUT || code == RC_RESOURCE;
}

enum rc err_set(struct err *e, enum rc code, const char *format, ...) {
    if (e) {
        va_list ap;
        va_start(ap, format);
        e->code = code;
        vsnprintf(e->text, sizeof e->text, format, ap);
        va_end(ap);
    }
    return code;
}

enum rc err_at(struct err *e, enum rc code, const struct place *at, const char *format, ...) {
    if (!e)
        return code;
    char where[300] = "";
    if (at && at->file && at->line > 0 && at->column > 0)
        snprintf(where, sizeof where, "%.250s:%d:%d: ", at->file, at->line, at->column);
    else if (at && at->file && at->line > 0)
        snprintf(where, sizeof where, "%.250s:%d: ", at->file, at->line);
    else if (at && at->file)
        snprintf(where, sizeof where, "%.250s: ", at->file);
    size_t n = strlen(where);
    memcpy(e->text, where, n);
    va_list ap;
    va_start(ap, format);
    e->code = code;
    vsnprintf(e->text + n, sizeof e->text - n, format, ap);
    va_end(ap);
    return code;
}

void err_prefix(struct err *e, const char *format, ...) {
    if (!e)
        return;
    char context[200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(context, sizeof context - 2, format, ap);
    va_end(ap);
    size_t n = strlen(context), old = strlen(e->text);
    memcpy(context + n, ": ", 2);
    n += 2;
    if (n + old >= sizeof e->text)
        old = sizeof e->text - n - 1; // the end of a long message gives way
    memmove(e->text + n, e->text, old);
    memcpy(e->text, context, n);
    e->text[n + old] = '\0';
}

/* Returns the Levenshtein distance of two words; words longer than the rows are as far apart as can be. */
static int distance(const char *a, const char *b) {
    enum { MAX = 64 };
    size_t la = strlen(a), lb = strlen(b);
    if (la >= MAX || lb >= MAX)
        return INT_MAX; // never the nearest
    int row[MAX + 1];
    for (size_t j = 0; j <= lb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= la; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= lb; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[lb];
}

const char *err_nearest(const char *word, const char *const *names, size_t n) {
    const char *best = NULL;
    int best_distance = (int)(strlen(word) / 2) + 1;
    for (size_t i = 0; i < n; i++) {
        if (!names[i])
            continue;
        int d = distance(word, names[i]);
        if (d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

struct err_hint err_hint(const char *before, const char *word, const char *const *names, size_t n) {
    struct err_hint hint = {""};
    const char *near = err_nearest(word, names, n);
    if (near)
        snprintf(hint.text, sizeof hint.text, "%sdid you mean '%s'?", before, near);
    return hint;
}

void err_bug(const char *file, int line, const char *what) {
    fprintf(stderr, "moesim: internal error at %s:%d: %s\n", file, line, what);
    abort();
}
