/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnose_report.h - causes of a distance between timed calls and a platform, as text or JSON (moesim/diagnose/1).
 *
 * Units: SI; factors are ratios of times. Errors: none. Ownership: borrow the diagnosis, append to the buffer.
 * Edges: a cause without a place or a size has "-" there in text, and null in JSON. */
#ifndef SIM_REPORT_DIAGNOSE_REPORT_H
#define SIM_REPORT_DIAGNOSE_REPORT_H

#include "validation/diagnose.h"

void diagnose_write_text(const struct diagnosis *d, struct buf *out);
void diagnose_write_json(const struct diagnosis *d, struct buf *out);

#endif
