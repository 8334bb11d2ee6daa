/* SPDX-License-Identifier: BSD-3-Clause */
/* page_detail.h - plots of one point of a page, each a whole section with its table.
 *
 * Units: SI. Errors: none. Ownership: borrow the page, append to the buffer. Edges: nothing is written when no record
 * holds what a plot needs. */
#ifndef SIM_REPORT_PAGE_DETAIL_H
#define SIM_REPORT_PAGE_DETAIL_H

#include "sim/report/page_read.h"

/* Draws what leads from the analytic time to the simulated one. */
void page_waterfall(const struct page *page, struct buf *out);
/* Draws when each rank ends. */
void page_ranks(const struct page *page, struct buf *out);
/* Draws the use of the busiest links over time. */
void page_links(const struct page *page, struct buf *out);
/* Draws who sends to whom. */
void page_traffic(const struct page *page, struct buf *out);

#endif
