/* SPDX-License-Identifier: BSD-3-Clause */
/* loads_report.h - writers of the loads of a workload's experts.
 *
 * Units: rows. Errors: none. Ownership: borrow the loads, append to the buffer. Edges: a skew without any row is
 * null, or "-". */
#ifndef SIM_REPORT_LOADS_REPORT_H
#define SIM_REPORT_LOADS_REPORT_H

#include "sim/study/loads.h"

void loads_write_json(const struct loads *s, struct buf *out);
void loads_write_text(const struct loads *s, struct buf *out);
/* Writes that a file is valid, as JSON or as a line of text. */
void loads_write_check(const struct loads *s, const char *file, bool json, struct buf *out);

#endif
