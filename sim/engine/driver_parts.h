/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_parts.h - what a driver holds while it plays a plan.
 *
 * Units: SI. Shapes: plan.h and messages.h; in brackets.
 * Errors: none. Ownership: the driver owns its arrays and borrows plan, costs and play.
 * Edges: a rank that has not entered an exchange has released 0 pieces. */
#ifndef SIM_ENGINE_DRIVER_PARTS_H
#define SIM_ENGINE_DRIVER_PARTS_H

#include "sim/engine/messages.h"
#include "sim/engine/network.h"
#include "sim/engine/play.h"
#include "sim/engine/trail.h"

#define NOBODY SIZE_MAX

/* A piece of an exchange at a rank: what its release waits for. */
struct part {
    int exchange;
    int64_t waits_for; /* how many things are missing */
    double ready_s; /* latest of those that have come */
};

/* A rank in an exchange, as a sender and as a receiver. */
struct end {
    int released; /* pieces; 0: has not entered */
    size_t head; /* pieces posted before the first one that is not */
    int64_t receiving; /* slots of the receive window in use */
    size_t first_waiter, last_waiter; /* pieces posted to it that it cannot take yet, in order of posting */
};

struct driver {
    const struct plan *plan;
    const struct costs *costs; /* of this run, as is all below */
    struct play *play;
    struct messages messages;
    struct trail trail;
    struct network net;
    struct part *parts; /* [part] */
    struct end *ends; /* plan_at() */
    int64_t *sending; /* [plan_at() * ports + port] slots of the window in use */
    bool *posted; /* [piece] */
    double *issued_s; /* [rank] its host is through with what it has issued */
    size_t *next_waiter; /* [piece] */
    int *missing;        /* [message] pieces not delivered */
    double *begin_s, *end_s; /* [message] it leaves, its last byte is off the last link; when they are told */
    int *flying; /* [piece] paths on which its payload is under way */
    int64_t *last_piece; /* [nth * WAYS + way] that arrived */
    double *last_s;      /* when, the latency of the tiers not included */
    int *last_entry; /* [nth] rank that entered its last exchange last */
    size_t *undelivered; /* [exchange] messages of one with a barrier behind it */
    double *over_s;      /* [exchange] their last arrival so far */
};

static inline const struct exchange *exchange_of(const struct driver *d, int exchange) {
    return &d->plan->exchanges[exchange];
}

static inline struct end *end_of(const struct driver *d, int exchange, int rank) {
    return &d->ends[plan_at(d->plan, exchange, rank)];
}

static inline const struct implementation *how(const struct driver *d, int exchange) {
    return exchange_of(d, exchange)->call->implementation;
}

static inline int64_t *sending_of(const struct driver *d, const struct message *m) {
    return &d->sending[plan_at(d->plan, m->exchange, m->src) * (size_t)d->messages.ports + (size_t)m->port];
}

#endif
