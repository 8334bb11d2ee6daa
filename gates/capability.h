/* SPDX-License-Identifier: BSD-3-Clause */
/* capability.h - what the program may claim, and which gates must pass for it.
 *
 * A capability is open, conditional (the number is shown as "if these constants hold") or withdrawn (no
 * number is shown anywhere). No evidence means withdrawn or conditional, never open: the table below is what
 * holds until a gate has been evaluated and passed.
 * Ownership: texts are static. */
#ifndef GATES_CAPABILITY_H
#define GATES_CAPABILITY_H

#include <stdbool.h>

#include "platforms/base/err.h"

enum capability_state { CAPABILITY_OPEN, CAPABILITY_CONDITIONAL, CAPABILITY_WITHDRAWN };

/* id, name in results, state without evidence, the gates it hangs on, what the state means for the user */
#define CAPABILITY_LIST(X)                                                                         \
    X(CAP_CALL_TIME, "call_time", CAPABILITY_CONDITIONAL, "a test gate in scope",                  \
      "no passed test gate speaks for this machine and implementation")                           \
    X(CAP_GAIN, "gain", CAPABILITY_CONDITIONAL, "call_time of both calls",                         \
      "call_time is conditional")                                                                 \
    X(CAP_BREAKEVEN, "breakeven", CAPABILITY_WITHDRAWN, "tier1, tier1b-c2..c4",                    \
      "the gates have not been evaluated")                                                        \
    X(CAP_EXTRAPOLATION, "extrapolation", CAPABILITY_WITHDRAWN, "tier1, tier1b-c2..c4",            \
      "the gates have not been evaluated")                                                        \
    X(CAP_WORLDS_ABOVE_COVERAGE, "worlds_above_coverage", CAPABILITY_WITHDRAWN, "coverage",        \
      "alpha is not measured there")                                                              \
    X(CAP_HIERARCHY_RATIO, "hierarchy_ratio", CAPABILITY_OPEN, "uniform fast domains",             \
      "every shipped two-tier platform has uniform fast domains")                                 \
    X(CAP_CHAIN_WIDTH, "chain_width", CAPABILITY_WITHDRAWN, "measured widths",                     \
      "the chain is used at its constant per pair, never scaled by the hidden width")             \
    X(CAP_SKEW_TAIL, "skew_tail", CAPABILITY_WITHDRAWN, "a measured skew gate",                    \
      "no measured skewed points have passed")                                                    \
    X(CAP_FLUID_ENGINE, "fluid_engine", CAPABILITY_WITHDRAWN, "engine-agreement",                  \
      "the gate has not been evaluated")                                                          \
    X(CAP_ABSOLUTE_TIME, "absolute_time", CAPABILITY_WITHDRAWN, "a test gate in scope",            \
      "no passed test gate speaks for this machine and implementation")                           \
    X(CAP_STEP_TIME, "step_time", CAPABILITY_WITHDRAWN, "tier2",                                   \
      "the overlap tier (Tier-2) has no passing evidence; step-level output is locked")           \
    X(CAP_THROUGHPUT, "throughput", CAPABILITY_WITHDRAWN, "tier2",                                 \
      "the overlap tier (Tier-2) has no passing evidence; step-level output is locked")           \
    X(CAP_WIRE_TIME, "wire_time", CAPABILITY_CONDITIONAL, "bound, conservation",                   \
      "holds if the stated bandwidths hold; each run is held against its lower bound")

enum capability {
#define CAPABILITY_ENUM(id, name, state, gates, reason) id,
    CAPABILITY_LIST(CAPABILITY_ENUM)
#undef CAPABILITY_ENUM
        CAP_COUNT
};

const char *capability_name(enum capability c);
enum capability_state capability_state(enum capability c);
const char *capability_state_name(enum capability_state s); /* "open", "conditional", "withdrawn" */
const char *capability_gates(enum capability c);
const char *capability_reason(enum capability c);

#endif
