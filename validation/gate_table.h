/* SPDX-License-Identifier: BSD-3-Clause */
/* gate_table.h - the gates that ship with the program: evidence, thresholds, registration, what they withdraw.
 *
 * Thresholds and the hash of the evidence are compiled in, so that a changed file cannot carry a claim. A
 * gate's withdrawals stand in gates/capability.h.
 * Units: SI; shares and ratios are plain numbers. Errors: none. Ownership: static. Edges: the list is never empty. */
#ifndef VALIDATION_GATE_TABLE_H
#define VALIDATION_GATE_TABLE_H

#include "gates/gate.h"

extern const struct gate gate_table[];
extern const size_t gate_table_n;

#endif
