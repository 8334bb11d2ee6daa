/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.h - who sends how much to whom: a sparse square matrix over ranks.
 *
 * Shapes: row = sender, column = receiver; entry i of sender src is dst[i], value[i] for
 * start[src] <= i < start[src + 1], columns rising. The diagonal is local traffic and never on a link.
 * Units: those of the owner, rows (token payloads) or bytes.
 * Errors: RC_IO from writing a file; none otherwise.
 * Ownership: matrix_clear() releases; a zeroed struct is an empty matrix of 0 ranks. */
#ifndef WORKLOADS_RECORDS_MATRIX_H
#define WORKLOADS_RECORDS_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "platforms/base/err.h"

enum { MATRIX_RANKS_MAX = 16384 }; /* of a matrix in a file */

struct matrix {
    int ranks;
    size_t *start; /* ranks + 1 */
    int *dst;
    double *value;
    bool whole;    /* values are whole numbers (sampled rows) */
};

/* Makes room for n_entries; start, dst, value are for the caller to fill. */
void matrix_init(struct matrix *m, int ranks, size_t n_entries, bool whole);
/* Appends to row src, whose end start[src + 1] says; of rows one after the other, each begun with the end of the one
 * before. A value of 0 is left out. *room: entries that there is room for, at first 0. */
void matrix_append(struct matrix *m, size_t *room, int src, int dst, double value);
void matrix_clear(struct matrix *m);

/* Returns the first entry of row src whose column is dst or above, or the row's end. Columns must rise. */
size_t matrix_find(const struct matrix *m, int src, int dst);

/* Makes into = m * factor, or the transpose of m. */
void matrix_scale(const struct matrix *m, double factor, struct matrix *into);
void matrix_transpose(const struct matrix *m, struct matrix *into);

/* Fills the sums over each row (out) or column (in), with or without the diagonal; sums[ranks]. */
void matrix_sums(const struct matrix *m, bool out, bool diagonal, double *sums);
/* Returns the sum of all entries, with or without the diagonal. */
double matrix_total(const struct matrix *m, bool diagonal);

/* Returns the busiest rank over mean rank, diagonal excluded; -1 when nothing moves. */
double matrix_rho_max(const struct matrix *m, bool out);

/* Makes a dense copy, ranks x ranks, row-major; free() releases. And the other way, with an entry for every pair. */
double *matrix_dense(const struct matrix *m);
void matrix_from_dense(const double *dense, int ranks, bool whole, struct matrix *into);

/* Begins the comment in the header of an array file that we write; the unit follows, "rows" or "bytes". */
#define MATRIX_MARK "moesim matrix of "

/* Writes .npy (<i8 for whole matrices, <f8 otherwise) or .csv (src,dst,UNIT; zeros left out, but for one that
 * names the last rank where nothing else does). Both say the unit, and are records again. */
enum rc matrix_write_npy(const struct matrix *m, const char *unit, const char *path, struct err *e);
enum rc matrix_write_csv(const struct matrix *m, const char *unit, const char *path, struct err *e);

#endif
