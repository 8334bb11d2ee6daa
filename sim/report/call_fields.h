/* SPDX-License-Identifier: BSD-3-Clause */
/* call_fields.h - what is written of a call: a table of fields that JSON, both kinds of CSV and the page read.
 *
 * Units: SI, in the key. Errors: none. Ownership: borrows everything. Edges: an unknown number is null in JSON and
 * empty in CSV. */
#ifndef SIM_REPORT_CALL_FIELDS_H
#define SIM_REPORT_CALL_FIELDS_H

#include "sim/report/json_parts.h"

enum field_kind {
    FIELD_CLAIM, /* struct claim */
    FIELD_PAIR,  /* struct claim[2] */
    FIELD_TEXT,  /* const char *, NULL is null */
    FIELD_BOOL,  /* bool */
    FIELD_DEDUP  /* enum dedup */
};

struct call_field {
    const char *key;
    enum field_kind kind;
    size_t offset; /* in struct result_call */
    /* name of the column in the CSV of results and of records, behind the older columns; NULL: none. New columns stand
     * last in the table */
    const char *csv;
    bool (*when)(const struct result *r, const struct result_call *c); /* NULL: always */
    /* writes a field that is more than one value; NULL: written by kind */
    void (*write)(struct json *j, const struct result *r, const struct result_call *c);
};
extern const struct call_field call_fields[];
extern const size_t call_fields_n;

/* Append the names of the table's columns, and their values for a call, each behind a comma. */
void call_csv_head(struct buf *out);
void call_csv(const struct result *r, const struct result_call *c, struct buf *out);

/* Appends a note in text that names the calls whose bound is as good as a simulation; none: nothing. */
void text_near_bounds(const struct result *r, struct buf *out);

#endif
