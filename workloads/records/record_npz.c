/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy's .npz is a zip archive of .npy members. Members are read from their local headers, one after the
 * other; stored ones (method 0) lie there as they are. Source: PKWARE APPNOTE, sections 4.3.7 and 4.5.3
 * (zip64). */
#include "workloads/records/record_read.h"

#include <string.h>

enum { HEADER = 30, ZIP64 = 1, NAME = 200 };

struct member {
    char name[NAME];
    int method;
    const char *data;
    uint64_t n;
};

static uint64_t little(const char *p, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)p[i];
    return value;
}

/* Sizes above 32 bits stand in an extra field: uncompressed, compressed. */
static bool zip64_size(const char *extra, size_t n, uint64_t *size) {
    enum { FIELD = 4, BOTH = 16 };
    for (size_t i = 0; i + FIELD <= n;) {
        size_t length = (size_t)little(extra + i + 2, 2);
        if (length > n - i - FIELD)
            return false;
        if (little(extra + i, 2) == ZIP64 && length >= BOTH) {
            *size = little(extra + i + FIELD + 8, 8);
            return true;
        }
        i += FIELD + length;
    }
    return false;
}

/* Reads the member at *p and moves on. RC_OK with method -1: no member there. */
static enum rc next_member(const char **p, const char *end, const char *name, struct member *m,
                           struct err *e) {
    const uint64_t in_zip64 = 0xFFFFFFFF;
    const int deferred = 8; // flag: sizes stand behind the data
    size_t left = (size_t)(end - *p);
    m->method = -1;
    if (left < HEADER || memcmp(*p, "PK\3\4", 4) != 0)
        return RC_OK;
    size_t name_n = (size_t)little(*p + 26, 2), extra_n = (size_t)little(*p + 28, 2);
    if (name_n + extra_n > left - HEADER)
        return err_set(e, RC_SYNTAX, "%s: archive cut short inside a header", name);
    m->n = little(*p + 18, 4);
    if (m->n == in_zip64 && !zip64_size(*p + HEADER + name_n, extra_n, &m->n))
        return err_set(e, RC_SYNTAX, "%s: archive member without its 64-bit size", name);
    size_t kept = name_n < NAME ? name_n : NAME - 1;
    memcpy(m->name, *p + HEADER, kept);
    m->name[kept] = '\0';
    m->data = *p + HEADER + name_n + extra_n;
    if ((little(*p + 6, 2) & (uint64_t)deferred) && m->n == 0)
        return err_set(e, RC_UNSUPPORTED,
                       "%s: archive written as a stream; save it again with numpy.savez", name);
    if (m->n > (uint64_t)(end - m->data))
        return err_set(e, RC_SYNTAX, "%s: archive cut short inside '%.60s'", name, m->name);
    m->method = (int)little(*p + 8, 2);
    *p = m->data + m->n;
    return RC_OK;
}

static bool is_named(const struct member *m, const char *want) {
    size_t n = strlen(want);
    return strncmp(m->name, want, n) == 0 &&
           (m->name[n] == '\0' || strcmp(m->name + n, ".npy") == 0);
}

enum rc record_find_npz(const char *data, size_t n, const char *name, const char *want,
                        const char **array, size_t *array_n, struct err *e) {
    struct member m, found = {.method = -1};
    struct buf list = {0};
    int arrays = 0;
    enum rc rc;
    for (const char *p = data; !(rc = next_member(&p, data + n, name, &m, e)) && m.method >= 0;) {
        size_t length = strlen(m.name);
        if (length < 4 || strcmp(m.name + length - 4, ".npy") != 0)
            continue;
        buf_printf(&list, "%s%.*s", list.n ? ", " : "", (int)length - 4, m.name);
        if (want && !is_named(&m, want))
            continue;
        found = m;
        arrays++;
    }
    if (!rc && arrays == 0 && list.n == 0)
        rc = err_set(
            e, RC_UNSUPPORTED,
            "%s: a zip archive, expected .npy, CSV or JSON; convert it first: unzip it, then give "
            "the file inside",
            name);
    else if (!rc && arrays != 1)
        rc = err_set(e, RC_SCHEMA, "%s: %s array, choose one with routing.model: %.300s", name,
                     arrays ? "more than one" : "no such", list.text);
    else if (!rc && found.method != 0)
        rc = err_set(e, RC_UNSUPPORTED,
                     "%s: compressed array '%.60s'; convert it first: python -c \"import numpy; "
                     "numpy.savez('stored.npz', **numpy.load('%.150s'))\"",
                     name, found.name, name);
    buf_clear(&list);
    if (rc)
        return rc;
    *array = found.data;
    *array_n = (size_t)found.n;
    return RC_OK;
}
