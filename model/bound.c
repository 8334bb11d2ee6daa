/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

/* Port time that messages of one tier want from one link, and when the first of it can begin. */
struct item {
    double release_s;
    double load_s;
};
struct pile {
    struct item *items;
    size_t n;
    size_t room;
};

/* Messages released at the same moment become one item, so that a first stage takes one. */
static void pile_add(struct pile *p, double release_s, double load_s) {
    if (p->n && p->items[p->n - 1].release_s == release_s) {
        p->items[p->n - 1].load_s += load_s;
        return;
    }
    MEM_GROW(p->items, p->n, p->room);
    p->items[p->n++] = (struct item){release_s, load_s};
}

static int latest_first(const void *a, const void *b) {
    double x = ((const struct item *)a)->release_s, y = ((const struct item *)b)->release_s;
    return (x < y) - (x > y);
}

/* [B1] max over sets of messages: first release + load + least latency. The largest sets suffice: all those
 * released at or after some moment, of the tiers with at least some latency. piles[TIER_COUNT] */
static double piles_end_s(const struct pile *piles, const double *latency_s, struct pile *scratch) {
    double end_s = 0;
    for (int least = 0; least < TIER_COUNT; least++) {
        scratch->n = 0;
        for (int tier = 0; tier < TIER_COUNT; tier++)
            for (size_t i = 0; i < piles[tier].n && latency_s[tier] >= latency_s[least]; i++)
                pile_add(scratch, piles[tier].items[i].release_s, piles[tier].items[i].load_s);
        if (scratch->n)
            qsort(scratch->items, scratch->n, sizeof *scratch->items, latest_first);
        double load_s = 0;
        for (size_t i = 0; i < scratch->n; i++) {
            load_s += scratch->items[i].load_s;
            end_s = fmax(end_s, scratch->items[i].release_s + load_s + latency_s[least]);
        }
    }
    return end_s;
}

struct walk {
    const struct step *step;
    const struct costs *costs;
    int chunks;
    double *ready_s; /* per rank: has entered the stage and paid its fixed cost, for the first piece */
    double *last_s;  /* the same for the last piece; equal when messages are whole */
    struct pile *links; /* per link and tier, over all stages */
    struct pile *own; /* the same of the messages to one rank in one stage; empty between ranks */
    struct pile scratch;
    double bound_s;
};

static double raise(struct walk *w, double time_s) {
    w->bound_s = fmax(w->bound_s, time_s);
    return time_s;
}

/* [B2] entry and fixed cost: t += splits + chain + alpha. Of a pipelined stage the first piece needs its share
 * of the arrivals and of the chain, the last one all of the arrivals. */
static void enter(struct walk *w, int stage) {
    for (int rank = 0; rank < w->step->topology->ranks; rank++) {
        double chain_s = costs_chain_s(w->costs, w->step, stage, rank) / w->chunks;
        double once_s = costs_splits_s(w->costs, w->step, stage) + w->costs->alpha_s[stage];
        w->ready_s[rank] += chain_s + once_s;
        w->last_s[rank] = fmax(w->last_s[rank] + chain_s + (w->chunks == 1 ? once_s : 0),
                               w->ready_s[rank]);
        raise(w, w->last_s[rank]);
    }
}

/* A share of a message on its way, released at some moment. */
static void add_share(struct walk *w, const struct route *route, double release_s, double bytes,
                      double cost_s) {
    for (int k = 0; k < route->n; k++) {
        int l = route->links[k];
        double load_s = bytes / w->step->topology->links[l].capacity_Bps +
                        (l == route->cost_link ? cost_s : 0);
        int pile = l * TIER_COUNT + (int)route->tier;
        pile_add(&w->links[pile], release_s, load_s);
        pile_add(&w->own[pile], release_s, load_s);
    }
}

static void add_message(struct walk *w, int stage, int src, int dst, double bytes) {
    bool both = w->step->implementation->start == START_RENDEZVOUS;
    double first_s = both ? fmax(w->ready_s[src], w->ready_s[dst]) : w->ready_s[src];
    double last_s = fmax(first_s, w->last_s[src]);
    struct route route;
    step_route(w->step, src, dst, &route);
    double cost_s = step_message_units(w->step, stage, bytes) *
                    step_message_cost_s(w->step, route.tier);
    double rest = 1 - 1.0 / w->chunks;
    add_share(w, &route, last_s, bytes * (1 - rest), cost_s * (1 - rest));
    if (rest > 0)
        add_share(w, &route, first_s, bytes * rest, cost_s * rest);
}

/* [B2] Earliest end of the arrivals at dst: its own messages alone take that long on each link.
 * Empties own. */
static double own_end_s(struct walk *w, const struct matrix *to, int dst) {
    double end_s = w->ready_s[dst];
    for (size_t i = to->start[dst]; i < to->start[dst + 1]; i++) {
        if (to->dst[i] == dst || to->value[i] <= 0)
            continue;
        struct route route;
        step_route(w->step, to->dst[i], dst, &route);
        for (int k = 0; k < route.n; k++) {
            struct pile *own = &w->own[route.links[k] * TIER_COUNT];
            end_s = fmax(end_s, piles_end_s(own, w->costs->latency_s, &w->scratch));
            for (int tier = 0; tier < TIER_COUNT; tier++)
                own[tier].n = 0;
        }
    }
    return end_s;
}

static void exchange(struct walk *w, int stage) {
    struct matrix to; // row = receiver, columns = its senders
    matrix_transpose(&w->step->stages[stage].bytes, &to);
    double *first_s = mem_alloc((size_t)to.ranks, sizeof *first_s);
    double *end_s = mem_alloc((size_t)to.ranks, sizeof *end_s);
    for (int dst = 0; dst < to.ranks; dst++) {
        for (size_t i = to.start[dst]; i < to.start[dst + 1]; i++)
            if (to.dst[i] != dst && to.value[i] > 0)
                add_message(w, stage, to.dst[i], dst, to.value[i]);
        end_s[dst] = raise(w, own_end_s(w, &to, dst));
        first_s[dst] = end_s[dst] - (end_s[dst] - w->ready_s[dst]) * (1 - 1.0 / w->chunks);
    }
    free(w->ready_s);
    free(w->last_s);
    w->ready_s = first_s;
    w->last_s = end_s;
    matrix_clear(&to);
}

static void walk_clear(struct walk *w) {
    for (int i = 0; i < w->step->topology->n_links * TIER_COUNT; i++) {
        free(w->links[i].items);
        free(w->own[i].items);
    }
    free(w->links);
    free(w->own);
    free(w->scratch.items);
    free(w->ready_s);
    free(w->last_s);
}

double bound_call_s(const struct step *step, const struct costs *costs) {
    const struct topology *t = step->topology;
    size_t n_piles = (size_t)t->n_links * TIER_COUNT;
    struct walk w = {.step = step,
                     .costs = costs,
                     .chunks = step->chunks > 1 ? step->chunks : 1,
                     .ready_s = mem_alloc((size_t)t->ranks, sizeof *w.ready_s),
                     .last_s = mem_alloc((size_t)t->ranks, sizeof *w.last_s),
                     .links = mem_alloc(n_piles, sizeof *w.links),
                     .own = mem_alloc(n_piles, sizeof *w.own)};
    for (int rank = 0; rank < t->ranks && step->enter_s; rank++)
        w.ready_s[rank] = w.last_s[rank] = step->enter_s[rank];
    for (int stage = 0; stage < step->n_stages; stage++) {
        enter(&w, stage);
        exchange(&w, stage);
    }
    for (int l = 0; l < t->n_links; l++) // [B3]
        raise(&w, piles_end_s(&w.links[l * TIER_COUNT], costs->latency_s, &w.scratch));
    walk_clear(&w);
    return w.bound_s;
}

void bound_busiest_link(const struct step *step, struct bound_link *busiest) {
    size_t n_links = (size_t)step->topology->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes);
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    for (int stage = 0; stage < step->n_stages; stage++)
        step_link_load(step, stage, bytes, busy_s);
    struct bound_link b = {.link = -1};
    for (size_t l = 0; l < n_links; l++)
        if (busy_s[l] > b.busy_s)
            b = (struct bound_link){(int)l, bytes[l], busy_s[l]};
    free(bytes);
    free(busy_s);
    *busiest = b;
}
