/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/compare.h"

#include <stddef.h>

void compare_fill(struct comparison *c) {
    double analytic = c->time_known ? c->analytic_s : c->analytic_wire_s;
    double simulated = c->time_known ? c->simulated_s : c->simulated_wire_s;
    c->basis = COMPARE_NONE;
    c->relative_error = 0;
    if (!(simulated > 0))
        return; // nothing moved: no error to speak of
    c->basis = c->time_known ? COMPARE_TIME : COMPARE_WIRE;
    c->relative_error = (analytic - simulated) / simulated;
}

const char *compare_basis_name(enum compare_basis basis) {
    static const char *const names[] = {NULL, "time", "wire"};
    return names[basis];
}

bool compare_below_bound(double simulated_s, double bound_s) {
    return simulated_s < bound_s * (1 - 1e-9);
}
