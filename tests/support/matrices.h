/* SPDX-License-Identifier: BSD-3-Clause */
/* matrices.h - message matrices compared. */
#ifndef TESTS_SUPPORT_MATRICES_H
#define TESTS_SUPPORT_MATRICES_H

#include "tests/support/check.h"

#include "workloads/records/matrix.h"

/* Same ranks, same cells, same values to the last bit. */
static inline bool same_matrix(const struct matrix *a, const struct matrix *b) {
    size_t n = a->start[a->ranks], rows = (size_t)a->ranks + 1;
    return a->ranks == b->ranks && memcmp(a->start, b->start, rows * sizeof *a->start) == 0 &&
           memcmp(a->dst, b->dst, n * sizeof *a->dst) == 0 &&
           memcmp(a->value, b->value, n * sizeof *a->value) == 0;
}

#endif
