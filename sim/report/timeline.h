/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.h - one result as a trace in Chrome's format, for Perfetto or chrome://tracing.
 *
 * A process a call; in it a track of stages, a track a rank (sending and receiving, each to its last byte), a row a
 * rank and fabric with the largest messages (from leaving the sender to arrival), and a counter a busiest link. Times
 * are those of the result: a withheld call shows its wire, and says so.
 * Units: microseconds, as the format has it. At most TIMELINE_RANKS tracks a call; what is left out is said under
 * "otherData".  Source: the "Trace Event Format" that both viewers read.
 * Errors: none.  Ownership: borrows the result, appends to the buffer.
 * Edges: a call in which nothing moves has its stages only. */
#ifndef SIM_REPORT_TIMELINE_H
#define SIM_REPORT_TIMELINE_H

#include "sim/study/result.h"

enum { TIMELINE_RANKS = 256 };

/* Appends the whole trace. */
void timeline_write(const struct result *r, struct buf *out);

#endif
