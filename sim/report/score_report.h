/* SPDX-License-Identifier: BSD-3-Clause */
/* score_report.h - grades of a freeze file as text or JSON, and its rows as others show them.
 *
 * Units: SI, in the key. Errors: none. Ownership: borrow the score, append to the buffer. Edges: what was not measured
 * or not predicted is "-" in text and null in JSON. */
#ifndef SIM_REPORT_SCORE_REPORT_H
#define SIM_REPORT_SCORE_REPORT_H

#include "validation/score.h"

void score_write_text(const struct freeze *f, const struct score *score, struct buf *out);
void score_write_json(const struct freeze *f, const struct score *score, struct buf *out);

/* Write the rows alone: a table below a head that names its first column; the value of a key. */
void score_rows_text(const struct score *score, const char *head, struct buf *out);
void score_rows_json(struct json *j, const char *key, const struct score *score);

#endif
