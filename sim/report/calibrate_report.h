/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_report.h - what calibration found, as text.
 *
 * Units: SI. Errors: none. Ownership: borrows everything, appends to the buffer. Edges: a constant that the samples do
 * not tell has no line; without rows that were held back there is no table of them. */
#ifndef SIM_REPORT_CALIBRATE_REPORT_H
#define SIM_REPORT_CALIBRATE_REPORT_H

#include "validation/calibrate_files.h"

/* Writes the constants, the n rows that were held back, the verdict of their gate, and flags. */
void calibrate_write_text(const struct calibration *c, const struct held_back *rows, size_t n, const char *verdict,
                          struct buf *out);

#endif
