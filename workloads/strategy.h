/* SPDX-License-Identifier: BSD-3-Clause */
/* strategy.h - from routing, machine and library to a call: the stages of each strategy.
 *
 * To add a strategy: a word in enum strategy (call.h), a row in the table of strategy.c, a function in a file
 * build_NAME.c that appends the stages (build.h has what they share), formulas in model/FORMULAS.md, and a closed form
 * in model/ where there is one. The engine plays any list of stages.
 * Units: SI. Errors: RC_RANGE where a platform or library does not have what a strategy needs.
 * Ownership: a call borrows what it is built from; call_clear() releases it.
 * Edges: on a machine of one group the exchange between groups moves nothing. */
#ifndef WORKLOADS_STRATEGY_H
#define WORKLOADS_STRATEGY_H

#include "workloads/call.h"

const char *strategy_name(enum strategy s); /* "one-hop", .. */

/* Checks that a platform has the tiers that a strategy cuts at, and groups of one size where it needs them. */
enum rc call_check(const struct platform *p, const struct implementation *m, enum strategy strategy,
                   struct err *e);

/* Checks as call_check() does, for each EP group of a job. */
enum rc call_check_traffic(const struct platform *p, const struct traffic *t, const struct implementation *m,
                           enum strategy strategy, struct err *e);

/* Builds a call with its stages; call_check_traffic() must have passed. */
void call_build(const struct topology *topology, const struct workload *w,
                const struct implementation *implementation, const struct traffic *traffic,
                enum strategy strategy, enum phase phase, struct call *call);

#endif
