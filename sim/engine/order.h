/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h - in which order a sender takes its peers.
 *
 * Model: FORMULAS.md [S4].
 * Units: none, ranks are numbers from 0. Errors: none. Ownership: the caller owns peers. */
#ifndef SIM_ENGINE_ORDER_H
#define SIM_ENGINE_ORDER_H

#include "workloads/call.h"

/* Fills peers[ranks] with all ranks in the order of this sender; the sender itself is one of them.
 */
void order_peers(const struct call *call, int src, int *peers);

#endif
