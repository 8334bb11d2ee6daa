/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_report.h - writers of a machine: what will be simulated, and whether its file is valid.
 *
 * Units: SI. Errors: none. Ownership: borrow the machine, append to the buffer. Edges: a constant that the file does
 * not state has no row. */
#ifndef SIM_REPORT_PLATFORM_REPORT_H
#define SIM_REPORT_PLATFORM_REPORT_H

#include "platforms/topology.h"

void platform_write_text(const struct topology *t, struct buf *out);
void platform_write_json(const struct topology *t, struct buf *out);
void platform_write_check(const struct platform *p, bool as_json, struct buf *out);

#endif
