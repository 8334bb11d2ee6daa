/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/matrix.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/json.h"
#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

void matrix_init(struct matrix *m, int ranks, size_t n_entries, bool whole) {
    *m = (struct matrix){.ranks = ranks,
                         .start = mem_alloc((size_t)ranks + 1, sizeof *m->start),
                         .dst = mem_alloc(n_entries, sizeof *m->dst),
                         .value = mem_alloc(n_entries, sizeof *m->value),
                         .whole = whole};
}

void matrix_append(struct matrix *m, size_t *room, int src, int dst, double value) {
    size_t n = m->start[src + 1];
    if (value == 0)
        return;
    if (n == *room) {
        *room = *room ? 2 * *room : 1024;
        m->dst = mem_resize(m->dst, *room, sizeof *m->dst);
        m->value = mem_resize(m->value, *room, sizeof *m->value);
    }
    m->dst[n] = dst;
    m->value[n] = value;
    m->start[src + 1] = n + 1;
}

void matrix_clear(struct matrix *m) {
    free(m->start);
    free(m->dst);
    free(m->value);
    *m = (struct matrix){0};
}

static size_t entries(const struct matrix *m) {
    return m->start ? m->start[m->ranks] : 0;
}

size_t matrix_find(const struct matrix *m, int src, int dst) {
    size_t low = m->start[src], high = m->start[src + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->dst[middle] < dst)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void matrix_scale(const struct matrix *m, double factor, struct matrix *into) {
    size_t n = entries(m);
    struct matrix copy;
    matrix_init(&copy, m->ranks, n, false);
    memcpy(copy.start, m->start, ((size_t)m->ranks + 1) * sizeof *m->start);
    memcpy(copy.dst, m->dst, n * sizeof *m->dst);
    for (size_t i = 0; i < n; i++)
        copy.value[i] = m->value[i] * factor;
    *into = copy;
}

void matrix_transpose(const struct matrix *m, struct matrix *into) {
    size_t n = entries(m);
    struct matrix t;
    matrix_init(&t, m->ranks, n, m->whole);
    for (size_t i = 0; i < n; i++)
        t.start[m->dst[i] + 1]++;
    for (int r = 0; r < t.ranks; r++)
        t.start[r + 1] += t.start[r];
    size_t *next = mem_alloc((size_t)t.ranks + 1, sizeof *next);
    memcpy(next, t.start, ((size_t)t.ranks + 1) * sizeof *next);
    // senders rise, so the columns of each transposed row rise too
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            size_t k = next[m->dst[i]]++;
            t.dst[k] = src;
            t.value[k] = m->value[i];
        }
    free(next);
    *into = t;
}

void matrix_sums(const struct matrix *m, bool out, bool diagonal, double *sums) {
    memset(sums, 0, (size_t)m->ranks * sizeof *sums);
    for (int src = 0; src < m->ranks; src++) {
        double sent = 0;
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (!diagonal && m->dst[i] == src)
                continue;
            sent += m->value[i];
            if (!out)
                sums[m->dst[i]] += m->value[i];
        }
        if (out)
            sums[src] = sent;
    }
}

double matrix_total(const struct matrix *m, bool diagonal) {
    double *sums = mem_alloc((size_t)m->ranks, sizeof *sums);
    matrix_sums(m, true, diagonal, sums);
    double total = stat_sum(sums, (size_t)m->ranks);
    free(sums);
    return total;
}

double matrix_rho_max(const struct matrix *m, bool out) {
    double *sums = mem_alloc((size_t)m->ranks, sizeof *sums);
    matrix_sums(m, out, false, sums);
    double rho = stat_max_over_mean(sums, (size_t)m->ranks);
    free(sums);
    return rho;
}

double *matrix_dense(const struct matrix *m) {
    size_t n = (size_t)m->ranks;
    double *dense = mem_alloc(n * n, sizeof *dense);
    for (size_t src = 0; src < n; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            dense[src * n + (size_t)m->dst[i]] += m->value[i];
    return dense;
}

void matrix_from_dense(const double *dense, int ranks, bool whole, struct matrix *into) {
    size_t n = (size_t)ranks;
    matrix_init(into, ranks, n * n, whole);
    memcpy(into->value, dense, n * n * sizeof *dense);
    for (size_t i = 0; i < n * n; i++)
        into->dst[i] = (int)(i % n);
    for (size_t src = 0; src <= n; src++)
        into->start[src] = src * n;
}

/* The two types share size and byte order handling: 8 bytes, little-endian. */
static void put_le64(uint64_t bits, char *into) {
    for (int i = 0; i < 8; i++)
        into[i] = (char)(bits >> (8 * i));
}

enum rc matrix_write_npy(const struct matrix *m, const char *unit, const char *path, struct err *e) {
    size_t n = (size_t)m->ranks;
    char header[118 + 1];
    int used = snprintf(header, sizeof header,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), } # " MATRIX_MARK "%s",
                        m->whole ? "<i8" : "<f8", n, n, unit);
    memset(header + used, ' ', sizeof header - 1 - (size_t)used);
    header[117] = '\n';
    struct buf b = {0};
    buf_add(&b, "\x93NUMPY\x01\x00\x76\x00", 10); // version 1.0, header of 118 bytes: data at 128
    buf_add(&b, header, 118);
    double *dense = matrix_dense(m);
    for (size_t i = 0; i < n * n; i++) {
        uint64_t bits;
        char bytes[8];
        int64_t whole = (int64_t)dense[i];
        memcpy(&bits, m->whole ? (const void *)&whole : (const void *)&dense[i], sizeof bits);
        put_le64(bits, bytes);
        buf_add(&b, bytes, sizeof bytes);
    }
    free(dense);
    enum rc rc = file_write(path, b.text, b.n, e);
    buf_clear(&b);
    return rc;
}

enum rc matrix_write_csv(const struct matrix *m, const char *unit, const char *path, struct err *e) {
    struct buf b = {0};
    int last = m->ranks - 1;
    bool named = false;
    buf_printf(&b, "src,dst,%s\n", unit);
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            char number[JSON_NUMBER];
            if (m->value[i] == 0)
                continue;
            named = named || src == last || m->dst[i] == last;
            buf_printf(&b, "%d,%d,%s\n", src, m->dst[i], json_format(m->value[i], number));
        }
    if (!named && m->ranks)
        buf_printf(&b, "%d,%d,0\n", last, last);
    enum rc rc = file_write(path, b.text, b.n, e);
    buf_clear(&b);
    return rc;
}
