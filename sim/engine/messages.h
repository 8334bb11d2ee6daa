/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - a step as messages: who sends what to whom, in the order in which senders post it.
 *
 * Units: payload = bytes x 2^scale, so that fractional bytes become integers.
 * Shapes: messages of a rank lie together, stage after stage: those of (rank, stage) are items[i]
 * for start[rank * n_stages + stage] <= i < start[rank * n_stages + stage + 1]. The diagonal and
 * zero-byte pairs send nothing.
 * Errors: RC_RANGE when sizes are so far apart that no scale fits.
 * Ownership: messages_clear() releases. */
#ifndef SIM_ENGINE_MESSAGES_H
#define SIM_ENGINE_MESSAGES_H

#include <stdint.h>

#include "workloads/step.h"

struct message {
    int src, dst, stage;
    int64_t payload;
};

struct messages {
    int scale;
    struct message *items;
    size_t n;
    size_t *start; /* ranks * n_stages + 1 */
    int64_t *port_cost; /* per link: payload that lasts the per-message cost; 0 but on egress */
};

enum rc messages_build(const struct step *step, struct messages *m, struct err *e);
void messages_clear(struct messages *m);

/* The largest share of a stage's messages that hang together, directly or through others, by links
 * in common. */
double messages_largest_share(const struct step *step, const struct messages *m);

/* The peer that comes k-th (from 0) in a sender's order. It may be the sender itself. */
int messages_peer(const struct platform *p, enum order order, int src, int k);

#endif
