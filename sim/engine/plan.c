/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/plan.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

static int count_exchanges(const struct call *calls, size_t n_calls) {
    int n = 0;
    for (size_t i = 0; i < n_calls; i++)
        n += calls[i].n_stages;
    return n;
}

/* Whether a later stage of a call may begin before the one before is over at its rank. */
static bool is_pipelined(const struct call *call) {
    return call->chunks > 1;
}

static void add_call(struct plan *p, int nth) {
    const struct call *call = &p->calls[nth];
    int after = p->first[nth] + call->n_stages, next_call = nth + 1 < p->n_calls ? after : -1;
    for (int stage = 0; stage < call->n_stages; stage++) {
        int x = p->n++;
        struct exchange *e = &p->exchanges[x];
        *e = (struct exchange){.call = call,
                               .nth = nth,
                               .stage = stage,
                               .chunks = call->chunks > 1 ? call->chunks : 1,
                               .next = x + 1 < after ? x + 1 : -1,
                               .gate = -1,
                               .barrier = stage + 1 < call->n_stages && call->stages[stage + 1].barrier,
                               .first_part = p->n_parts};
        if (p->sequence && e->next >= 0 && !is_pipelined(call)) {
            e->gate = e->next;
            e->next = -1;
        } else if (p->sequence) {
            e->gate = next_call;
        }
        p->n_parts += (size_t)e->chunks * (size_t)p->ranks;
        p->most_chunks = e->chunks > p->most_chunks ? e->chunks : p->most_chunks;
    }
}

static double first_entry_s(const struct call *call) {
    double first_s = call->enter_s ? call->enter_s[0] : 0;
    for (int rank = 1; rank < call->topology->ranks && call->enter_s; rank++)
        first_s = call->enter_s[rank] < first_s ? call->enter_s[rank] : first_s;
    return first_s;
}

static void build(struct plan *p) {
    p->topology = p->calls[0].topology;
    p->ranks = p->topology->ranks;
    p->ways = p->topology->platform->n_tiers * (p->topology->platform->n_tiers + 1) / 2;
    p->first_entry_s = first_entry_s(&p->calls[0]);
    p->most_chunks = 1;
    p->exchanges =
        mem_alloc((size_t)count_exchanges(p->calls, (size_t)p->n_calls), sizeof *p->exchanges);
    p->first = mem_alloc((size_t)p->n_calls, sizeof *p->first);
    for (int nth = 0; nth < p->n_calls; nth++) {
        BUG_ON(p->calls[nth].topology != p->topology);
        p->first[nth] = p->n;
        add_call(p, nth);
    }
}

void plan_init(struct plan *p, const struct call *call) {
    *p = (struct plan){.calls = call, .n_calls = 1, .host = REGIME_OBSERVED, .engine = &flow_simgrid};
    build(p);
}

void plan_init_sequence(struct plan *p, const struct call *calls, size_t n_calls,
                        enum regime host) {
    *p = (struct plan){
        .calls = calls, .n_calls = (int)n_calls, .sequence = true, .host = host, .engine = &flow_simgrid};
    build(p);
}

void plan_clear(struct plan *p) {
    free(p->exchanges);
    free(p->first);
    *p = (struct plan){0};
}

int plan_way(const struct route *route) {
    int tier = (int)route->tier, other = route->via < 0 ? tier : route->via;
    return tier * (tier + 1) / 2 + other;
}

double plan_latency_s(const struct costs *costs, int way) {
    int tier = 0;
    while ((tier + 1) * (tier + 2) / 2 <= way)
        tier++;
    int other = way - tier * (tier + 1) / 2;
    return costs->latency_s[tier] + (other < tier ? costs->latency_s[other] : 0);
}

bool plan_same_run(const struct call *call, const struct costs *a, const struct costs *b) {
    if (a->cables != b->cables && call->n_stages > 1 && call->topology->has_latency)
        return false;
    for (int stage = 1; stage < call->n_stages; stage++) {
        if (costs_alpha_s(a, call, stage) != costs_alpha_s(b, call, stage) ||
            costs_splits_s(a, call, stage) != costs_splits_s(b, call, stage))
            return false;
        for (int rank = 0; rank < call->topology->ranks; rank++)
            if (costs_chain_s(a, call, stage, rank) != costs_chain_s(b, call, stage, rank))
                return false;
        for (int tier = 0; tier < TIER_MAX; tier++)
            if (a->latency_s[tier] != b->latency_s[tier])
                return false;
    }
    return true;
}
