/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/uncertainty.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/mt19937.h"
#include "platforms/base/stat.h"

enum { THREADS_MAX = 64 };

struct slice {
    const struct uncertainty_question *q;
    const double *values;
    double *outputs;
    int first, end;
    pthread_t thread;
    bool started;
};

static void *evaluate_slice(void *context) {
    const struct slice *p = context;
    for (int i = p->first; i < p->end; i++)
        p->q->evaluate(p->values + (size_t)i * (size_t)p->q->n_inputs, p->q->context,
                       p->outputs + (size_t)i * (size_t)p->q->n_outputs);
    return NULL;
}

/* Evaluates all draws on several threads; a share whose thread cannot be started is done in this one. */
static void evaluate_all(const struct uncertainty_question *q, const double *values,
                         double *outputs) {
    struct slice slices[THREADS_MAX];
    int n = q->threads < 1 ? 1 : q->threads > THREADS_MAX ? THREADS_MAX : q->threads;
    for (int i = 0; i < n; i++) {
        slices[i] = (struct slice){.q = q,
                                 .values = values,
                                 .outputs = outputs,
                                 .first = (int)((int64_t)q->draws * i / n),
                                 .end = (int)((int64_t)q->draws * (i + 1) / n)};
        slices[i].started =
            i + 1 < n && pthread_create(&slices[i].thread, NULL, evaluate_slice, &slices[i]) == 0;
        if (!slices[i].started)
            evaluate_slice(&slices[i]);
    }
    for (int i = 0; i < n; i++)
        if (slices[i].started)
            pthread_join(slices[i].thread, NULL);
}

void uncertainty_run(const struct uncertainty_question *q, struct spread *spreads) {
    size_t draws = (size_t)q->draws, n_in = (size_t)q->n_inputs, n_out = (size_t)q->n_outputs;
    BUG_ON(draws == 0);
    double *values = mem_alloc(draws * n_in + 1, sizeof *values);
    double *outputs = mem_alloc(draws * n_out, sizeof *outputs);
    double *column = mem_alloc(draws, sizeof *column);
    struct mt19937 m;
    mt19937_init(&m, q->seed);
    for (size_t i = 0; i < draws; i++)
        for (size_t k = 0; k < n_in; k++)
            values[i * n_in + k] = mt19937_uniform(&m, q->inputs[k].low, q->inputs[k].high);
    evaluate_all(q, values, outputs);
    for (size_t k = 0; k < n_out; k++) {
        for (size_t i = 0; i < draws; i++)
            column[i] = outputs[i * n_out + k];
        stat_sort(column, draws);
        spreads[k] = (struct spread){column[(size_t)(0.05 * (double)draws)], column[draws / 2],
                                     column[(size_t)(0.95 * (double)draws)]};
    }
    free(values);
    free(outputs);
    free(column);
}

static int widest_first(const void *a, const void *b) {
    const struct swing *x = a, *y = b;
    double dx = fabs(x->high - x->low), dy = fabs(y->high - y->low);
    if (dx != dy)
        return dx < dy ? 1 : -1;
    return x->input - y->input;
}

void uncertainty_swings(const struct uncertainty_question *q, int output, struct swing *swings) {
    double *values = mem_alloc((size_t)q->n_inputs + 1, sizeof *values);
    double *outputs = mem_alloc((size_t)q->n_outputs, sizeof *outputs);
    for (int i = 0; i < q->n_inputs; i++)
        values[i] = q->inputs[i].central;
    for (int i = 0; i < q->n_inputs; i++) {
        swings[i].input = i;
        for (int end = 0; end < 2; end++) {
            values[i] = end ? q->inputs[i].high : q->inputs[i].low;
            q->evaluate(values, q->context, outputs);
            *(end ? &swings[i].high : &swings[i].low) = outputs[output];
        }
        values[i] = q->inputs[i].central;
    }
    qsort(swings, (size_t)q->n_inputs, sizeof *swings, widest_first);
    free(values);
    free(outputs);
}
