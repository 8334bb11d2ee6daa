/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/gates_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gates/claim.h"
#include "platforms/base/unit.h"
#include "sim/report/table.h"

static const char *outcome(const struct gate_result *r) {
    if (r->state == GATE_PASSED)
        return "passed";
    if (r->state == GATE_NOT_EVALUATED)
        return "untried";
    return r->gate->documented ? "known" : "FAILED";
}

static void withdraws_text(const struct gate *gate, struct buf *b) {
    unsigned bits = gate_withdraws(gate);
    for (int i = 0; i < CAP_COUNT; i++)
        if (bits & 1u << i)
            buf_printf(b, "%s%s", b->n ? ", " : "", capability_name((enum capability)i));
    if (!b->n)
        buf_text(b, "nothing");
}

static const struct gate_metric *metric_of(const struct gate_result *r, const char *name) {
    for (size_t i = 0; i < r->evidence.n_metrics; i++)
        if (strcmp(r->evidence.metrics[i].name, name) == 0)
            return &r->evidence.metrics[i];
    return NULL;
}

/* Adds one row per limit of a gate; the first row names the gate. */
static void gate_rows(const struct gate_result *r, struct table *t) {
    const struct gate *g = r->gate;
    for (size_t i = 0; i < g->n_limits; i++) {
        const struct gate_limit *limit = &g->limits[i];
        const struct gate_metric *m = metric_of(r, limit->metric);
        char value[GATE_TEXT], bound[GATE_TEXT];
        table_cell(t, "%s", i ? "" : g->id);
        table_cell(t, "%s", i ? "" : gate_kind_name(g->kind));
        table_cell(t, "%s", i ? "" : g->corpus ? g->corpus : "-");
        table_cell(t, "%s", limit->metric);
        table_cell(t, "%s", m ? gate_metric_text(m->form, m->value, value) : "-");
        table_cell(t, "%s", gate_limit_text(limit, m ? m->form : METRIC_NUMBER, bound));
        table_cell(t, "%s", i ? "" : outcome(r));
    }
}

static void write_capabilities(const struct licences *licences, struct buf *out) {
    enum { COLUMN = 60 }; // of gates; a longer list goes on in the next row
    struct table t;
    table_init(&t, 3);
    table_cell(&t, "capability");
    table_cell(&t, "state");
    table_cell(&t, "gates");
    for (int i = 0; i < CAP_COUNT; i++) {
        enum capability c = (enum capability)i;
        const struct licence *l = licences_get(licences, c);
        table_cell(&t, "%s", capability_name(c));
        table_cell(&t, "%s", capability_state_name(licence_state(l)));
        const char *gates = *capability_gates(c) ? capability_gates(c) : "-";
        while (strlen(gates) > COLUMN) {
            size_t cut = COLUMN;
            while (gates[cut] != ' ')
                cut--;
            table_cell(&t, "%.*s", (int)cut, gates);
            table_cell(&t, "%s", "");
            table_cell(&t, "%s", "");
            gates += cut + 1;
        }
        table_cell(&t, "%s", gates);
    }
    buf_text(out, "\n");
    table_write(&t, true, out);
    table_clear(&t);
}

void gates_write_text(const struct gate_result *results, size_t n, const struct licences *licences,
                      struct buf *out) {
    static const char *const head[] = {"gate", "kind", "corpus", "metric", "value", "limit", "outcome"};
    struct table t;
    table_init(&t, 7);
    for (size_t i = 0; i < 7; i++)
        table_cell(&t, "%s", head[i]);
    double cost_s = 0;
    for (size_t i = 0; i < n; i++) {
        gate_rows(&results[i], &t);
        cost_s += results[i].cost_s;
    }
    table_write(&t, true, out);
    table_clear(&t);
    buf_text(out, "\nknown: fails for a documented reason; untried: could not be evaluated, so it does not pass\n");
    buf_text(out, "\nclaims, and what goes when they do not pass\n");
    for (size_t i = 0; i < n; i++) {
        struct buf withdraws = {0};
        withdraws_text(results[i].gate, &withdraws);
        table_paragraph(out, "  %s: %s. Withdraws: %s%s%s", results[i].gate->id, results[i].gate->claim,
                        withdraws.text, results[i].state == GATE_NOT_EVALUATED ? ". Not evaluated: " : "",
                        results[i].state == GATE_NOT_EVALUATED ? results[i].reason : "");
        buf_clear(&withdraws);
    }
    write_capabilities(licences, out);
    buf_printf(out, "\ncost: %zu gates in %.2f s; 'moesim gates explain ID' shows one at length\n", n,
               cost_s);
}

/* --- one gate ---------------------------------------------------------------------------------- */

static const char *point_text(double value, const char *unit, char text[static GATE_TEXT]) {
    static const char *const units[UNIT_KINDS] = {[UNIT_RATE] = "Bps", [UNIT_SIZE] = "B", [UNIT_TIME] = "s"};
    char with_unit[UNIT_TEXT];
    if (!isfinite(value)) {
        snprintf(text, GATE_TEXT, "-");
        return text;
    }
    snprintf(text, GATE_TEXT, "%.4g", value);
    for (int kind = 0; kind < UNIT_KINDS; kind++)
        if (strcmp(unit, units[kind]) == 0)
            snprintf(text, GATE_TEXT, "%s", unit_format(value, (enum unit_kind)kind, with_unit));
    return text;
}

/* Writes a signed error as a mark on a line of 37 columns, -50 % at the left end, 0 in the middle. */
static void plot_text(double error, char text[static 48]) {
    enum { HALF = 18 };
    memset(text, ' ', 2 * HALF + 1);
    text[2 * HALF + 1] = '\0';
    text[HALF] = '|';
    double place = error / 0.5 * HALF;
    int at = HALF + (int)lround(fmax(-HALF, fmin(HALF, place)));
    text[at] = place < -HALF ? '<' : place > HALF ? '>' : '*';
}

static void write_points(const struct gate_evidence *x, struct buf *out) {
    struct table t;
    table_init(&t, 5);
    static const char *const head[] = {"point", "predicted", "measured", "error",
                                       "-50 %             0             +50 %"};
    for (size_t i = 0; i < 5; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < x->n_points; i++) {
        const struct gate_point *p = &x->points[i];
        char text[GATE_TEXT], plot[48];
        double error = (p->predicted - p->measured) / p->measured;
        table_cell(&t, "%.30s%s", p->label, p->counted ? "" : " (not counted)");
        table_cell(&t, "%s", point_text(p->predicted, x->unit, text));
        table_cell(&t, "%s", point_text(p->measured, x->unit, text));
        if (isfinite(error)) {
            plot_text(error, plot);
            table_cell(&t, "%+.1f %%", fabs(error) < 5e-4 ? 0 : 100 * error);
            table_cell(&t, "%s", plot);
        } else {
            table_cell(&t, "-");
            table_cell(&t, " ");
        }
    }
    table_write(&t, true, out);
    table_clear(&t);
}

static void text_write_metrics(const struct gate_result *r, struct buf *out) {
    struct table t;
    table_init(&t, 4);
    static const char *const head[] = {"metric", "value", "limit", ""};
    for (size_t i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < r->evidence.n_metrics; i++) {
        const struct gate_metric *m = &r->evidence.metrics[i];
        const struct gate_limit *limit = gate_limit_of(r->gate, m->name);
        char text[GATE_TEXT];
        table_cell(&t, "%s", m->name);
        table_cell(&t, "%s", gate_metric_text(m->form, m->value, text));
        table_cell(&t, "%s", limit ? gate_limit_text(limit, m->form, text) : "-");
        table_cell(&t, "%s", !limit ? "for information" : gate_limit_kept(limit, m->value) ? "kept" : "not kept");
    }
    table_write(&t, true, out);
    table_clear(&t);
}

static void text_write_scope(const struct gate_scope *s, struct buf *out) {
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (!s->machine)
        return;
    table_paragraph(out, "scope: machine %s, implementation %s, %s, worlds %g to %g, %s to %s a rank, rho_max %g",
                    s->machine, s->implementation ? s->implementation : "any",
                    s->strategy ? s->strategy : "both strategies", s->world[0], s->world[1],
                    unit_format(s->bytes[0], UNIT_SIZE, low), unit_format(s->bytes[1], UNIT_SIZE, high),
                    s->rho_max);
}

void gates_explain(const struct gate_result *r, const char *folder, struct buf *out) {
    const struct gate *g = r->gate;
    struct buf withdraws = {0};
    withdraws_text(g, &withdraws);
    table_paragraph(out, "%s: %s", g->id, g->claim);
    table_paragraph(out, "outcome: %s%s%s", outcome(r), *r->reason ? ": " : "", r->reason);
    if (g->documented)
        table_paragraph(out, "known: %s", g->documented);
    table_paragraph(out, "kind: %s; registration: %s", gate_kind_name(g->kind), g->registration);
    text_write_scope(&g->scope, out);
    table_paragraph(out, "withdraws when it does not pass: %s", withdraws.text);
    buf_clear(&withdraws);
    if (g->corpus)
        table_paragraph(out, "corpus: %s, sha256 %.16s.. expected, %.16s%s found", g->corpus, g->sha256,
                        *r->evidence.corpus_sha256 ? r->evidence.corpus_sha256 : "nothing",
                        *r->evidence.corpus_sha256 ? ".." : "");
    table_paragraph(out, "estimand: %s%s%s; outcome hash %.16s..", g->estimand,
                    g->platform ? ", constants of " : "", g->platform ? g->platform : "", r->hash);
    if (r->evidence.n_metrics) {
        buf_text(out, "\n");
        text_write_metrics(r, out);
    }
    if (r->evidence.n_points) {
        buf_text(out, "\n");
        write_points(&r->evidence, out);
    }
    // some say no more than the line below
    static const char explain[] = "moesim gates explain ";
    if (g->reopen && strncmp(g->reopen, explain, sizeof explain - 1) != 0)
        table_paragraph(out, "\nto change the outcome: %s", g->reopen);
    else
        buf_text(out, "\n");
    buf_printf(out, "re-run: moesim gates explain %s%s%s\n", g->id, g->own ? " --corpus " : "",
               g->own ? folder : "");
}
