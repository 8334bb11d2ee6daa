/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/fit.h"

#include <cminpack.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

enum { EVALUATIONS = 4000 };
static const double difference = 1e-6; /* of a parameter's size: half the digits of a double */
static const double still = 1e-14;     /* relative change below which the search ends */
static const double same = 1e-9;       /* what a column adds to the others, below which two parameters are one */

struct work {
    const struct fit_problem *p;
    double x[FIT_PARAMETERS], scale[FIT_PARAMETERS];
    bool held[FIT_PARAMETERS]; /* on a bound, and pushed against it */
    int loose[FIT_PARAMETERS], n_loose; /* those that are not held */
    double *residuals;          /* [n] at x */
    double *moved;              /* [n] */
    double *jacobian;           /* [n_loose][n] */
};

static void loosen(struct work *w) {
    w->n_loose = 0;
    for (int k = 0; k < w->p->parameters; k++)
        if (!w->held[k])
            w->loose[w->n_loose++] = k;
}

/* Fills in the residuals with the loose parameters at y, kept inside the bounds. */
static void residuals_at(struct work *w, const double *y, double *r) {
    const struct fit_problem *p = w->p;
    for (int i = 0; i < w->n_loose; i++) {
        int k = w->loose[i];
        w->x[k] = fmin(fmax(y[i], p->low[k]), p->high[k]);
    }
    p->f(w->x, p->context, r);
}

/* Fills in a column of the Jacobian at x by a forward difference, or a backward one where the bound is in the way. */
static void column(struct work *w, int k, double *into) {
    const struct fit_problem *p = w->p;
    double before = w->x[k], step = difference * (fabs(before) + w->scale[k]);
    if (before + step > p->high[k])
        step = -step;
    w->x[k] = before + step;
    p->f(w->x, p->context, w->moved);
    w->x[k] = before;
    for (size_t i = 0; i < p->n; i++)
        into[i] = (w->moved[i] - w->residuals[i]) / step;
}

/* Fills in what lmder() asks for: residuals, or with flag 2 the Jacobian. */
static int evaluate(void *context, int m, int n, const double *y, double *r, double *jacobian, int rows, int flag) {
    struct work *w = context;
    (void)m;
    if (flag == 1) {
        residuals_at(w, y, r);
        return 0;
    }
    residuals_at(w, y, w->residuals);
    for (int i = 0; i < n; i++)
        column(w, w->loose[i], jacobian + (size_t)i * (size_t)rows);
    return 0;
}

/* Searches once over the loose parameters from x; x ends inside the bounds. */
static void search(struct work *w) {
    int n = w->n_loose, m = (int)w->p->n, evaluations, jacobians, pivot[FIT_PARAMETERS];
    double y[FIT_PARAMETERS], scale[FIT_PARAMETERS], qtf[FIT_PARAMETERS], room[3][FIT_PARAMETERS];
    if (!n)
        return;
    double *r = mem_alloc(2 * (size_t)m, sizeof *r);
    for (int i = 0; i < n; i++)
        y[i] = w->x[w->loose[i]];
    lmder(evaluate, w, m, n, y, r, w->jacobian, m, still, still, 0, EVALUATIONS, scale, 1, 100, 0, &evaluations,
          &jacobians, pivot, qtf, room[0], room[1], room[2], r + m);
    residuals_at(w, y, w->residuals);
    free(r);
}

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Holds each parameter that lies on a bound and is pushed against it, and frees those that are not. Returns whether
 * that changed anything. */
static bool hold(struct work *w) {
    const struct fit_problem *p = w->p;
    bool changed = false;
    for (int k = 0; k < p->parameters; k++) {
        column(w, k, w->jacobian);
        double gradient = dot(w->jacobian, w->residuals, p->n);
        bool held = (w->x[k] <= p->low[k] && gradient > 0) || (w->x[k] >= p->high[k] && gradient < 0);
        changed |= held != w->held[k];
        w->held[k] = held;
    }
    loosen(w);
    return changed;
}

/* Fills the errors of the parameters at x from the triangle of the Jacobian; 0 where held. */
static void errors_from(struct work *w, const int *pivot, const double *diagonal, double sum, double *error) {
    int n = w->n_loose, rows = (int)w->p->n;
    double room[FIT_PARAMETERS], freedom = (double)(rows - n);
    for (int i = 0; i < n; i++)
        w->jacobian[i * rows + i] = diagonal[i];
    covar(n, w->jacobian, rows, pivot, 0, room);
    memset(error, 0, (size_t)w->p->parameters * sizeof *error);
    for (int i = 0; i < n; i++)
        error[w->loose[i]] = freedom > 0 ? sqrt(w->jacobian[i * rows + i] * sum / freedom) : INFINITY;
}

/* Refuses parameters that the points do not tell apart; otherwise fills error[] unless it is NULL. */
static enum rc judge(struct work *w, double sum, double *error, struct err *e) {
    const struct fit_problem *p = w->p;
    int n = w->n_loose, rows = (int)p->n, pivot[FIT_PARAMETERS];
    double diagonal[FIT_PARAMETERS], norm[FIT_PARAMETERS], room[FIT_PARAMETERS];
    for (int i = 0; i < n; i++)
        column(w, w->loose[i], w->jacobian + (size_t)i * p->n);
    qrfac(rows, n, w->jacobian, rows, 1, pivot, n, diagonal, norm, room);
    for (int i = 0; i < n; i++) {
        double whole = norm[pivot[i] - 1], part = whole > 0 ? diagonal[i] / whole : 0;
        if (part * part < same && sum > 0)
            return err_set(e, RC_UNSUPPORTED, "these points do not tell %s from the other parameters of the fit",
                           p->names ? p->names[w->loose[pivot[i] - 1]] : "a parameter");
    }
    if (error)
        errors_from(w, pivot, diagonal, sum, error);
    return RC_OK;
}

/* Searches, holds what ends on a bound, and searches again with the rest. */
static enum rc solve(struct work *w, double *error, double *sum_squares, struct err *e) {
    const struct fit_problem *p = w->p;
    p->f(w->x, p->context, w->residuals);
    if (!isfinite(dot(w->residuals, w->residuals, p->n)))
        return err_set(e, RC_RANGE, "the model has no finite value at the start of the fit");
    loosen(w);
    for (int round = 0; round < 2 * p->parameters + 2; round++) {
        search(w);
        if (!hold(w))
            break;
    }
    double sum = dot(w->residuals, w->residuals, p->n);
    enum rc rc = judge(w, sum, error, e);
    if (!rc)
        *sum_squares = sum;
    return rc;
}

enum rc fit_least_squares(const struct fit_problem *p, double *x, double *error, double *sum_squares,
                          struct err *e) {
    BUG_ON(p->parameters < 1 || p->parameters > FIT_PARAMETERS);
    if (p->n < (size_t)p->parameters)
        return err_set(e, RC_RANGE, "%zu points for %d parameters", p->n, p->parameters);
    size_t columns = (size_t)p->parameters;
    struct work w = {.p = p};
    w.residuals = mem_alloc((columns + 2) * p->n, sizeof *w.residuals);
    w.moved = w.residuals + p->n;
    w.jacobian = w.moved + p->n;
    for (size_t k = 0; k < columns; k++) {
        w.x[k] = x[k];
        w.scale[k] = fabs(x[k]);
    }
    enum rc rc = solve(&w, error, sum_squares, e);
    if (!rc)
        memcpy(x, w.x, columns * sizeof *x);
    free(w.residuals);
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
