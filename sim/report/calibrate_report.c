/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/calibrate_report.h"

#include <stdio.h>

#include "platforms/base/unit.h"
#include "sim/report/score_report.h"
#include "sim/report/table.h"

/* --- all constants, one after another ----------------------------------------------------------------- */

/* A constant as it is shown; key: as the platform file writes it, or in words where it has no such key. */
typedef void (*show_f)(void *into, const char *key, enum unit_kind kind, const struct fitted *k);

static void each_tier(const char *name, const struct calibrated_tier *t, show_f show, void *into) {
    static const char *const keys[] = {"bandwidth", "latency", "message_cost"};
    const enum unit_kind kinds[] = {UNIT_RATE, UNIT_TIME, UNIT_TIME};
    const struct fitted *const all[] = {&t->bandwidth_Bps, &t->latency_s, &t->message_cost_s};
    for (int i = 0; i < 3; i++) {
        char key[60];
        snprintf(key, sizeof key, "%s.%s", name, keys[i]);
        if (all[i]->known)
            show(into, key, kinds[i], all[i]);
    }
}

static void each_alpha(const struct calibrated_alpha *a, show_f show, void *into) {
    char key[60];
    snprintf(key, sizeof key, "alpha %s, %s, %lld ranks", regime_name((enum regime)a->regime),
             a->span == SPANS_SLOW ? "slow" : "fast", (long long)a->world);
    show(into, key, UNIT_TIME, &a->time_s);
}

static void each_constant(const struct calibration *c, show_f show, void *into) {
    each_tier("fast", &c->tier[SPANS_FAST], show, into);
    each_tier("slow", &c->tier[SPANS_SLOW], show, into);
    if (c->oversubscription.known)
        show(into, "slow.oversubscription", UNIT_KINDS, &c->oversubscription);
    if (c->uplink_Bps.known)
        show(into, "uplink of a group", UNIT_RATE, &c->uplink_Bps);
    if (c->collective_Bps.known)
        show(into, "collective_bandwidth", UNIT_RATE, &c->collective_Bps);
    for (size_t i = 0; i < c->n_alpha; i++)
        each_alpha(&c->alpha[i], show, into);
}

/* --- text ------------------------------------------------------------------------------------------------ */

static const char *constant_text(double value, enum unit_kind kind, char text[static UNIT_TEXT]) {
    if (kind != UNIT_KINDS)
        return unit_format(value, kind, text);
    snprintf(text, UNIT_TEXT, "%.4g", value);
    return text;
}

static void add_row(void *into, const char *key, enum unit_kind kind, const struct fitted *k) {
    struct table *t = into;
    char value[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    table_cell(t, "%s", key);
    table_cell(t, "%s", constant_text(k->value, kind, value));
    table_cell(t, "%s .. %s", constant_text(k->low, kind, low), constant_text(k->high, kind, high));
    table_cell(t, "%s: %s", status_name(k->status), k->source);
}

static void write_constants(const struct calibration *c, struct buf *out) {
    static const char *const head[] = {"key", "value", "90 %", "how"};
    struct table t;
    table_init(&t, 4);
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    each_constant(c, add_row, &t);
    table_write(&t, false, out);
    table_clear(&t);
}

void calibrate_write_text(const struct calibrate_report *r, struct buf *out) {
    write_constants(r->calibration, out);
    buf_text(out, "\n");
    if (r->held->n)
        score_rows_text(r->held, "held back", out);
    buf_printf(out, "\n%s", r->verdict);
    if (r->calibration->flags.n)
        buf_printf(out, "\nflags:\n%s", r->calibration->flags.text);
}

/* --- JSON ------------------------------------------------------------------------------------------------- */

static void add_object(void *into, const char *key, enum unit_kind kind, const struct fitted *k) {
    struct json *j = into;
    json_open(j, '{');
    json_key_text(j, "key", key);
    json_key_text(j, "unit", kind == UNIT_RATE ? "Bps" : kind == UNIT_TIME ? "s" : "");
    json_key_number(j, "value", k->value);
    json_key_number(j, "low", k->low);
    json_key_number(j, "high", k->high);
    json_key_text(j, "status", status_name(k->status));
    json_key_text(j, "source", k->source);
    json_close(j);
}

void calibrate_write_json(const struct calibrate_report *r, struct buf *out) {
    const struct samples *s = r->calibration->samples;
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/calibrate/1");
    json_key_open(&j, "samples", '{');
    json_key_text(&j, "machine", s->machine);
    json_key_text(&j, "implementation", s->implementation);
    json_key_int(&j, "groups", s->groups);
    json_key_int(&j, "ranks_per_group", s->ranks_per_group);
    json_key_int(&j, "samples", (int64_t)s->n);
    json_key_int(&j, "points", (int64_t)r->calibration->points.n);
    json_key_int(&j, "held_back", (int64_t)r->calibration->n_held);
    json_key_text(&j, "sha256", s->sha256);
    json_close(&j);
    json_key_open(&j, "constants", '[');
    each_constant(r->calibration, add_object, &j);
    json_close(&j);
    json_key_lines(&j, "flags", r->calibration->flags.text);
    score_rows_json(&j, "held_back", r->held);
    json_key_lines(&j, "verdict", r->verdict);
    json_close(&j);
    buf_text(out, "\n");
}
