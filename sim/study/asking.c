/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/asking.h"

const struct costs *call_run_basis(const struct call_run *run) {
    return &run->cases.costs[run->term->time_known ? 0 : run->cases.wire];
}
