/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.h - which constants the numbers of a result rest on, how well they are known, and which weighs most.
 *
 * A constant is used where another value for it changes the load of a link, a fixed cost, or a closed form that was
 * asked for. Its weight is the largest change of the time of any call when it moves by a tenth, up or down, relative
 * to that time: by the loads of links stage by stage (model/effect.h), or by the closed form where only that uses it.
 * The weakest constant is the one of most weight among those used that are known worst.
 * Units: weights are shares. Source: FORMULAS.md [B6]. Errors: none.
 * Ownership: weights_new() returns what weights_free() releases.
 * Edges: without a call, or where nothing is charged, no constant is the weakest. */
#ifndef SIM_STUDY_CONSTANTS_H
#define SIM_STUDY_CONSTANTS_H

#include "sim/study/asking.h"

struct weights *weights_new(void);
void weights_free(struct weights *w); /* NULL is allowed */

/* Weighs the constants under one call, as long as the call is there. */
void weights_add(const struct asking *a, const struct call_run *run, struct weights *w);

/* Names the weakest constant of a result, all that are assumed, those of most weight first, and choices that no source
 * gives. */
void weights_conclude(struct weights *w, struct result *r);

#endif
