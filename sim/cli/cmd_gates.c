/* SPDX-License-Identifier: BSD-3-Clause */
/* gates: evaluates every gate now and says what follows. */
#include "sim/cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "sim/report/gates_report.h"
#include "validation/gate_run.h"
#include "validation/gate_table.h"

#define TIMEOUT_S 60 /* of one simulation */

/* The mean time of equal calls back to back, the host waiting for each or running ahead. */
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

/* A gate that is not known to fail must pass. */
static enum rc check(const struct gate_run *run, struct err *e) {
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

static void write(int format, const struct gate_run *run, struct buf *out) {
    struct licences *licences = licences_decide(run->results, run->n);
    if (format == FORMAT_JSON)
        gates_write_json(run->results, run->n, licences, out);
    else if (format == FORMAT_CSV)
        gates_write_csv(run->results, run->n, out);
    else
        gates_write_text(run->results, run->n, licences, out);
    licences_free(licences);
}

static enum rc run_gates(const void *parsed, struct buf *out, struct err *e) {
    const struct gates_line *l = parsed;
    const struct question *q = &l->line.question;
    int format = l->line.format;
    bool explain = l->line.n_words == 2 && strcmp(l->line.words[0], "explain") == 0;
    if (l->line.n_words && !explain)
        return err_set(e, RC_USAGE, "'%.60s' found, expected nothing or explain ID", l->line.words[0]);
    struct sim_options first = {.timeout_s = TIMEOUT_S, .engine = SIM_ENGINE_SIMGRID, .messages = INT_MAX},
                       other = {.timeout_s = TIMEOUT_S, .engine = SIM_ENGINE_FLUID, .messages = INT_MAX};
    const struct simulator simulator = {sim_answer, &first}, second = {sim_answer, &other};
    struct gate_run_options options = {.folder = q->corpus,
                                       .only = explain ? l->line.words[1] : NULL,
                                       .analytic_only = q->analytic_only,
                                       .tools = {.full = l->full}};
    if (!q->analytic_only) {
        options.tools.simulator = &simulator;
        options.tools.second = &second;
        options.tools.sequence = sim_answer_sequence;
        options.tools.repeat = repeat;
    }
    struct gate_run run;
    enum rc rc = gate_run(&options, &run, e);
    if (rc)
        return rc;
    if (explain && !run.n)
        rc = unknown_gate(l->line.words[1], e);
    else if (explain && format == FORMAT_TEXT)
        gates_explain(&run.results[0], q->corpus, out);
    else if (explain && format == FORMAT_JSON)
        gates_explain_json(&run.results[0], out);
    else
        write(format, &run, out);
    if (!rc && l->check)
        rc = check(&run, e);
    gate_run_clear(&run);
    return rc;
}

const struct command command_gates = {
    "gates", run_gates, sizeof(struct gates_line), true,
    "evaluate every gate now; what is open, conditional, withdrawn", "[explain ID] [options]",
    "A gate tries a claim on evidence; one that does not pass withdraws capabilities. explain shows a\n"
    "gate's points, predicted and measured, and what would change its outcome.\n\n"
    "Examples:\n"
    "  moesim gates\n"
    "  moesim gates --check --format json\n"
    "  moesim gates explain tier1b-c4\n"
    "  moesim gates --corpus my_measurements\n", NULL};
