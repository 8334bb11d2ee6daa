/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/draw/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/rng.h"
#include "workloads/draw/choice.h"
#include "workloads/placement/placement.h"

/* Scales one row to its sums with nothing above 1, pool by pool. scratch[experts] */
static void fit_row(const struct pairs_ask *a, double *row, double *scratch) {
    int size = a->experts / a->pools;
    for (int p = 0; p < a->pools; p++)
        choice_shares(row + p * size, size, a->top_k / a->pools, scratch + p * size);
    memcpy(row, scratch, (size_t)a->experts * sizeof *row);
}

/* Scales the columns of the table to the base. Returns the largest relative error that they had before. */
static double fit_columns(const struct pairs_ask *a, double *share) {
    double total = 0, worst = 0;
    double *sum = mem_alloc((size_t)a->experts, sizeof *sum);
    for (int src = 0; src < a->ranks; src++) {
        total += (double)a->tokens[src];
        for (int i = 0; i < a->experts; i++)
            sum[i] += share[(size_t)src * (size_t)a->experts + (size_t)i] * (double)a->tokens[src];
    }
    for (int i = 0; i < a->experts; i++) {
        double want = a->base[i] * total;
        if (sum[i] > 0 && want > 0)
            worst = fmax(worst, fabs(sum[i] / want - 1));
        sum[i] = sum[i] > 0 ? want / sum[i] : 1;
    }
    for (int src = 0; src < a->ranks; src++)
        for (int i = 0; i < a->experts; i++)
            share[(size_t)src * (size_t)a->experts + (size_t)i] *= sum[i];
    free(sum);
    return worst;
}

double *pairs_build(const struct pairs_ask *a, struct buf *notes) {
    enum { ROUNDS = 200 };
    const double close_enough = 1e-3;
    size_t n = (size_t)a->experts;
    double *share = mem_alloc((size_t)a->ranks * n, sizeof *share), worst = 1;
    double *scratch = mem_alloc(n, sizeof *scratch);
    double *z = mem_alloc((size_t)a->ranks, sizeof *z);
    for (int src = 0; src < a->ranks; src++) {
        struct rng r;
        rng_init(&r, a->seed, "pairs", (uint64_t)src);
        for (int dst = 0; dst < a->ranks; dst++)
            z[dst] = exp(a->sigma * rng_normal(&r));
        for (size_t i = 0; i < n; i++) {
            int rank = placement_block(a->experts, a->ranks, (int)i);
            share[(size_t)src * n + i] = a->base[i] * z[rank];
        }
    }
    free(z);
    for (int round = 0; round < ROUNDS && worst > close_enough; round++) {
        for (int src = 0; src < a->ranks; src++)
            fit_row(a, share + (size_t)src * n, scratch);
        worst = fit_columns(a, share);
    }
    for (int src = 0; src < a->ranks; src++)
        fit_row(a, share + (size_t)src * n, scratch);
    free(scratch);
    buf_printf(notes, "pair skew: sigma %g; each source prefers other ranks, loads per expert stay",
               a->sigma);
    if (worst > close_enough)
        buf_printf(notes, " to %.2g %%", 100 * worst);
    buf_text(notes, "\n");
    return share;
}
