/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/platform_report.h"

#include <stdio.h>
#include <string.h>

#include "platforms/alpha.h"
#include "platforms/base/json.h"
#include "platforms/base/unit.h"
#include "platforms/constants.h"
#include "platforms/sanity.h"
#include "sim/report/show_platform.h"
#include "sim/report/table.h"

static void value_cell(struct table *t, const struct constant *c) {
    char text[UNIT_TEXT];
    if (c->kind == KEY_NUMBER)
        table_cell(t, "%.4g", c->q->value);
    else
        table_cell(t, "%s", unit_format(c->q->value, c->kind == KEY_RATE   ? UNIT_RATE
                                                     : c->kind == KEY_SIZE ? UNIT_SIZE
                                                                           : UNIT_TIME, text));
}

static void constant_row(const struct constant *c, void *context) {
    struct table *t = context;
    table_cell(t, "%s", c->name);
    value_cell(t, c);
    table_cell(t, "%s", status_name(c->q->status));
    table_cell(t, "%s", c->derived ? "follows from ratio" : c->q->source ? c->q->source : "");
}

/* Writes all constants but those of alpha, which show_alpha() writes. */
static void show_constants(const struct platform *p, struct buf *out) {
    static const char *const head[] = {"constant", "value", "status", "source"};
    struct platform platform = *p; // the walk only reads here
    struct table t;
    table_init(&t, 4);
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    constants_visit_used(&platform, NULL, 0, constant_row, &t);
    table_write(&t, true, out);
    table_clear(&t);
}

static void show_alpha(const struct platform *p, struct buf *out) {
    static const char *const phases[] = {
        [ALPHA_ANY] = "", [ALPHA_DISPATCH] = ", dispatch", [ALPHA_COMBINE] = ", combine"};
    const struct plat_alpha *tables = p->alpha.items;
    if (!p->alpha.n)
        buf_text(out, "no alpha: call times are a band over the treatments below\n");
    for (size_t i = 0; i < p->alpha.n; i++) {
        const struct plat_alpha_entry *x = tables[i].entries.items;
        struct buf words = {0};
        buf_printf(&words, "alpha of %s, host %s%s:", tables[i].implementation,
                   regime_name((enum regime)tables[i].regime), phases[tables[i].phase]);
        for (size_t k = 0; k < tables[i].entries.n; k++) {
            char text[UNIT_TEXT];
            buf_printf(&words, "%s world %lld %s (%s)", k ? "," : "", (long long)x[k].world,
                       unit_format(x[k].time_s.value, UNIT_TIME, text),
                       status_name(x[k].time_s.status));
        }
        table_paragraph(out, "%s", words.text);
        buf_clear(&words);
    }
    const struct plat_treatment *treatments = p->alpha_treatments.items;
    for (size_t i = 0; i < p->alpha_treatments.n; i++)
        buf_printf(out, "%s%s%s", i ? ", " : "alpha treatments of the time band: ",
                   treatments[i].name, i + 1 == p->alpha_treatments.n ? "\n" : "");
}

/* Appends what the ratio of the rates does not say: the NICs, uplinks and nodes that ranks share on the way out. */
static void show_share(const struct topology *t, double ratio, struct buf *out) {
    const struct platform *p = t->platform;
    double share_Bps = show_share_Bps(t);
    char text[UNIT_TEXT];
    if (plat_widest(p) == TIER_FAST || share_Bps >= p->tier[plat_slow(p)].bandwidth_Bps.value * (1 - 1e-9))
        return;
    buf_printf(out, "when all ranks send outwards the slow tier leaves %s to each",
               unit_format(share_Bps, UNIT_RATE, text));
    if (ratio > 0)
        buf_printf(out, " (ratio %.4g)", p->tier[TIER_FAST].bandwidth_Bps.value / share_Bps);
    buf_text(out, "\n");
}

void platform_write_text(const struct topology *t, struct buf *out) {
    const struct platform *p = t->platform;
    table_paragraph(out, "%s%s%s", p->name, p->description ? ": " : "", p->description ? p->description : "");
    plat_shape(p, out);
    buf_printf(out, " = %d ranks, %d links, each one direction\n", t->ranks, t->n_links);
    double ratio = plat_hierarchy_ratio(p);
    if (ratio > 0)
        buf_printf(out, "hierarchy ratio %.4g (fast over slow bandwidth per rank)\n", ratio);
    else
        buf_printf(out, "no hierarchy ratio: %s\n", plat_no_ratio(p));
    show_share(t, ratio, out);
    if (p->ratio_probed.given)
        buf_printf(out, "probed ratio %.4g (%s)\n", p->ratio_probed.value,
                   status_name(p->ratio_probed.status));
    show_tiers(t, out);
    char text[UNIT_TEXT];
    buf_printf(out, "bisection: half of the %s sends evenly to the other half at %s\n",
               p->groups > 1 ? "groups" : "ranks", unit_format(show_bisection_Bps(t), UNIT_RATE, text));
    show_routes(t, out);
    buf_text(out, "\n");
    show_links(t, out);
    buf_text(out, "\n");
    show_constants(p, out);
    buf_text(out, "\n");
    show_alpha(p, out);
}

void platform_write_json(const struct topology *t, struct buf *out) {
    const struct platform *p = t->platform;
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/platform-show/1");
    json_key_text(&j, "name", p->name);
    json_key_int(&j, "groups", p->groups);
    json_key_int(&j, "ranks_per_group", p->ranks_per_group);
    json_key_int(&j, "ranks", t->ranks);
    double ratio = plat_hierarchy_ratio(p);
    json_key_number_if(&j, "hierarchy_ratio", ratio > 0, ratio);
    if (plat_no_ratio(p))
        json_key_text(&j, "hierarchy_ratio_reason", plat_no_ratio(p));
    json_key_number(&j, "bisection_Bps", show_bisection_Bps(t));
    json_key_number_if(&j, "slow_share_Bps", plat_widest(p) > TIER_FAST, show_share_Bps(t));
    for (int tier = 0; tier < p->n_tiers; tier++) {
        char key[40];
        snprintf(key, sizeof key, "%.20s_kind", p->tier[tier].name);
        json_key_text(&j, key, fabric_kinds[p->tier[tier].fabric.kind]);
        snprintf(key, sizeof key, "%.20s_paths", p->tier[tier].name);
        json_key_text(&j, key, fabric_paths[p->tier[tier].fabric.paths]);
    }
    json_key_open(&j, "links", '[');
    for (int i = 0; i < t->n_links; i++) {
        json_open(&j, '{');
        json_key_text(&j, "name", t->links[i].name);
        json_key_text(&j, "tier", p->tier[t->links[i].tier].name);
        json_key_number(&j, "capacity_Bps", t->links[i].capacity_Bps);
        if (t->links[i].failed)
            json_key_bool(&j, "failed", true);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

void platform_write_check(const struct platform *p, bool as_json, struct buf *out) {
    struct buf warnings = {0};
    struct json j;
    plat_sanity(p, &warnings);
    if (as_json) {
        json_init(&j, out, true);
        json_open(&j, '{');
        json_key_text(&j, "schema", "moesim/platform-check/1");
        json_key_text(&j, "file", p->doc->file);
        json_key_int(&j, "groups", p->groups);
        json_key_int(&j, "ranks_per_group", p->ranks_per_group);
        json_key_lines(&j, "warnings", warnings.text);
        json_close(&j);
        buf_text(out, "\n");
    } else {
        buf_printf(out, "%s: ok, ", p->doc->file);
        plat_shape(p, out);
        buf_text(out, "\n");
        table_lines(out, "warning", warnings.text);
    }
    buf_clear(&warnings);
}
