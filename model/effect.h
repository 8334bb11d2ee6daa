/* SPDX-License-Identifier: BSD-3-Clause */
/* effect.h - what a call takes by the loads of its links, stage by stage, and what it would take under other constants.
 *
 * The loads are worked out once for any number of cases, so that one case more costs a walk over the links, not over
 * the messages.
 * Units: SI. Source: FORMULAS.md [B6], own derivation.
 * Valid for: comparing constants with each other. It is no bound: ranks wait for each other between stages.
 * Errors: none.
 * Ownership: borrows everything; results are plain data. effect_loads_new() returns what effect_loads_free() releases.
 * Edges: a call in which nothing moves takes its fixed costs; 0 cases do nothing. */
#ifndef MODEL_EFFECT_H
#define MODEL_EFFECT_H

#include "workloads/costs.h"

/* A call under other constants, and what it takes there. The constants of the call itself: links NULL, its message
 * costs, factor 1. */
struct effect {
    const struct link *links; /* in the order of the call's; NULL: those of the call */
    double message_cost_s[TIER_MAX];
    double bytes_factor;             /* on the bytes of every message */
    struct costs costs;
    double time_s; /* the result */
    double all_s;  /* sum of all loads and costs: changes with every constant used, also one that does not bind */
};

/* Fills the message costs and the factor of a case with those of a call. */
void effect_as_is(const struct call *call, struct effect *effect);

/* Works out the loads of a call for effect_times(). NULL for a call of many stages, whose loads are not kept. */
struct effect_loads *effect_loads_new(const struct call *call);
void effect_loads_free(struct effect_loads *loads); /* NULL is allowed */

/* Fills the results of n cases from the loads of the call; loads NULL: they are worked out and not kept. [B6] */
void effect_times(const struct call *call, const struct effect_loads *loads, struct effect *cases, size_t n);

#endif
