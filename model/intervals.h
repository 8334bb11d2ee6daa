/* SPDX-License-Identifier: BSD-3-Clause */
/* intervals.h - which constants of a platform have an interval, and the platform with other values for them.
 *
 * Constants that state the same value, interval and source are one constant (the x_half of two tiers borrowed from one
 * sweep) and move together.
 * Units: SI. Shapes: all arrays [n], in the order of platforms/constants.h. Errors: none.
 * Ownership: intervals_find() fills what intervals_clear() releases; its sources are borrowed from the platform.
 * intervals_apply() returns a copy that intervals_free() releases and that borrows from the platform.
 * Edges: a platform without intervals has n = 0; intervals_apply() then returns a plain copy. */
#ifndef MODEL_INTERVALS_H
#define MODEL_INTERVALS_H

#include "model/uncertainty.h"

struct intervals {
    int n, room;
    struct uncertain *inputs; /* their names are names[i].text */
    struct buf *names;        /* "fast.x_half, slow.x_half" */
    struct quantity *as_stated;
};

/* Fills in the constants of a platform that have an interval. */
void intervals_find(const struct platform *p, struct intervals *found);
void intervals_clear(struct intervals *found);

/* Returns a copy of the platform with values[n], in the order of the inputs. */
struct platform *intervals_apply(const struct platform *p, const struct intervals *found,
                                 const double *values);
void intervals_free(struct platform *copy); /* NULL is allowed */

#endif
