/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - one self-contained HTML page from records of a sweep or from one result.
 *
 * The page shows what the records hold and adds no number of its own but counts, means and ranges of them: what a
 * gate withdrew is null there, and is missing here with its reason.
 * Units: SI. Errors: none. Ownership: borrows the page, appends to the buffer. Edges: a page whose points all failed
 * says why, and has no plots. */
#ifndef SIM_REPORT_PAGE_H
#define SIM_REPORT_PAGE_H

#include "sim/report/page_read.h"

void page_write(const struct page *page, struct buf *out);
/* The page of one result; name: of the file that it goes to. */
void page_write_result(const struct result *r, const char *name, struct buf *out);

#endif
