/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/json_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/json.h"
#include "workloads/strategy.h"

static void write_stages(struct json *j, const struct result_call *c) {
    json_key_open(j, "stages", '[');
    for (int i = 0; i < c->n_stages; i++) {
        const struct result_stage *s = &c->stages[i];
        json_open(j, '{');
        json_key_text(j, "name", s->name);
        claim_json_key(j, "start_s", s->start);
        claim_json_key(j, "end_s", s->end);
        json_key_number(j, "bytes", s->bytes);
        json_key_number(j, "messages", s->messages);
        if (s->rho_in > 0) {
            json_key_number(j, "rho_max_out", s->rho_out);
            json_key_number(j, "rho_max_in", s->rho_in);
        }
        json_close(j);
    }
    json_close(j);
}

static void write_ranks(struct json *j, const struct result_call *c, int ranks) {
    if (!c->send_end || !c->recv_end)
        return;
    json_key_open(j, "ranks", '[');
    for (int r = 0; r < ranks; r++) {
        json_open(j, '{');
        claim_json_key(j, "send_end_s", c->send_end[r]);
        claim_json_key(j, "recv_end_s", c->recv_end[r]);
        if (c->port_end) {
            claim_json_key(j, "send_bound_s", c->port_end[3 * r]);
            claim_json_key(j, "recv_bound_s", c->port_end[3 * r + 1]);
            claim_json_key(j, "shared_bound_s", c->port_end[3 * r + 2]);
        }
        json_close(j);
    }
    json_close(j);
}

static void write_traffic(struct json *j, const struct platform *p, const struct result_call *c) {
    json_key_open(j, "tiers", '[');
    for (int t = 0; t < p->n_tiers; t++) {
        json_open(j, '{');
        json_key_text(j, "name", p->tier[t].name);
        json_key_number(j, "bytes", c->tier_bytes[t]);
        json_key_number(j, "messages", c->tier_messages[t]);
        json_close(j);
    }
    json_close(j);
    if (!c->busiest) {
        json_key_null(j, "busiest_link");
        return;
    }
    json_key_open(j, "busiest_link", '{');
    json_key_text(j, "name", c->busiest->name);
    json_key_text(j, "tier", p->tier[c->busiest->tier].name);
    json_key_number(j, "bytes", c->busiest_bytes);
    claim_json_key(j, "utilisation", c->busiest_utilisation);
    json_close(j);
}

static void write_treatments(struct json *j, const struct result *r, const struct result_call *c) {
    const struct plat_treatment *t = r->platform->alpha_treatments.items;
    if (c->time_known || !claim_known(c->band[0]))
        return;
    json_key_open(j, "alpha_treatments", '[');
    for (size_t i = 0; i < r->platform->alpha_treatments.n; i++) {
        json_open(j, '{');
        json_key_text(j, "name", t[i].name);
        claim_json_key(j, "time_s", c->treatments[i]);
        json_close(j);
    }
    json_close(j);
}

static void write_analytic(struct json *j, const struct result_call *c) {
    const struct result_analytic *a = &c->analytic;
    claim_json_key(j, "analytic_s", a->time);
    claim_json_key(j, "simulated_s", c->time);
    claim_json_key(j, "analytic_wire_s", a->wire);
    claim_json_key(j, "simulated_wire_s", c->wire);
    claim_json_key(j, "relative_error", a->relative_error);
    json_key_text(j, "basis", a->basis);
    json_key_open(j, "causes", '[');
    for (int i = 0; i < a->n_causes; i++) {
        json_open(j, '{');
        json_key_text(j, "name", a->causes[i].name);
        claim_json_key(j, "seconds", a->causes[i].seconds);
        claim_json_key(j, "first_s", a->causes[i].first);
        claim_json_key(j, "last_s", a->causes[i].last);
        json_close(j);
    }
    json_close(j);
    json_key_text(j, "causes_method",
                  !a->n_causes ? NULL
                  : a->shapley ? "shapley"
                               : "first-and-last");
}

static void write_straggler(struct json *j, const struct result_straggler *s) {
    if (s->rank < 0) {
        json_key_null(j, "straggler");
        return;
    }
    json_key_open(j, "straggler", '{');
    json_key_int(j, "rank", s->rank);
    json_key_text(j, "side", s->side);
    json_key_text(j, "link", s->link->name);
    claim_json_key(j, "bound_s", s->end);
    json_close(j);
}

static void write_links(struct json *j, const struct platform *p, const struct result_call *c) {
    json_key_open(j, "links", '[');
    for (int i = 0; i < c->n_links; i++) {
        const struct result_link *l = &c->links[i];
        json_open(j, '{');
        json_key_text(j, "name", l->link->name);
        json_key_text(j, "tier", p->tier[l->link->tier].name);
        json_key_number(j, "bytes", l->bytes);
        claim_json_key(j, "utilisation", l->utilisation);
        claim_json_key(j, "bin_s", c->bin);
        json_key_open(j, "utilisation_over_time", '[');
        for (int b = 0; b < l->n_bins; b++)
            json_number(j, l->bins[b]);
        json_close(j);
        json_close(j);
    }
    json_close(j);
    json_key_text(j, "critical_path", c->critical_path);
    claim_json_key(j, "fairness", c->fairness);
    claim_json_key(j, "from_last_entry_s", c->from_last);
}

/* Bytes between blocks of ranks, row = sender. */
static void write_map(struct json *j, const struct result_call *c) {
    json_key_open(j, "traffic_map", '{');
    json_key_int(j, "ranks_per_block", c->map_ranks);
    json_key_open(j, "bytes", '[');
    for (int i = 0; i < c->map_blocks; i++) {
        json_open(j, '[');
        for (int k = 0; k < c->map_blocks; k++)
            json_number(j, c->map[i * c->map_blocks + k]);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void write_sequence(struct json *j, const struct result_sequence *s) {
    if (!s->host)
        return;
    json_key_open(j, "sequence", '{');
    json_key_text(j, "host", s->host);
    json_key_int(j, "calls", s->n_calls);
    claim_json_key(j, "per_call_s", s->per_call);
    claim_json_key(j, "per_call_wire_s", s->per_call_wire);
    if (s->by) {
        bool batches = strcmp(s->by, "batch") == 0;
        json_key_open(j, batches ? "batches" : "layers", '[');
        for (int i = 0; i < s->n_calls; i++) {
            json_open(j, '{');
            json_key_int(j, s->by, s->number[i]);
            claim_json_key(j, "time_s", s->time[i]);
            claim_json_key(j, "wire_s", s->wire[i]);
            json_close(j);
        }
        json_close(j);
        if (s->worst >= 0)
            json_key_int(j, batches ? "worst_batch" : "worst_layer", s->number[s->worst]);
        else
            json_key_null(j, batches ? "worst_batch" : "worst_layer");
    }
    if (*s->reason) {
        json_key_open(j, "withdrawn", '{');
        char why[sizeof s->reason + 16];
        snprintf(why, sizeof why, "coverage: %s", s->reason);
        json_key_text(j, "per_call_s", why);
        json_close(j);
    }
    json_close(j);
}

static void write_draws(struct json *j, const struct result_draws *d) {
    static const char *const keys[RESULT_QUANTILES] = {"p50", "p95", "p99"};
    if (!d->n)
        return;
    json_key_int(j, "draws", d->n);
    json_key_open(j, "time_quantiles_s", '{');
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_json_key(j, keys[i], d->time[i]);
    if (d->tail_reason) {
        json_key_open(j, "withdrawn", '{');
        for (int i = 1; i < RESULT_QUANTILES; i++) {
            char *why = mem_printf("skew_tail: %s", d->tail_reason);
            json_key_text(j, keys[i], why);
            free(why);
        }
        json_close(j);
    }
    json_close(j);
    json_key_open(j, "wire_quantiles_s", '{');
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_json_key(j, keys[i], d->wire[i]);
    json_close(j);
}

static void write_withdrawn(struct json *j, const struct result_call *c) {
    const char *no_form = c->analytic.no_form;
    if (c->time_known && !no_form)
        return;
    char why[sizeof c->reason + 16], none[80];
    snprintf(why, sizeof why, "coverage: %s", c->reason);
    snprintf(none, sizeof none, "closed form: none of %s", no_form ? no_form : "");
    json_key_open(j, "withdrawn", '{');
    if (!c->time_known)
        json_key_text(j, "time_s", why);
    if (c->analytic.present)
        json_key_text(j, "analytic_s", no_form ? none : why);
    if (no_form)
        json_key_text(j, "analytic_wire_s", none);
    if (c->analytic.present && !c->time_known)
        json_key_text(j, "simulated_s", why);
    json_close(j);
    if (c->time_known)
        return;
    json_key_open(j, "reopen", '{');
    json_key_text(j, "time_s", c->reopen);
    json_close(j);
}

void json_call(struct json *j, const struct result *r, const struct result_call *c) {
    json_open(j, '{');
    json_key_text(j, "strategy", c->strategy);
    json_key_text(j, "phase", c->phase);
    if (strcmp(c->strategy, strategy_name(STRATEGY_ONE_HOP)) == 0)
        json_key_text(j, "dedup", dedup_name((int)c->dedup));
    json_key_text(j, "hops", c->pipelined ? "pipelined" : "serial");
    json_key_int(j, "chunks", c->chunks);
    json_key_text(j, "order", order_name(r->implementation->order));
    json_key(j, "window");
    if (r->implementation->window)
        json_int(j, r->implementation->window);
    else
        json_text(j, "all");
    json_key_bool(j, "conditional", c->conditional);
    claim_json_key(j, "time_s", c->time);
    claim_json_pair(j, "time_band_s", c->band);
    write_treatments(j, r, c);
    if (r->detail) {
        static const char *const parts[FIXED_PARTS] = {"payload", "counts_and_metadata", "readback"};
        json_key_open(j, "fixed_s", '{');
        for (int i = 0; i < FIXED_PARTS; i++)
            claim_json_key(j, parts[i], c->fixed[i]);
        json_close(j);
    }
    claim_json_key(j, "wire_s", c->wire);
    claim_json_key(j, "bound_s", c->bound);
    claim_json_key(j, "wire_bound_s", c->wire_bound);
    claim_json_key(j, "slack", c->slack);
    write_straggler(j, &c->straggler);
    if (c->analytic.present)
        write_analytic(j, c);
    if (c->simulated && r->detail) {
        json_key_text(j, "stages_basis", c->time_known ? "time" : "wire");
        write_stages(j, c);
    }
    write_traffic(j, r->platform, c);
    if (c->simulated && r->detail) {
        write_ranks(j, c, plat_ranks(r->platform));
        write_links(j, r->platform, c);
    }
    json_messages(j, r->platform, &c->messages);
    if (c->map)
        write_map(j, c);
    write_sequence(j, &c->sequence);
    write_draws(j, &c->draws);
    allowance_write_json(j, &c->allowance);
    write_withdrawn(j, c);
    if (c->time_known && *c->reason)
        json_key_text(j, "note", c->reason);
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

/* The evidence at the time of this run; its numbers are printed by `moesim gates`. */
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
    json_key_text(j, "version", p->program_version);
    json_key_text(j, "git", *p->program_git ? p->program_git : NULL);
    json_key_text(j, "simgrid_version", p->engine_version);
    json_key_int(j, "seed", (int64_t)p->seed);
    json_key_open(j, "inputs", '[');
    const struct {
        const char *role, *file, *sha256;
    } inputs[] = {{"platform", p->platform->doc->file, p->platform->doc->sha256},
                  {"workload", p->workload->doc->file, p->workload->doc->sha256},
                  {"implementation", p->implementation->doc->file, p->implementation->doc->sha256},
                  {"trace", p->workload->trace_path, p->trace_sha256}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (!inputs[i].file || !*inputs[i].sha256)
            continue;
        json_open(j, '{');
        json_key_text(j, "role", inputs[i].role);
        json_key_text(j, "file", inputs[i].file);
        json_key_text(j, "sha256", inputs[i].sha256);
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
    const struct provenance p = {.program_version = r->program_version,
                                 .program_git = r->program_git,
                                 .engine_version = r->engine_version,
                                 .seed = r->seed,
                                 .platform = r->platform,
                                 .workload = r->workload,
                                 .implementation = r->implementation,
                                 .trace_sha256 = r->traffic->trace_sha256,
                                 .arguments = r->arguments,
                                 .n_arguments = r->n_arguments};
    json_provenance(j, &p);
}

void result_write_json(const struct result *r, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", r->schema);
    json_platform(&j, r);
    json_workload(&j, r);
    json_implementation(&j, r->implementation, r->platform);
    json_key_open(&j, "calls", '[');
    for (int i = 0; i < r->n_calls; i++)
        json_call(&j, r, &r->calls[i]);
    json_close(&j);
    json_gain(&j, r);
    json_key_open(&j, "engine", '{');
    json_key_text(&j, "name", "simgrid");
    json_key_text(&j, "simgrid_version", r->engine_version);
    json_key_text(&j, "sharing", "fluid, lossless, max-min");
    json_key_int(&j, "flows", (int64_t)r->flows);
    json_key_number(&j, "wall_s", r->wall_s);
    json_key_number(&j, "cpu_s", r->cpu_s);
    json_key_number(&j, "peak_rss_bytes", r->peak_rss_bytes);
    json_close(&j);
    json_key_int(&j, "seed", (int64_t)r->seed);
    json_key_open(&j, "weakest", '{');
    json_key_text(&j, "constant", r->weakest.constant);
    json_key_text(&j, "status", status_name(r->weakest.status));
    json_close(&j);
    json_key_lines(&j, "assumed", r->assumed.text);
    json_capabilities(&j, r);
    json_gates(&j, r);
    json_key_lines(&j, "notes", r->traffic->notes.text);
    json_key_lines(&j, "warnings", r->warnings.text);
    json_result_provenance(&j, r);
    json_close(&j);
    buf_text(out, "\n");
}
