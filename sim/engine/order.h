/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h - in which order a sender takes its peers.
 *
 * Model: FORMULAS.md [S4].
 * Units: none, ranks are numbers from 0. Errors: none. Ownership: the caller owns peers. */
#ifndef SIM_ENGINE_ORDER_H
#define SIM_ENGINE_ORDER_H

#include "workloads/call.h"

/* Fills peers[] with all ranks of the sender's EP group in its order in a stage, the sender itself among them, and
 * returns their number: 0 outside the job. Room for all ranks. Where a stage has turns, those come first and the others
 * follow as in group-shift. */
int order_peers(const struct call *call, int stage, int src, int *peers);

#endif
