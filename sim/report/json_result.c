/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/json_parts.h"
#include "sim/report/result_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/json.h"
#include "workloads/strategy.h"

void json_weakest(struct json *j, const struct result *r) {
    json_key_open(j, "weakest", '{');
    json_key_text(j, "constant", r->weakest.constant);
    json_key_text(j, "status", r->weakest.constant ? status_name(r->weakest.status) : NULL);
    json_close(j);
}

void json_engine(struct json *j, const struct result *r) {
    bool ran = question_simulates(r->question), levels = r->levels > 0 && r->events > 0;
    json_key_open(j, "engine", '{');
    json_key_text(j, "name", r->engine);
    json_key_text(j, "simgrid_version", study_engine());
    json_key_text(j, "sharing", ran ? "fluid, lossless, max-min" : NULL);
    json_key_number_if(j, "flows", ran, (double)r->flows);
    json_key_number_if(j, "events", ran, (double)r->events);
    json_key_number_if(j, "levels_per_event", levels, levels ? (double)r->levels / (double)r->events : 0);
    json_key_number_if(j, "wall_s", ran, r->wall_s);
    json_key_number_if(j, "cpu_s", ran, r->cpu_s);
    json_key_number_if(j, "peak_rss_bytes", ran, r->peak_rss_bytes);
    json_close(j);
}

void json_gain(struct json *j, const struct result *r) {
    static const char *const keys[RESULT_GAINS] = {"dispatch", "combine", "round_trip"};
    json_key_open(j, "gain", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        claim_json_key(j, keys[i], r->gain[i].time);
    json_key_text(j, "against", r->gain_of ? strategy_name(STRATEGY_ONE_HOP) : NULL);
    json_key_text(j, "against_dedup", r->gain_of ? dedup_name((int)r->gain_against) : NULL);
    json_key_text(j, "of", r->gain_of);
    json_key_open(j, "against_call", '{');
    for (int i = 0; i < PHASE_COUNT && r->gain_of; i++)
        if (r->gain[i].against >= 0)
            json_key_int(j, keys[i], r->gain[i].against);
    json_close(j);
    json_key_open(j, "analytic", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        claim_json_key(j, keys[i], r->gain[i].analytic);
    json_close(j);
    json_key_open(j, "analytic_wire", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        claim_json_key(j, keys[i], r->gain[i].analytic_wire);
    json_close(j);
    json_key_open(j, "band", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        claim_json_pair(j, keys[i], r->gain[i].band);
    json_close(j);
    json_key_open(j, "wire", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        claim_json_key(j, keys[i], r->gain[i].wire);
    json_close(j);
    const struct licence *l = r->licences[CAP_GAIN];
    char *why = licence_state(l) == CAPABILITY_WITHDRAWN
                    ? mem_printf("%s: %s", licence_gate(l), licence_reason(l))
                    : mem_copy("coverage: the time of a call is not known");
    json_key_open(j, "withdrawn", '{');
    for (int i = 0; i < RESULT_GAINS; i++)
        if (r->gain[i].asked && !claim_known(r->gain[i].time))
            json_key_text(j, keys[i], why);
    json_close(j);
    free(why);
    json_close(j);
}

void json_capabilities(struct json *j, const struct result *r) {
    json_key_open(j, "capabilities", '[');
    for (int i = 0; i < CAP_COUNT; i++) {
        enum capability c = (enum capability)i;
        const struct licence *l = r->licences[i];
        json_open(j, '{');
        json_key_text(j, "id", capability_name(c));
        json_key_text(j, "state", capability_state_name(licence_state(l)));
        json_key_bool(j, "open", licence_state(l) == CAPABILITY_OPEN);
        json_key_text(j, "gates", capability_gates(c));
        json_key_text(j, "reason", licence_reason(l));
        json_key_text(j, "reopen", licence_reopen(l));
        json_close(j);
    }
    json_close(j);
}

/* Writes the state of every gate in this run; their numbers are printed by `moesim gates`. */
void json_gates(struct json *j, const struct result *r) {
    json_key_open(j, "gates", '[');
    for (size_t i = 0; i < r->n_gates; i++) {
        const struct gate_result *g = &r->gates[i];
        json_open(j, '{');
        json_key_text(j, "id", g->gate->id);
        json_key_text(j, "kind", gate_kind_name(g->gate->kind));
        json_key_bool(j, "passed", g->state == GATE_PASSED);
        json_key_text(j, "hash", g->hash);
        json_close(j);
    }
    json_close(j);
}

void json_provenance(struct json *j, const struct provenance *p) {
    json_key_open(j, "provenance", '{');
    json_key_text(j, "program", "moesim");
    json_key_text(j, "version", study_version());
    json_key_text(j, "git", *study_git() ? study_git() : NULL);
    json_key_text(j, "simgrid_version", p->simulated ? study_engine() : NULL);
    json_key_int(j, "seed", (int64_t)p->seed);
    json_key_open(j, "inputs", '[');
    for (size_t i = 0; i < p->files->n; i++) {
        json_open(j, '{');
        json_key_text(j, "role", p->files->items[i].role);
        json_key_text(j, "file", p->files->items[i].path);
        json_key_text(j, "sha256", p->files->items[i].sha256);
        json_close(j);
    }
    json_close(j);
    json_key_open(j, "arguments", '[');
    for (int i = 0; i < p->n_arguments; i++)
        json_text(j, p->arguments[i]);
    json_close(j);
    json_close(j);
}

void json_result_provenance(struct json *j, const struct result *r) {
    const struct provenance p = {.simulated = true,
                                 .seed = (uint64_t)r->question->seed,
                                 .files = &r->files,
                                 .arguments = r->arguments,
                                 .n_arguments = r->n_arguments};
    json_provenance(j, &p);
}

void json_result(struct json *j, const struct result *r) {
    json_open(j, '{');
    json_key_text(j, "schema", r->question->compare ? "moesim/compare/1" : "moesim/simulate/1");
    json_platform(j, r);
    json_workload(j, r);
    json_implementation(j, r->in.implementation, r->in.platform);
    json_key_open(j, "calls", '[');
    for (int i = 0; i < r->n_calls; i++)
        json_call(j, r, &r->calls[i]);
    json_close(j);
    json_gain(j, r);
    json_engine(j, r);
    json_key_int(j, "seed", r->question->seed);
    json_weakest(j, r);
    json_key_lines(j, "assumed", r->assumed.text);
    json_key_lines(j, "assumed_choices", r->assumed_choices.text);
    json_capabilities(j, r);
    json_gates(j, r);
    json_key_lines(j, "notes", r->in.traffic->notes.text);
    json_key_lines(j, "warnings", r->warnings.text);
    json_result_provenance(j, r);
    json_close(j);
}

void result_write_json(const struct result *r, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_result(&j, r);
    buf_text(out, "\n");
}
