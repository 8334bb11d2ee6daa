/* SPDX-License-Identifier: BSD-3-Clause */
/* page_calls.h - the first section of a page of one result: times of its calls side by side.
 *
 * Units: SI. Errors: none. Ownership: borrows the page, appends to the buffer. Edges: nothing is written for a sweep,
 * whose calls are those of many points. */
#ifndef SIM_REPORT_PAGE_CALLS_H
#define SIM_REPORT_PAGE_CALLS_H

#include "sim/report/page_read.h"

/* Draws call time, or band and wire time where it is not known, over the lower bound; a table says what binds. */
void page_calls(const struct page *page, struct buf *out);

#endif
