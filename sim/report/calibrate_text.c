/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/calibrate_report.h"

#include <stdio.h>

#include "platforms/base/unit.h"
#include "sim/report/table.h"

static void add_constant(const char *key, const struct estimate *k, enum unit_kind kind, struct table *t) {
    char value[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    if (!k->known)
        return;
    table_cell(t, "%s", key);
    table_cell(t, "%s", unit_format(k->value, kind, value));
    table_cell(t, "%s .. %s", unit_format(k->low, kind, low), unit_format(k->high, kind, high));
    table_cell(t, "%s: %s", status_name(k->status), k->source);
}

static void add_tier(const char *const keys[3], const struct calibrated_tier *tier, struct table *t) {
    add_constant(keys[0], &tier->bandwidth_Bps, UNIT_RATE, t);
    add_constant(keys[1], &tier->latency_s, UNIT_TIME, t);
    add_constant(keys[2], &tier->message_cost_s, UNIT_TIME, t);
}

static void write_constants(const struct calibration *c, struct buf *out) {
    static const char *const keys[2][3] = {{"fast.bandwidth", "fast.latency", "fast.message_cost"},
                                           {"slow.bandwidth", "slow.latency", "slow.message_cost"}};
    struct table t;
    table_init(&t, 4);
    static const char *const head[] = {"key", "value", "90 %", "how"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    add_tier(keys[0], &c->tier[SPANS_FAST], &t);
    add_tier(keys[1], &c->tier[SPANS_SLOW], &t);
    add_constant("uplink of a group", &c->uplink_Bps, UNIT_RATE, &t);
    add_constant("collective_bandwidth", &c->collective_Bps, UNIT_RATE, &t);
    for (size_t i = 0; i < c->n_alpha; i++) {
        char key[60];
        snprintf(key, sizeof key, "alpha %s, %s, %lld ranks", regime_name((enum regime)c->alpha[i].regime),
                 c->alpha[i].span == SPANS_SLOW ? "slow" : "fast", (long long)c->alpha[i].world);
        add_constant(key, &c->alpha[i].time_s, UNIT_TIME, &t);
    }
    table_write(&t, false, out);
    table_clear(&t);
}

static void write_rows(const struct held_back *rows, size_t n, struct buf *out) {
    char measured[UNIT_TEXT], simulated[UNIT_TEXT];
    struct table t;
    table_init(&t, 4);
    static const char *const head[] = {"held back", "measured", "simulated", "error"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < n; i++) {
        table_cell(&t, "%s", rows[i].label);
        table_cell(&t, "%s", unit_format(rows[i].measured_s, UNIT_TIME, measured));
        bool known = !rows[i].reason[0];
        table_cell(&t, "%s", known ? unit_format(rows[i].simulated_s, UNIT_TIME, simulated) : "-");
        if (known)
            table_cell(&t, "%+.0f %%", 100 * (rows[i].simulated_s / rows[i].measured_s - 1));
        else
            table_cell(&t, "-");
    }
    table_write(&t, false, out);
    table_clear(&t);
    for (size_t i = 0; i < n; i++)
        if (rows[i].reason[0])
            buf_printf(out, "not simulated: %s: %s\n", rows[i].label, rows[i].reason);
}

void calibrate_write_text(const struct calibration *c, const struct held_back *rows, size_t n, const char *verdict,
                          struct buf *out) {
    write_constants(c, out);
    buf_text(out, "\n");
    if (n)
        write_rows(rows, n, out);
    buf_printf(out, "\n%s", verdict);
    if (c->flags.n)
        buf_printf(out, "\nflags:\n%s", c->flags.text);
}
