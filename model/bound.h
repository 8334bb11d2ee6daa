/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - what no simulation of a call can undercut, from the actual matrix and topology.
 *
 * Units: SI. Source: FORMULAS.md [B1]..[B5], own derivation.
 * Valid for: fluid max-min sharing on the topology's links; rendezvous and one-sided start.
 * Errors: none. Edges: a call in which nothing moves is bounded by its fixed costs.
 * Ownership: borrows everything; results are plain data or arrays of the caller. */
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "model/bound_link.h"
#include "workloads/costs.h"

/* Returns the lower bound of the call time under the given fixed costs; with costs_wire(), of the wire time. */
double bound_call_s(const struct call *call, const struct costs *costs);

/* Works out the bounds under n cases of fixed costs, bound_s[n] (n may be 0), and the link that is busy longest over
 * all stages with the traffic of the tiers beside it (busiest NULL: not asked for). */
void bound_calls(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest);

/* Sides of the port model: what a rank sends, what it receives, and the links that its group shares with it. [B5] */
enum bound_side { BOUND_SEND, BOUND_RECEIVE, BOUND_SHARED, BOUND_SIDES };
/* Returns the word for a side: "send", "receive" or "shared link". */
const char *bound_side_name(enum bound_side side);

/* The earliest end of each side of a rank if nothing else held it up; fixed costs and entry included. */
struct bound_rank {
    double end_s[BOUND_SIDES]; /* 0 where nothing moves */
    int link[BOUND_SIDES]; /* index in the topology, -1 when nothing moves */
};

/* The straggler: the rank whose end is the latest of all, and what makes it so. */
struct bound_straggler {
    int rank; /* -1 when nothing moves */
    enum bound_side side;
    int link;
    double end_s;
};
/* Fills ranks[topology->ranks] (NULL: not asked for) and the straggler by the port model. [B5] */
void bound_ports(const struct call *call, const struct costs *costs, struct bound_rank *ranks,
                 struct bound_straggler *straggler);

#endif
