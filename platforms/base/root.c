/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/root.h"

#include <math.h>
#include <stdbool.h>

enum { SEARCH_MAX = 60 };

/* Evaluates both ends of the range; returns true where that ends the search, with an answer or an error. */
static bool ends_search(root_f f, void *context, const double range[2], double y[2], struct root *r,
                 enum rc *rc, struct err *e) {
    *r = (struct root){.evaluations = 1};
    *rc = f(range[0], context, &y[0], e);
    if (*rc)
        return true;
    if (y[0] >= 0) {
        r->state = ROOT_ALREADY;
        r->x = range[0];
        return true;
    }
    r->evaluations++;
    *rc = f(range[1], context, &y[1], e);
    if (*rc)
        return true;
    r->state = ROOT_NEVER;
    r->x = range[1];
    return y[1] < 0;
}

enum rc root_bisect(root_f f, void *context, const double range[2], int halvings, struct root *root,
                    struct err *e) {
    double y[2], low = range[0], high = range[1];
    struct root r;
    enum rc rc;
    if (!ends_search(f, context, range, y, &r, &rc, e)) {
        for (int i = 0; i < halvings && !rc; i++) {
            double middle = (low + high) / 2, value = 0;
            rc = f(middle, context, &value, e);
            *(value >= 0 ? &high : &low) = middle;
            r.evaluations++;
        }
        r.state = ROOT_FOUND;
        r.x = high;
    }
    if (!rc)
        *root = r;
    return rc;
}

/* Returns where the line through both ends_search crosses 0, kept off the ends_search. */
static double false_position(double a, double b, double ya, double yb) {
    double x = (a * yb - b * ya) / (yb - ya), margin = 0.01 * (b - a);
    return fmin(fmax(x, a + margin), b - margin);
}

enum rc root_search(root_f f, void *context, const double range[2], double guess, double relative,
                    struct root *root, struct err *e) {
    double y[2];
    struct root r;
    enum rc rc;
    if (!ends_search(f, context, range, y, &r, &rc, e)) {
        double a = log(range[0]), b = log(range[1]), ya = y[0], yb = y[1];
        double next =
            guess > range[0] && guess < range[1] ? log(guess) : false_position(a, b, ya, yb);
        int side = 0;
        while (b - a > relative && r.evaluations < SEARCH_MAX && !rc) {
            double value = 0;
            rc = f(exp(next), context, &value, e);
            r.evaluations++;
            if (value >= 0) {
                b = next;
                yb = value;
                ya = side > 0 ? ya / 2 : ya;
                side = 1;
            } else {
                a = next;
                ya = value;
                yb = side < 0 ? yb / 2 : yb;
                side = -1;
            }
            next = r.evaluations % 4 == 3 ? (a + b) / 2 : false_position(a, b, ya, yb);
        }
        r.state = ROOT_FOUND;
        r.x = exp(b);
    }
    if (!rc)
        *root = r;
    return rc;
}
