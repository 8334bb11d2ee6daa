/* SPDX-License-Identifier: BSD-3-Clause */
/* gates_report.h - the outcome of gates as text, JSON or CSV.
 * Units: SI. Errors: none. Ownership: everything is borrowed; text is appended to the buffer.
 * Edges: a gate that was not evaluated shows its reason instead of metrics. */
#ifndef SIM_REPORT_GATES_REPORT_H
#define SIM_REPORT_GATES_REPORT_H

#include "gates/licence.h"
#include "platforms/base/mem.h"

void gates_write_text(const struct gate_result *results, size_t n, const struct licences *licences,
                      struct buf *out);
void gates_write_json(const struct gate_result *results, size_t n, const struct licences *licences,
                      struct buf *out);
void gates_write_csv(const struct gate_result *results, size_t n, struct buf *out);

/* Shows one gate at length: definition, metrics, points with predicted and measured, a plot, how to re-run it. folder:
 * where a user's gate comes from. */
void gates_explain(const struct gate_result *result, const char *folder, struct buf *out);
void gates_explain_json(const struct gate_result *result, struct buf *out);

#endif
