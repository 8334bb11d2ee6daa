/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h - from what a run showed to the outcome of a call under given fixed costs.
 *
 * Units: SI.  Source: FORMULAS.md [S1]..[S8].
 * Errors: none.
 * Ownership: the caller clears the outcome. */
#ifndef SIM_ENGINE_ANSWER_H
#define SIM_ENGINE_ANSWER_H

#include "sim/engine/play.h"
#include "workloads/costs.h"

/* costs[n_calls]. play: a run of the plan with costs that plan_same_run() calls equal to these.
 */
void answer_from_play(const struct plan *plan, int nth, const struct costs *costs,
                      const struct play *play, struct outcome *outcome);

/* End of the last call, from the start of the first. */
double answer_total_s(const struct plan *plan, const struct outcome *outcomes);

#endif
