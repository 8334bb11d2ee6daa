/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j, struct buf *out, bool pretty) {
    *j = (struct json){.out = out, .pretty = pretty};
}

void json_init_sink(struct json *j, const struct json_sink *sink, void *context) {
    *j = (struct json){.sink = sink, .context = context};
}

/* Appends to the text, where the document goes to a text. */
static void put(struct json *j, const char *text) {
    if (!j->sink)
        buf_text(j->out, text);
}

static void new_line(struct json *j) {
    if (j->sink || !j->pretty)
        return;
    buf_text(j->out, "\n");
    for (int i = 0; i < j->depth; i++)
        buf_text(j->out, "  ");
}

/* Writes what comes before a value: nothing after a key or at the top, a comma and a new line in an array. */
static void before_value(struct json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0)
        return;
    BUG_ON(j->kind[j->depth - 1] != '[');
    if (!j->first[j->depth - 1])
        put(j, j->pretty ? "," : ", ");
    j->first[j->depth - 1] = false;
    new_line(j);
}

void json_open(struct json *j, char kind) {
    BUG_ON(j->depth == JSON_DEPTH);
    before_value(j);
    put(j, kind == '{' ? "{" : "[");
    if (j->sink)
        j->sink->open(j->context, kind);
    j->kind[j->depth] = kind;
    j->first[j->depth] = true;
    j->depth++;
}

void json_close(struct json *j) {
    BUG_ON(j->depth == 0 || j->after_key);
    j->depth--;
    if (!j->first[j->depth])
        new_line(j);
    put(j, j->kind[j->depth] == '{' ? "}" : "]");
    if (j->sink)
        j->sink->close(j->context);
}

/* Returns the length of the UTF-8 sequence at p (shortest form, no surrogates, up to U+10FFFF), or 0 where there is
 * none. */
static size_t utf8_length(const unsigned char *p) {
    static const struct {
        unsigned char low, high;         /* first byte */
        unsigned char second_low, second_high;
        size_t length;
    } forms[] = {{0x01, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                 {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (p[0] < forms[i].low || p[0] > forms[i].high)
            continue;
        if (forms[i].length > 1 && (p[1] < forms[i].second_low || p[1] > forms[i].second_high))
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((p[k] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

/* Appends a text as UTF-8, what is not part of it as U+FFFD; escaped: as between quotes of JSON. */
static void put_utf8(struct buf *out, const char *text, bool escaped) {
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = utf8_length(p);
        if (n == 0)
            buf_text(out, "\xEF\xBF\xBD"); // U+FFFD
        else if (escaped && (*p == '"' || *p == '\\'))
            buf_printf(out, "\\%c", *p);
        else if (escaped && *p < 0x20)
            buf_printf(out, "\\u%04x", *p);
        else
            buf_add(out, (const char *)p, n);
        p += n ? n : 1;
    }
}

static void quoted(struct json *j, const char *text) {
    buf_text(j->out, "\"");
    put_utf8(j->out, text, true);
    buf_text(j->out, "\"");
}

static void sink_text(struct json *j, void (*take)(void *, const char *), const char *text) {
    struct buf clean = {0};
    put_utf8(&clean, text, false);
    take(j->context, clean.n ? clean.text : "");
    buf_clear(&clean);
}

void json_key(struct json *j, const char *key) {
    BUG_ON(j->depth == 0 || j->kind[j->depth - 1] != '{' || j->after_key);
    if (!j->first[j->depth - 1])
        put(j, j->pretty ? "," : ", ");
    j->first[j->depth - 1] = false;
    new_line(j);
    if (j->sink)
        sink_text(j, j->sink->key, key);
    else
        quoted(j, key);
    put(j, ": ");
    j->after_key = true;
}

void json_text(struct json *j, const char *text) {
    if (!text) {
        json_put_null(j);
        return;
    }
    before_value(j);
    if (j->sink)
        sink_text(j, j->sink->text, text);
    else
        quoted(j, text);
}

const char *json_format(double value, char text[static JSON_NUMBER]) {
    BUG_ON(!isfinite(value));
    // 15 digits hold any shorter decimal, except below DBL_MIN, where doubles have fewer
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, JSON_NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_number(struct json *j, double value) {
    char text[JSON_NUMBER];
    before_value(j);
    BUG_ON(!isfinite(value));
    if (j->sink)
        j->sink->number(j->context, value);
    else
        buf_text(j->out, json_format(value, text));
}

void json_int(struct json *j, int64_t value) {
    before_value(j);
    if (j->sink)
        j->sink->integer(j->context, value);
    else
        buf_printf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, bool value) {
    before_value(j);
    put(j, value ? "true" : "false");
    if (j->sink)
        j->sink->boolean(j->context, value);
}

void json_put_null(struct json *j) {
    before_value(j);
    put(j, "null");
    if (j->sink)
        j->sink->text(j->context, NULL);
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
    json_put_null(j);
}

void json_key_number_if(struct json *j, const char *key, bool known, double value) {
    if (known)
        json_key_number(j, key, value);
    else
        json_key_null(j, key);
}

void json_key_lines(struct json *j, const char *key, const char *lines) {
    char *copy = mem_copy(lines ? lines : ""), *rest = copy;
    json_key_open(j, key, '[');
    for (char *line; (line = strtok_r(rest, "\n", &rest));)
        json_text(j, line);
    json_close(j);
    free(copy);
}
