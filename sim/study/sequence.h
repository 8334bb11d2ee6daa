/* SPDX-License-Identifier: BSD-3-Clause */
/* sequence.h - calls back to back: the same call, or one for each layer or micro-batch of a trace.
 *
 * Units: SI. Errors: RC_USAGE (no trace), RC_RANGE and those of the traffic and of the engine. Ownership: borrows
 * everything. Edges: where a call's fixed cost is not known, times are those of the wire. */
#ifndef SIM_STUDY_SEQUENCE_H
#define SIM_STUDY_SEQUENCE_H

#include "sim/study/asking.h"

/* Times of calls back to back, raw. */
struct sequence_times {
    bool known; /* otherwise they are those of the wire */
    double per_call_s;
    double time_s[RESULT_SEQUENCE]; /* what each call adds to the end of the sequence */
};
/* Makes them claims; the worst call is named only if its number may be shown. */
void sequence_publish(const struct sequence_times *t, const struct licence *time, const struct licence *wire,
                      struct result_sequence *s);

/* Plays the sequence that was asked for and fills it into the call. */
enum rc sequence_run(const struct asking *a, struct call_run *run, struct err *e);

#endif
