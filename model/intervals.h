/* SPDX-License-Identifier: BSD-3-Clause */
/* intervals.h - which constants of a platform have an interval, and the platform with other values
 * for them.
 *
 * Constants that state the same value, interval and source are one constant (the x_half of two
 * tiers borrowed from one sweep) and move together. Ownership: intervals_apply() returns a copy
 * that intervals_free() releases; its texts are borrowed. */
#ifndef MODEL_INTERVALS_H
#define MODEL_INTERVALS_H

#include "model/uncertainty.h"

enum { INTERVALS_MAX = 64, INTERVALS_NAME = 96 };

struct intervals {
    int n;
    struct uncertain inputs[INTERVALS_MAX]; /* name points into names */
    char names[INTERVALS_MAX][INTERVALS_NAME]; /* "fast.x_half, slow.x_half" */
    struct quantity as_stated[INTERVALS_MAX];
};

/* Constants beyond INTERVALS_MAX keep their value. */
void intervals_find(const struct platform *p, struct intervals *found);

/* values[n], in the order of the inputs */
struct platform *intervals_apply(const struct platform *p, const struct intervals *found,
                                 const double *values);
void intervals_free(struct platform *copy);

#endif
