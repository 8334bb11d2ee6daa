/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/base/unit.h"
#include "sim/report/table.h"

static void time_cell(struct table *t, bool known, double value_s) {
    char text[UNIT_TEXT];
    table_cell(t, "%s", known ? unit_format(value_s, UNIT_TIME, text) : "-");
}

static void band_cell(struct table *t, bool known, const double band_s[2]) {
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (!known)
        table_cell(t, "-");
    else
        table_cell(t, "%s to %s", unit_format(band_s[0], UNIT_TIME, low),
                   unit_format(band_s[1], UNIT_TIME, high));
}

static void ratio_text(double value, char text[static 16]) {
    if (value < 0)
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.3f", value);
}

static void write_inputs(const struct result *r, struct buf *out) {
    const struct platform *p = r->platform;
    const struct workload *w = r->workload;
    const struct implementation *m = r->implementation;
    const struct quantity *fast = &p->tier[TIER_FAST].bandwidth_Bps;
    const struct quantity *slow = &p->tier[TIER_SLOW].bandwidth_Bps;
    char a[UNIT_TEXT], b[UNIT_TEXT], ratio[16];
    ratio_text(plat_hierarchy_ratio(p), ratio);
    buf_printf(out, "platform        %s: %lld groups x %lld ranks, fast %s (%s), slow %s (%s), ratio %s\n",
               p->name, (long long)p->groups, (long long)p->ranks_per_group,
               unit_format(fast->value, UNIT_RATE, a), status_name(fast->status),
               unit_format(slow->value, UNIT_RATE, b), status_name(slow->status), ratio);
    buf_printf(out, "workload        %s: %lld tokens a rank, top %lld of %lld experts, hidden %lld %s",
               w->name, (long long)w->tokens_per_rank, (long long)w->top_k, (long long)w->experts,
               (long long)w->hidden, workload_dtype_name(w));
    if (w->group_limit)
        buf_printf(out, ", at most %lld groups", (long long)w->group_limit);
    buf_printf(out, "\nimplementation  %s: order %s, window ", m->name, order_name(m->order));
    if (m->window)
        buf_printf(out, "%lld", (long long)m->window);
    else
        buf_text(out, "all");
    buf_printf(out, ", %s, chain %s\n\n", start_name(m->start),
               chain_constant((enum chain_preset)m->chain.preset)->name);
}

/* One column a call, one row a figure. */
static void call_rows(const struct result *r, struct table *t) {
    table_cell(t, "%s", r->calls[0].phase);
    for (int i = 0; i < r->n_calls; i++)
        table_cell(t, "%s", r->calls[i].strategy);
    table_cell(t, "call time");
    for (int i = 0; i < r->n_calls; i++)
        time_cell(t, r->calls[i].simulated && r->calls[i].time_known, r->calls[i].time_s);
    table_cell(t, "  band over alpha treatments");
    for (int i = 0; i < r->n_calls; i++)
        band_cell(t, r->calls[i].simulated && r->calls[i].band_known && !r->calls[i].time_known,
                  r->calls[i].band_s);
    table_cell(t, "  lower bound");
    for (int i = 0; i < r->n_calls; i++)
        time_cell(t, true, r->calls[i].bound_s);
    table_cell(t, "wire time");
    for (int i = 0; i < r->n_calls; i++)
        time_cell(t, r->calls[i].simulated, r->calls[i].wire_s);
    table_cell(t, "  over its bound (slack)");
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (c->simulated && c->wire_bound_s > 0)
            table_cell(t, "%.3f", c->wire_s / c->wire_bound_s);
        else
            table_cell(t, "-");
    }
}

/* From the closed form to the simulation, one cause a row; calls may have different causes. */
static void cause_rows(const struct result *r, struct table *t) {
    const char *done[RESULT_CALLS * RESULT_CAUSES];
    int n_done = 0;
    char text[UNIT_TEXT];
    for (int i = 0; i < r->n_calls; i++)
        for (int k = 0; k < r->calls[i].analytic.n_causes; k++) {
            const char *name = r->calls[i].analytic.causes[k].name;
            bool known = false;
            for (int d = 0; d < n_done; d++)
                known = known || strcmp(done[d], name) == 0;
            if (known)
                continue;
            done[n_done++] = name;
            table_cell(t, "  %s", name);
            for (int c = 0; c < r->n_calls; c++) {
                const struct result_analytic *a = &r->calls[c].analytic;
                int at = 0;
                while (at < a->n_causes && strcmp(a->causes[at].name, name) != 0)
                    at++;
                double seconds = at < a->n_causes ? a->causes[at].seconds : 0;
                if (at == a->n_causes)
                    table_cell(t, "-");
                else if (fabs(seconds) < 5e-10)
                    table_cell(t, "0 s");
                else
                    table_cell(t, "%c%s", seconds < 0 ? '-' : '+',
                               unit_format(fabs(seconds), UNIT_TIME, text));
            }
        }
}

static void analytic_rows(const struct result *r, struct table *t) {
    table_cell(t, "analytic call time");
    for (int i = 0; i < r->n_calls; i++)
        time_cell(t, r->calls[i].analytic.time_known, r->calls[i].analytic.time_s);
    table_cell(t, "analytic wire time");
    for (int i = 0; i < r->n_calls; i++)
        time_cell(t, true, r->calls[i].analytic.wire_s);
    table_cell(t, "  relative error of analytic");
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_analytic *a = &r->calls[i].analytic;
        if (a->error_known)
            table_cell(t, "%+.1f %% (%s)", fabs(a->relative_error) < 5e-4 ? 0 : 100 * a->relative_error,
                       a->basis);
        else
            table_cell(t, "-");
    }
    cause_rows(r, t);
}

static void traffic_rows(const struct result *r, struct table *t) {
    char text[UNIT_TEXT];
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        table_cell(t, "bytes on the %s fabric", tier_name((enum tier)tier));
        for (int i = 0; i < r->n_calls; i++)
            table_cell(t, "%s", unit_format(r->calls[i].tier_bytes[tier], UNIT_SIZE, text));
    }
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        table_cell(t, "messages on the %s fabric", tier_name((enum tier)tier));
        for (int i = 0; i < r->n_calls; i++)
            table_cell(t, "%.0f", r->calls[i].tier_messages[tier]);
    }
    table_cell(t, "busiest link");
    for (int i = 0; i < r->n_calls; i++)
        table_cell(t, "%s", r->calls[i].busiest ? r->calls[i].busiest->name : "-");
    table_cell(t, "  its bytes");
    for (int i = 0; i < r->n_calls; i++)
        table_cell(t, "%s", unit_format(r->calls[i].busiest_bytes, UNIT_SIZE, text));
    table_cell(t, "  its utilisation over the wire time");
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (c->simulated && c->busiest && c->wire_s > 0)
            table_cell(t, "%.1f %%", 100 * c->busiest_utilisation);
        else
            table_cell(t, "-");
    }
    table_cell(t, "last rank at best, and its side");
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_straggler *s = &r->calls[i].straggler;
        if (s->rank < 0)
            table_cell(t, "-");
        else
            table_cell(t, "%d, %s", s->rank, s->side);
    }
}

static void write_stages(const struct result *r, struct buf *out) {
    struct table t;
    table_init(&t, 6);
    static const char *const head[] = {"strategy", "stage", "start", "end", "bytes", "messages"};
    for (size_t i = 0; i < 6; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        for (int s = 0; c->simulated && s < c->shown.n_stages; s++) {
            const struct outcome_stage *stage = &c->shown.stages[s];
            char text[UNIT_TEXT];
            table_cell(&t, "%s%s", s ? "" : c->strategy, s || c->time_known ? "" : " (wire)");
            table_cell(&t, "%s", stage->name);
            time_cell(&t, true, stage->start_s);
            time_cell(&t, true, stage->end_s);
            table_cell(&t, "%s",
                       stage->bytes > 0 ? unit_format(stage->bytes, UNIT_SIZE, text) : "-");
            if (stage->messages > 0)
                table_cell(&t, "%.0f", stage->messages);
            table_end_row(&t);
        }
    }
    if (t.n > 6) {
        buf_text(out, "\n");
        table_write(&t, false, out);
    }
    table_clear(&t);
}

static void write_rho(const struct result *r, struct buf *out) {
    const struct traffic_rho *x = &r->rho;
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
}

static void write_gain(const struct result *r, struct buf *out) {
    const struct result_gain *g = &r->gain;
    if (!g->of)
        return;
    buf_printf(out, "\ngain of %s over one-hop: ", g->of);
    const char *separator = "";
    if (g->known) {
        buf_printf(out, "%.3f on call time", g->time);
        separator = ", ";
    } else if (g->band_known) {
        buf_printf(out, "%.3f to %.3f over the alpha treatments", g->band[0], g->band[1]);
        separator = ", ";
    }
    if (g->wire_known)
        buf_printf(out, "%s%.3f on wire time", separator, g->wire);
    buf_text(out, "\n");
}

static void write_lines(const char *label, const char *lines, struct buf *out) {
    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");
        table_paragraph(out, "%s: %.*s", label, (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

/* What stands behind the numbers, so that nobody takes them for more. */
static void write_standing(const struct result *r, struct buf *out) {
    buf_text(out, "\n");
    const char *said = "";
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (!c->time_known && strcmp(c->reason, said) != 0) {
            table_paragraph(out, "no call time: %s (gate coverage)", c->reason);
            said = c->reason;
        }
        if (c->time_known && *c->reason)
            table_paragraph(out, "note: %s: %s", c->strategy, c->reason);
    }
    const struct plat_treatment *t = r->platform->alpha_treatments.items;
    if (*said && r->platform->alpha_treatments.n) {
        buf_text(out, "band: alpha treatments");
        for (size_t i = 0; i < r->platform->alpha_treatments.n; i++)
            buf_printf(out, "%s %s", i ? "," : "", t[i].name);
        buf_text(out, "\n");
    }
    table_paragraph(out, "conditional: these numbers hold if the constants hold; weakest: %s (%s)",
                    r->weakest.constant, status_name(r->weakest.status));
    if (r->flows)
        table_paragraph(out,
                        "engine: SimGrid %s, fluid, lossless, max-min; seed %llu, %llu flows, %.2f s, "
                        "%.0f MB",
                        r->engine_version, (unsigned long long)r->seed,
                        (unsigned long long)r->flows, r->wall_s, r->peak_rss_bytes / 1e6);
    write_lines("note", r->traffic->notes.text, out);
    write_lines("warning", r->warnings.text, out);
}

void result_write_text(const struct result *r, struct buf *out) {
    write_inputs(r, out);
    struct table t;
    table_init(&t, 1 + r->n_calls);
    call_rows(r, &t);
    if (r->calls[0].analytic.present)
        analytic_rows(r, &t);
    traffic_rows(r, &t);
    table_write(&t, false, out);
    table_clear(&t);
    write_stages(r, out);
    write_rho(r, out);
    write_gain(r, out);
    write_standing(r, out);
}
