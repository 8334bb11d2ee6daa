/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/shared.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "workloads/placement/balance.h"

void shared_init(struct shared *s, int kind, int ranks, const double *rank_load, int top_k) {
    size_t n = (size_t)ranks;
    *s = (struct shared){.kind = kind, .ranks = ranks};
    if (kind != SHARED_LEAST_LOADED)
        return;
    double sum = stat_sum(rank_load, n), *base = mem_alloc(n, sizeof *base);
    s->share = mem_alloc(n, sizeof *s->share);
    s->below = mem_alloc(n, sizeof *s->below);
    for (size_t i = 0; i < n; i++)
        base[i] = sum > 0 ? rank_load[i] / sum * top_k : 0;
    balance_level(base, ranks, 1, s->share);
    free(base);
    for (size_t i = 0; i < n; i++)
        s->below[i] = s->share[i] + (i ? s->below[i - 1] : 0);
}

void shared_clear(struct shared *s) {
    free(s->share);
    free(s->below);
    *s = (struct shared){0};
}

/* Deals the rows of all sources out by one sequence of multiples of the golden ratio: every stretch of it is spread
 * evenly. */
int shared_take(struct shared *s, int source) {
    const double golden = 0.6180339887498949;
    if (s->kind != SHARED_LEAST_LOADED)
        return source;
    double turn = (double)s->rows++ * golden, at = (turn - floor(turn)) * s->below[s->ranks - 1];
    int low = 0, high = s->ranks - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->below[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double shared_share(const struct shared *s, int source, int first, int end) {
    if (s->kind == SHARED_NOT_SENT)
        return 0;
    if (s->kind == SHARED_OWN_RANK)
        return source >= first && source < end;
    return stat_sum(s->share + first, (size_t)(end - first));
}
