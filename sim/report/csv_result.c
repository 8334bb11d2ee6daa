/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/result.h"

#include <string.h>

#include "platforms/base/json.h"

static void field(struct buf *out, bool first, const char *text) {
    if (!first)
        buf_text(out, ",");
    if (!strpbrk(text, ",\"\r\n")) {
        buf_text(out, text);
        return;
    }
    buf_text(out, "\"");
    for (const char *p = text; *p; p++)
        buf_printf(out, "%s%c", *p == '"' ? "\"" : "", *p);
    buf_text(out, "\"");
}

/* An unknown number is an empty field. */
static void number(struct buf *out, bool known, double value) {
    char text[JSON_NUMBER];
    field(out, false, known ? json_format(value, text) : "");
}

void result_write_csv(const struct result *r, struct buf *out) {
    buf_text(out, "platform,workload,implementation,strategy,phase,conditional,time_s,band_low_s,"
                  "band_high_s,wire_s,bound_s,slack,fast_bytes,slow_bytes,fast_messages,slow_messages,"
                  "busiest_link,busiest_bytes,busiest_utilisation,analytic_s,analytic_wire_s,"
                  "relative_error,basis,seed\n");
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        const struct result_analytic *a = &c->analytic;
        field(out, true, r->platform->name);
        field(out, false, r->workload->name);
        field(out, false, r->implementation->name);
        field(out, false, c->strategy);
        field(out, false, c->phase);
        field(out, false, c->conditional ? "true" : "false");
        number(out, c->simulated && c->time_known, c->time_s);
        number(out, c->simulated && c->band_known, c->band_s[0]);
        number(out, c->simulated && c->band_known, c->band_s[1]);
        number(out, c->simulated, c->wire_s);
        number(out, true, c->bound_s);
        number(out, c->simulated && c->wire_bound_s > 0, c->wire_s / c->wire_bound_s);
        number(out, true, c->tier_bytes[TIER_FAST]);
        number(out, true, c->tier_bytes[TIER_SLOW]);
        number(out, true, c->tier_messages[TIER_FAST]);
        number(out, true, c->tier_messages[TIER_SLOW]);
        field(out, false, c->busiest ? c->busiest->name : "");
        number(out, c->busiest != NULL, c->busiest_bytes);
        number(out, c->busiest && c->simulated && c->wire_s > 0, c->busiest_utilisation);
        number(out, a->present && a->time_known, a->time_s);
        number(out, a->present, a->wire_s);
        number(out, a->error_known, a->relative_error);
        field(out, false, a->error_known ? a->basis : "");
        buf_printf(out, ",%llu\n", (unsigned long long)r->seed);
    }
}
