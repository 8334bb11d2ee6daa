/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - one self-contained HTML page, or CSV, from records of a sweep or from one result.
 *
 * The page shows what the records hold and adds no number of its own but counts, means and ranges of them: what a
 * gate withdrew is null there, and is missing here with its reason.
 * Units: SI.  Errors: RC_IO, RC_SYNTAX with the line.  Ownership: page_clear() releases. */
#ifndef SIM_REPORT_PAGE_H
#define SIM_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "platforms/base/mem.h"
#include "sim/study/result.h"

enum { PAGE_AXES = 12, PAGE_CALLS = 12, PAGE_NAMES = 16 };

/* A number of a record; not known: null. */
struct page_number {
    bool known;
    double value;
};

struct page_call {
    int name; /* strategy and phase: index into page.names */
    struct page_number analytic_s, simulated_s; /* call times, or wire times where they are not known */
    struct page_number slack; /* wire time over its lower bound */
    bool wire;
};

struct page_point {
    int64_t number, seed;
    bool failed;
    bool numeric[PAGE_AXES];
    double x[PAGE_AXES];
    int text[PAGE_AXES]; /* index into page.texts */
    struct page_number gain, band[2], wire_gain, analytic_gain, ratio, rho;
    int n_calls;
    struct page_call calls[PAGE_CALLS];
};

struct page_texts {
    char **items;
    int *counts;
    size_t n, room;
};

struct page {
    const char *source; /* file, for the heading */
    json_t *first;      /* first record without error */
    json_t *detail;     /* first with links over time; may be first */
    json_t *explained;  /* first with causes */
    struct page_texts axes, texts, names, withdrawn, errors;
    struct page_point *points;
    size_t n, room;
    size_t failed;
    bool truncated;   /* the last line was cut off */
    bool conditional; /* a call has no passed gate that speaks for it */
};

enum rc page_read(const char *path, struct page *page, struct err *e);
void page_clear(struct page *page);

void page_write(const struct page *page, struct buf *out);
/* The page of one result; name stands for the file in the heading. */
enum rc page_write_result(const struct result *r, const char *name, struct buf *out, struct err *e);

/* All records as CSV, one row a call, units in the names of the columns. *truncated: the last line was cut off. */
enum rc page_csv(const char *path, struct buf *out, bool *truncated, struct err *e);

/* --- for the parts of the page --------------------------------------------------------------------- */

typedef enum rc (*page_record_f)(json_t *record, void *context, struct err *e);
/* Marks, by line from 0, records of a sweep that a later one replaces: of the same sweep, coordinates and seed, tried
 * again or asked of another program. free() releases. */
bool *page_superseded(FILE *in);
/* Calls f for every record of JSON Lines that no later one replaces, or once for a file with one result. */
enum rc page_each(const char *path, page_record_f f, void *context, bool *truncated, struct err *e);
/* The error of a file without records. */
enum rc page_empty(const char *path, struct err *e);

/* Value under a path of keys, each ended by a blank: "gain band"; NULL when missing. */
const json_t *page_get(const json_t *node, const char *path);
struct page_number page_number(const json_t *node, const char *path);
const char *page_text(const json_t *node, const char *path); /* "" when missing */
/* "two-hop dispatch"; free() releases. */
char *page_call_name(const json_t *call);

/* Plots with their tables; each writes a whole section. Nothing when there is nothing to draw. */
void page_map(const struct page *page, struct buf *out);
void page_curves(const struct page *page, struct buf *out);
void page_scatter(const struct page *page, struct buf *out);
void page_waterfall(const struct page *page, struct buf *out);
void page_ranks(const struct page *page, struct buf *out);
void page_links(const struct page *page, struct buf *out);
void page_traffic(const struct page *page, struct buf *out);

/* Rows of a table and of its CSV at once: fields are given one by one, the first row is the head. */
struct page_table {
    struct buf html, csv;
    size_t rows;
    int column;
};
void page_cell(struct page_table *t, const char *text);
void page_value(struct page_table *t, struct page_number number);
void page_row(struct page_table *t);
/* The table folded away, with a link to the CSV; the table is released. */
void page_table_end(struct page_table *t, const char *name, struct buf *out);

void page_section(struct buf *out, const char *title, const char *text);

#endif
