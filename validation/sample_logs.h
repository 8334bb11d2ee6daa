/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_logs.h - logs of other benchmarks as samples; part of samples.c.
 *
 * Lines are looked at one by one, what is not known is skipped. nccl-tests: a table below a line that names the columns
 * size and time, ranks from the lines "Rank N .. on HOST". OSU: a table below "# Size". DeepEP: lines "[rank N] ..
 * bandwidth: X GB/s, avg_t=Y us" and "[tuning] Best ..: .. t: Y us"; bytes are rate times time.
 * Units: SI.
 * Errors: RC_SCHEMA (no table that is known, or one of another collective), RC_USAGE (what the log does not say and was
 * not asked for), RC_RANGE.
 * Ownership: borrows the text.
 * Edges: of a line longer than 4095 bytes the rest is skipped; a size or time of 0 is no sample. */
#ifndef VALIDATION_SAMPLE_LOGS_H
#define VALIDATION_SAMPLE_LOGS_H

#include "validation/sample_set.h"

enum rc sample_logs_read(const char *text, size_t n, const char *name, const struct samples_ask *ask,
                         struct samples *s, struct err *e);

#endif
