/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - aligned columns of text.
 * Units: columns of text. Errors: none. Ownership: cells are copied; table_clear() releases.
 * Edges: a word that is longer than a line is not broken. */
#ifndef SIM_REPORT_TABLE_H
#define SIM_REPORT_TABLE_H

#include "platforms/base/mem.h"

enum { TABLE_COLUMNS = 12 };

struct table {
    int columns;
    char **cells; /* row-major */
    size_t n;
    size_t room;
};

void table_init(struct table *t, int columns);
void table_cell(struct table *t, const char *format, ...) ERR_PRINTF(2, 3);
/* Fills the row that was begun with empty cells. */
void table_end_row(struct table *t);
/* Appends the table: the first column is left-aligned, the others right-aligned unless `left` is set; two blanks
 * between. With `left` the last column is broken at blanks so that lines fit 100 columns. */
void table_write(const struct table *t, bool left, struct buf *out);
void table_clear(struct table *t);

/* Appends one paragraph broken at blanks so that lines fit 100 columns; further lines are indented by 4. */
void table_paragraph(struct buf *out, const char *format, ...) ERR_PRINTF(2, 3);
/* Appends each line of lines (NULL: none) as a paragraph "label: line". */
void table_lines(struct buf *out, const char *label, const char *lines);

/* Appends lines that begin with a label of 16 columns, each broken as a paragraph is; further lines begin after the
 * label. */
void table_labelled(struct buf *out, const char *lines);

#endif
