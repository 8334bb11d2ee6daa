/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/gates_report.h"

#include <math.h>

#include "platforms/base/json.h"

static void number_or_null(struct json *j, const char *key, double value) {
    if (isfinite(value))
        json_key_number(j, key, value);
    else
        json_key_null(j, key);
}

static void write_range(struct json *j, const char *key, const double range[2]) {
    json_key_open(j, key, '[');
    json_number(j, range[0]);
    json_number(j, range[1]);
    json_close(j);
}

static void write_scope(struct json *j, const struct gate_result *r) {
    const struct gate_scope *s = &r->gate->scope;
    json_key_open(j, "scope", '{');
    json_key_text(j, "machine", s->machine);
    json_key_text(j, "implementation", s->implementation);
    json_key_text(j, "strategy", s->strategy);
    if (s->machine) {
        write_range(j, "world", s->world);
        write_range(j, "bytes", s->bytes);
        json_key_number(j, "rho_max", s->rho_max);
    }
    json_close(j);
}

static const char *const limit_names[] = {"at_most", "at_least", "magnitude"};

static void write_metrics(struct json *j, const struct gate_result *r) {
    json_key_open(j, "metrics", '{');
    for (size_t i = 0; i < r->evidence.n_metrics; i++)
        number_or_null(j, r->evidence.metrics[i].name, r->evidence.metrics[i].value);
    json_close(j);
    json_key_open(j, "thresholds", '{');
    for (size_t i = 0; i < r->gate->n_limits; i++) {
        json_key_open(j, r->gate->limits[i].metric, '{');
        json_key_number(j, limit_names[r->gate->limits[i].kind], r->gate->limits[i].value);
        json_close(j);
    }
    json_close(j);
}

static void write_gate(struct json *j, const struct gate_result *r) {
    const struct gate *g = r->gate;
    unsigned bits = gate_withdraws(g);
    json_key_text(j, "id", g->id);
    json_key_text(j, "kind", gate_kind_name(g->kind));
    json_key_text(j, "claim", g->claim);
    write_scope(j, r);
    json_key_bool(j, "passed", r->state == GATE_PASSED);
    json_key_bool(j, "evaluated", r->state != GATE_NOT_EVALUATED);
    json_key_text(j, "reason", *r->reason ? r->reason : NULL);
    json_key_text(j, "documented", g->documented);
    write_metrics(j, r);
    json_key_open(j, "withdraws", '[');
    for (int i = 0; i < CAP_COUNT; i++)
        if (bits & 1u << i)
            json_text(j, capability_name((enum capability)i));
    json_close(j);
    json_key_text(j, "reopen", g->reopen);
    json_key_text(j, "registration", g->registration);
    json_key_text(j, "corpus", g->corpus);
    json_key_text(j, "corpus_sha256", *r->evidence.corpus_sha256 ? r->evidence.corpus_sha256 : NULL);
    json_key_text(j, "hash", r->hash);
}

void gates_explain_json(const struct gate_result *r, struct buf *out) {
    const struct gate_evidence *x = &r->evidence;
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/gate-result/1");
    write_gate(&j, r);
    json_key_text(&j, "unit", x->unit);
    json_key_open(&j, "points", '[');
    for (size_t i = 0; i < x->n_points; i++) {
        json_open(&j, '{');
        json_key_text(&j, "label", x->points[i].label);
        json_key_bool(&j, "counted", x->points[i].counted);
        number_or_null(&j, "predicted", x->points[i].predicted);
        number_or_null(&j, "measured", x->points[i].measured);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

void gates_write_json(const struct gate_result *results, size_t n, const struct licences *licences,
                      struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/gates/1");
    json_key_open(&j, "gates", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(&j, '{');
        write_gate(&j, &results[i]);
        json_close(&j);
    }
    json_close(&j);
    json_key_open(&j, "capabilities", '[');
    for (int i = 0; i < CAP_COUNT; i++) {
        const struct licence *l = licences_get(licences, (enum capability)i);
        json_open(&j, '{');
        json_key_text(&j, "id", capability_name((enum capability)i));
        json_key_bool(&j, "open", licence_state(l) == CAPABILITY_OPEN);
        json_key_text(&j, "state", capability_state_name(licence_state(l)));
        json_key_text(&j, "reason", licence_reason(l));
        json_key_text(&j, "reopen", licence_reopen(l));
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

static void write_csv_row(const struct gate_result *r, const struct gate_metric *m, struct buf *out) {
    const struct gate_limit *limit = m ? gate_limit_of(r->gate, m->name) : NULL;
    char value[JSON_NUMBER], bound[JSON_NUMBER];
    buf_csv_field(out, r->gate->id);
    buf_printf(out, ",%s,", gate_kind_name(r->gate->kind));
    buf_csv_field(out, r->gate->corpus ? r->gate->corpus : "");
    buf_printf(out, ",%s,%s,%s,%s,%s,%s\n", m ? m->name : "",
               m && isfinite(m->value) ? json_format(m->value, value) : "",
               limit ? limit_names[limit->kind] : "", limit ? json_format(limit->value, bound) : "",
               !limit                             ? ""
               : gate_limit_kept(limit, m->value) ? "true"
                                                  : "false",
               gate_state_name(r->state));
}

void gates_write_csv(const struct gate_result *results, size_t n, struct buf *out) {
    buf_text(out, "id,kind,corpus,metric,value,limit_kind,limit,kept,outcome\n");
    for (size_t i = 0; i < n; i++) {
        const struct gate_evidence *x = &results[i].evidence;
        if (!x->n_metrics)
            write_csv_row(&results[i], NULL, out);
        for (size_t k = 0; k < x->n_metrics; k++)
            write_csv_row(&results[i], &x->metrics[k], out);
    }
}
