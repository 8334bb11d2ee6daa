/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/explain.h"

#include "sim/engine/engine.h"

enum rc explain_causes(const struct call *call, const struct costs *costs, const struct options *o,
                       struct call_figures *figures, struct err *e) {
    const struct call_analytic *a = &figures->analytic;
    if (!a->error_known || !figures->simulated)
        return RC_OK;
    struct sim_options options = {.timeout_s = o->timeout_s, .times_only = true};
    const struct causes_question q = {.call = call,
                                      .costs = costs,
                                      .analytic_s = figures->time_known ? a->time_s : a->wire_s,
                                      .simulated_s = figures->time_known ? figures->time_s : figures->wire_s,
                                      .simulator = {sim_answer, &options}};
    return causes_find(&q, &figures->causes, e);
}

void explain_ports(const struct call *call, const struct costs *costs, struct call_figures *figures) {
    figures->ports = mem_alloc((size_t)call->topology->ranks, sizeof *figures->ports);
    bound_ports(call, costs, figures->ports, &figures->straggler);
}
