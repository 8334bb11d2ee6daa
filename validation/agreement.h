/* SPDX-License-Identifier: BSD-3-Clause */
/* agreement.h - two engines on the same cases: when does every message end?
 *
 * A case is chaotic when the first engine does not agree with itself to AGREEMENT_EXACT, every flow being one unit of
 * payload longer, which is up to 1e-12 of the smallest one: rounding decides there who goes first.
 * Units: seconds; differences are relative to the later of the two ends.
 * Errors: of the engines; RC_UNSUPPORTED when an engine does not tell all its messages or plays no sequences.
 * Ownership: a case owns its bench, agreement_case_close() releases; a case must not move while it is open. */
#ifndef VALIDATION_AGREEMENT_H
#define VALIDATION_AGREEMENT_H

#include "validation/bench.h"
#include "validation/simulate.h"

#define AGREEMENT_EXACT 1e-9

/* What a case has; a case may have several. */
enum agreement_kind {
    AGREEMENT_SWITCH,
    AGREEMENT_FULL_MESH,
    AGREEMENT_RING,
    AGREEMENT_TORUS,
    AGREEMENT_GRAPH,
    AGREEMENT_FAT_TREE,
    AGREEMENT_RAIL,
    AGREEMENT_MULTI_PLANE,
    AGREEMENT_DRAGONFLY,
    AGREEMENT_WINDOW_ONE,
    AGREEMENT_WINDOW_SEVERAL,
    AGREEMENT_WINDOW_ALL,
    AGREEMENT_SHARED,
    AGREEMENT_SEVERAL_PATHS,
    AGREEMENT_HALF_DUPLEX,
    AGREEMENT_BACKGROUND,
    AGREEMENT_DEGRADED,
    AGREEMENT_PIPELINED,
    AGREEMENT_SEQUENCE,
    AGREEMENT_KINDS
};

enum { AGREEMENT_CALLS = 3 };

struct agreement_case {
    char label[48];
    bool kinds[AGREEMENT_KINDS];
    struct bench bench;
    size_t n_calls; /* 0: one call by itself; otherwise equal calls in sequence */
    enum regime host;
    struct costs costs[AGREEMENT_CALLS];
};

/* Case number i of a seed: fabrics in turn, all else drawn; 8 to 64 ranks, and a few hundred pieces of messages. */
enum rc agreement_random(uint64_t seed, int i, struct agreement_case *c, struct err *e);
void agreement_case_close(struct agreement_case *c);

/* How a sequence of calls is played; context is that of the engine. outcomes[n], the caller clears them. */
typedef enum rc (*agreement_sequence_f)(const struct call *calls, const struct costs *costs, size_t n,
                                        enum regime host, void *context, struct outcome *outcomes, struct err *e);

struct agreement_engines {
    const struct simulator *first, *second;
    agreement_sequence_f sequence;
};

struct agreement_result {
    double difference; /* of the ends of messages, the largest */
    double makespan;   /* of the whole */
    double own;        /* how far the first engine moves its own ends, see above */
    bool chaotic;
    double times_s[2]; /* makespans of first and second */
    size_t messages;
};

enum rc agreement_compare(const struct agreement_engines *engines, const struct agreement_case *c,
                          struct agreement_result *result, struct err *e);

#endif
