/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/allowance.h"

#include <stdlib.h>
#include <string.h>

#include "sim/report/table.h"

void allowance_write_json(struct json *j, const struct result_allowance *a) {
    static const char *const keys[RESULT_QUANTILES] = {"p50_s", "p95_s", "p99_s"};
    if (!a->present)
        return;
    json_key_open(j, "allowance", '{');
    json_key_text(j, "transport", a->transport);
    claim_json_key(j, "lo_s", a->lo);
    claim_json_key(j, "hi_s", a->hi);
    json_key_text(j, "basis", a->basis);
    json_close(j);
    if (!a->draws)
        return;
    json_key_open(j, "hashed_load", '{');
    json_key_int(j, "draws", a->draws);
    claim_json_key(j, "spread_s", a->spread);
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_json_key(j, keys[i], a->drawn[i]);
    json_close(j);
}

/* Appends what packet transports make of a call's wire time, as a sentence. */
static void put_ends(const struct result_allowance *a, struct buf *out) {
    char lo[CLAIM_TEXT], hi[CLAIM_TEXT];
    if (claim_known(a->hi))
        buf_printf(out, "%s to %s (%s)", claim_text(a->lo, CLAIM_TIME, lo), claim_text(a->hi, CLAIM_TIME, hi),
                   a->basis);
    else
        buf_text(out, a->basis);
}

static void put_load(const struct result_allowance *a, const char *label, struct buf *out) {
    char spread[CLAIM_TEXT], drawn[RESULT_QUANTILES][CLAIM_TEXT];
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_text(a->drawn[i], CLAIM_TIME, drawn[i]);
    table_paragraph(out, "%s: hashed paths, largest link load over %d draws p50 %s, p95 %s, p99 %s; spread evenly %s",
                    label, a->draws, drawn[0], drawn[1], drawn[2], claim_text(a->spread, CLAIM_TIME, spread));
}

/* Writes one line for calls of which the same is true. */
static void put_same(const struct result *r, int first, int n, const char *ends, struct buf *out) {
    struct buf labels = {0};
    for (int i = first; i < first + n; i++)
        buf_printf(&labels, "%s%s %s", i > first ? ", " : "", r->calls[i].phase, r->calls[i].strategy);
    table_paragraph(out, "with packets, %s: %s", n == r->n_calls && n > 1 ? "all calls" : labels.text, ends);
    buf_clear(&labels);
}

void allowance_write_text(const struct result *r, struct buf *out) {
    struct buf ends = {0}, next = {0};
    for (int first = 0, n = 0; first < r->n_calls; first += n, n = 0) {
        buf_cut(&ends, 0);
        put_ends(&r->calls[first].allowance, &ends);
        do {
            buf_cut(&next, 0);
            if (first + ++n < r->n_calls)
                put_ends(&r->calls[first + n].allowance, &next);
        } while (first + n < r->n_calls && strcmp(ends.text, next.text) == 0 &&
                 r->calls[first + n].allowance.present == r->calls[first].allowance.present);
        if (r->calls[first].allowance.present)
            put_same(r, first, n, ends.text, out);
    }
    for (int i = 0; i < r->n_calls; i++) {
        char *label = mem_printf("%s %s", r->calls[i].phase, r->calls[i].strategy);
        if (r->calls[i].allowance.draws)
            put_load(&r->calls[i].allowance, label, out);
        free(label);
    }
    buf_clear(&ends);
    buf_clear(&next);
}
