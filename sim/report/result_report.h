/* SPDX-License-Identifier: BSD-3-Clause */
/* result_report.h - writers of a result.
 *
 * Units: SI. Errors: none. Ownership: borrow the result, append to the buffer. Edges: an unknown number is null in
 * JSON and empty in CSV; text says why it is withheld. */
#ifndef SIM_REPORT_RESULT_REPORT_H
#define SIM_REPORT_RESULT_REPORT_H

#include "sim/study/study.h"

void result_write_json(const struct result *r, struct buf *out);
void result_write_text(const struct result *r, struct buf *out);
void result_write_csv(const struct result *r, struct buf *out);

#endif
