/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - least squares: a straight line, and any smooth model with few parameters.
 *
 * Source: lmder() of MINPACK (Moré, 1978) in cminpack, with differences for the Jacobian. lmder() knows no bounds: a
 * parameter that ends beyond one is put on it, held there, and the others are searched again.
 * Units: those of the caller.
 * Shapes: residuals[n], x[parameters], error[parameters].
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

/* Improves x[parameters] from a start inside the bounds, no component 0. A parameter that ends on a bound counts as
 * fixed there. Fills error[parameters], unless NULL, with standard errors from the scatter of the residuals: 0 on a
 * bound, infinite where there are no more points than parameters. */
enum rc fit_least_squares(const struct fit_problem *p, double *x, double *error, double *sum_squares,
                          struct err *e);

/* Fits y = intercept + slope x by ordinary least squares; n >= 2 with different x. */
void fit_line(const double *x, const double *y, size_t n, double *intercept, double *slope);

#endif
