/* SPDX-License-Identifier: BSD-3-Clause */
/* page_last.h - which records of a sweep count: a later one of the same point replaces an earlier one.
 *
 * Units: none. Errors: none; a line that is no record is replaced by nothing. Ownership: free() releases the marks.
 * Edges: an empty file has one mark, false. */
#ifndef SIM_REPORT_PAGE_LAST_H
#define SIM_REPORT_PAGE_LAST_H

#include <stdbool.h>
#include <stdio.h>

/* Marks, by line from 0, records of a sweep that a later one replaces: of the same sweep, coordinates and seed, tried
 * again or asked of another program. Reads to the end and goes back to the beginning. */
bool *page_superseded(FILE *in);

#endif
