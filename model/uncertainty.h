/* SPDX-License-Identifier: BSD-3-Clause */
/* uncertainty.h - how far intervals of constants move a result: seeded Monte Carlo and one-at-a-time
 * swings.
 *
 * All factors are drawn first, by one Mersenne Twister in the order of the inputs, a set a draw;
 * the evaluations then run on several threads and each writes its own place. So the result does not
 * depend on the threads. Shapes: draws x inputs and draws x outputs, row-major. Source: FORMULAS.md
 * [F13]; generator and quantiles are those of the artifact's sim/uncertainty.py. Valid for: the
 * spread of the stated constants alone: no error of the model's form, no correlation.
 * Units: those of the inputs and outputs.
 * Errors: none. Edges: draws and threads are at least 1; an interval of one value gives that value.
 * Ownership: borrows inputs and context; results go to arrays of the caller. */
#ifndef MODEL_UNCERTAINTY_H
#define MODEL_UNCERTAINTY_H

#include "platforms/platform.h"

struct uncertain {
    const char *name;
    double low, high; /* the value is drawn uniformly between */
    double central;
};

/* Fills outputs[] from values[] of the inputs. Called from several threads at once. */
typedef void (*uncertainty_f)(const double *values, const void *context, double *outputs);

struct uncertainty_question {
    const struct uncertain *inputs;
    int n_inputs;
    int n_outputs;
    uncertainty_f evaluate;
    const void *context;
    int draws; /* >= 1 */
    uint64_t seed;
    int threads; /* >= 1; changes nothing in the result */
};

struct spread {
    double p5, p50, p95; /* of the sorted values: index int(0.05 n), n / 2, int(0.95 n) */
};
/* Evaluates all draws and fills spreads[n_outputs]. */
void uncertainty_run(const struct uncertainty_question *q, struct spread *spreads);

struct swing {
    int input;
    double low, high; /* output with that input at its low and high end, all others central */
};
/* Fills swings[n_inputs] of one output, ranked by |high - low|, largest first. */
void uncertainty_swings(const struct uncertainty_question *q, int output, struct swing *swings);

#endif
