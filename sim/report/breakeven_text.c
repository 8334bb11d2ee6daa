/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/breakeven_report.h"

#include <math.h>

#include "gates/capability.h"
#include "platforms/base/json.h"
#include "platforms/base/unit.h"
#include "sim/report/svg.h"
#include "sim/report/table.h"

const char breakeven_tiers_note[] =
    "the ratio moves the slow tier only, tiers between keep their rates; the closed form charges all bytes that leave "
    "a group to the slow tier, a simulation (--by simulated) those that do travel it";

/* Returns a figure of the model as text, under the licence of the result. */
static const char *text_figure(const struct breakeven_result *r, bool known, double value,
                          char text[static CLAIM_TEXT]) {
    return claim_text(claim_if(known, r->licence, value), CLAIM_FACTOR, text);
}

static void figure_cell(const struct breakeven_result *r, struct table *t, bool known, double value) {
    char text[CLAIM_TEXT];
    table_cell(t, "%s", text_figure(r, known, value, text));
}

static void figures_cell(const struct breakeven_result *r, struct table *t, double low, double high) {
    char a[CLAIM_TEXT], b[CLAIM_TEXT];
    table_cell(t, "%s to %s", text_figure(r, true, low, a), text_figure(r, true, high, b));
}

static void write_inputs(const struct breakeven_result *r, struct buf *to) {
    struct buf lines = {0}, *out = &lines;
    const struct workload *w = r->in.workload;
    char text[UNIT_TEXT];
    buf_printf(out, "platform        %s: ", r->in.platform->name);
    plat_shape(r->in.platform, out);
    buf_printf(out, ", fast %s, slow = fast / ratio\n", unit_format(r->base_Bps, UNIT_RATE, text));
    buf_printf(out,
               "workload        %s: %lld tokens a rank, top %lld of %lld experts, hidden %lld %s, "
               "%.3g groups a token\n",
               w->name, (long long)w->tokens_per_rank, (long long)w->top_k, (long long)w->experts,
               (long long)w->hidden, workload_dtype_name(w), r->fan_out);
    buf_printf(out, "implementation  %s\n\n", r->in.implementation->name);
    table_labelled(to, lines.text);
    buf_clear(&lines);
}

static void write_byte_only(const struct breakeven_result *r, struct buf *out) {
    if (!r->byte_only.known) {
        table_paragraph(out, "byte-only breakeven: none; %s", r->byte_only.reason);
        return;
    }
    char bytes[CLAIM_TEXT], dedup[CLAIM_TEXT];
    buf_printf(out, "byte-only breakeven  %s   with one row per token and rank in hop B  %s\n",
               text_figure(r, true, r->byte_only.value, bytes),
               text_figure(r, r->byte_only_dedup.known, r->byte_only_dedup.value, dedup));
}

static void write_effective(const struct breakeven_result *r, struct buf *out) {
    struct table t;
    char text[UNIT_TEXT];
    table_init(&t, 6);
    static const char *const head[] = {"chain",           "per pair",          "breakeven",
                                       "slow tier there", "message cost held", "p5 to p95"};
    for (int i = 0; i < 6; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < r->n_entries; i++) {
        const struct breakeven_entry *x = &r->entries[i];
        table_cell(&t, "%s%s", x->chain->name, x->interpolated ? " (interpolated)" : "");
        table_cell(&t, "%s", unit_format(x->s_per_pair, UNIT_TIME, text));
        if (!x->ratio.known && x->band_known)
            figures_cell(r, &t, x->band[0], x->band[1]);
        else
            figure_cell(r, &t, x->ratio.known, x->ratio.value);
        table_cell(&t, "%s",
                   x->ratio.known ? unit_format(r->base_Bps / x->ratio.value, UNIT_RATE, text)
                                  : "-");
        figure_cell(r, &t, x->time_held.known, x->time_held.value);
        if (x->spread.known)
            figures_cell(r, &t, x->spread.p5, x->spread.p95);
        table_end_row(&t);
    }
    buf_printf(out, "\n%s\n", r->simulated ? "by simulation" : "by the closed form");
    if (r->engine != SIM_ENGINE_AUTO)
        buf_printf(out, "engine: %s\n", sim_engine_name(r->engine));
    table_write(&t, false, out);
    table_clear(&t);
    for (int i = 0; i < r->n_entries; i++)
        if (!r->entries[i].ratio.known)
            table_paragraph(out, "%s: %s%s", r->entries[i].chain->name, r->entries[i].ratio.reason,
                            r->entries[i].band_known ? "; band over the alpha treatments" : "");
}

static void text_write_checklist(const struct breakeven_result *r, struct buf *out) {
    if (!r->checklist_known)
        return;
    char gain[CLAIM_TEXT];
    buf_printf(out, "\nat the file's own ratio %.3f with its chain: gain %s; checklist %s\n", r->ratio,
               text_figure(r, true, r->gain, gain), r->cleared ? "cleared" : "not cleared");
    for (int i = 0; i < BREAKEVEN_CHECKS; i++)
        if (!r->checks[i].passed)
            buf_printf(out, "  fails: %s %.4g, threshold %.4g\n", r->checks[i].name,
                       r->checks[i].value, r->checks[i].threshold);
}

static void text_write_skew(const struct breakeven_result *r, struct buf *out) {
    struct table t;
    table_init(&t, 5);
    static const char *const head[] = {"rho_max", "formula", "exact maximum", "matrix in",
                                       "matrix out"};
    for (int i = 0; i < 5; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < BREAKEVEN_SKEWS; i++) {
        const double all[] = {r->skew[i].paper, r->skew[i].exact, r->skew[i].matrix_in,
                              r->skew[i].matrix_out};
        table_cell(&t, "%s", r->skew[i].exchange);
        for (int k = 0; k < 4; k++)
            if (all[k] < 0)
                table_cell(&t, "-");
            else
                table_cell(&t, "%.3f", all[k]);
    }
    buf_text(out, "\n");
    table_write(&t, false, out);
    table_clear(&t);
}

static void text_write_uncertainty(const struct breakeven_result *r, struct buf *out) {
    if (!r->n_inputs)
        return;
    const struct breakeven_spread *s = &r->gain_spread;
    char a[CLAIM_TEXT], b[CLAIM_TEXT], c[CLAIM_TEXT];
    buf_printf(out, "\ngain over %d draws: p5 %s, median %s, p95 %s; what moves it, most first:\n",
               r->draws, text_figure(r, true, s->p5, a), text_figure(r, true, s->p50, b),
                text_figure(r, true, s->p95, c));
    for (int i = 0; i < r->n_inputs; i++)
        buf_printf(out, "  %s: %s to %s\n", r->inputs[i].name,
                   text_figure(r, true, r->inputs[i].gain_low, a), text_figure(r, true, r->inputs[i].gain_high, b));
}

void breakeven_write_text(const struct breakeven_result *r, struct buf *out) {
    write_inputs(r, out);
    write_byte_only(r, out);
    write_effective(r, out);
    text_write_checklist(r, out);
    text_write_skew(r, out);
    text_write_uncertainty(r, out);
    buf_text(out, "\n");
    if (r->alpha_known && *r->alpha_reason)
        table_paragraph(out, "note: %s", r->alpha_reason);
    if (r->in.platform->n_tiers > 2)
        table_paragraph(out, "note: %s", breakeven_tiers_note);
    bool open = licence_state(r->licence) == CAPABILITY_OPEN;
    table_paragraph(out, "these ratios hold if the constants hold; %s is %s: %s%s%s%s",
                    capability_name(CAP_BREAKEVEN), capability_state_name(licence_state(r->licence)),
                    licence_reason(r->licence), open ? "" : " (", open ? "" : capability_gates(CAP_BREAKEVEN),
                    open ? "" : ")");
}

static void number(const struct breakeven_result *r, struct buf *out, bool known, double value) {
    char text[CLAIM_TEXT];
    struct claim c = claim_if(known, r->licence, value);
    buf_printf(out, ",%s", claim_known(c) ? claim_text(c, CLAIM_PLAIN, text) : "");
}

void breakeven_write_csv(const struct breakeven_result *r, struct buf *out) {
    buf_text(out,
             "platform,workload,implementation,by,chain,s_per_pair,ratio,slow_Bps,ratio_time_held,"
             "band_low,band_high,p5,p50,p95,byte_only,byte_only_dedup,base_Bps\n");
    for (int i = 0; i < r->n_entries; i++) {
        const struct breakeven_entry *x = &r->entries[i];
        buf_csv_field(out, r->in.platform->name);
        buf_text(out, ",");
        buf_csv_field(out, r->in.workload->name);
        buf_text(out, ",");
        buf_csv_field(out, r->in.implementation->name);
        buf_printf(out, ",%s,%s", r->simulated ? "simulated" : "analytic", x->chain->name);
        number(r, out, true, x->s_per_pair);
        number(r, out, x->ratio.known, x->ratio.value);
        number(r, out, x->ratio.known, x->ratio.known ? r->base_Bps / x->ratio.value : 0);
        number(r, out, x->time_held.known, x->time_held.value);
        number(r, out, x->band_known, x->band[0]);
        number(r, out, x->band_known, x->band[1]);
        number(r, out, x->spread.known, x->spread.p5);
        number(r, out, x->spread.known, x->spread.p50);
        number(r, out, x->spread.known, x->spread.p95);
        number(r, out, r->byte_only.known, r->byte_only.value);
        number(r, out, r->byte_only_dedup.known, r->byte_only_dedup.value);
        number(r, out, true, r->base_Bps);
        buf_text(out, "\n");
    }
}

/* --- the plot ------------------------------------------------------------------------------------ */

enum { WIDTH = 640, HEIGHT = 380, LEFT = 56, TOP = 40, PLOT_WIDTH = 470, PLOT_HEIGHT = 290 };

static double place_x(const struct breakeven_result *r, double ratio) {
    return LEFT + PLOT_WIDTH * log(ratio / r->range[0]) / log(r->range[1] / r->range[0]);
}
static double place_y(double gain, double most) {
    return TOP + PLOT_HEIGHT * (1 - gain / most);
}

static void plot_axes(const struct breakeven_result *r, double most, struct buf *out) {
    for (double ratio = r->range[0]; ratio <= r->range[1]; ratio *= 2)
        buf_printf(out,
                   "<path d='M%.1f %d v%d' stroke='#ddd'/><text x='%.1f' y='%d' "
                   "text-anchor='middle'>%g</text>\n",
                   place_x(r, ratio), TOP, PLOT_HEIGHT, place_x(r, ratio), TOP + PLOT_HEIGHT + 18,
                   ratio);
    for (int gain = 0; gain <= (int)most; gain++)
        buf_printf(out,
                   "<path d='M%d %.1f h%d' stroke='%s'/><text x='%d' y='%.1f' "
                   "text-anchor='end'>%d</text>\n",
                   LEFT, place_y(gain, most), PLOT_WIDTH, gain == 1 ? "#555" : "#ddd", LEFT - 8,
                   place_y(gain, most) + 4, gain);
    buf_printf(out, "<text x='%d' y='%d' text-anchor='middle'>fast over slow bandwidth</text>\n",
               LEFT + PLOT_WIDTH / 2, HEIGHT - 10);
    buf_printf(out, "<text x='%d' y='22'>gain of two hops over one", LEFT);
    svg_wrap(out, ": ", r->in.platform->name, "");
    svg_wrap(out, ", ", r->in.workload->name, ", closed form</text>\n");
}

/* Draws a curve and its name beside its end, at least a line below the name above it. */
static void plot_curve(const struct breakeven_result *r, const struct breakeven_entry *x,
                       const char *colour, double most, double *above, struct buf *out) {
    buf_printf(out, "<path stroke='%s' stroke-width='2' d='", colour);
    for (int k = 0; k < BREAKEVEN_CURVE; k++)
        buf_printf(out, "%s%.1f %.1f", k ? " L" : "M", place_x(r, r->curve_ratio[k]),
                   place_y(x->gain[k], most));
    double y = fmax(place_y(x->gain[BREAKEVEN_CURVE - 1], most) + 4, *above + 15);
    *above = y;
    buf_printf(out, "'/>\n<text x='%d' y='%.1f' fill='%s'>%s", LEFT + PLOT_WIDTH + 6, y, colour,
               x->chain->name);
    if (x->ratio.known)
        buf_printf(out, " %.2f", x->ratio.value);
    buf_text(out, "</text>\n");
}

void breakeven_write_svg(const struct breakeven_result *r, struct buf *out) {
    static const char *const colours[BREAKEVEN_ENTRIES] = {"#b2182b", "#e08214", "#4393c3",
                                                           "#1b7837"};
    double most = 1, above = 0;
    for (int i = 0; i < r->n_entries; i++)
        for (int k = 0; k < BREAKEVEN_CURVE; k++)
            most = fmax(most, r->entries[i].gain[k]);
    most = ceil(most);
    buf_printf(out,
               "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' fill='none' "
               "font-family='sans-serif' font-size='13'>\n<rect width='%d' height='%d' "
               "fill='#fff'/>\n<g fill='#222'>\n",
               WIDTH, HEIGHT, WIDTH, HEIGHT);
    plot_axes(r, most, out);
    buf_text(out, "</g>\n");
    for (int i = r->n_entries - 1; i >= 0; i--) // the cheapest chain has the highest curve
        if (r->entries[i].gain[0] > 0)          // otherwise refused at this width
            plot_curve(r, &r->entries[i], colours[i], most, &above, out);
    buf_text(out, "</svg>\n");
}
