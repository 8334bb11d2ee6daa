/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h - two times of the same call side by side.
 *
 * Units: SI. The two are given as numbers; nothing here knows the model or the simulator.
 * Errors: none. Ownership: borrows everything; names are static. Edges: where nothing moved there is no basis, and
 * the error is 0. */
#ifndef VALIDATION_COMPARE_H
#define VALIDATION_COMPARE_H

#include <stdbool.h>

enum compare_basis { COMPARE_NONE, COMPARE_TIME, COMPARE_WIRE };

struct comparison {
    bool time_known;      /* the fixed cost is known, so the times below mean something */
    double analytic_s, simulated_s;
    double analytic_wire_s, simulated_wire_s;
    enum compare_basis basis;
    double relative_error; /* (analytic - simulated) / simulated on that basis */
};

/* Fills basis and relative_error: on times where they are known, otherwise on wire times. */
void compare_fill(struct comparison *c);
const char *compare_basis_name(enum compare_basis basis); /* "time", "wire"; NULL for none */

/* Returns true when a simulated time lies below its lower bound by more than rounding: a bug. */
bool compare_below_bound(double simulated_s, double bound_s);

#endif
