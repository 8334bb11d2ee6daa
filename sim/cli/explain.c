/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/explain.h"

#include "sim/engine/engine.h"

enum rc explain_causes(const struct step *step, const struct costs *costs, const struct options *o,
                       struct call_figures *call, struct err *e) {
    const struct call_analytic *a = &call->analytic;
    if (!a->error_known || !call->simulated)
        return RC_OK;
    struct sim_options options = {.timeout_s = o->timeout_s, .times_only = true};
    const struct causes_question q = {.step = step,
                                      .costs = costs,
                                      .analytic_s = call->time_known ? a->time_s : a->wire_s,
                                      .simulated_s = call->time_known ? call->time_s : call->wire_s,
                                      .simulator = {sim_answer, &options}};
    return causes_find(&q, &call->causes, e);
}

void explain_ports(const struct step *step, const struct costs *costs, struct call_figures *call) {
    call->ports = mem_alloc((size_t)step->topology->ranks, sizeof *call->ports);
    bound_ports(step, costs, call->ports, &call->straggler);
}
