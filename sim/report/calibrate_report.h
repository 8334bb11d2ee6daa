/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_report.h - what a calibration found, as text or JSON (moesim/calibrate/1): every constant with interval,
 * status and source, flags, the grades of what was held back, and what the gate said.
 *
 * Units: SI; JSON names the unit of each constant. Errors: none. Ownership: borrows everything, appends to the buffer.
 * Edges: constants that are not known are left out; with nothing held back the list is empty. */
#ifndef SIM_REPORT_CALIBRATE_REPORT_H
#define SIM_REPORT_CALIBRATE_REPORT_H

#include "validation/calibrate.h"
#include "validation/score.h"

struct calibrate_report {
    const struct calibration *calibration;
    const struct score *held;
    const char *verdict; /* lines of text */
};

void calibrate_write_text(const struct calibrate_report *r, struct buf *out);
void calibrate_write_json(const struct calibrate_report *r, struct buf *out);

#endif
