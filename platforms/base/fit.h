/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - least squares: a straight line, and any smooth model with few parameters.
 *
 * Source: Levenberg (1944), Marquardt (1963), with forward differences and parameters kept inside
 * bounds.
 * Units: those of the caller.
 * Shapes: residuals[n], x[parameters].
 * Errors: RC_RANGE (more parameters than points, a model without a finite value), RC_UNSUPPORTED (the data do not
 * tell two parameters apart). Outputs untouched on failure.
 * Ownership: borrows everything.
 * Edges: no component of a start may be 0; a parameter on its bound counts as fixed. */
#ifndef PLATFORMS_BASE_FIT_H
#define PLATFORMS_BASE_FIT_H

#include <stddef.h>

#include "platforms/base/err.h"

enum { FIT_PARAMETERS = 12 };

/* Fills residuals[n] at x. */
typedef void (*fit_f)(const double *x, const void *context, double *residuals);

struct fit_problem {
    fit_f f;
    const void *context;
    size_t n; /* residuals */
    int parameters;
    const char *const *names; /* [parameters], for messages */
    double low[FIT_PARAMETERS], high[FIT_PARAMETERS];
};

/* Improves x[parameters] from a start inside the bounds, no component 0. A parameter that ends on a
 * bound counts as fixed there. */
enum rc fit_least_squares(const struct fit_problem *p, double *x, double *sum_squares,
                          struct err *e);

/* Fits y = intercept + slope x by ordinary least squares; n >= 2 with different x. */
void fit_line(const double *x, const double *y, size_t n, double *intercept, double *slope);

#endif
