/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.h - turns made from the matrix of a stage: rounds in which no rank sends or receives twice and no link is
 * asked for more than it carries.
 *
 * A message alone has the rate of its narrowest link, and takes that part of every link on its way. Messages go, those
 * first that take the most port time of all links together, each into the first round that has room for it; equal ones
 * in an order by chance. Of some tries the one is taken whose rounds, each as long as its longest message, are the
 * shortest together. A rank then has its destinations in the order of the rounds. FORMULAS.md [S10]
 * Units: SI.
 * Errors: none.
 * Ownership: turns_free() releases.
 * Edges: a stage that moves nothing has no turns. */
#ifndef WORKLOADS_ROUNDS_H
#define WORKLOADS_ROUNDS_H

#include "workloads/call.h"

struct turns *rounds_build(const struct call *call, int stage);

#endif
