/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/breakeven_report.h"

#include <string.h>

#include "gates/capability.h"
#include "platforms/base/json.h"
#include "sim/report/json_parts.h"

/* Writes a figure of the model under the licence of the result, or null. */
static void figure(struct json *j, const struct breakeven_result *r, const char *key, bool known,
                   double value) {
    claim_json_key(j, key, claim_if(known, r->licence, value));
}

static void write_spread(struct json *j, const struct breakeven_result *r, const char *key,
                         const struct breakeven_spread *s) {
    if (!s->known) {
        json_key_null(j, key);
        return;
    }
    json_key_open(j, key, '{');
    figure(j, r, "p5", true, s->p5);
    figure(j, r, "p50", true, s->p50);
    figure(j, r, "p95", true, s->p95);
    json_close(j);
}

static void write_entry(struct json *j, const struct breakeven_result *r,
                        const struct breakeven_entry *x) {
    json_open(j, '{');
    json_key_text(j, "chain", x->chain->name);
    json_key_number(j, "s_per_pair", x->s_per_pair);
    json_key_text(j, "status", status_name(x->interpolated ? STATUS_ASSUMED : chain_status(x->chain, r->in.platform)));
    json_key_bool(j, "interpolated", x->interpolated);
    figure(j, r, "ratio", x->ratio.known, x->ratio.value);
    figure(j, r, "slow_Bps", x->ratio.known, x->ratio.known ? r->base_Bps / x->ratio.value : 0);
    if (!r->simulated)
        figure(j, r, "ratio_time_held", x->time_held.known, x->time_held.value);
    const struct claim band[2] = {claim_if(x->band_known, r->licence, x->band[0]),
                                  claim_if(x->band_known, r->licence, x->band[1])};
    claim_json_pair(j, "ratio_band", band);
    if (r->simulated)
        json_key_int(j, "evaluations", x->evaluations);
    else
        write_spread(j, r, "spread", &x->spread);
    if (!x->ratio.known || (!r->simulated && !x->time_held.known)) {
        json_key_open(j, "withdrawn", '{');
        if (!x->ratio.known)
            json_key_text(j, "ratio", x->ratio.reason);
        if (!r->simulated && !x->time_held.known)
            json_key_text(j, "ratio_time_held", x->time_held.reason);
        json_close(j);
    }
    json_close(j);
}

static void write_geometry(struct json *j, const struct breakeven_result *r) {
    const struct workload *w = r->in.workload;
    json_key_open(j, "geometry", '{');
    json_key_int(j, "groups", r->in.platform->groups);
    json_key_int(j, "ranks_per_group", r->in.platform->ranks_per_group);
    json_key_int(j, "ranks", r->ranks);
    json_key_int(j, "tokens_per_rank", w->tokens_per_rank);
    json_key_int(j, "experts", w->experts);
    json_key_number(j, "experts_per_rank", r->experts_per_rank);
    json_key_int(j, "top_k", w->top_k);
    json_key_number_if(j, "group_limit", w->group_limit > 0, (double)w->group_limit);
    json_key_number(j, "fan_out", r->fan_out);
    json_key_number(j, "quota", r->quota);
    json_key_int(j, "hidden", w->hidden);
    json_key_number(j, "row_bytes", r->row_bytes);
    json_close(j);
}

static void write_skew(struct json *j, const struct breakeven_result *r) {
    json_key_open(j, "skew", '{');
    json_key_number(j, "cv", r->cv);
    json_key_open(j, "rho_max", '[');
    for (int i = 0; i < BREAKEVEN_SKEWS; i++) {
        json_open(j, '{');
        json_key_text(j, "exchange", r->skew[i].exchange);
        json_key_number(j, "formula", r->skew[i].paper);
        json_key_number(j, "exact_maximum", r->skew[i].exact);
        json_key_number_if(j, "matrix_in", r->skew[i].matrix_in >= 0, r->skew[i].matrix_in);
        json_key_number_if(j, "matrix_out", r->skew[i].matrix_out >= 0, r->skew[i].matrix_out);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void write_checklist(struct json *j, const struct breakeven_result *r) {
    if (!r->checklist_known) {
        json_key_null(j, "checklist");
        return;
    }
    json_key_open(j, "checklist", '{');
    json_key_text(j, "chain",
                  chain_constant((enum chain_preset)r->in.implementation->chain.preset)->name);
    json_key_bool(j, "cleared", r->cleared);
    figure(j, r, "gain", true, r->gain);
    json_key_open(j, "conditions", '[');
    for (int i = 0; i < BREAKEVEN_CHECKS; i++) {
        json_open(j, '{');
        json_key_text(j, "name", r->checks[i].name);
        json_key_bool(j, "passed", r->checks[i].passed);
        json_key_number(j, "value", r->checks[i].value);
        json_key_number(j, "threshold", r->checks[i].threshold);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void write_uncertainty(struct json *j, const struct breakeven_result *r) {
    if (!r->n_inputs) {
        json_key_null(j, "uncertainty");
        return;
    }
    json_key_open(j, "uncertainty", '{');
    json_key_int(j, "draws", r->draws);
    json_key_int(j, "seed", (int64_t)r->seed);
    write_spread(j, r, "one_hop_s", &r->one_hop_s);
    write_spread(j, r, "two_hop_s", &r->two_hop_s);
    write_spread(j, r, "gain", &r->gain_spread);
    json_key_open(j, "constants", '[');
    for (int i = 0; i < r->n_inputs; i++) {
        json_open(j, '{');
        json_key_text(j, "name", r->inputs[i].name);
        json_key_number(j, "low", r->inputs[i].low);
        json_key_number(j, "high", r->inputs[i].high);
        figure(j, r, "gain_at_low", true, r->inputs[i].gain_low);
        figure(j, r, "gain_at_high", true, r->inputs[i].gain_high);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void write_capability(struct json *j, const struct licence *l) {
    json_key_bool(j, "conditional", licence_state(l) != CAPABILITY_OPEN);
    json_key_open(j, "capability", '{');
    json_key_text(j, "id", capability_name(CAP_BREAKEVEN));
    json_key_text(j, "state", capability_state_name(licence_state(l)));
    json_key_text(j, "gates", capability_gates(CAP_BREAKEVEN));
    json_key_text(j, "reason", licence_reason(l));
    json_close(j);
}

static void write_provenance(struct json *j, const struct breakeven_result *r) {
    const struct question *q = &r->question->q;
    const struct provenance p = {.simulated = r->simulated,
                                 .seed = r->seed,
                                 .files = &r->files,
                                 .arguments = q->arguments,
                                 .n_arguments = q->n_arguments};
    json_provenance(j, &p);
}

void breakeven_write_json(const struct breakeven_result *r, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/breakeven/1");
    json_key_text(&j, "by", r->simulated ? "simulated" : "analytic");
    json_key_open(&j, "engine", '{');
    json_key_text(&j, "name", r->engine == SIM_ENGINE_AUTO ? NULL : sim_engine_name(r->engine));
    json_close(&j);
    write_capability(&j, r->licence);
    json_key_text(&j, "platform", r->in.platform->name);
    if (r->in.platform->n_tiers > 2)
        json_key_text(&j, "note", breakeven_tiers_note);
    json_key_text(&j, "workload", r->in.workload->name);
    json_key_text(&j, "implementation", r->in.implementation->name);
    write_geometry(&j, r);
    json_key_number(&j, "base_Bps", r->base_Bps);
    json_key_text(&j, "beta", r->simulated ? NULL : "closed");
    json_key_text(&j, "x_half_held", r->held);
    json_key_number(&j, "host_exposure_s", r->host_exposure_s);
    json_key_open(&j, "range", '[');
    json_number(&j, r->range[0]);
    json_number(&j, r->range[1]);
    json_close(&j);
    figure(&j, r, "byte_only", r->byte_only.known, r->byte_only.value);
    figure(&j, r, "byte_only_dedup", r->byte_only_dedup.known, r->byte_only_dedup.value);
    if (!r->byte_only.known) {
        json_key_open(&j, "withdrawn", '{');
        json_key_text(&j, "byte_only", r->byte_only.reason);
        json_key_text(&j, "byte_only_dedup", r->byte_only_dedup.reason);
        json_close(&j);
    }
    json_key_open(&j, "effective", '[');
    for (int i = 0; i < r->n_entries; i++)
        write_entry(&j, r, &r->entries[i]);
    json_close(&j);
    json_key_text(&j, "alpha", *r->alpha_reason ? r->alpha_reason : "listed worlds");
    write_checklist(&j, r);
    write_skew(&j, r);
    write_uncertainty(&j, r);
    write_provenance(&j, r);
    json_close(&j);
    buf_text(out, "\n");
}
