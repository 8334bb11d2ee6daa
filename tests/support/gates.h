/* SPDX-License-Identifier: BSD-3-Clause */
/* gates.h - one gate evaluated with chosen means, and stand-ins for engines that are right or wrong. */
#ifndef TESTS_SUPPORT_GATES_H
#define TESTS_SUPPORT_GATES_H

#include "tests/support/check.h"

#include <limits.h>

#include "sim/engine/engine.h"
#include "validation/gate_run.h"
#include "validation/gate_table.h"
#include "workloads/costs.h"

static inline const struct gate *gates_find(const char *id) {
    for (size_t i = 0; i < gate_table_n; i++)
        if (strcmp(gate_table[i].id, id) == 0)
            return &gate_table[i];
    fail_msg("no gate '%s'", id);
    return NULL;
}

/* gate_result_clear() releases. */
static inline struct gate_result gates_try(const char *id, const struct estimand_tools *tools) {
    struct gate_result r;
    gate_evaluate(gates_find(id), NULL, tools, &r);
    return r;
}

static inline double gates_metric(const struct gate_result *r, const char *name) {
    for (size_t i = 0; i < r->evidence.n_metrics; i++)
        if (strcmp(r->evidence.metrics[i].name, name) == 0)
            return r->evidence.metrics[i].value;
    fail_msg("%s: no metric '%s' (%s)", r->gate->id, name, r->reason);
    return 0;
}

static inline void gates_expect(const char *id, const struct estimand_tools *tools,
                                enum gate_state state) {
    struct gate_result r = gates_try(id, tools);
    if (r.state != state)
        fail_msg("%s: %s, expected %s (%s)", id, gate_state_name(r.state), gate_state_name(state),
                 r.reason);
    gate_result_clear(&r);
}

static struct sim_options gates_unlimited = {.engine = SIM_ENGINE_SIMGRID, .messages = INT_MAX},
                          gates_fluid = {.engine = SIM_ENGINE_FLUID, .messages = INT_MAX};
static const struct simulator gates_engine = {sim_answer, &gates_unlimited};
static const struct simulator gates_second = {sim_answer, &gates_fluid};

/* The engine, and what to do to its answers. */
struct gates_bent {
    double time_factor;
    double bytes_factor;
    double per_bandwidth_s; /* added per GB/s of the slow tier: faster is slower */
    double first_port;      /* added share, by the bytes on link 0: ranks are no longer alike */
};

static inline enum rc gates_bent_run(const struct call *call, const struct costs *cases, size_t n_cases,
                                     void *context, struct outcome *outcomes, struct err *e) {
    const struct gates_bent *bent = context;
    enum rc rc = sim_answer(call, cases, n_cases, &gates_unlimited, outcomes, e);
    for (size_t i = 0; i < n_cases && !rc; i++) {
        outcomes[i].time_s *= bent->time_factor;
        for (size_t k = 0; k < outcomes[i].n_messages; k++)
            outcomes[i].messages[k].end_s *= bent->time_factor;
        outcomes[i].time_s +=
            bent->per_bandwidth_s * 1e-9 * call->platform->tier[TIER_SLOW].bandwidth_Bps.value;
        if (outcomes[i].link_bytes && bent->first_port > 0)
            outcomes[i].time_s *= 1 + bent->first_port * outcomes[i].link_bytes[0];
        for (int l = 0; l < call->topology->n_links && outcomes[i].link_bytes; l++)
            outcomes[i].link_bytes[l] *= bent->bytes_factor;
    }
    return rc;
}

#endif
