/* SPDX-License-Identifier: BSD-3-Clause */
/* root.h - where a function of one number first reaches 0 from below.
 *
 * Valid for: functions that change sign at most once in [low, high]; with more crossings one of
 * them is found.
 * Units: those of the caller.
 * Errors: those of the function, which end the search; outputs untouched.
 * Ownership: borrows everything.
 * Edges: without a change of sign the state says so, and x is an end of the range. */
#ifndef PLATFORMS_BASE_ROOT_H
#define PLATFORMS_BASE_ROOT_H

#include "platforms/base/err.h"

/* Works y out at x. */
typedef enum rc (*root_f)(double x, void *context, double *y, struct err *e);

enum root_state {
    ROOT_FOUND,
    ROOT_ALREADY, /* y >= 0 at low already; x = low */
    ROOT_NEVER /* y < 0 at high still; x = high */
};

struct root {
    enum root_state state;
    double x;
    int evaluations;
};

/* Searches by a fixed number of halvings; x is the upper end of the last interval. low < high. */
enum rc root_bisect(root_f f, void *context, const double range[2], int halvings, struct root *root,
                    struct err *e);

/* Searches with few evaluations of a costly f: false position with the Illinois correction on log x, first at
 * guess when it lies inside; ends when the interval is within `relative` of x. 0 < low < high. */
enum rc root_search(root_f f, void *context, const double range[2], double guess, double relative,
                    struct root *root, struct err *e);

#endif
