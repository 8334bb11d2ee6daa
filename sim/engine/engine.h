/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - plays a step on SimGrid: when does each message start, share links, arrive.
 *
 * The simulation runs in a forked child; a crash inside SimGrid becomes RC_ENGINE with its last
 * words, never a lost process. One child plays all cases of a step one after the other on one
 * SimGrid platform; cases that differ only in what shifts times share a run.
 * Model: fluid, lossless; a flow takes exactly bytes / bandwidth, many share links max-min fairly;
 * latency delays arrival and holds no window slot; the per-message cost is time on the sender's
 * egress port of the tier used, and nowhere else. FORMULAS.md [S1]..[S4].
 * Units: SI.
 * Errors: RC_ENGINE, RC_TIMEOUT, RC_RANGE (sizes that cannot be simulated together); outcomes
 * untouched on failure.
 * Ownership: outcome_clear() each outcome. */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include "workloads/step.h"

struct sim_options {
    double timeout_s; /* of one sim_run(), wall clock; 0 = unlimited */
};

/* Simulates the step once for each case of fixed costs; outcomes[n_cases]. Order, window and start
 * come from the step's implementation. */
enum rc sim_run(const struct step *step, const struct costs *cases, size_t n_cases,
                const struct sim_options *options, struct outcome *outcomes, struct err *e);

/* "3.32.0": the SimGrid library that is linked. */
const char *sim_version(void);

/* Writes an equivalent SimGrid platform file (DTD 4.1) for other tools. */
void sim_xml(const struct topology *topology, struct buf *out);

#endif
