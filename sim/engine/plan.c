/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/plan.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

static int count_exchanges(const struct step *steps, size_t n_calls) {
    int n = 0;
    for (size_t i = 0; i < n_calls; i++)
        n += steps[i].n_stages;
    return n;
}

/* Whether a later stage of a call may begin before the one before is over at its rank. */
static bool is_pipelined(const struct step *step) {
    return step->chunks > 1;
}

static void add_call(struct plan *p, int call) {
    const struct step *step = &p->steps[call];
    int after = p->first[call] + step->n_stages, next_call = call + 1 < p->n_calls ? after : -1;
    for (int stage = 0; stage < step->n_stages; stage++) {
        int x = p->n++;
        struct exchange *e = &p->exchanges[x];
        *e = (struct exchange){.step = step,
                               .call = call,
                               .stage = stage,
                               .chunks = step->chunks > 1 ? step->chunks : 1,
                               .next = x + 1 < after ? x + 1 : -1,
                               .gate = -1,
                               .first_part = p->n_parts};
        if (p->sequence && e->next >= 0 && !is_pipelined(step)) {
            e->gate = e->next;
            e->next = -1;
        } else if (p->sequence) {
            e->gate = next_call;
        }
        p->n_parts += (size_t)e->chunks * (size_t)p->ranks;
        p->most_chunks = e->chunks > p->most_chunks ? e->chunks : p->most_chunks;
    }
}

static double first_entry_s(const struct step *step) {
    double first_s = step->enter_s ? step->enter_s[0] : 0;
    for (int rank = 1; rank < step->topology->ranks && step->enter_s; rank++)
        first_s = step->enter_s[rank] < first_s ? step->enter_s[rank] : first_s;
    return first_s;
}

static void build(struct plan *p) {
    p->topology = p->steps[0].topology;
    p->ranks = p->topology->ranks;
    p->ways = p->topology->platform->n_tiers * (p->topology->platform->n_tiers + 1) / 2;
    p->first_entry_s = first_entry_s(&p->steps[0]);
    p->most_chunks = 1;
    p->exchanges =
        mem_alloc((size_t)count_exchanges(p->steps, (size_t)p->n_calls), sizeof *p->exchanges);
    p->first = mem_alloc((size_t)p->n_calls, sizeof *p->first);
    for (int call = 0; call < p->n_calls; call++) {
        BUG_ON(p->steps[call].topology != p->topology);
        p->first[call] = p->n;
        add_call(p, call);
    }
}

void plan_init(struct plan *p, const struct step *step) {
    *p = (struct plan){.steps = step, .n_calls = 1, .host = REGIME_OBSERVED};
    build(p);
}

void plan_init_sequence(struct plan *p, const struct step *steps, size_t n_calls,
                        enum regime host) {
    *p = (struct plan){.steps = steps, .n_calls = (int)n_calls, .sequence = true, .host = host};
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
