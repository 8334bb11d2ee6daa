/* SPDX-License-Identifier: BSD-3-Clause */
/* water.h - flows that share links max-min fairly, played the plain way: all rates are found anew, by filling all links
 * together, whenever a flow starts or ends.
 *
 * Units: seconds, payload, payload per second.
 * Errors: none.
 * Ownership: borrows everything. */
#ifndef TESTS_SUPPORT_WATER_H
#define TESTS_SUPPORT_WATER_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WATER_LINKS = 8 };

/* A flow; `after` is the one at whose end it starts, -1: it starts at start_s. */
struct water_flow {
    int links[WATER_LINKS], n;
    double payload, start_s, end_s;
    int after;
    double left, rate;
    bool started, ended;
};

/* Fills the rates of the flows that are under way. */
static inline void water_fill(struct water_flow *flows, int n_flows, const double *capacity, int n_links) {
    double *left = malloc((size_t)n_links * sizeof *left);
    for (int l = 0; l < n_links; l++)
        left[l] = capacity[l];
    for (int i = 0; i < n_flows; i++)
        flows[i].rate = -1;
    for (;;) {
        int *count = calloc((size_t)n_links, sizeof *count), full = -1;
        for (int i = 0; i < n_flows; i++)
            for (int k = 0; k < flows[i].n && flows[i].started && !flows[i].ended && flows[i].rate < 0; k++)
                count[flows[i].links[k]]++;
        for (int l = 0; l < n_links; l++)
            if (count[l] > 0 && (full < 0 || left[l] / count[l] < left[full] / count[full]))
                full = l;
        double share = full < 0 ? 0 : left[full] / count[full];
        free(count);
        if (full < 0)
            break;
        for (int i = 0; i < n_flows; i++) {
            bool meets = false;
            for (int k = 0; k < flows[i].n; k++)
                meets = meets || flows[i].links[k] == full;
            if (!meets || !flows[i].started || flows[i].ended || flows[i].rate >= 0)
                continue;
            flows[i].rate = share;
            for (int k = 0; k < flows[i].n; k++)
                left[flows[i].links[k]] -= share;
        }
    }
    free(left);
}

static inline void water_start_due(struct water_flow *flows, int n_flows, double now_s) {
    for (int i = 0; i < n_flows; i++) {
        struct water_flow *f = &flows[i];
        bool due = f->after < 0 ? f->start_s <= now_s : flows[f->after].ended;
        if (f->started || !due)
            continue;
        f->started = true;
        f->left = f->payload;
    }
}

/* Plays all flows and fills end_s. Ends that lie within a share of 1e-12 of the time are one. */
static inline void water_play(struct water_flow *flows, int n_flows, const double *capacity, int n_links) {
    double now_s = 0;
    for (;;) {
        double next_s = INFINITY;
        water_start_due(flows, n_flows, now_s);
        water_fill(flows, n_flows, capacity, n_links);
        for (int i = 0; i < n_flows; i++) {
            const struct water_flow *f = &flows[i];
            if (f->started && !f->ended)
                next_s = fmin(next_s, now_s + f->left / f->rate);
            else if (!f->started && f->after < 0)
                next_s = fmin(next_s, f->start_s);
        }
        if (isinf(next_s))
            return;
        for (int i = 0; i < n_flows; i++) {
            struct water_flow *f = &flows[i];
            if (!f->started || f->ended)
                continue;
            f->ended = now_s + f->left / f->rate <= next_s * (1 + 1e-12);
            f->end_s = next_s;
            f->left -= f->rate * (next_s - now_s);
        }
        now_s = next_s;
    }
}

#endif
