/* SPDX-License-Identifier: BSD-3-Clause */
/* causes.h - why a simulated call takes another time than the closed form says: a waterfall of
 * effects.
 *
 * Each effect is switched between the closed form's view of it and the simulator's; the value of a
 * set of effects is the call's time with those switched on. With none on it is the closed form,
 * with all on the simulation. What an effect adds depends on what is on already: it gets its
 * Shapley value, the mean over all orders. Where messages are too many for that, the mean of being
 * switched on first and last, and what is left is a part of its own, "interaction". The parts add
 * up to simulated - analytic. Units: SI. Source: FORMULAS.md [V3]. Errors: those of the simulator.
 */
#ifndef VALIDATION_CAUSES_H
#define VALIDATION_CAUSES_H

#include "validation/simulate.h"

#define CAUSE_LIST(X)                                                                              \
    X(CAUSE_INTRA, "intra_group_share") /* off: a one hop's bytes are all on the widest tier */    \
    X(CAUSE_SKEW, "skew") /* off: every rank sends the same to every other */                      \
    X(CAUSE_SHARED, "shared_links") /* off: no oversubscription, no port for both tiers */         \
    X(CAUSE_MESSAGES, "latency_and_message_cost") /* off: added once, (w - 1) o + latency */       \
    X(CAUSE_SCHEDULE, "schedule_and_fairness") /* off: the lower bound, every port kept busy */    \
    X(CAUSE_OVERLAP,                                                                               \
      "overlap_of_hops") /* off: nobody begins a hop before all have ended the last */

enum cause {
#define CAUSE_ENUM(id, name) id,
    CAUSE_LIST(CAUSE_ENUM)
#undef CAUSE_ENUM
        CAUSE_COUNT
};

struct causes {
    int n; /* 0: not explained, neither one hop nor two */
    struct cause_part {
        const char *name;
        double seconds;
        double first, last; /* switched on before, after all others; both 0 for the interaction */
    } parts[CAUSE_COUNT + 1];
    bool shapley; /* false: first and last only */
    int evaluations;
};

struct causes_question {
    const struct step *step;
    const struct costs *costs;
    double analytic_s, simulated_s; /* the two ends, under these costs */
    struct simulator simulator;
    double shapley_messages; /* at most so many messages a run; 0: the default */
};

enum rc causes_find(const struct causes_question *q, struct causes *causes, struct err *e);

/* Time with a set of effects switched on (bits of enum cause), for tests and for causes_find(). */
enum rc causes_value(const struct causes_question *q, unsigned on, double *time_s, struct err *e);

#endif
