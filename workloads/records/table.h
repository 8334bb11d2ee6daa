/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - an array of numbers out of any format, before anybody has told what it holds.
 *
 * Units: none, or those of a matrix where the file says that it is one.
 * Errors: none.
 * Ownership: a table borrows everything.
 * Edges: a dimension of 0 makes 0 items. */
#ifndef WORKLOADS_RECORDS_TABLE_H
#define WORKLOADS_RECORDS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/err.h"

enum { TABLE_DIMS = 3, TABLE_TEXT = 80 };
enum table_unit { TABLE_PLAIN, TABLE_ROWS, TABLE_BYTES }; /* what the file says of a matrix; PLAIN: nothing */

struct record_table {
    struct place at;
    int dims; /* 1 to TABLE_DIMS */
    uint64_t shape[TABLE_DIMS];
    double (*value)(const void *from, uint64_t i); /* item i in C order */
    const void *from;
    bool integers;       /* by type: ids must be */
    bool one_byte;       /* 8-bit items: counts and ids above 255 cannot be held */
    enum table_unit unit; /* other than PLAIN: the file says that it is a matrix between ranks */
};

/* Returns how many numbers a table holds. Its shape was checked by the reader. */
uint64_t table_items(const struct record_table *t);

/* Writes the shape as Python does: "(3, 64)". */
const char *table_shape_text(const struct record_table *t, char text[static TABLE_TEXT]);

/* Returns item i of an array of doubles, for tables over one. */
double table_double(const void *from, uint64_t i);

#endif
