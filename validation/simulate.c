/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/simulate.h"

enum rc simulate_time(const struct simulator *s, const struct call *call, const struct costs *costs,
                      double *time_s, struct err *e) {
    struct outcome o = {0};
    enum rc rc = s->run(call, costs, 1, s->context, &o, e);
    if (!rc)
        *time_s = o.time_s;
    outcome_clear(&o);
    return rc;
}
