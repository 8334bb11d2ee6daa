/* SPDX-License-Identifier: BSD-3-Clause */
/* page_csv.h - records of a sweep, or one result, as CSV.
 *
 * Units: in the names of the columns. Errors: those of page_records.h; RC_SYNTAX for a file without records. Ownership:
 * appends to the buffer, which on an error holds the rows before it. Edges: axes are those of the first record; a
 * number that is not known is an empty field. */
#ifndef SIM_REPORT_PAGE_CSV_H
#define SIM_REPORT_PAGE_CSV_H

#include <stdbool.h>

#include "platforms/base/mem.h"

/* Writes all records, one row a call. *truncated: the last line was cut off. */
enum rc page_csv(const char *path, struct buf *out, bool *truncated, struct err *e);

#endif
