/* SPDX-License-Identifier: BSD-3-Clause */
/* npy.h - NumPy's array file, versions 1.0, 2.0 and 3.0, read in place.
 *
 * Types: bool, integers of 1, 2, 4 and 8 bytes, floats of 4 and 8 bytes, little- or big-endian.
 * Shapes: any with up to NPY_DIMS dimensions; items are indexed in C order whatever the file's order is.
 * Source: NumPy format description (numpy.lib.format).
 * Units: none.
 * Errors: RC_SYNTAX (damaged header), RC_SHAPE (data shorter or longer than the shape), RC_UNSUPPORTED (other
 * types and versions).  Ownership: an array borrows the data it was parsed from. */
#ifndef WORKLOADS_RECORDS_NPY_H
#define WORKLOADS_RECORDS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platforms/base/err.h"

enum { NPY_DIMS = 8, NPY_TEXT = 200, NPY_COMMENT = 40 };

struct npy {
    char kind; /* 'b' bool, 'i' signed, 'u' unsigned, 'f' float */
    int item_bytes;
    bool big_endian;
    bool fortran;
    int n_dims;
    uint64_t shape[NPY_DIMS];
    uint64_t n_items;
    const unsigned char *items;
    char comment[NPY_COMMENT]; /* behind a # after the header's map, which Python reads as a comment; "": none */
};

/* True when the data starts as an array file does. */
bool npy_is(const char *data, size_t n);

/* Parses an array file in memory; name stands for the file in messages. */
enum rc npy_parse(const char *data, size_t n, const char *name, struct npy *a, struct err *e);

/* Returns item i in C order; 64-bit integers are rounded to the nearest double. */
double npy_value(const struct npy *a, uint64_t i);

/* Writes the shape as Python does: "(3, 64)". */
const char *npy_shape_text(const struct npy *a, char text[static NPY_TEXT]);

#endif
