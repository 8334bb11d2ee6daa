/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts a raw number where a report takes claims. */
#include "sim/study/result.h"

void publish(struct result_call *call, double time_s);
void publish(struct result_call *call, double time_s) {
    call->time = time_s;
}
