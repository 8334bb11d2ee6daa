/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - what must hold after a run: all is delivered, and links carried what the messages
 * weigh.
 *
 * Units: SI. Errors: RC_ENGINE. Ownership: borrows everything. Edges: a run without messages passes. */
#ifndef SIM_ENGINE_CHECK_H
#define SIM_ENGINE_CHECK_H

#include "sim/engine/network.h"

/* Checks that every message has arrived; missing[message] counts the pieces that have not. The error lists messages
 * that never arrive. */
enum rc check_delivered(const struct plan *p, const struct messages *m, const int *missing,
                        struct err *e);

/* Checks conservation: each link carried what call_link_load() puts on it, to 1e-9 of its work and to FLOW_RESOLUTION,
 * by which a flow may be cut short. Fills carried[link] and, when the plan counts over time, bins[link, bin]. */
enum rc check_links(const struct plan *p, const struct messages *m, const struct network *n, double *carried,
                    double *bins, struct err *e);

#endif
