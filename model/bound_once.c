/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound_once.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

void once_busiest(const struct call *call, struct bound_link *busiest, double *of_tier_s) {
    size_t n_links = (size_t)call->topology->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes);
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    struct bound_link b = {.link = -1};
    for (int stage = 0; stage < call->n_stages; stage++) {
        struct call_load load = {.bytes = bytes, .busy_s = busy_s, .of_tier_s = of_tier_s};
        call_load(call, stage, &load);
        for (int tier = 0; tier < TIER_MAX; tier++) {
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

bool once_is_enough(const struct call *call) {
    return call->n_stages == 1 && call->chunks <= 1 && !call->enter_s && !call->stages[0].pairs;
}

double once_link_end_s(const struct costs *costs, double release_s, const double load_s[static TIER_MAX]) {
    double end_s = 0;
    for (int least = 0; least < TIER_MAX; least++) {
        double all_s = 0;
        for (int tier = 0; tier < TIER_MAX; tier++)
            all_s += costs->latency_s[tier] >= costs->latency_s[least] ? load_s[tier] : 0;
        if (load_s[least] > 0)
            end_s = fmax(end_s, release_s + all_s + costs->latency_s[least]);
    }
    return end_s;
}

void once_ends(const struct call *call, const struct costs *costs, double *ends_s) {
    size_t n_links = (size_t)call->topology->n_links;
    double *load_s = mem_alloc(n_links * TIER_MAX, sizeof *load_s);
    struct bound_link ignored;
    once_busiest(call, &ignored, load_s);
    double release_s = costs_alpha_s(costs, call, 0) + costs_splits_s(costs, call, 0);
    for (size_t l = 0; l < n_links; l++)
        ends_s[l] = once_link_end_s(costs, release_s, &load_s[l * TIER_MAX]);
    free(load_s);
}

void once_bounds(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest) {
    size_t n_links = (size_t)call->topology->n_links;
    double *load_s = mem_alloc(n_links * TIER_MAX, sizeof *load_s);
    struct bound_link b;
    once_busiest(call, &b, load_s);
    if (busiest)
        *busiest = b;
    for (size_t i = 0; i < n; i++) {
        bound_s[i] = costs_alpha_s(&cases[i], call, 0) + costs_splits_s(&cases[i], call, 0);
        double release_s = bound_s[i];
        for (size_t l = 0; l < n_links; l++)
            bound_s[i] = fmax(bound_s[i], once_link_end_s(&cases[i], release_s, &load_s[l * TIER_MAX]));
    }
    free(load_s);
}
