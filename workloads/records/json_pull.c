/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/json_pull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static void start(struct json_pull *j, const char *name) {
    *j = (struct json_pull){.at = {name, 0, 0}, .line = 1};
}

void json_pull_memory(struct json_pull *j, const char *data, size_t n, const char *name) {
    start(j, name);
    j->p = j->start = data;
    j->end = data + n;
}

void json_pull_file(struct json_pull *j, FILE *file, const char *name) {
    start(j, name);
    j->file = file;
    j->block = mem_alloc(JSON_PULL_BLOCK, 1);
    j->p = j->end = j->start = j->block;
}

void json_pull_clear(struct json_pull *j) {
    free(j->block);
    j->block = NULL;
    j->p = j->end = j->start = NULL;
    j->file = NULL;
}

/* False at the end of the data. */
static bool refill(struct json_pull *j) {
    if (!j->file)
        return false;
    j->before += j->end - j->start;
    size_t n = fread(j->block, 1, JSON_PULL_BLOCK, j->file);
    j->p = j->start = j->block;
    j->end = j->block + n;
    if (n && j->seen)
        j->seen(j->context, j->block, n);
    return n > 0;
}

/* The next byte, or -1. */
static int pull_peek(struct json_pull *j) {
    return j->p < j->end || refill(j) ? (unsigned char)*j->p : -1;
}

static int64_t offset(const struct json_pull *j) {
    return j->before + (j->p - j->start);
}

static struct place pull_here(const struct json_pull *j) {
    int64_t column = offset(j) - j->line_at + 1;
    return (struct place){j->at.file, j->line, column > INT32_MAX ? INT32_MAX : (int)column};
}

static enum rc bad(struct json_pull *j, const char *expected, struct err *e) {
    struct place at = pull_here(j);
    int c = pull_peek(j);
    j->failed = true;
    if (j->file && ferror(j->file))
        return err_set(e, RC_IO, "%s: cannot read", j->at.file);
    if (c < 0)
        return err_at(e, RC_SYNTAX, &at, "JSON: the data ends, expected %s", expected);
    if (c < 0x20 || c > 0x7e)
        return err_at(e, RC_SYNTAX, &at, "JSON: byte 0x%02x, expected %s", (unsigned)c, expected);
    return err_at(e, RC_SYNTAX, &at, "JSON: '%c', expected %s", c, expected);
}

static void pull_skip_blanks(struct json_pull *j) {
    for (int c; (c = pull_peek(j)) == ' ' || c == '\n' || c == '\t' || c == '\r'; j->p++)
        if (c == '\n') {
            j->line++;
            j->line_at = offset(j) + 1;
        }
}

/* --- texts ----------------------------------------------------------------------------------------- */

static void put(struct json_pull *j, size_t *n, int c) {
    if (*n + 1 < JSON_PULL_TEXT)
        j->text[(*n)++] = (char)c;
}

static void put_utf8(struct json_pull *j, size_t *n, unsigned code) {
    if (code < 0x80) {
        put(j, n, (int)code);
    } else if (code < 0x800) {
        put(j, n, (int)(0xC0 | code >> 6));
        put(j, n, (int)(0x80 | (code & 0x3F)));
    } else {
        put(j, n,
            (int)(0xE0 | code >> 12)); // halves of a surrogate pair are kept apart: no key has them
        put(j, n, (int)(0x80 | (code >> 6 & 0x3F)));
        put(j, n, (int)(0x80 | (code & 0x3F)));
    }
}

static enum rc read_escape(struct json_pull *j, size_t *n, struct err *e) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = pull_peek(j);
    const char *found = c > 0 ? strchr(from, c) : NULL;
    if (found) {
        j->p++;
        put(j, n, to[found - from]);
        return RC_OK;
    }
    if (c != 'u')
        return bad(j, "an escape such as \\n", e);
    j->p++;
    unsigned code = 0;
    for (int i = 0; i < 4; i++, j->p++) {
        c = pull_peek(j);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return bad(j, "four hexadecimal digits", e);
        code = code << 4 | (unsigned)digit;
    }
    put_utf8(j, n, code);
    return RC_OK;
}

static enum rc read_text(struct json_pull *j, struct err *e) {
    size_t n = 0;
    for (j->p++;; j->p++) {
        int c = pull_peek(j);
        if (c == '"')
            break;
        if (c < 0x20)
            return bad(j, "a text to end with '\"'", e);
        if (c == '\\') {
            j->p++;
            enum rc rc = read_escape(j, &n, e);
            if (rc)
                return rc;
            j->p--;
            continue;
        }
        put(j, &n, c);
    }
    j->p++;
    j->text[n] = '\0';
    j->token = JSON_TEXT;
    return RC_OK;
}

/* --- numbers and words ----------------------------------------------------------------------------- */

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static enum rc read_digits(struct json_pull *j, size_t *n, struct err *e) {
    if (!is_digit(pull_peek(j)))
        return bad(j, "a digit", e);
    for (int c; is_digit(c = pull_peek(j)); j->p++) {
        put(j, n, c);
        int digit = c - '0';
        if (j->whole && j->integer <= (INT64_MAX - digit) / 10)
            j->integer = j->integer * 10 + digit;
        else
            j->whole = false;
    }
    return RC_OK;
}

static enum rc read_number(struct json_pull *j, struct err *e) {
    size_t n = 0;
    j->integer = 0;
    j->whole = true;
    bool negative = pull_peek(j) == '-';
    if (negative) {
        put(j, &n, '-');
        j->p++;
        if (!is_digit(pull_peek(j)))
            return bad(j, "a digit; NaN and infinities are not JSON", e);
    }
    bool zero = pull_peek(j) == '0';
    int64_t first = offset(j);
    enum rc rc = read_digits(j, &n, e);
    if (!rc && zero && offset(j) - first > 1)
        return bad(j, "no digit after a leading 0", e);
    if (!rc && pull_peek(j) == '.') {
        j->whole = false;
        put(j, &n, '.');
        j->p++;
        rc = read_digits(j, &n, e);
    }
    if (!rc && (pull_peek(j) == 'e' || pull_peek(j) == 'E')) {
        j->whole = false;
        put(j, &n, 'e');
        j->p++;
        if (pull_peek(j) == '-' || pull_peek(j) == '+') {
            put(j, &n, pull_peek(j));
            j->p++;
        }
        rc = read_digits(j, &n, e);
    }
    if (negative)
        j->integer = -j->integer;
    if (n + 1 >= JSON_PULL_TEXT)
        return bad(j, "a number of fewer digits", e);
    j->text[n] = '\0';
    j->token = JSON_NUMBER;
    return rc;
}

static enum rc read_word(struct json_pull *j, struct err *e) {
    static const char *const words[] = {"true", "false", "null"};
    int c = pull_peek(j);
    for (int i = 0; i < 3; i++) {
        if (words[i][0] != c)
            continue;
        for (const char *w = words[i]; *w; w++, j->p++)
            if (pull_peek(j) != *w)
                return bad(j, words[i], e);
        memcpy(j->text, words[i], strlen(words[i]) + 1);
        j->token = JSON_WORD;
        return RC_OK;
    }
    return bad(
        j, c == 'N' || c == 'I' ? "a finite number; NaN and infinities are not JSON" : "a value",
        e);
}

/* --- structure ------------------------------------------------------------------------------------- */

static enum rc open_level(struct json_pull *j, int c, struct err *e) {
    if (j->depth == JSON_PULL_DEPTH)
        return bad(j, "fewer levels of nesting", e);
    j->kind[j->depth++] = (char)c;
    j->p++;
    j->token = c == '{' ? JSON_MAP : JSON_LIST;
    j->want_comma = false;
    return RC_OK;
}

static enum rc close_level(struct json_pull *j) {
    j->token = j->kind[--j->depth] == '{' ? JSON_MAP_END : JSON_LIST_END;
    j->p++;
    j->want_comma = true;
    return RC_OK;
}

static enum rc read_value(struct json_pull *j, struct err *e) {
    int c = pull_peek(j);
    j->after_key = false;
    if (c == '{' || c == '[')
        return open_level(j, c, e);
    j->want_comma = true;
    return c == '"'                  ? read_text(j, e)
           : c == '-' || is_digit(c) ? read_number(j, e)
                                     : read_word(j, e);
}

static enum rc read_key(struct json_pull *j, struct err *e) {
    if (pull_peek(j) != '"')
        return bad(j, "a key in quotes", e);
    enum rc rc = read_text(j, e);
    if (rc)
        return rc;
    pull_skip_blanks(j);
    if (pull_peek(j) != ':')
        return bad(j, "':' after a key", e);
    j->p++;
    j->token = JSON_KEY;
    j->after_key = true;
    return RC_OK;
}

enum rc json_pull_next(struct json_pull *j, struct err *e) {
    BUG_ON(j->failed);
    pull_skip_blanks(j);
    j->at = pull_here(j);
    int c = pull_peek(j);
    if (j->depth == 0) {
        if (c >= 0)
            return read_value(j, e);
        if (j->file && ferror(j->file))
            return bad(j, "more data", e);
        j->token = JSON_END;
        return RC_OK;
    }
    bool map = j->kind[j->depth - 1] == '{';
    if (j->after_key)
        return read_value(j, e);
    if (c == (map ? '}' : ']'))
        return close_level(j);
    if (j->want_comma) {
        if (c != ',')
            return bad(j, map ? "',' or '}'" : "',' or ']'", e);
        j->p++;
        j->want_comma = false;
        pull_skip_blanks(j);
        j->at = pull_here(j);
    }
    return map ? read_key(j, e) : read_value(j, e);
}

enum rc json_pull_skip(struct json_pull *j, struct err *e) {
    enum rc rc = RC_OK;
    if (j->token == JSON_MAP || j->token == JSON_LIST)
        for (int depth = j->depth - 1; !rc && j->depth > depth;)
            rc = json_pull_next(j, e);
    return rc;
}

enum rc json_pull_number(const struct json_pull *j, double *value, struct err *e) {
    if (j->token != JSON_NUMBER)
        return err_at(e, RC_SCHEMA, &j->at, "%s, expected a number", json_pull_name(j));
    *value = j->whole ? (double)j->integer : strtod(j->text, NULL);
    return isfinite(*value)
               ? RC_OK
               : err_at(e, RC_RANGE, &j->at, "'%.40s' is more than a double holds", j->text);
}

const char *json_pull_name(const struct json_pull *j) {
    static const char *const names[] = {[JSON_END] = "the end of the data",
                                        [JSON_MAP] = "a map",
                                        [JSON_MAP_END] = "the end of a map",
                                        [JSON_LIST] = "a list",
                                        [JSON_LIST_END] = "the end of a list",
                                        [JSON_KEY] = "a key",
                                        [JSON_TEXT] = "a text",
                                        [JSON_NUMBER] = "a number",
                                        [JSON_WORD] = "a word (true, false, null)"};
    return names[j->token];
}
