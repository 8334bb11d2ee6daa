/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/choice.h"

static double flows_of_stage(const struct call *call, int stage) {
    const struct matrix *m = &call->stages[stage].bytes;
    double flows = 0, chunks = call->chunks > 1 ? call->chunks : 1;
    struct route route;
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (m->dst[i] == src || !(m->value[i] > 0))
                continue;
            struct way way = call_way(call, src, m->dst[i], &route);
            flows += chunks * (1 / way.share + (call_message_cost_s(call, way.tier) > 0));
        }
    return flows;
}

double sim_flows(const struct call *call) {
    double flows = 0;
    for (int stage = 0; stage < call->n_stages; stage++)
        flows += flows_of_stage(call, stage);
    return flows;
}

enum sim_engine sim_engine_for(double flows) {
    return flows > SIM_SIMGRID_FLOWS ? SIM_ENGINE_FLUID : SIM_ENGINE_SIMGRID;
}

const char *sim_engine_name(enum sim_engine engine) {
    static const char *const names[] = {"auto", "simgrid", "fluid", "bound"};
    return names[engine];
}
