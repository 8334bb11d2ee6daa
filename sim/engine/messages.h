/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - the exchanges of a plan as messages: who sends what to whom, in the order in which
 * senders post.
 *
 * A message of an exchange with several chunks is as many pieces of equal size; payload and cost
 * are those of one piece. Cost is what lasts the per-message cost on the egress port that carries
 * it.
 * Units: payload = bytes x 2^scale, so that fractional bytes become integers.
 * Shapes: messages of a rank lie together, exchange after exchange: those of (rank, exchange) are
 * items[i] for start[rank * n + exchange] <= i < start[rank * n + exchange + 1], n = the number of
 * exchanges. The diagonal and zero-byte pairs send nothing.
 * Errors: RC_RANGE when sizes are so far apart that no scale fits.
 * Ownership: messages_clear() releases. */
#ifndef SIM_ENGINE_MESSAGES_H
#define SIM_ENGINE_MESSAGES_H

#include <stdint.h>

#include "sim/engine/plan.h"

struct message {
    int src, dst, exchange;
    int way; /* plan_way() of its route */
    int port; /* by whose number its sender's window counts it: one for each link of a mesh, and 0 for all others */
    int64_t payload, cost;
};

struct messages {
    int scale;
    struct message *items;
    size_t n;
    size_t *start; /* ranks * n + 1 */
    int ports;     /* most of a sender */
};

enum rc messages_build(const struct plan *plan, struct messages *m, struct err *e);
void messages_clear(struct messages *m);

/* The messages of a rank in an exchange. */
static inline size_t messages_first(const struct messages *m, const struct plan *p, int exchange,
                                    int rank) {
    return m->start[(size_t)rank * (size_t)p->n + (size_t)exchange];
}

static inline size_t messages_count(const struct messages *m, const struct plan *p, int exchange,
                                    int rank) {
    size_t at = (size_t)rank * (size_t)p->n + (size_t)exchange;
    return m->start[at + 1] - m->start[at];
}

/* The message that a piece belongs to. */
static inline const struct message *message_of(const struct messages *m, const struct plan *p, size_t piece) {
    return &m->items[piece / (size_t)p->most_chunks];
}

/* Route of a message. */
void messages_route(const struct plan *p, const struct message *m, struct route *route);

/* The largest share of an exchange's messages, over those of the first call, that hang together,
 * directly or through others, by links in common. */
double messages_largest_share(const struct plan *p, const struct messages *m);

#endif
