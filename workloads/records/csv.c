/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char bom[] = "\xEF\xBB\xBF";

/* Returns what separates the fields: the first line has it. */
static char separator_of(const char *data, size_t n) {
    const char *stop = n ? memchr(data, '\n', n) : NULL;
    size_t line = stop ? (size_t)(stop - data) : n;
    if (line == 0 || memchr(data, ',', line))
        return ',';
    return memchr(data, ';', line) ? ';' : memchr(data, '\t', line) ? '\t' : ',';
}

void csv_init(struct csv *c, const char *data, size_t n, const char *name) {
    *c = (struct csv){.data = data, .n = n, .at = {name, 1, 1}, .separator = separator_of(data, n)};
    if (n >= 3 && memcmp(data, bom, 3) == 0)
        c->next = c->line_start = 3;
}

void csv_clear(struct csv *c) {
    buf_clear(&c->text);
    free(c->fields);
    *c = (struct csv){0};
}

static int csv_peek(const struct csv *c) {
    return c->next < c->n ? (unsigned char)c->data[c->next] : -1;
}

static struct place csv_here(const struct csv *c) {
    return (struct place){c->at.file, c->at.line, (int)(c->next - c->line_start) + 1};
}

static void skip(struct csv *c) {
    if (c->data[c->next++] == '\n') {
        c->at.line++;
        c->line_start = c->next;
    }
}

static bool is_end_of_field(const struct csv *c) {
    int byte = csv_peek(c);
    return byte < 0 || byte == c->separator || byte == '\r' || byte == '\n';
}

/* Moves one byte into the text of the current field. */
static enum rc take(struct csv *c, struct err *e) {
    char byte = c->data[c->next];
    if (byte == '\0') {
        struct place at = csv_here(c);
        return err_at(e, RC_SYNTAX, &at, "NUL byte, expected text");
    }
    buf_add(&c->text, &byte, 1);
    skip(c);
    return RC_OK;
}

static void csv_skip_blanks(struct csv *c) {
    while (csv_peek(c) == ' ' || (csv_peek(c) == '\t' && c->separator != '\t'))
        skip(c);
}

static enum rc read_quoted(struct csv *c, struct err *e) {
    struct place open = csv_here(c);
    skip(c);
    for (;;) {
        if (csv_peek(c) < 0)
            return err_at(e, RC_SYNTAX, &open, "quote is never closed");
        if (csv_peek(c) == '"') {
            skip(c);
            if (csv_peek(c) != '"')
                break;
        }
        enum rc rc = take(c, e);
        if (rc)
            return rc;
    }
    csv_skip_blanks(c);
    struct place at = csv_here(c);
    return is_end_of_field(c) ? RC_OK
                                    : err_at(e, RC_SYNTAX, &at,
                                             "text after the closing quote, expected a comma or "
                                             "the end of the line");
}

static enum rc read_plain(struct csv *c, size_t offset, struct err *e) {
    while (!is_end_of_field(c)) {
        struct place at = csv_here(c);
        if (csv_peek(c) == '"')
            return err_at(e, RC_SYNTAX, &at,
                          "quote inside an unquoted field; quote the whole field and double it");
        enum rc rc = take(c, e);
        if (rc)
            return rc;
    }
    while (c->text.n > offset && strchr(" \t", c->text.text[c->text.n - 1]))
        c->text.n--;
    return RC_OK;
}

static enum rc csv_read_field(struct csv *c, struct err *e) {
    csv_skip_blanks(c);
    struct csv_field f = {.at = csv_here(c), .quoted = csv_peek(c) == '"', .offset = c->text.n};
    enum rc rc = f.quoted ? read_quoted(c, e) : read_plain(c, f.offset, e);
    if (rc)
        return rc;
    f.n = c->text.n - f.offset;
    buf_add(&c->text, "", 1); // the NUL that ends the field
    MEM_GROW(c->fields, c->n_fields, c->room);
    c->fields[c->n_fields++] = f;
    return RC_OK;
}

static enum rc read_line_end(struct csv *c, struct err *e) {
    struct place at = csv_here(c);
    if (csv_peek(c) == '\r') {
        skip(c);
        if (csv_peek(c) != '\n')
            return err_at(e, RC_SYNTAX, &at, "carriage return without a line feed after it");
    }
    if (csv_peek(c) == '\n')
        skip(c);
    return RC_OK;
}

static bool is_blank(const struct csv *c) {
    return c->n_fields == 1 && c->fields[0].n == 0 && !c->fields[0].quoted;
}

enum rc csv_next(struct csv *c, struct err *e) {
    do {
        c->n_fields = 0;
        c->text.n = 0;
        if (c->next == c->n)
            return RC_OK;
        enum rc rc = csv_read_field(c, e);
        while (!rc && csv_peek(c) == c->separator) {
            skip(c);
            rc = csv_read_field(c, e);
        }
        if (!rc)
            rc = read_line_end(c, e);
        if (rc) {
            c->n_fields = 0;
            return rc;
        }
    } while (is_blank(c));
    for (size_t i = 0; i < c->n_fields; i++)
        c->fields[i].text = c->text.text + c->fields[i].offset;
    return RC_OK;
}

static const char *skip_digits(const char *p) {
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

bool csv_number(const struct csv_field *f, double *value) {
    // strtod() alone would take hexadecimal, "inf" and "nan" too
    const char *p = f->text + (*f->text == '-' || *f->text == '+'), *from = p;
    p = skip_digits(p);
    bool digits = p > from;
    if (*p == '.') {
        from = ++p;
        p = skip_digits(p);
        digits = digits || p > from;
    }
    if (digits && (*p == 'e' || *p == 'E')) {
        p += 1 + (p[1] == '-' || p[1] == '+');
        digits = isdigit((unsigned char)*p);
        p = skip_digits(p);
    }
    if (!digits || *p)
        return false;
    double x = strtod(f->text, NULL);
    if (isfinite(x))
        *value = x;
    return isfinite(x);
}
