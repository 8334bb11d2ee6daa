/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_report.h - what a run will cost, as text, JSON (moesim/estimate/1), CSV and one line.
 *
 * Units: SI, in the key. Errors: none. Ownership: borrows the estimate, appends to out. Edges: without a simulation
 * flows and seconds are 0, and memory is null. */
#ifndef SIM_REPORT_ESTIMATE_REPORT_H
#define SIM_REPORT_ESTIMATE_REPORT_H

#include "platforms/base/mem.h"
#include "sim/study/estimate.h"

void estimate_write_text(const struct estimate *estimate, struct buf *out);
void estimate_write_json(const struct estimate *estimate, struct buf *out);
void estimate_write_csv(const struct estimate *estimate, struct buf *out);
/* Says on a terminal "32512 flows with fluid: about 4 s and 40 MB", where that is long. */
void estimate_show(const struct estimate *estimate);

#endif
