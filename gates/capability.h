/* SPDX-License-Identifier: BSD-3-Clause */
/* capability.h - what the program may claim, and which gates must pass for it.
 *
 * A capability is open, conditional (the number is shown as "if these constants hold") or withdrawn (no
 * number is shown anywhere). The table below is the one place that ties capabilities to gates; what it says in
 * the column `otherwise` holds as long as no evidence opens the capability.
 * Units: none. Errors: none. Ownership: texts are static. Edges: a name that is no capability is -1. */
#ifndef GATES_CAPABILITY_H
#define GATES_CAPABILITY_H

#include <stdbool.h>

#include "platforms/base/err.h"

enum capability_state { CAPABILITY_OPEN, CAPABILITY_CONDITIONAL, CAPABILITY_WITHDRAWN };

/* How the gates of a capability decide. */
enum capability_rule {
    RULE_FIXED, /* always `otherwise`; withdrawn when one of its gates was tried and failed */
    RULE_ALL,   /* open when every one of its gates passed */
    RULE_TEST,  /* open where a passed test gate of its list, or of the user's, covers the question, and none
                   that was tried on the simulator, or of the user for this machine, failed */
    RULE_SKEW,  /* as RULE_TEST, and the gate must have seen unbalanced destinations */
    RULE_CALLS, /* open where call_time is open for every call compared */
    RULE_KEPT   /* `otherwise` while one of its gates has passed and none that was tried has not; else withdrawn */
};

/* Each row: id; name in results; rule; `otherwise`; gates; whether a user's gates may decide it for their machine; why
 * it is not open. */
#define CAPABILITY_LIST(X)                                                                         \
    X(CAP_CALL_TIME, "call_time", RULE_TEST, CAPABILITY_CONDITIONAL,                                \
      "tier1b-c4 drift-c5 sim-tier1b-c4 host-regime external", true,                               \
      "no passed test gate speaks for this machine, implementation and size")                      \
    X(CAP_GAIN, "gain", RULE_CALLS, CAPABILITY_CONDITIONAL, "", false,                             \
      "call_time is not open for every call compared")                                            \
    X(CAP_BREAKEVEN, "breakeven", RULE_ALL, CAPABILITY_WITHDRAWN,                                  \
      "tier1 tier1b-c2 tier1b-c3 tier1b-c4", true, "the form of the model is not supported")       \
    X(CAP_EXTRAPOLATION, "extrapolation", RULE_ALL, CAPABILITY_WITHDRAWN,                          \
      "tier1 tier1b-c2 tier1b-c3 tier1b-c4", true, "the form of the model is not supported")       \
    X(CAP_WORLDS_ABOVE_COVERAGE, "worlds_above_coverage", RULE_ALL, CAPABILITY_WITHDRAWN,          \
      "coverage worlds-above-128", false, "alpha is not measured there")                           \
    X(CAP_HIERARCHY_RATIO, "hierarchy_ratio", RULE_FIXED, CAPABILITY_OPEN, "", false,              \
      "given where fast domains are uniform, null elsewhere")                                      \
    X(CAP_CHAIN_WIDTH, "chain_width", RULE_FIXED, CAPABILITY_WITHDRAWN, "", false,                 \
      "the chain is used at its constant per pair, never scaled by the hidden width")              \
    X(CAP_SKEW_TAIL, "skew_tail", RULE_SKEW, CAPABILITY_WITHDRAWN, "external", true,               \
      "no measured skewed points have passed")                                                     \
    X(CAP_FLUID_ENGINE, "fluid_engine", RULE_FIXED, CAPABILITY_CONDITIONAL, "engine-agreement", false, \
      "holds if the engines agree, which `moesim gates` tries on drawn cases")                      \
    X(CAP_NEAR_BOUND, "near_bound", RULE_FIXED, CAPABILITY_CONDITIONAL, "bound-agreement", false,    \
      "holds if bounds agree with simulations, which `moesim gates` tries")                        \
    X(CAP_ABSOLUTE_TIME, "absolute_time", RULE_TEST, CAPABILITY_WITHDRAWN,                         \
      "tier1b-c4 drift-c5 sim-tier1b-c4 host-regime external", true,                               \
      "no passed test gate speaks for this machine, implementation and size")                      \
    X(CAP_STEP_TIME, "step_time", RULE_ALL, CAPABILITY_WITHDRAWN, "tier2", false,                  \
      "the overlap tier (Tier-2) has no passing evidence; step-level output is locked")            \
    X(CAP_THROUGHPUT, "throughput", RULE_ALL, CAPABILITY_WITHDRAWN, "tier2", false,                \
      "the overlap tier (Tier-2) has no passing evidence; step-level output is locked")            \
    X(CAP_WIRE_TIME, "wire_time", RULE_FIXED, CAPABILITY_CONDITIONAL,                              \
      "bound conservation cross-check monotonic contention sim-tier1 sim-tier1b-c2 sim-tier1b-c3",  \
      false,                                                                                       \
      "holds if the stated bandwidths hold; each run is held against its lower bound")            \
    X(CAP_ALLOWANCE, "allowance", RULE_KEPT, CAPABILITY_CONDITIONAL, "packet packet-allowance", true, \
      "what packet-level simulators needed beside the wire time, not a machine")

enum capability {
#define CAPABILITY_ENUM(id, ...) id,
    CAPABILITY_LIST(CAPABILITY_ENUM)
#undef CAPABILITY_ENUM
        CAP_COUNT
};

/* Return what the table says of a capability. */
const char *capability_name(enum capability c);
int capability_find(const char *name); /* -1 when unknown */
enum capability_rule capability_rule(enum capability c);
enum capability_state capability_otherwise(enum capability c);
const char *capability_state_name(enum capability_state s); /* "open", "conditional", "withdrawn" */
const char *capability_gates(enum capability c);            /* ids with blanks between; may be empty */
/* Returns whether a built-in gate is among those of a capability. */
bool capability_hangs_on(enum capability c, const char *gate);
/* Returns whether a user's gates may decide a capability for their machine. */
bool capability_allows_own(enum capability c);
/* Returns why a capability is not open without evidence. */
const char *capability_reason(enum capability c);

#endif
