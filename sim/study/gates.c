/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/gates.h"

#include <limits.h>
#include <stdlib.h>

#include "sim/engine/engine.h"
#include "validation/gate_table.h"

#define TIMEOUT_S 60 /* of one simulation */

/* Finds the mean time of equal calls back to back, the host waiting for each or running ahead. */
static enum rc repeat(const struct call *call, const struct costs *costs, enum regime regime, int times,
                      double *per_call_s, struct err *e) {
    size_t n = (size_t)times;
    struct call *calls = mem_alloc(n, sizeof *calls);
    struct costs *cases = mem_alloc(n, sizeof *cases);
    struct outcome *outcomes = mem_alloc(n, sizeof *outcomes);
    for (size_t i = 0; i < n; i++) {
        calls[i] = *call;
        cases[i] = *costs;
    }
    const struct sim_sequence sequence = {calls, cases, n, regime};
    const struct sim_options options = {.timeout_s = TIMEOUT_S, .times_only = true};
    double total_s = 0;
    enum rc rc = sim_run_sequence(&sequence, &options, outcomes, &total_s, e);
    *per_call_s = total_s / times;
    for (size_t i = 0; i < n; i++)
        outcome_clear(&outcomes[i]);
    free(calls);
    free(cases);
    free(outcomes);
    return rc;
}

static enum rc unknown_gate(const char *id, struct err *e) {
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < gate_table_n && n < 64; i++)
        names[n++] = gate_table[i].id;
    return err_set(e, RC_USAGE, "unknown gate '%.60s'%s; 'moesim gates' lists them", id,
                   err_hint(", ", id, names, n).text);
}

enum rc study_gates(const struct gates_question *q, struct gate_run *run, struct err *e) {
    struct sim_options first = {.timeout_s = TIMEOUT_S, .engine = SIM_ENGINE_SIMGRID, .messages = INT_MAX},
                       other = {.timeout_s = TIMEOUT_S, .engine = SIM_ENGINE_FLUID, .messages = INT_MAX};
    const struct simulator simulator = {sim_answer, &first}, second = {sim_answer, &other};
    struct gate_run_options options = {
        .folder = q->corpus, .only = q->only, .analytic_only = q->analytic_only, .tools = {.full = q->full}};
    if (!q->analytic_only) {
        options.tools.simulator = &simulator;
        options.tools.second = &second;
        options.tools.sequence = sim_answer_sequence;
        options.tools.repeat = repeat;
    }
    enum rc rc = gate_run(&options, run, e);
    if (rc || !q->only || run->n)
        return rc;
    gate_run_clear(run);
    return unknown_gate(q->only, e);
}

enum rc study_gates_check(const struct gate_run *run, struct err *e) {
    struct buf list = {0};
    for (size_t i = 0; i < run->n; i++) {
        const struct gate_result *r = &run->results[i];
        if (r->state != GATE_PASSED && !r->gate->documented)
            buf_printf(&list, "%s%s (%s)", list.n ? "; " : "", r->gate->id, r->reason);
    }
    enum rc rc = list.n ? err_set(e, RC_WITHDRAWN, "gates --check: not passed: %.800s", list.text) : RC_OK;
    buf_clear(&list);
    return rc;
}
