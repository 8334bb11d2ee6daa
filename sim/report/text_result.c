/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/result_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "sim/report/allowance.h"
#include "sim/report/table.h"

static void claim_cell(struct table *t, struct claim c, enum claim_form form) {
    char text[CLAIM_TEXT];
    table_cell(t, "%s", claim_text(c, form, text));
}

static void band_cell(struct table *t, const struct claim band[2]) {
    char low[CLAIM_TEXT], high[CLAIM_TEXT];
    if (!claim_known(band[0]))
        table_cell(t, "-");
    else
        table_cell(t, "%s to %s", claim_text(band[0], CLAIM_TIME, low),
                   claim_text(band[1], CLAIM_TIME, high));
}

static void ratio_text(double value, char text[static 16]) {
    if (value < 0)
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.3f", value);
}

/* What is no plain switch, and which of several routes are taken. */
static void write_fabric(const struct plat_fabric *f, struct buf *out) {
    if (f->kind != FABRIC_SWITCH)
        buf_printf(out, "; %s", fabric_kinds[f->kind]);
    if (f->kind == FABRIC_DRAGONFLY)
        buf_printf(out, ", routing %s", fabric_routings[f->routing]);
    if (f->kind == FABRIC_RAIL)
        buf_printf(out, ", cross rail by %s", fabric_cross_rails[f->cross_rail]);
}

static void write_workload(const struct workload *w, struct buf *out) {
    buf_printf(out, "workload        %s: %lld tokens a rank, top %lld of %lld experts, hidden %lld %s",
               w->name, (long long)w->tokens_per_rank, (long long)w->top_k, (long long)w->experts,
               (long long)w->hidden, workload_dtype_name(w));
    if (w->group_limit)
        buf_printf(out, ", at most %lld groups", (long long)w->group_limit);
}

static void result_text_write_inputs(const struct result *r, struct buf *to) {
    struct buf lines = {0}, *out = &lines;
    const struct platform *p = r->in.platform;
    const struct workload *w = r->in.workload;
    const struct implementation *m = r->in.implementation;
    char rate[UNIT_TEXT], ratio[CLAIM_TEXT];
    buf_printf(out, "platform        %s: ", p->name);
    plat_shape(p, out);
    for (int tier = 0; tier < p->n_tiers; tier++) {
        const struct quantity *q = &p->tier[tier].bandwidth_Bps;
        buf_printf(out, ", %s %s (%s", p->tier[tier].name, unit_format(q->value, UNIT_RATE, rate),
                   status_name(q->status));
        write_fabric(&p->tier[tier].fabric, out);
        buf_text(out, ")");
    }
    buf_printf(out, ", ratio %s\n", claim_text(r->hierarchy_ratio, CLAIM_FACTOR, ratio));
    if (r->in.traffic && r->in.traffic->unit == TRAFFIC_BYTES)
        buf_printf(out, "record          %s: bytes between %d ranks; of the workload nothing", w->trace_path,
                   r->in.traffic->ranks);
    else
        write_workload(w, out);
    buf_printf(out, "\nimplementation  %s: order %s, window ", m->name, order_name(m->order));
    if (m->window)
        buf_printf(out, "%lld", (long long)m->window);
    else
        buf_text(out, "all");
    static const char *const paths[] = {[TOPO_PATH_FAST] = "",
                                        [TOPO_PATH_SLOW] = ", inside groups over the slow fabric",
                                        [TOPO_PATH_RAIL] = ", to other rails over the fast fabric first"};
    buf_printf(out, ", %s, chain %s%s\n\n", start_name(m->start),
               chain_constant((enum chain_preset)m->chain.preset)->name, paths[m->intra_group_path]);
    table_labelled(to, lines.text);
    buf_clear(&lines);
}

/* One column a call, one row a figure. */
static void call_rows(const struct result_call *const *calls, int n, struct table *t) {
    table_cell(t, "%s", calls[0]->phase);
    for (int i = 0; i < n; i++)
        table_cell(t, "%s%s", calls[i]->strategy,
                   calls[i]->pipelined ? " (pipelined)" : calls[i]->dedup == DEDUP_RANK ? " (dedup)" : "");
    table_cell(t, "call time");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->time, CLAIM_TIME);
    table_cell(t, "  band over alpha treatments");
    static const struct claim unknown[2];
    for (int i = 0; i < n; i++)
        band_cell(t, calls[i]->time_known ? unknown : calls[i]->band);
    table_cell(t, "  lower bound");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->bound, CLAIM_TIME);
    table_cell(t, "wire time");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->wire, CLAIM_TIME);
    if (!calls[0]->simulated) {
        table_cell(t, "  its lower bound");
        for (int i = 0; i < n; i++)
            claim_cell(t, calls[i]->wire_bound, CLAIM_TIME);
        return;
    }
    table_cell(t, "  over its bound (slack)");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->slack, CLAIM_FACTOR);
}

/* From the closed form to the simulation, one cause a row; calls may have different causes. */
static void cause_rows(const struct result_call *const *calls, int n, struct table *t) {
    const char *done[RESULT_CALLS * RESULT_CAUSES];
    int n_done = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < calls[i]->analytic.n_causes; k++) {
            const char *name = calls[i]->analytic.causes[k].name;
            int seen = 0;
            while (seen < n_done && strcmp(done[seen], name) != 0)
                seen++;
            if (seen < n_done)
                continue;
            done[n_done++] = name;
            table_cell(t, "  %s", name);
            for (int c = 0; c < n; c++) {
                const struct result_analytic *a = &calls[c]->analytic;
                static const struct claim unknown;
                int at = 0;
                while (at < a->n_causes && strcmp(a->causes[at].name, name) != 0)
                    at++;
                claim_cell(t, at < a->n_causes ? a->causes[at].seconds : unknown, CLAIM_SHIFT);
            }
        }
}

static void analytic_rows(const struct result_call *const *calls, int n, struct table *t) {
    table_cell(t, "analytic call time");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->analytic.time, CLAIM_TIME);
    table_cell(t, "analytic wire time");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->analytic.wire, CLAIM_TIME);
    table_cell(t, "  relative error of analytic");
    for (int i = 0; i < n; i++) {
        const struct result_analytic *a = &calls[i]->analytic;
        char text[CLAIM_TEXT];
        if (a->basis)
            table_cell(t, "%s (%s)", claim_text(a->relative_error, CLAIM_ERROR, text), a->basis);
        else
            table_cell(t, "-");
    }
    cause_rows(calls, n, t);
}

static void traffic_rows(const struct platform *p, const struct result_call *const *calls, int n, struct table *t) {
    char text[UNIT_TEXT];
    for (int tier = 0; tier < p->n_tiers; tier++) {
        table_cell(t, "bytes on the %s fabric", p->tier[tier].name);
        for (int i = 0; i < n; i++)
            table_cell(t, "%s", unit_format(calls[i]->tier_bytes[tier], UNIT_SIZE, text));
    }
    for (int tier = 0; tier < p->n_tiers; tier++) {
        table_cell(t, "messages on the %s fabric", p->tier[tier].name);
        for (int i = 0; i < n; i++)
            table_cell(t, "%.0f", calls[i]->tier_messages[tier]);
    }
    table_cell(t, "busiest link");
    for (int i = 0; i < n; i++)
        table_cell(t, "%s", calls[i]->busiest ? calls[i]->busiest->name : "-");
    table_cell(t, "  its bytes");
    for (int i = 0; i < n; i++)
        table_cell(t, "%s", unit_format(calls[i]->busiest_bytes, UNIT_SIZE, text));
    table_cell(t, "  its utilisation over the wire time");
    for (int i = 0; i < n; i++)
        claim_cell(t, calls[i]->busiest_utilisation, CLAIM_PERCENT);
    table_cell(t, "last rank at best, and its side");
    for (int i = 0; i < n; i++) {
        const struct result_straggler *last = &calls[i]->straggler;
        if (last->rank < 0)
            table_cell(t, "-");
        else
            table_cell(t, "%d, %s", last->rank, last->side);
    }
}

static void result_text_write_stages(const struct result *r, struct buf *out) {
    struct table t;
    table_init(&t, 8);
    static const char *const head[] = {"call", "stage", "start", "end", "bytes", "messages", "rho out", "rho in"};
    for (size_t i = 0; i < 8; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        for (int s = 0; s < c->n_stages; s++) {
            const struct result_stage *stage = &c->stages[s];
            char text[UNIT_TEXT];
            if (s)
                table_cell(&t, "%s", "");
            else
                table_cell(&t, "%s %s%s", c->phase, result_call_name(c), c->time_known ? "" : " (wire)");
            table_cell(&t, "%s", stage->name);
            claim_cell(&t, stage->start, CLAIM_TIME);
            claim_cell(&t, stage->end, CLAIM_TIME);
            table_cell(&t, "%s",
                       stage->bytes > 0 ? unit_format(stage->bytes, UNIT_SIZE, text) : "-");
            if (stage->messages > 0)
                table_cell(&t, "%.0f", stage->messages);
            if (stage->messages > 0 && stage->rho_in > 0) {
                table_cell(&t, "%.3f", stage->rho_out);
                table_cell(&t, "%.3f", stage->rho_in);
            }
            table_end_row(&t);
        }
    }
    if (t.n > 8) {
        buf_text(out, "\n");
        table_write(&t, false, out);
    }
    table_clear(&t);
}

/* "1.286 ms", or where it is not known "1.286 ms on the wire". */
static const char *time_or_wire(struct claim time, struct claim wire, char text[static 2 * CLAIM_TEXT]) {
    char number[CLAIM_TEXT];
    bool wired = !claim_known(time) && claim_known(wire);
    snprintf(text, 2 * CLAIM_TEXT, "%s%s", claim_text(wired ? wire : time, CLAIM_TIME, number),
             wired ? " on the wire" : "");
    return text;
}

static void result_text_write_sequence(const struct result_call *c, const struct result_sequence *s, struct buf *out) {
    char text[2 * CLAIM_TEXT];
    table_paragraph(out, "%s %s: %d calls back to back, host %s: %s a call%s%s", c->phase, result_call_name(c),
                    s->n_calls, s->host, time_or_wire(s->per_call, s->per_call_wire, text),
                    *s->reason ? "; " : "", s->reason);
    for (int i = 0; i < s->n_calls && s->by; i++)
        buf_printf(out, "    %s %lld adds %s\n", s->by, (long long)s->number[i],
                   time_or_wire(s->time[i], s->wire[i], text));
    if (s->worst >= 0)
        buf_printf(out, "    worst %s: %lld, adds %s\n", s->by, (long long)s->number[s->worst],
                   time_or_wire(s->time[s->worst], s->wire[s->worst], text));
}

/* When the EP groups are done. */
static void text_write_groups(const struct result_call *c, struct buf *out) {
    const struct result_group *first = &c->groups[c->fastest], *last = &c->groups[c->slowest];
    char low[CLAIM_TEXT], high[CLAIM_TEXT];
    const char *name = result_call_name(c);
    claim_text(first->end, CLAIM_TIME, low);
    claim_text(last->end, CLAIM_TIME, high);
    if (first == last)
        table_paragraph(out, "%s %s: all %d EP groups end at %s", c->phase, name, c->n_groups, low);
    else
        table_paragraph(out, "%s %s: of %d EP groups that of rank %d ends first, at %s, and that of rank %d last, at "
                             "%s",
                        c->phase, name, c->n_groups, first->first_rank, low, last->first_rank, high);
}

/* What bounded each call, and calls back to back. */
static void write_paths(const struct result *r, struct buf *out) {
    bool any = false;
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (!*c->critical_path)
            continue;
        if (!any)
            buf_text(out, "\n");
        any = true;
        table_paragraph(out, "%s %s: %s", c->phase, result_call_name(c), c->critical_path);
        if (c->n_groups > 1)
            text_write_groups(c, out);
    }
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (c->sequence.host)
            result_text_write_sequence(c, &c->sequence, out);
    }
}

static void result_text_write_draws(const struct result *r, struct buf *out) {
    const char *reason = NULL;
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        const struct result_draws *d = &c->draws;
        char text[6][CLAIM_TEXT];
        const char *p[6];
        if (!d->n)
            continue;
        for (int k = 0; k < RESULT_QUANTILES; k++) {
            p[k] = claim_text(d->time[k], CLAIM_TIME, text[k]);
            p[3 + k] = claim_text(d->wire[k], CLAIM_TIME, text[3 + k]);
        }
        table_paragraph(out,
                        "%s %s: %d draws over %d layers: call time p50 %s, p95 %s, p99 %s; wire time p50 %s, "
                        "p95 %s, p99 %s",
                        c->phase, result_call_name(c), d->n, d->layers, p[0], p[1], p[2], p[3], p[4], p[5]);
        reason = d->tail_reason;
    }
    if (reason)
        table_paragraph(out, "p95 and p99 of the call time are withdrawn (skew_tail): %s", reason);
}

static void write_rho(const struct result *r, struct buf *out) {
    const struct traffic_rho *x = &r->in.drawn->rho;
    const double in[] = {x->one_hop_in, x->hop_a_in, x->hop_b_in};
    const double sent[] = {x->one_hop_out, x->hop_a_out, x->hop_b_out};
    char text[16];
    struct table t;
    table_init(&t, 6);
    static const char *const head[] = {"rho_max", "one hop", "hop A", "hop B", "rank", "expert"};
    for (size_t i = 0; i < 6; i++)
        table_cell(&t, "%s", head[i]);
    for (int direction = 0; direction < 2; direction++) {
        table_cell(&t, direction ? "  out" : "  in");
        for (int i = 0; i < 3; i++) {
            ratio_text(direction ? sent[i] : in[i], text);
            table_cell(&t, "%s", text);
        }
        if (direction == 0) {
            ratio_text(x->rank, text);
            table_cell(&t, "%s", text);
            ratio_text(x->expert, text);
            table_cell(&t, "%s", text);
        }
        table_end_row(&t);
    }
    buf_text(out, "\n");
    table_write(&t, false, out);
    table_clear(&t);
    if (r->in.traffic->fan_out > 0)
        buf_printf(out, "fan-out  %.4g groups a token\n", r->in.traffic->fan_out);
}

static void write_gain(const struct result *r, struct buf *out) {
    static const char *const names[RESULT_GAINS] = {"dispatch", "combine", "round trip"};
    bool any = false;
    for (int i = 0; i < RESULT_GAINS; i++)
        any = any || r->gain[i].asked;
    if (!r->gain_of || !any)
        return;
    buf_printf(out, "\ngain of %s over one-hop%s\n", r->gain_of,
               r->gain_against == DEDUP_RANK ? ", rows de-duplicated per rank" : "");
    for (int i = 0; i < RESULT_GAINS; i++) {
        const struct result_gain *g = &r->gain[i];
        const char *separator = "";
        char low[CLAIM_TEXT], high[CLAIM_TEXT];
        if (!g->asked)
            continue;
        buf_printf(out, "  %-12s", names[i]);
        if (claim_known(g->time)) {
            buf_printf(out, "%s on call time", claim_text(g->time, CLAIM_FACTOR, low));
            separator = ", ";
        } else if (claim_known(g->band[0])) {
            buf_printf(out, "%s to %s over the alpha treatments",
                       claim_text(g->band[0], CLAIM_FACTOR, low),
                       claim_text(g->band[1], CLAIM_FACTOR, high));
            separator = ", ";
        }
        if (claim_known(g->wire))
            buf_printf(out, "%s%s on wire time", separator, claim_text(g->wire, CLAIM_FACTOR, low));
        buf_text(out, "\n");
    }
}

/* What numbers rest on that no gate speaks for: the weakest constant, and choices. */
static void write_weakest(const struct result *r, const char *reason, struct buf *out) {
    struct buf choices = {0};
    for (const char *at = r->assumed_choices.text; at && *at; at += strcspn(at, "\n") + 1)
        buf_printf(&choices, "%s%.*s", choices.n ? ", " : "", (int)strcspn(at, "\n"), at);
    if (r->weakest.constant)
        table_paragraph(out, "conditional: these numbers hold if the constants hold; weakest: %s (%s); %s",
                        r->weakest.constant, status_name(r->weakest.status), reason);
    else
        table_paragraph(out, "conditional: %s", reason);
    if (choices.n)
        table_paragraph(out, "assumed choices: %s", choices.text);
    buf_clear(&choices);
}

/* Which calls a gate speaks for, and that the others are conditional. */
static void write_licences(const struct result *r, struct buf *out) {
    const struct licence *conditional = NULL;
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (c->conditional && !conditional)
            conditional = c->licence;
        if (!c->conditional && c->time_known)
            table_paragraph(out, "open: the call time of %s lies in the scope of test gate %s", c->strategy,
                            licence_gate(c->licence));
    }
    if (conditional)
        write_weakest(r, licence_reason(conditional), out);
    const struct licence *gain = r->licences[CAP_GAIN];
    if (r->gain_of && licence_state(gain) == CAPABILITY_WITHDRAWN)
        table_paragraph(out, "no gain on call time: %s (gate %s)", licence_reason(gain), licence_gate(gain));
}

static void write_engine(const struct result *r, struct buf *out) {
    if (!question_simulates(r->question)) {
        table_paragraph(out, "engine: bound, which simulates nothing: every time above is a lower bound of what a "
                             "simulation would say");
        return;
    }
    bool other = strcmp(r->engine, sim_engine_name(SIM_ENGINE_SIMGRID)) == 0;
    buf_printf(out, "engine: %s%s", other ? "SimGrid " : "our own", other ? study_engine() : "");
    buf_printf(out, ", fluid, lossless, max-min; seed %llu, %llu flows, %.2f s, %.0f MB\n",
               (unsigned long long)r->question->seed, (unsigned long long)r->flows, r->wall_s,
               r->peak_rss_bytes / 1e6);
}

/* What stands behind the numbers, so that nobody takes them for more. */
static void write_standing(const struct result *r, struct buf *out) {
    buf_text(out, "\n");
    const char *said = "", *no_form = "";
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (!c->time_known && strcmp(c->reason, said) != 0) {
            table_paragraph(out, "no call time: %s (gate coverage)", c->reason);
            table_paragraph(out, "to reopen: %s", c->reopen);
            said = c->reason;
        }
        if (c->time_known && *c->reason && !c->baseline)
            table_paragraph(out, "note: %s: %s", c->strategy, c->reason);
        if (c->analytic.no_form && strcmp(c->analytic.no_form, no_form) != 0)
            table_paragraph(out, "no closed form of %s", no_form = c->analytic.no_form);
    }
    const struct plat_treatment *t = r->in.platform->alpha_treatments.items;
    if (*said && r->in.platform->alpha_treatments.n) {
        buf_text(out, "band: alpha treatments");
        for (size_t i = 0; i < r->in.platform->alpha_treatments.n; i++)
            buf_printf(out, "%s %s", i ? "," : "", t[i].name);
        buf_text(out, "\n");
    }
    write_licences(r, out);
    if (r->flows || (r->engine && !question_simulates(r->question)))
        write_engine(r, out);
    table_lines(out, "note", r->in.traffic->notes.text);
    table_lines(out, "warning", r->warnings.text);
}

/* The calls by phase, each phase in the order of the result. */
static void by_phase(const struct result *r, const struct result_call *calls[RESULT_CALLS]) {
    int n = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        for (int i = 0; i < r->n_calls; i++)
            if (strcmp(r->calls[i].phase, phase_name((enum phase)phase)) == 0)
                calls[n++] = &r->calls[i];
}

/* How many of the next calls stand side by side: of one phase, and so that lines fit 100 columns. */
static int columns(const struct result_call *const *calls, int left) {
    enum { WITH_BAND = 2, WITHOUT = 3 };
    int n = 1, most = calls[0]->time_known ? WITHOUT : WITH_BAND;
    while (n < most && n < left && strcmp(calls[n]->phase, calls[0]->phase) == 0)
        n++;
    return n;
}

static void write_calls(const struct platform *p, const struct result_call *const *calls, int n, struct buf *out) {
    struct table t;
    table_init(&t, 1 + n);
    call_rows(calls, n, &t);
    if (calls[0]->analytic.present)
        analytic_rows(calls, n, &t);
    traffic_rows(p, calls, n, &t);
    table_write(&t, false, out);
    table_clear(&t);
}

void result_write_text(const struct result *r, struct buf *out) {
    const struct result_call *calls[RESULT_CALLS];
    by_phase(r, calls);
    result_text_write_inputs(r, out);
    for (int first = 0, n; first < r->n_calls; first += n) {
        n = columns(&calls[first], r->n_calls - first);
        if (first)
            buf_text(out, "\n");
        write_calls(r->in.platform, &calls[first], n, out);
    }
    result_text_write_stages(r, out);
    write_paths(r, out);
    result_text_write_draws(r, out);
    allowance_write_text(r, out);
    write_rho(r, out);
    write_gain(r, out);
    write_standing(r, out);
}
