/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/balance.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platforms/base/err.h"
#include "platforms/base/mem.h"

struct item {
    double load;
    int index;
};

static int by_falling_load(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    if (x->load != y->load)
        return x->load < y->load ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

void balance_pack(const double *load, int n, int bins, int *bin, int *place) {
    BUG_ON(n % bins != 0);
    int room = n / bins;
    struct item *items = mem_alloc((size_t)n, sizeof *items);
    double *full = mem_alloc((size_t)bins, sizeof *full);
    int *used = mem_alloc((size_t)bins, sizeof *used);
    for (int i = 0; i < n; i++)
        items[i] = (struct item){load[i], i};
    qsort(items, (size_t)n, sizeof *items, by_falling_load);
    for (int i = 0; i < n; i++) {
        int best = -1;
        for (int b = 0; b < bins; b++)
            if (used[b] < room && (best < 0 || full[b] < full[best]))
                best = b;
        bin[items[i].index] = best;
        place[items[i].index] = used[best]++;
        full[best] += items[i].load;
    }
    free(items);
    free(full);
    free(used);
}

/* Makes the replicas of one node and packs them onto its ranks. order[n]: the experts of the node; slot[slots] receives
 * expert ids. */
static void fill_node(const struct balance_ask *a, const int *order, int n, int ranks, int *slot) {
    int slots = a->slots / a->nodes;
    int *copies = mem_alloc((size_t)n, sizeof *copies),
        *what = mem_alloc((size_t)slots, sizeof *what);
    double *share = mem_alloc((size_t)slots, sizeof *share);
    int *bin = mem_alloc((size_t)slots, sizeof *bin),
        *place = mem_alloc((size_t)slots, sizeof *place);
    for (int i = 0; i < n; i++) {
        copies[i] = 1;
        what[i] = i;
    }
    for (int s = n; s < slots; s++) {
        int most = 0;
        for (int i = 1; i < n; i++)
            if (a->load[order[i]] / copies[i] > a->load[order[most]] / copies[most])
                most = i;
        what[s] = most;
        copies[most]++;
    }
    for (int s = 0; s < slots; s++)
        share[s] = a->load[order[what[s]]] / copies[what[s]];
    balance_pack(share, slots, ranks, bin, place);
    for (int s = 0; s < slots; s++)
        slot[bin[s] * (slots / ranks) + place[s]] = order[what[s]];
    free(copies);
    free(what);
    free(share);
    free(bin);
    free(place);
}

void balance_replicate(const struct balance_ask *a, int *slot_expert) {
    int size = a->experts / a->groups, per_node = a->groups / a->nodes * size;
    double *load = mem_alloc((size_t)a->groups, sizeof *load);
    int *node = mem_alloc((size_t)a->groups, sizeof *node);
    int *place = mem_alloc((size_t)a->groups, sizeof *place);
    int *order = mem_alloc((size_t)a->experts, sizeof *order); // experts node by node
    for (int i = 0; i < a->experts; i++)
        load[i / size] += a->load[i];
    balance_pack(load, a->groups, a->nodes, node, place);
    for (int i = 0; i < a->experts; i++)
        order[node[i / size] * per_node + place[i / size] * size + i % size] = i;
    for (int n = 0; n < a->nodes; n++)
        fill_node(a, order + n * per_node, per_node, a->ranks / a->nodes,
                  slot_expert + (size_t)n * (size_t)(a->slots / a->nodes));
    free(load);
    free(node);
    free(place);
    free(order);
}

void balance_level(const double *base, int n, double amount, double *into) {
    double sum = amount, level = 0;
    int under = n;
    bool *out = mem_alloc((size_t)n, sizeof *out);
    for (int i = 0; i < n; i++)
        sum += base[i];
    for (int before = n + 1; under < before;) {
        before = under;
        level = sum / under;
        for (int i = 0; i < n; i++)
            if (!out[i] && base[i] > level) {
                out[i] = true;
                sum -= base[i];
                under--;
            }
    }
    for (int i = 0; i < n; i++)
        into[i] = out[i] ? 0 : level - base[i];
    free(out);
}
