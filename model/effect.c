/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/effect.h"

#include <math.h>
#include <stdlib.h>

#include "model/bound_once.h"
#include "platforms/base/mem.h"

void effect_as_is(const struct call *call, struct effect *effect) {
    for (int tier = 0; tier < TIER_MAX; tier++)
        effect->message_cost_s[tier] =
            tier < call->platform->n_tiers ? call_message_cost_s(call, (enum tier)tier) : 0;
    effect->bytes_factor = 1;
}

/* Port time of messages on links under the constants of the call: of one stage, or summed over all. */
struct loads {
    size_t n_links;
    double *wire_s; /* [link * TIER_MAX + tier] bytes over the rate, by the tier of the message */
    double *payments; /* [link] of a per-message cost, by messages of the link's own tier */
    double *bytes, *busy_s; /* [link] room */
};

static void loads_init(const struct call *call, struct loads *x) {
    x->n_links = (size_t)call->topology->n_links;
    x->wire_s = mem_alloc(x->n_links * TIER_MAX + 1, sizeof *x->wire_s);
    x->payments = mem_alloc(x->n_links + 1, sizeof *x->payments);
    x->bytes = mem_alloc(x->n_links + 1, sizeof *x->bytes);
    x->busy_s = mem_alloc(x->n_links + 1, sizeof *x->busy_s);
}

static void loads_clear(struct loads *x) {
    free(x->wire_s);
    free(x->payments);
    free(x->bytes);
    free(x->busy_s);
}

/* Fills in the library of a call in which each message costs COUNTED_S, of the size of what messages take, so that sums
 * of both lose nothing. */
#define COUNTED_S 1e-6
static void count_payments(const struct call *call, struct implementation *how) {
    *how = *call->implementation;
    struct quantity *const costs[] = {&how->message_cost_s.fast, &how->message_cost_s.slow};
    for (int i = 0; i < 2; i++) {
        costs[i]->value = COUNTED_S;
        costs[i]->given = costs[i]->set = true;
    }
}

/* Fills the loads of a stage. Only egress ports pay per message, and for messages of their own tier. */
static void loads_of_stage(const struct call *call, int stage, struct loads *x) {
    struct implementation how;
    struct call counted = *call;
    count_payments(call, &how);
    counted.implementation = &how;
    for (size_t i = 0; i < x->n_links * TIER_MAX; i++)
        x->wire_s[i] = 0;
    for (size_t l = 0; l < x->n_links; l++)
        x->bytes[l] = x->busy_s[l] = 0;
    struct call_load load = {.bytes = x->bytes, .busy_s = x->busy_s, .of_tier_s = x->wire_s};
    call_load(&counted, stage, &load);
    for (size_t l = 0; l < x->n_links; l++) {
        const struct link *link = &call->topology->links[l];
        bool pays = link->role == LINK_EGRESS && x->bytes[l] > 0;
        double paid_s = pays ? fmax(x->busy_s[l] - x->bytes[l] / link->capacity_Bps, 0) : 0;
        double *wire_s = &x->wire_s[l * TIER_MAX + (size_t)link->tier];
        x->payments[l] = paid_s / COUNTED_S;
        *wire_s = fmax(*wire_s - paid_s, 0);
    }
}

static void loads_add(struct loads *all, const struct loads *x) {
    for (size_t i = 0; i < x->n_links * TIER_MAX; i++)
        all->wire_s[i] += x->wire_s[i];
    for (size_t l = 0; l < x->n_links; l++)
        all->payments[l] += x->payments[l];
}

/* What one pass over the links finds for one case. */
struct pass {
    double end_s;         /* of the busiest link, with the least latency of its messages */
    double latency_s;     /* the longest of a loaded cable */
    double load_s;        /* sum over all links */
    bool used[TIER_MAX];  /* by a message */
};

static void pass_link(const struct call *call, const struct effect *c, const struct loads *x, size_t l,
                      struct pass *pass) {
    const struct link *as_is = &call->topology->links[l], *is = c->links ? &c->links[l] : as_is;
    double slower = as_is->capacity_Bps / is->capacity_Bps * c->bytes_factor, load_s[TIER_MAX], all_s = 0;
    for (int tier = 0; tier < TIER_MAX; tier++) {
        load_s[tier] = x->wire_s[l * TIER_MAX + (size_t)tier] * slower;
        if (tier == (int)as_is->tier)
            load_s[tier] += x->payments[l] * c->message_cost_s[tier];
        pass->used[tier] = pass->used[tier] || load_s[tier] > 0;
        all_s += load_s[tier];
    }
    if (!(all_s > 0))
        return;
    pass->load_s += all_s;
    pass->latency_s = c->costs.cables ? fmax(pass->latency_s, is->latency_s) : 0;
    pass->end_s = fmax(pass->end_s, once_link_end_s(&c->costs, 0, load_s));
}

static void pass_links(const struct call *call, const struct effect *c, const struct loads *x, struct pass *pass) {
    *pass = (struct pass){0};
    for (size_t l = 0; l < x->n_links; l++)
        pass_link(call, c, x, l, pass);
}

static double longest_chain_s(const struct call *call, int stage, const struct costs *costs) {
    double chain_s = 0;
    for (int rank = 0; call->stages[stage].pairs && rank < call->topology->ranks; rank++)
        chain_s = fmax(chain_s, costs_chain_s(costs, call, stage, rank));
    return chain_s;
}

/* Adds a stage to the result of a case: the whole stage where messages are whole, the first piece where they are
 * cut. */
static void effect_add_stage(const struct call *call, int stage, const struct pass *pass, struct effect *c) {
    double fixed_s = costs_alpha_s(&c->costs, call, stage) + costs_splits_s(&c->costs, call, stage) +
                     longest_chain_s(call, stage, &c->costs);
    c->time_s += fixed_s + pass->end_s / call->chunks + pass->latency_s;
    c->all_s += fixed_s + pass->load_s + pass->latency_s;
    for (int tier = 0; tier < TIER_MAX; tier++)
        c->all_s += pass->used[tier] ? c->costs.latency_s[tier] : 0;
}

/* Loads of all stages of a call that has few. */
enum { KEPT_STAGES = 8 };
struct effect_loads {
    int n;
    struct loads of[KEPT_STAGES];
};

struct effect_loads *effect_loads_new(const struct call *call) {
    if (call->n_stages > KEPT_STAGES)
        return NULL;
    struct effect_loads *loads = mem_alloc(1, sizeof *loads);
    for (; loads->n < call->n_stages; loads->n++) {
        loads_init(call, &loads->of[loads->n]);
        loads_of_stage(call, loads->n, &loads->of[loads->n]);
    }
    return loads;
}

void effect_loads_free(struct effect_loads *loads) {
    for (int i = 0; loads && i < loads->n; i++)
        loads_clear(&loads->of[i]);
    free(loads);
}

void effect_times(const struct call *call, const struct effect_loads *loads, struct effect *cases, size_t n) {
    struct loads own, all;
    struct pass pass;
    loads_init(call, &own);
    loads_init(call, &all);
    for (size_t i = 0; i < n; i++)
        cases[i].time_s = cases[i].all_s = 0;
    for (int stage = 0; stage < call->n_stages; stage++) {
        const struct loads *x = loads ? &loads->of[stage] : &own;
        if (!loads)
            loads_of_stage(call, stage, &own);
        loads_add(&all, x);
        for (size_t i = 0; i < n; i++) {
            pass_links(call, &cases[i], x, &pass);
            effect_add_stage(call, stage, &pass, &cases[i]);
        }
    }
    for (size_t i = 0; i < n && call->chunks > 1; i++) {
        pass_links(call, &cases[i], &all, &pass);
        cases[i].time_s += pass.end_s * (1 - 1.0 / call->chunks);
    }
    loads_clear(&own);
    loads_clear(&all);
}
