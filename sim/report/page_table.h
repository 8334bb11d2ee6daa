/* SPDX-License-Identifier: BSD-3-Clause */
/* page_table.h - sections of a page, and tables that are HTML and CSV at once.
 *
 * Units: those of the head. Errors: none. Ownership: page_table_end() releases a table. Edges: of more than 200 rows
 * the page shows the first 200, the CSV has all; a comma in a cell is a semicolon in the CSV. */
#ifndef SIM_REPORT_PAGE_TABLE_H
#define SIM_REPORT_PAGE_TABLE_H

#include "sim/report/page_json.h"

/* Rows of a table and of its CSV at once: fields are given one by one, the first row is the head. */
struct page_table {
    struct buf html, csv;
    size_t rows;
    int column;
};
void page_cell(struct page_table *t, const char *text);
void page_value(struct page_table *t, struct page_number number);
void page_row(struct page_table *t);
/* Appends the table folded away, with a link to the CSV; the table is released. */
void page_table_end(struct page_table *t, const char *name, struct buf *out);

/* Begins a section with its heading and a paragraph. */
void page_section(struct buf *out, const char *title, const char *text);

#endif
