/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.h - when the largest messages of a run were under way.
 *
 * Units: seconds of the run's clock. Shapes: begin_s and end_s over all messages.
 * Errors: none. Ownership: fills arrays that the play has. Edges: with fewer messages
 * than asked for all are told. */
#ifndef SIM_ENGINE_TELL_H
#define SIM_ENGINE_TELL_H

#include "sim/engine/messages.h"
#include "sim/engine/play.h"

/* Fills play->messages and counts what is left out. Of equal sizes those that leave first are told. */
void messages_tell(const struct plan *plan, const struct messages *messages, const double *begin_s,
                   const double *end_s, struct play *play);

#endif
