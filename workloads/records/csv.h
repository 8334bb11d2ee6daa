/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h - comma-separated records over memory, every field with its place.
 *
 * RFC 4180: fields may be quoted, a doubled quote inside stands for one, quoted fields may span lines. Also
 * accepted: LF alone as line end, a UTF-8 byte order mark, no line end after the last record. Blank lines are
 * skipped; spaces and tabs around an unquoted field do not belong to it. Fields may be separated by semicolons or tabs,
 * which the first line shows.
 * Units: none.
 * Errors: RC_SYNTAX with file:line:column (NUL byte, quote out of place, quote never closed, CR alone).
 * Ownership: csv_clear() releases; fields are lent until the next csv_next(). */
#ifndef WORKLOADS_RECORDS_CSV_H
#define WORKLOADS_RECORDS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "platforms/base/err.h"
#include "platforms/base/mem.h"

struct csv_field {
    const char *text; /* ends in NUL */
    size_t n;
    struct place at; /* column counts bytes */
    bool quoted;
    size_t offset; /* of text in the reader's buffer */
};

struct csv {
    const char *data;
    size_t n;
    size_t next;       /* byte to be read next */
    size_t line_start; /* where its line starts */
    struct place at;   /* file and line of it; column is unused */
    char separator;    /* ',', or ';' or a tab where the first line has it and no comma */
    struct buf text;
    struct csv_field *fields; /* the record */
    size_t n_fields;
    size_t room;
};

/* Starts a reader on data, which it borrows. */
void csv_init(struct csv *c, const char *data, size_t n, const char *name);
void csv_clear(struct csv *c);

/* Reads the next record; n_fields is 0 at the end of the data. */
enum rc csv_next(struct csv *c, struct err *e);

/* Reads a field as a decimal number such as 12, -3.5 or 1e3. False when it is none, or not finite. */
bool csv_number(const struct csv_field *f, double *value);

#endif
