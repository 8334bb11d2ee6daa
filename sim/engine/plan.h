/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - the exchanges of one call, or of calls one after the other, and what each one waits
 * for.
 *
 * Exchanges are numbered through all calls, stage after stage. A part is a piece of an exchange at
 * a rank; part (exchange, chunk, rank) has the number first_part + chunk * ranks + rank.
 * Inside a call an exchange follows the one before by pieces (`next`). An exchange that must not
 * begin before the rank is through with another one altogether, sends included, stands behind its
 * gate (`gate`): the first exchange of the next call, and in a sequence each stage of a call that
 * is not pipelined.
 * Model: FORMULAS.md [S4], [S5], [S7].
 * Units: SI. Errors: none.
 * Ownership: borrows the calls; plan_clear() releases the rest. */
#ifndef SIM_ENGINE_PLAN_H
#define SIM_ENGINE_PLAN_H

#include "sim/engine/flow.h"
#include "workloads/costs.h"

struct exchange {
    const struct call *call;
    int nth, stage;
    int chunks; /* pieces of each message, at least 1 */
    int next, gate; /* -1: none */
    bool barrier;   /* what follows waits, at every rank, for all messages of all ranks */
    size_t first_part;
};

struct plan {
    const struct topology *topology; /* of all calls */
    const struct call *calls;
    int n_calls;
    double first_entry_s; /* of a rank into the first call */
    bool sequence; /* calls back to back; otherwise one call as sim_run() plays it */
    enum regime host; /* of a sequence */
    int n, ranks;
    int ways; /* that the tiers of the topology allow */
    struct exchange *exchanges;
    int *first; /* [nth] its first exchange */
    size_t n_parts;
    int most_chunks; /* piece c of message i has the number i * most_chunks + c */
    bool times_only; /* links are not measured */
    int link_bins; /* payload over time: bins per link; 0: not counted */
    int most_messages; /* of those whose times are told */
    const struct flow_engine *engine; /* SimGrid, unless changed */
    bool checked; /* the engine proves its rates, where it can */
};

void plan_init(struct plan *p, const struct call *call);
/* Prepares a plan of calls back to back, with hosts that issue calls in order. */
void plan_init_sequence(struct plan *p, const struct call *calls, size_t n_calls, enum regime host);
void plan_clear(struct plan *p);

/* How a message travels, as far as its latency is concerned: over one tier, or over two (to a relay). */
enum { WAYS = TIER_MAX * (TIER_MAX + 1) / 2 }; /* at most */
int plan_way(const struct route *route);
double plan_latency_s(const struct costs *costs, int way);

/* Returns the number of a part. */
static inline size_t plan_part(const struct plan *p, int exchange, int chunk, int rank) {
    return p->exchanges[exchange].first_part + (size_t)chunk * (size_t)p->ranks + (size_t)rank;
}

/* Return the entries of arrays over (exchange, rank) and over (exchange, way, rank). */
static inline size_t plan_at(const struct plan *p, int exchange, int rank) {
    return (size_t)exchange * (size_t)p->ranks + (size_t)rank;
}

static inline size_t plan_event(const struct plan *p, int exchange, int way, int rank) {
    return plan_at(p, exchange * p->ways + way, rank);
}

/* Whether one run of a single call answers both: they differ at most in what only shifts times
 * (alpha of the first stage, the latency of last arrivals). */
bool plan_same_run(const struct call *call, const struct costs *a, const struct costs *b);

#endif
