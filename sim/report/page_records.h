/* SPDX-License-Identifier: BSD-3-Clause */
/* page_records.h - the records in a file: JSON Lines of a sweep, or one result of simulate or compare.
 *
 * Units: none. Errors: RC_IO, RC_SYNTAX and RC_SCHEMA with the line, and those of the caller's function. Ownership: a
 * record is released when the caller's function returns, unless that takes a reference. Edges: a last line that is
 * cut off is left out and told; of records of the same sweep, coordinates and seed only the last counts. */
#ifndef SIM_REPORT_PAGE_RECORDS_H
#define SIM_REPORT_PAGE_RECORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "platforms/base/mem.h"

typedef enum rc (*page_record_f)(json_t *record, void *context, struct err *e);

/* Calls f for every record of a file. *truncated: the last line was cut off; otherwise it stays as it was. */
enum rc page_each(const char *path, page_record_f f, void *context, bool *truncated, struct err *e);
/* Returns the error of a file without records. */
enum rc page_empty(const char *path, struct err *e);

#endif
