/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound_once.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

void once_busiest(const struct step *step, struct bound_link *busiest, double *of_tier_s) {
    size_t n_links = (size_t)step->topology->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes);
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    struct bound_link b = {.link = -1};
    for (int stage = 0; stage < step->n_stages; stage++) {
        struct step_load load = {.bytes = bytes, .busy_s = busy_s, .of_tier_s = of_tier_s};
        step_load(step, stage, &load);
        for (int tier = 0; tier < TIER_COUNT; tier++) {
            b.tier_bytes[tier] += load.tier_bytes[tier];
            b.tier_messages[tier] += load.tier_messages[tier];
        }
    }
    for (size_t l = 0; l < n_links; l++)
        if (busy_s[l] > b.busy_s) {
            b.link = (int)l;
            b.bytes = bytes[l];
            b.busy_s = busy_s[l];
        }
    free(bytes);
    free(busy_s);
    *busiest = b;
}

bool once_is_enough(const struct step *step) {
    return step->n_stages == 1 && step->chunks <= 1 && !step->enter_s && !step->stages[0].pairs;
}

/* Whether each link has one sender or one receiver: then its messages come in the same order, sender by sender and
 * receiver by receiver. */
static bool has_ports_only(const struct step *step) {
    const struct topology *t = step->topology;
    bool direct = t->platform->tier[TIER_SLOW].fabric.kind == FABRIC_SWITCH &&
                  step->implementation->intra_group_path != TOPO_PATH_RAIL;
    return t->plain && t->up[0] < 0 && direct; // else a message may go by way of a third rank
}

/* of_tier_s as of step_load(), added up receiver by receiver, as a walk does. */
static void sum_loads(const struct step *step, double *of_tier_s) {
    const struct matrix *m = &step->stages[0].bytes;
    const struct link *links = step->topology->links;
    size_t *at = mem_alloc((size_t)m->ranks, sizeof *at); // of each sender: its next receiver
    struct route route;
    for (int src = 0; src < m->ranks; src++)
        at[src] = m->start[src];
    for (int dst = 0; dst < m->ranks; dst++)
        for (int src = 0; src < m->ranks; src++) {
            size_t i = at[src];
            if (i == m->start[src + 1] || m->dst[i] != dst)
                continue;
            at[src]++;
            double bytes = m->value[i];
            if (dst == src || bytes <= 0)
                continue;
            struct way way = step_way(step, src, dst, &route);
            double own_s = step_message_units(step, 0, bytes) * step_message_cost_s(step, way.tier);
            for (int k = 0; k < way.n; k++) {
                int l = way.links[k];
                double all_s = bytes / links[l].capacity_Bps + (l == way.cost_link ? own_s : 0);
                of_tier_s[l * TIER_COUNT + (int)way.tier] += all_s * way.share;
            }
        }
    free(at);
}

/* [B3] of one link. */
static double loaded_end_s(const struct costs *costs, double release_s, const double load_s[static TIER_COUNT]) {
    double end_s = 0;
    for (int least = 0; least < TIER_COUNT; least++) {
        double all_s = 0;
        for (int tier = 0; tier < TIER_COUNT; tier++)
            all_s += costs->latency_s[tier] >= costs->latency_s[least] ? load_s[tier] : 0;
        if (load_s[least] > 0)
            end_s = fmax(end_s, release_s + all_s + costs->latency_s[least]);
    }
    return end_s;
}

void once_bounds(const struct step *step, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest) {
    size_t n_links = (size_t)step->topology->n_links;
    double *load_s = mem_alloc(n_links * TIER_COUNT, sizeof *load_s);
    bool same = busiest && has_ports_only(step);
    if (busiest)
        once_busiest(step, busiest, same ? load_s : NULL);
    if (!same)
        sum_loads(step, load_s);
    for (size_t i = 0; i < n; i++) {
        bound_s[i] = cases[i].alpha_s[0] + costs_splits_s(&cases[i], step, 0);
        double release_s = bound_s[i];
        for (size_t l = 0; l < n_links; l++)
            bound_s[i] = fmax(bound_s[i], loaded_end_s(&cases[i], release_s, &load_s[l * TIER_COUNT]));
    }
    free(load_s);
}
