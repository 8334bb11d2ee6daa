/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - the links of a plan's topology in the network of an engine, on a clock that suits it.
 *
 * Links keep their numbers. When bytes are counted over time, beside each egress port stands a second
 * link, its meter, that only its per-message costs pass: never narrower than the port, it changes no
 * rate.
 * Units: seconds outside; the engine's clock is seconds x 2^time_scale, its payload that of messages.h.
 * Errors: none.
 * Edges: a delay below 0 is a delay of 0.
 * Ownership: network_open() once in a process with SimGrid; network_close() releases, also a zeroed struct. */
#ifndef SIM_ENGINE_NETWORK_H
#define SIM_ENGINE_NETWORK_H

#include <math.h>

#include "sim/engine/messages.h"

struct network {
    const struct flow_engine *engine;
    struct flows *flows;
    int time_scale;
    int *meters; /* [link] its meter; -1: none */
};

void network_open(const struct plan *plan, const struct messages *messages, struct network *n);
void network_close(struct network *n);

static inline double network_now_s(const struct network *n) {
    return ldexp(n->engine->now(n->flows), -n->time_scale);
}

/* Sets a timer; a delay below 0 counts as 0. */
static inline void network_timer(const struct network *n, double delay_s, int64_t tag) {
    n->engine->timer(n->flows, delay_s > 0 ? ldexp(delay_s, n->time_scale) : 0, tag);
}

/* Begins a run: the clock is 0, and what the plan asks for is measured. */
void network_reset(const struct network *n, const struct plan *plan, const struct flow_hooks *hooks);

#endif
