/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_near.h - where the lower bound of a call is its simulated time to within BOUND_NEAR.
 *
 * The scope was found on machines of 32 and 64 ranks; the gate bound-agreement tries it on others.
 * Units: BOUND_NEAR is a share of the bound. Errors: none. Ownership: borrows the call; texts are static.
 * Edges: a call in which nothing moves is in the scope if its machine and library are. */
#ifndef MODEL_BOUND_NEAR_H
#define MODEL_BOUND_NEAR_H

#include "workloads/call.h"

#define BOUND_NEAR 0.01
enum { BOUND_NEAR_RANKS = 32 }; /* at least */

/* Returns what puts a call outside of the scope, "the load is skewed"; NULL: it is in the scope. */
const char *bound_far(const struct call *call);

#endif
