/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - quantities as people write them: "450GBps", "400Gbps", "54KiB", "2us".
 *
 * Units: results are SI (bytes per second, bytes, seconds). Spellings are SimGrid's, case-sensitive: B is a byte, b
 * a bit; k M G T are decimal, Ki Mi Gi Ti binary. A unit is always due, also for zero: "0s".
 * Errors: RC_UNIT (unit missing, unknown, or of another quantity), RC_RANGE (negative; neither 0 nor in the range
 * of its kind: rates 1Bps to 1e6TBps, sizes 0.001B to 1e6TB, times 1e-6ns to 1e6s).
 * Ownership: borrows everything.
 * Edges: zero is allowed; a text is cut at UNIT_TEXT bytes. */
#ifndef PLATFORMS_BASE_UNIT_H
#define PLATFORMS_BASE_UNIT_H

#include "platforms/base/err.h"

enum unit_kind { UNIT_RATE, UNIT_SIZE, UNIT_TIME, UNIT_KINDS };

/* Reads text as a quantity of the wanted kind. The message has no place in front; the caller knows it. */
enum rc unit_parse(const char *text, enum unit_kind want, double *value, struct err *e);

/* Writes a value with 4 significant digits and a readable unit: "450 GB/s", "1.286 ms", "53.7 MB". */
enum { UNIT_TEXT = 32 };
const char *unit_format(double value, enum unit_kind kind, char text[static UNIT_TEXT]);

#endif
