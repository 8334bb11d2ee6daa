/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

enum { ROUNDS = 300, TRIES = 40 };
static const double difference = 1e-6; /* of a parameter's size: half the digits of a double */
static const double still = 1e-14; /* relative gain below which the search ends */
static const double same = 1e-9; /* pivot over diagonal below which two parameters are one */

struct work {
    const struct fit_problem *p;
    double scale[FIT_PARAMETERS];
    double *residuals, *trial;
    double *columns[FIT_PARAMETERS]; /* of the Jacobian */
    double normal[FIT_PARAMETERS][FIT_PARAMETERS], gradient[FIT_PARAMETERS];
    bool held[FIT_PARAMETERS]; /* on a bound, and pushed against it */
};

static double squares(const double *r, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += r[i] * r[i];
    return sum;
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Fills in the Jacobian at x, the normal equations, and which parameters stay on their bound. */
static void linearise(struct work *w, double *x) {
    const struct fit_problem *p = w->p;
    for (int k = 0; k < p->parameters; k++) {
        double before = x[k], step = difference * (fabs(before) + w->scale[k]);
        if (before + step > p->high[k])
            step = -step;
        x[k] = before + step;
        p->f(x, p->context, w->columns[k]);
        x[k] = before;
        for (size_t i = 0; i < p->n; i++)
            w->columns[k][i] = (w->columns[k][i] - w->residuals[i]) / step;
    }
    for (int i = 0; i < p->parameters; i++) {
        w->gradient[i] = dot(w->columns[i], w->residuals, p->n);
        w->held[i] =
            (x[i] <= p->low[i] && w->gradient[i] > 0) || (x[i] >= p->high[i] && w->gradient[i] < 0);
        for (int k = 0; k < p->parameters; k++)
            w->normal[i][k] = dot(w->columns[i], w->columns[k], p->n);
    }
}

/* Solves (normal + damping diag) step = -gradient by Gauss elimination without the held parameters.
 * Returns the smallest pivot over its diagonal, and which one that was. */
static double solve(const struct work *w, double damping, double *step, int *weakest) {
    int n = w->p->parameters;
    double a[FIT_PARAMETERS][FIT_PARAMETERS + 1], least = 1;
    *weakest = -1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            a[i][k] =
                w->held[i] || w->held[k] ? i == k : w->normal[i][k] * (1 + (i == k ? damping : 0));
        a[i][n] = w->held[i] ? 0 : -w->gradient[i];
    }
    for (int i = 0; i < n; i++) {
        double diagonal = w->held[i] ? 1 : w->normal[i][i] * (1 + damping);
        double pivot =
            diagonal > 0 ? a[i][i] / diagonal : 0; // positive definite: no exchange needed
        if (pivot < least) {
            least = pivot;
            *weakest = i;
        }
        if (!(pivot > 0)) {
            memset(step, 0, (size_t)n * sizeof *step);
            return 0;
        }
        for (int k = i + 1; k < n; k++) {
            double factor = a[k][i] / a[i][i];
            for (int c = i; c <= n; c++)
                a[k][c] -= factor * a[i][c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        step[i] = a[i][n];
        for (int k = i + 1; k < n; k++)
            step[i] -= a[i][k] * step[k];
        step[i] /= a[i][i];
    }
    return least;
}

/* Takes one step that lowers the sum of squares, or none, and returns the sum. */
static double improve(struct work *w, double *x, double sum, double *damping) {
    const struct fit_problem *p = w->p;
    double step[FIT_PARAMETERS], next[FIT_PARAMETERS];
    int weakest;
    for (int i = 0; i < TRIES; i++, *damping = fmax(4 * *damping, 1e-12)) {
        solve(w, *damping, step, &weakest);
        for (int k = 0; k < p->parameters; k++)
            next[k] = fmin(fmax(x[k] + step[k], p->low[k]), p->high[k]);
        p->f(next, p->context, w->trial);
        double trial = squares(w->trial, p->n);
        if (!(trial < sum))
            continue;
        memcpy(x, next, (size_t)p->parameters * sizeof *x);
        memcpy(w->residuals, w->trial, p->n * sizeof *w->trial);
        *damping /= 8;
        return trial;
    }
    return sum;
}

static enum rc search(struct work *w, double *x, double *sum_squares, struct err *e) {
    const struct fit_problem *p = w->p;
    p->f(x, p->context, w->residuals);
    double sum = squares(w->residuals, p->n), damping = 1e-3, step[FIT_PARAMETERS];
    if (!isfinite(sum))
        return err_set(e, RC_RANGE, "the model has no finite value at the start of the fit");
    for (int round = 0; round < ROUNDS; round++) {
        linearise(w, x);
        double before = sum;
        sum = improve(w, x, sum, &damping);
        if (before - sum <= still * before)
            break;
    }
    linearise(w, x);
    int weakest;
    if (solve(w, 0, step, &weakest) < same && sum > 0)
        return err_set(e, RC_UNSUPPORTED,
                       "these points do not tell %s from the other parameters of the fit",
                       weakest >= 0 && p->names ? p->names[weakest] : "a parameter");
    *sum_squares = sum;
    return RC_OK;
}

enum rc fit_least_squares(const struct fit_problem *p, double *x, double *sum_squares,
                          struct err *e) {
    BUG_ON(p->parameters < 1 || p->parameters > FIT_PARAMETERS);
    if (p->n < (size_t)p->parameters)
        return err_set(e, RC_RANGE, "%zu points for %d parameters", p->n, p->parameters);
    struct work w = {.p = p,
                     .residuals = mem_alloc(p->n, sizeof(double)),
                     .trial = mem_alloc(p->n, sizeof(double))};
    double copy[FIT_PARAMETERS];
    for (int k = 0; k < p->parameters; k++) {
        w.columns[k] = mem_alloc(p->n, sizeof(double));
        w.scale[k] = fabs(x[k]);
        copy[k] = x[k];
    }
    enum rc rc = search(&w, copy, sum_squares, e);
    if (!rc)
        memcpy(x, copy, (size_t)p->parameters * sizeof *x);
    for (int k = 0; k < p->parameters; k++)
        free(w.columns[k]);
    free(w.residuals);
    free(w.trial);
    return rc;
}

void fit_line(const double *x, const double *y, size_t n, double *intercept, double *slope) {
    double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
    for (size_t i = 0; i < n; i++) {
        mean_x += x[i] / (double)n;
        mean_y += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
    }
    BUG_ON(!(xx > 0));
    *slope = xy / xx;
    *intercept = mean_y - *slope * mean_x;
}
