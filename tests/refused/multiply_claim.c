/* SPDX-License-Identifier: BSD-3-Clause */
/* A step time as calls times call time. */
#include "sim/study/result.h"

double step_time_s(const struct result_call *call, double calls);
double step_time_s(const struct result_call *call, double calls) {
    return calls * call->time;
}
