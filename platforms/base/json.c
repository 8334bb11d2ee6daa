/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_init(struct json *j, struct buf *out, bool pretty) {
    *j = (struct json){.out = out, .pretty = pretty};
}

static void new_line(struct json *j) {
    if (!j->pretty)
        return;
    buf_text(j->out, "\n");
    for (int i = 0; i < j->depth; i++)
        buf_text(j->out, "  ");
}

/* What comes before a value: nothing after a key or at the top, a comma and a new line in an array. */
static void before_value(struct json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0)
        return;
    BUG_ON(j->kind[j->depth - 1] != '[');
    if (!j->first[j->depth - 1])
        buf_text(j->out, j->pretty ? "," : ", ");
    j->first[j->depth - 1] = false;
    new_line(j);
}

void json_open(struct json *j, char kind) {
    BUG_ON(j->depth == JSON_DEPTH);
    before_value(j);
    buf_add(j->out, &kind, 1);
    j->kind[j->depth] = kind;
    j->first[j->depth] = true;
    j->depth++;
}

void json_close(struct json *j) {
    BUG_ON(j->depth == 0 || j->after_key);
    j->depth--;
    if (!j->first[j->depth])
        new_line(j);
    buf_text(j->out, j->kind[j->depth] == '{' ? "}" : "]");
}

static void quoted(struct json *j, const char *text) {
    buf_text(j->out, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_printf(j->out, "\\%c", *p);
        else if (*p < 0x20)
            buf_printf(j->out, "\\u%04x", *p);
        else
            buf_add(j->out, (const char *)p, 1);
    }
    buf_text(j->out, "\"");
}

void json_key(struct json *j, const char *key) {
    BUG_ON(j->depth == 0 || j->kind[j->depth - 1] != '{' || j->after_key);
    if (!j->first[j->depth - 1])
        buf_text(j->out, j->pretty ? "," : ", ");
    j->first[j->depth - 1] = false;
    new_line(j);
    quoted(j, key);
    buf_text(j->out, ": ");
    j->after_key = true;
}

void json_text(struct json *j, const char *text) {
    if (!text) {
        json_null(j);
        return;
    }
    before_value(j);
    quoted(j, text);
}

const char *json_format(double value, char text[static JSON_NUMBER]) {
    BUG_ON(!isfinite(value));
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, JSON_NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_number(struct json *j, double value) {
    char text[JSON_NUMBER];
    before_value(j);
    buf_text(j->out, json_format(value, text));
}

void json_int(struct json *j, int64_t value) {
    before_value(j);
    buf_printf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, bool value) {
    before_value(j);
    buf_text(j->out, value ? "true" : "false");
}

void json_null(struct json *j) {
    before_value(j);
    buf_text(j->out, "null");
}

void json_key_open(struct json *j, const char *key, char kind) {
    json_key(j, key);
    json_open(j, kind);
}

void json_key_text(struct json *j, const char *key, const char *text) {
    json_key(j, key);
    json_text(j, text);
}

void json_key_number(struct json *j, const char *key, double value) {
    json_key(j, key);
    json_number(j, value);
}

void json_key_int(struct json *j, const char *key, int64_t value) {
    json_key(j, key);
    json_int(j, value);
}

void json_key_bool(struct json *j, const char *key, bool value) {
    json_key(j, key);
    json_bool(j, value);
}

void json_key_null(struct json *j, const char *key) {
    json_key(j, key);
    json_null(j);
}
