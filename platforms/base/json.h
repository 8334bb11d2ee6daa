/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h - a streaming writer of JSON, into a text buffer, or value by value to a sink that builds it in memory.
 *
 * Text is UTF-8; a byte that is not part of it becomes U+FFFD. Numbers are the shortest decimal that reads
 * back equal. A number that is not finite is a mistake of ours (BUG): what is unknown is written with
 * json_put_null(). Nesting is checked, also BUG.
 * Keys come first: json_key(j, "x") then one value; the json_key_* forms do both.
 * Units: those of the caller.
 * Errors: none.
 * Ownership: the buffer, or the sink and its context, are borrowed until the last value is written.
 * Edges: a text that is NULL is written as null. */
#ifndef PLATFORMS_BASE_JSON_H
#define PLATFORMS_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/mem.h"

enum { JSON_DEPTH = 32 };

/* The functions that get a document value by value instead of a text; texts are UTF-8, and NULL for null. */
struct json_sink {
    void (*open)(void *context, char kind);
    void (*close)(void *context);
    void (*key)(void *context, const char *key);
    void (*text)(void *context, const char *text);
    void (*number)(void *context, double value);
    void (*integer)(void *context, int64_t value);
    void (*boolean)(void *context, bool value);
};

struct json {
    struct buf *out; /* NULL: a sink takes the document */
    const struct json_sink *sink;
    void *context;
    bool pretty;          /* two spaces an indent; otherwise one line */
    int depth;
    char kind[JSON_DEPTH]; /* '{' or '[' */
    bool first[JSON_DEPTH];
    bool after_key;
};

/* Begins a text at the end of `out`. */
void json_init(struct json *j, struct buf *out, bool pretty);
/* Begins a document that a sink takes. */
void json_init_sink(struct json *j, const struct json_sink *sink, void *context);
/* Opens a map, '{', or a list, '['; json_close() closes the last one that is open. */
void json_open(struct json *j, char kind);
void json_close(struct json *j);
/* Write a key, or a value in a list or after its key. */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *text); /* NULL writes null */
void json_number(struct json *j, double value);
void json_int(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
void json_put_null(struct json *j); /* jansson has a json_null() */

/* Write a key and its value. */
void json_key_open(struct json *j, const char *key, char kind);
void json_key_text(struct json *j, const char *key, const char *text);
void json_key_number(struct json *j, const char *key, double value);
void json_key_int(struct json *j, const char *key, int64_t value);
void json_key_bool(struct json *j, const char *key, bool value);
void json_key_null(struct json *j, const char *key);
void json_key_number_if(struct json *j, const char *key, bool known, double value); /* not known: null */
void json_key_lines(struct json *j, const char *key, const char *lines); /* a list of texts; NULL: empty */

/* Writes the shortest decimal that reads back equal (at most 24 characters). */
enum { JSON_NUMBER = 32 };
const char *json_format(double value, char text[static JSON_NUMBER]);

#endif
