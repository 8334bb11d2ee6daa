/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound_near.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

/* Rounding of sums of bytes. */
#define SAME 1e-9

static bool differs(double a, double b) {
    return fabs(a - b) > SAME * fmax(fabs(a), fabs(b));
}

/* Returns whether each rank sends as much as any other, and receives as much, in one stage. */
static bool is_even(const struct matrix *m) {
    double *in = mem_alloc((size_t)m->ranks, sizeof *in), first = 0;
    bool even = true;
    for (int src = 0; src < m->ranks && even; src++) {
        double out = 0;
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            double bytes = m->dst[i] == src ? 0 : m->value[i];
            in[m->dst[i]] += bytes;
            out += bytes;
        }
        if (src == 0)
            first = out;
        even = !differs(out, first);
    }
    for (int dst = 0; dst < m->ranks && even; dst++)
        even = !differs(in[dst], first);
    free(in);
    return even;
}

/* Returns whether ranks have more than ports of their own, or ports of one kind at other rates. */
static bool is_blocking(const struct topology *t) {
    const struct link *first[TIER_MAX][LINK_UP] = {{NULL}};
    for (int l = 0; l < t->n_links; l++) {
        const struct link *link = &t->links[l];
        if (link->role >= LINK_UP || link->failed)
            return true;
        const struct link **as = &first[link->tier][link->role];
        if (*as && (*as)->capacity_Bps != link->capacity_Bps)
            return true;
        *as = link;
    }
    return false;
}

const char *bound_far(const struct call *call) {
    const struct workload *w = call->workload;
    if (call->topology->ranks < BOUND_NEAR_RANKS)
        return "fewer than 32 ranks";
    if (call->strategy != STRATEGY_ONE_HOP && call->strategy != STRATEGY_TWO_HOP)
        return "neither one hop nor two";
    if (call->pipelined)
        return "the hops are pipelined";
    if (call->implementation->window)
        return "the window is limited";
    if (call->enter_s)
        return "ranks enter late";
    if (w->routing.source != SOURCE_UNIFORM || w->routing.draw != DRAW_EXPECTED)
        return "the load is skewed";
    if (is_blocking(call->topology))
        return "ranks share links, or have unlike ones";
    for (int stage = 0; stage < call->n_stages; stage++)
        if (!is_even(&call->stages[stage].bytes))
            return "the load is skewed";
    return NULL;
}
