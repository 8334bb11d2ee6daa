/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/call_fields.h"
#include "sim/report/result_report.h"

#include <string.h>

#include "platforms/base/json.h"

static void field(struct buf *out, bool first, const char *text) {
    if (!first)
        buf_text(out, ",");
    buf_csv_field(out, text);
}

static void csv_number(struct buf *out, bool known, double value) {
    char text[JSON_NUMBER];
    field(out, false, known ? json_format(value, text) : "");
}

/* Appends a number behind a comma; an unknown one is an empty field. */
static void claimed(struct buf *out, struct claim c) {
    char text[CLAIM_TEXT];
    field(out, false, claim_known(c) ? claim_text(c, CLAIM_PLAIN, text) : "");
}

void result_write_csv(const struct result *r, struct buf *out) {
    buf_text(out, "platform,workload,implementation,strategy,phase,conditional,time_s,band_low_s,"
                  "band_high_s,wire_s,bound_s,slack,fast_bytes,slow_bytes,fast_messages,slow_messages,"
                  "busiest_link,busiest_bytes,busiest_utilisation,analytic_s,analytic_wire_s,"
                  "relative_error,basis,seed,middle_bytes,middle_messages");
    call_csv_head(out);
    buf_text(out, "\n");
    int slow = (int)plat_slow(r->in.platform);
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        const struct result_analytic *a = &c->analytic;
        field(out, true, r->in.platform->name);
        field(out, false, r->in.workload->name);
        field(out, false, r->in.implementation->name);
        field(out, false, c->strategy);
        field(out, false, c->phase);
        field(out, false, c->conditional ? "true" : "false");
        const struct claim figures[] = {c->time, c->band[0], c->band[1], c->wire, c->bound, c->slack};
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
            claimed(out, figures[k]);
        csv_number(out, true, c->tier_bytes[TIER_FAST]);
        csv_number(out, true, c->tier_bytes[slow]);
        csv_number(out, true, c->tier_messages[TIER_FAST]);
        csv_number(out, true, c->tier_messages[slow]);
        field(out, false, c->busiest ? c->busiest->name : "");
        csv_number(out, c->busiest != NULL, c->busiest_bytes);
        claimed(out, c->busiest_utilisation);
        claimed(out, a->time);
        claimed(out, a->wire);
        claimed(out, a->relative_error);
        field(out, false, a->basis ? a->basis : "");
        buf_printf(out, ",%llu", (unsigned long long)r->question->seed);
        double bytes = 0, messages = 0; // of all tiers between fast and slow
        for (int tier = 1; tier < slow; tier++) {
            bytes += c->tier_bytes[tier];
            messages += c->tier_messages[tier];
        }
        csv_number(out, true, bytes);
        csv_number(out, true, messages);
        call_csv(r, c, out);
        buf_text(out, "\n");
    }
}
