/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - what no simulation of a call can undercut, from the actual matrix and topology.
 *
 * Units: SI. Source: FORMULAS.md [B1]..[B5], own derivation.
 * Valid for: fluid max-min sharing on the topology's links; rendezvous and one-sided start. */
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "workloads/costs.h"

/* Lower bound of the call time under the given fixed costs; with costs_wire(), of the wire time. */
double bound_call_s(const struct call *call, const struct costs *costs);

struct bound_link {
    int link; /* index in the topology; -1 when nothing moves */
    double bytes; /* over all stages */
    double busy_s; /* bytes / capacity plus per-message costs */
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX]; /* of the call */
};
/* The link that is busy longest over all stages, and the traffic of the tiers beside it. */
void bound_busiest_link(const struct call *call, struct bound_link *busiest);

/* Both: the bounds of some cases of fixed costs, bound_s[n], and the busiest link (NULL: not asked for). */
void bound_calls(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest);

/* The port model: earliest end of what a rank sends, of what it receives, and of the links that its
 * group shares with it, each if nothing else held it up; fixed costs and entry included. 0 where
 * nothing moves. [B5] */
enum bound_side { BOUND_SEND, BOUND_RECEIVE, BOUND_SHARED, BOUND_SIDES };
const char *bound_side_name(enum bound_side side); /* "send", "receive", "shared link" */

struct bound_rank {
    double end_s[BOUND_SIDES];
    int link[BOUND_SIDES]; /* index in the topology, -1 when nothing moves */
};

/* The largest of all: who is last, and why. */
struct bound_straggler {
    int rank; /* -1 when nothing moves */
    enum bound_side side;
    int link;
    double end_s;
};
/* ranks[topology->ranks] (may be NULL) */
void bound_ports(const struct call *call, const struct costs *costs, struct bound_rank *ranks,
                 struct bound_straggler *straggler);

#endif
