/* SPDX-License-Identifier: BSD-3-Clause */
/* causes.h - why a simulated call takes another time than the closed form says: a waterfall of
 * effects.
 *
 * Each effect is switched between the closed form's view of it and the simulator's; the value of a
 * set of effects is the call's time with those switched on. With none on it is the closed form,
 * with all on the simulation. What an effect adds depends on what is on already: it gets its
 * Shapley value, the mean over all orders. Where messages are too many for that, the mean of being
 * switched on first and last, and what is left is a part of its own, "interaction". The parts add
 * up to simulated - analytic.
 * Units: SI. Source: FORMULAS.md [V3]. Errors: those of the simulator.
 * Ownership: borrows the question; parts own nothing.
 * Edges: without a closed form, or where ranks enter late, there are 0 parts. */
#ifndef SIM_STUDY_CAUSES_H
#define SIM_STUDY_CAUSES_H

#include "validation/simulate.h"
#include "workloads/costs.h"

/* What each effect means when it is off:
 *   intra_group_share         a one hop's bytes are all on the widest tier
 *   skew                      every rank sends the same to every other
 *   shared_links              both tiers a switch that never binds, each direction by itself: no NIC, copy port,
 *                             half-duplex port, block, tree or mesh; no oversubscription, no port or path for both
 *                             tiers, no degraded or background link
 *   latency_and_message_cost  added once, (w - 1) o + latency
 *   schedule_and_fairness     the lower bound: every port is kept busy
 *   overlap_of_hops           nobody begins a hop before all have ended the last one */
#define CAUSE_LIST(X)                                                                              \
    X(CAUSE_INTRA, "intra_group_share")                                                            \
    X(CAUSE_SKEW, "skew")                                                                          \
    X(CAUSE_SHARED, "shared_links")                                                                \
    X(CAUSE_MESSAGES, "latency_and_message_cost")                                                  \
    X(CAUSE_SCHEDULE, "schedule_and_fairness")                                                     \
    X(CAUSE_OVERLAP, "overlap_of_hops")

enum cause {
#define CAUSE_ENUM(id, name) id,
    CAUSE_LIST(CAUSE_ENUM)
#undef CAUSE_ENUM
        CAUSE_COUNT
};

struct causes {
    int n; /* 0: not explained: no closed form, or ranks that enter late */
    struct cause_part {
        const char *name;
        double seconds;
        double first, last; /* switched on before, after all others; both 0 for the interaction */
    } parts[CAUSE_COUNT + 1];
    bool shapley; /* false: first and last only */
    int evaluations;
};

struct causes_question {
    const struct call *call;
    const struct costs *costs;
    double analytic_s, simulated_s; /* the two ends, under these costs */
    struct simulator simulator;
    double shapley_messages; /* at most so many messages a run; 0: the default */
};

/* Finds the effects of a call and what each adds. */
enum rc causes_find(const struct causes_question *q, struct causes *causes, struct err *e);

/* Finds the time with a set of effects switched on (bits of enum cause), for tests and for causes_find(). */
enum rc causes_value(const struct causes_question *q, unsigned on, double *time_s, struct err *e);

#endif
