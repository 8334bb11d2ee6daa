/* SPDX-License-Identifier: BSD-3-Clause */
/* breakeven_report.h - writers of what breakeven found.
 *
 * Units: SI. Errors: none. Ownership: borrow the result, append to the buffer. Edges: a ratio that is not known is
 * null in JSON, empty in CSV, and its reason in text. */
#ifndef SIM_REPORT_BREAKEVEN_REPORT_H
#define SIM_REPORT_BREAKEVEN_REPORT_H

#include "sim/study/breakeven.h"

/* What the ratio means on platforms with tiers between fast and slow. */
extern const char breakeven_tiers_note[];

void breakeven_write_json(const struct breakeven_result *r, struct buf *out);
void breakeven_write_text(const struct breakeven_result *r, struct buf *out);
void breakeven_write_csv(const struct breakeven_result *r, struct buf *out);
/* Draws the gain over the ratio, a curve for each chain. */
void breakeven_write_svg(const struct breakeven_result *r, struct buf *out);

#endif
