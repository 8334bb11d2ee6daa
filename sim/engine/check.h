/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - what must hold after a run: all is delivered, and links carried what the messages
 * weigh.
 *
 * Errors: RC_ENGINE. */
#ifndef SIM_ENGINE_CHECK_H
#define SIM_ENGINE_CHECK_H

#include "sim/engine/messages.h"

/* missing[message]: pieces that have not arrived. Lists the flows. */
enum rc check_delivered(const struct plan *p, const struct messages *m, const int *missing,
                        struct err *e);

/* Conservation: each link carried what call_link_load() puts on it, to 1e-9 of its work and to
 * resolution_s, by which a flow may be cut short. Fills carried[link] and, when the plan counts
 * over time, bins[link, bin]. meters[link] measures the per-message costs of an egress port; NULL
 * without bins. */
enum rc check_links(const struct plan *p, const struct messages *m, double resolution_s,
                    const int *meters, double *carried, double *bins, struct err *e);

#endif
