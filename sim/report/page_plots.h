/* SPDX-License-Identifier: BSD-3-Clause */
/* page_plots.h - plots over all points of a page, each a whole section with its table.
 *
 * Units: SI. Errors: none. Ownership: borrow the page, append to the buffer. Edges: nothing is written when there is
 * nothing to draw. */
#ifndef SIM_REPORT_PAGE_PLOTS_H
#define SIM_REPORT_PAGE_PLOTS_H

#include "sim/report/page_read.h"

/* Draws where which strategy wins over two axes. */
void page_map(const struct page *page, struct buf *out);
/* Draws the gain over one axis. */
void page_curves(const struct page *page, struct buf *out);
/* Draws analytic over simulated times. */
void page_scatter(const struct page *page, struct buf *out);

#endif
