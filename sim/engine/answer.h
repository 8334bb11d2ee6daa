/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h - from what a run showed to the outcome under given fixed costs.
 *
 * Units: SI.  Source: FORMULAS.md [S1]..[S4].
 * Errors: none.
 * Ownership: the caller clears the outcome. */
#ifndef SIM_ENGINE_ANSWER_H
#define SIM_ENGINE_ANSWER_H

#include "sim/engine/driver.h"

/* play: a run with costs that driver_same_run() calls equal to these. */
void answer_from_play(const struct step *step, const struct costs *costs, const struct play *play,
                      struct outcome *outcome);

#endif
