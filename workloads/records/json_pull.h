/* SPDX-License-Identifier: BSD-3-Clause */
/* json_pull.h - JSON read token by token, from memory or from a file of any length, in constant memory.
 *
 * RFC 8259, strictly (no NaN, no comments, no trailing commas), except that values may follow one another:
 * JSON Lines are a sequence of values. Texts longer than JSON_PULL_TEXT are cut, which no key of ours is.
 * Escapes are decoded, \u to UTF-8. Nesting up to JSON_PULL_DEPTH.
 * Units: none.
 * Errors: RC_SYNTAX with file:line:column, RC_IO.
 * Ownership: json_pull_clear() releases; text is lent until the next token. */
#ifndef WORKLOADS_RECORDS_JSON_PULL_H
#define WORKLOADS_RECORDS_JSON_PULL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platforms/base/err.h"

enum { JSON_PULL_TEXT = 256, JSON_PULL_DEPTH = 64, JSON_PULL_BLOCK = 1 << 16 };

enum json_token {
    JSON_END, /* of the data */
    JSON_MAP,
    JSON_MAP_END,
    JSON_LIST,
    JSON_LIST_END,
    JSON_KEY,
    JSON_TEXT,
    JSON_NUMBER,
    JSON_WORD /* true, false, null: in text */
};

struct json_pull {
    enum json_token token;
    char text[JSON_PULL_TEXT]; /* of a key, text, word, or of a number as written */
    bool whole; /* number: an integer that fits integer */
    int64_t integer;
    struct place at; /* of the token */

    FILE *file; /* NULL: memory only */
    const char *p, *end; /* not read yet */
    char *block;
    void (*seen)(void *context, const char *data, size_t n); /* NULL, or given every block once */
    void *context;
    int64_t before; /* bytes in blocks already done with */
    const char *start; /* of the current block */
    int64_t line_at; /* byte where the line starts */
    int line;
    int depth;
    char kind[JSON_PULL_DEPTH];
    bool want_comma, after_key, failed;
};

void json_pull_memory(struct json_pull *j, const char *data, size_t n, const char *name);
void json_pull_file(struct json_pull *j, FILE *file, const char *name); /* the caller closes it */
void json_pull_clear(struct json_pull *j);

/* Reads the next token; JSON_END behind the last. */
enum rc json_pull_next(struct json_pull *j, struct err *e);

/* Reads on from a token that starts a value to the value's last token. */
enum rc json_pull_skip(struct json_pull *j, struct err *e);

/* Reads the current number token as a finite double. */
enum rc json_pull_number(const struct json_pull *j, double *value, struct err *e);

/* Names the current token for messages: "a list", "a text", .. */
const char *json_pull_name(const struct json_pull *j);

#endif
