/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/npy.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "platforms/base/mem.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, EXCERPT = 48 };

/* The header's text and how far it has been read. */
struct header {
    const char *p;
    const char *end;
    struct place at;
};

bool npy_is(const char *data, size_t n) {
    return n >= MAGIC_BYTES && memcmp(data, magic, MAGIC_BYTES) == 0;
}

/* What the header holds where reading stopped, fit for a message. */
static const char *excerpt(const struct header *h, char text[static EXCERPT]) {
    size_t n = 0;
    for (const char *p = h->p; p < h->end && n + 1 < EXCERPT; p++)
        text[n++] = isprint((unsigned char)*p) ? *p : '?';
    while (n && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    return n ? text : "the end of the header";
}

static enum rc expected(const struct header *h, const char *what, struct err *e) {
    char found[EXCERPT];
    return err_at(e, RC_SYNTAX, &h->at, "array header: expected %s, found %s", what,
                  excerpt(h, found));
}

static void npy_skip_blanks(struct header *h) {
    while (h->p < h->end && isspace((unsigned char)*h->p))
        h->p++;
}

static bool accept(struct header *h, char byte) {
    npy_skip_blanks(h);
    bool found = h->p < h->end && *h->p == byte;
    h->p += found;
    return found;
}

static bool accept_word(struct header *h, const char *word) {
    size_t n = strlen(word);
    npy_skip_blanks(h);
    bool found = (size_t)(h->end - h->p) >= n && memcmp(h->p, word, n) == 0;
    if (found)
        h->p += n;
    return found;
}

/* Reads a Python string without escapes, as far as it fits. False: there is none here. */
static bool read_string(struct header *h, char text[static EXCERPT]) {
    const char *start = h->p;
    char quote = accept(h, '\'') ? '\'' : '"';
    if (quote == '"' && !accept(h, '"'))
        return false;
    size_t n = 0;
    while (h->p < h->end && *h->p != quote && isprint((unsigned char)*h->p) && n + 1 < EXCERPT)
        text[n++] = *h->p++;
    text[n] = '\0';
    if (accept(h, quote))
        return true;
    h->p = start;
    return false;
}

static enum rc read_descr(struct header *h, struct npy *a, struct err *e) {
    static const char *const known[] = {"b1", "i1", "i2", "i4", "i8", "u1",
                                        "u2", "u4", "u8", "f4", "f8"};
    char type[EXCERPT];
    if (accept(h, '['))
        return err_at(e, RC_UNSUPPORTED, &h->at,
                      "structured array, expected plain integers or floats; save one field of it");
    if (!read_string(h, type))
        return expected(h, "the type as text", e);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool one_byte = known[i][1] == '1';
        if (type[0] && strcmp(type + 1, known[i]) == 0 &&
            strchr(one_byte ? "|<>" : "<>", type[0])) {
            a->kind = known[i][0];
            a->item_bytes = known[i][1] - '0';
            a->big_endian = type[0] == '>';
            return RC_OK;
        }
    }
    const char *what = strchr(type, 'O')       ? "Python objects"
                       : strpbrk(type, "SUaV") ? "text or raw bytes"
                       : strchr(type, 'c')     ? "complex numbers"
                       : strpbrk(type, "mM")   ? "dates or times"
                                               : "a type that is not supported";
    return err_at(e, RC_UNSUPPORTED, &h->at,
                  "array of type '%s' (%s), expected integers of 1 to 8 bytes or floats of 4 or 8, "
                  "such as '<i8'",
                  type, what);
}

static enum rc read_order(struct header *h, struct npy *a, struct err *e) {
    a->fortran = accept_word(h, "True");
    return a->fortran || accept_word(h, "False") ? RC_OK : expected(h, "True or False", e);
}

static enum rc read_dimension(struct header *h, struct npy *a, struct err *e) {
    uint64_t value = 0;
    npy_skip_blanks(h);
    if (h->p == h->end || !isdigit((unsigned char)*h->p))
        return expected(h, "a dimension", e);
    if (a->n_dims == NPY_DIMS)
        return err_at(e, RC_UNSUPPORTED, &h->at, "array has more than %d dimensions", NPY_DIMS);
    for (; h->p < h->end && isdigit((unsigned char)*h->p); h->p++)
        if (!mem_mul_u64(value, 10, &value) || !mem_add_u64(value, (uint64_t)(*h->p - '0'), &value))
            return err_at(e, RC_RANGE, &h->at, "array header: a dimension is above 2^64");
    a->shape[a->n_dims++] = value;
    accept(h, 'L'); // Python 2 wrote long integers as 3L
    return RC_OK;
}

static enum rc read_shape(struct header *h, struct npy *a, struct err *e) {
    if (!accept(h, '('))
        return expected(h, "the shape, '('", e);
    bool comma = true;
    while (!accept(h, ')')) {
        if (!comma)
            return expected(h, "',' or ')' in the shape", e);
        enum rc rc = read_dimension(h, a, e);
        if (rc)
            return rc;
        comma = accept(h, ',');
    }
    // Python's (64) is a number, (64,) a shape
    return a->n_dims == 1 && !comma ? expected(h, "',' in a shape of one dimension", e) : RC_OK;
}

/* Reads "# text" up to the end of the header, without the blanks around the text. */
static void read_comment(struct header *h, struct npy *a) {
    size_t n = 0, kept = 0;
    if (accept(h, '#'))
        for (npy_skip_blanks(h); h->p < h->end && *h->p != '\n'; h->p++) {
            if (n + 1 < NPY_COMMENT)
                a->comment[n++] = *h->p;
            kept = *h->p == ' ' ? kept : n;
        }
    a->comment[kept] = '\0';
    npy_skip_blanks(h);
}

static enum rc npy_read_header(struct header *h, struct npy *a, struct err *e) {
    static const struct {
        const char *name;
        enum rc (*read)(struct header *h, struct npy *a, struct err *e);
    } keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    bool seen[3] = {false, false, false};
    if (!accept(h, '{'))
        return expected(h, "'{'", e);
    for (bool comma = true; !accept(h, '}'); comma = accept(h, ',')) {
        char name[EXCERPT];
        size_t i = 0;
        if (!comma || !read_string(h, name))
            return expected(h, comma ? "a key" : "',' or '}'", e);
        while (i < 3 && strcmp(keys[i].name, name) != 0)
            i++;
        if (i == 3 || seen[i])
            return err_at(e, RC_SYNTAX, &h->at, "array header: %s key '%s'",
                          i == 3 ? "unknown" : "second", name);
        seen[i] = true;
        if (!accept(h, ':'))
            return expected(h, "':'", e);
        enum rc rc = keys[i].read(h, a, e);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < 3; i++)
        if (!seen[i])
            return err_at(e, RC_SYNTAX, &h->at, "array header: key '%s' is missing", keys[i].name);
    read_comment(h, a);
    return h->p == h->end ? RC_OK : expected(h, "nothing after '}'", e);
}

static enum rc check_size(const struct header *h, struct npy *a, size_t n, struct err *e) {
    char shape[NPY_TEXT];
    uint64_t bytes = (uint64_t)a->item_bytes;
    a->n_items = 1;
    for (int d = 0; d < a->n_dims; d++)
        if (!mem_mul_u64(bytes, a->shape[d], &bytes))
            return err_at(e, RC_RANGE, &h->at, "shape %s holds more than 2^64 bytes",
                          npy_shape_text(a, shape));
        else
            a->n_items *= a->shape[d];
    if (bytes != n)
        return err_at(e, RC_SHAPE, &h->at,
                      "%s: %zu bytes of data, but shape %s of %d-byte items needs %llu",
                      n < bytes ? "cut short" : "too long", n, npy_shape_text(a, shape),
                      a->item_bytes, (unsigned long long)bytes);
    return RC_OK;
}

enum rc npy_parse(const char *data, size_t n, const char *name, struct npy *a, struct err *e) {
    struct place at = {name, 0, 0};
    const unsigned char *byte = (const unsigned char *)data;
    if (!npy_is(data, n) || n < MAGIC_BYTES + 4)
        return err_at(e, RC_SYNTAX, &at, "not a .npy array, or cut short inside the header");
    int major = byte[6], minor = byte[7];
    if (major < 1 || major > 3 || minor != 0)
        return err_at(e, RC_UNSUPPORTED, &at,
                      ".npy version %d.%d is not supported (known: 1.0, 2.0, 3.0)", major, minor);
    size_t start = major == 1 ? 10 : 12, length = 0;
    for (size_t i = start; i > 8 && n >= start; i--)
        length = length << 8 | byte[i - 1];
    if (n < start || length > n - start)
        return err_at(e, RC_SYNTAX, &at,
                      "cut short inside the header: %zu bytes, header ends at %zu", n,
                      start + length);
    struct header h = {data + start, data + start + length, at};
    struct npy array = {.items = byte + start + length};
    enum rc rc = npy_read_header(&h, &array, e);
    if (!rc)
        rc = check_size(&h, &array, n - start - length, e);
    if (!rc)
        *a = array;
    return rc;
}

static uint64_t file_index(const struct npy *a, uint64_t i) {
    if (!a->fortran)
        return i;
    uint64_t index = 0, stride = a->n_items;
    for (int d = a->n_dims - 1; d >= 0; d--) {
        stride /= a->shape[d];
        index += i % a->shape[d] * stride;
        i /= a->shape[d];
    }
    return index;
}

double npy_value(const struct npy *a, uint64_t i) {
    BUG_ON(i >= a->n_items);
    const unsigned char *item = a->items + file_index(a, i) * (uint64_t)a->item_bytes;
    uint64_t bits = 0;
    for (int b = 0; b < a->item_bytes; b++)
        bits = bits << 8 | item[a->big_endian ? b : a->item_bytes - 1 - b];
    if (a->kind == 'f' && a->item_bytes == 4) {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (a->kind == 'f') {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (a->kind == 'b')
        return bits != 0;
    uint64_t sign = (uint64_t)1 << (8 * a->item_bytes - 1);
    if (a->kind == 'i' && (bits & sign)) // two's complement: value = -(~bits + 1)
        return -((double)((~bits & (sign - 1)) + 1));
    return (double)bits;
}

const char *npy_shape_text(const struct npy *a, char text[static NPY_TEXT]) {
    int used = snprintf(text, NPY_TEXT, "(");
    for (int d = 0; d < a->n_dims; d++)
        used += snprintf(text + used, NPY_TEXT - (size_t)used, "%s%llu", d ? ", " : "",
                         (unsigned long long)a->shape[d]);
    snprintf(text + used, NPY_TEXT - (size_t)used, a->n_dims == 1 ? ",)" : ")");
    return text;
}
