/* SPDX-License-Identifier: BSD-3-Clause */
/* page_read.h - what a page shows: points of records, and the records that hold the detail of one.
 *
 * Units: SI. Errors: RC_IO, RC_SYNTAX and RC_SCHEMA with the line; RC_SYNTAX for a file without records. Ownership:
 * page_clear() releases; source is borrowed. Edges: of axes, calls and reasons beyond the limits below no more are
 * shown; a zeroed page has no point. */
#ifndef SIM_REPORT_PAGE_READ_H
#define SIM_REPORT_PAGE_READ_H

#include "sim/report/page_json.h"

enum { PAGE_AXES = 12, PAGE_CALLS = 12 };

struct page_call {
    int name; /* strategy and phase: index into page.names */
    struct page_number analytic_s, simulated_s; /* call times, or wire times where they are not known */
    struct page_number slack; /* wire time over its lower bound */
    bool wire;
    bool bound_is_near; /* not simulated; its lower bound may stand for a simulation */
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

/* Reads records of a sweep, or the JSON of one result. */
enum rc page_read(const char *path, struct page *page, struct err *e);
/* Makes the same of a result; name stands for the file in the heading. */
void page_of_result(const struct result *r, const char *name, struct page *page);
void page_clear(struct page *page);

#endif
