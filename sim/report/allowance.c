/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/allowance.h"

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

void allowance_write_text(const struct result_allowance *a, const char *label, struct buf *out) {
    char lo[CLAIM_TEXT], hi[CLAIM_TEXT], drawn[RESULT_QUANTILES][CLAIM_TEXT];
    if (!a->present || !a->shown)
        return;
    if (claim_known(a->hi))
        table_paragraph(out, "%s: with packets %s to %s (%s)", label, claim_text(a->lo, CLAIM_TIME, lo),
                        claim_text(a->hi, CLAIM_TIME, hi), a->basis);
    else
        table_paragraph(out, "%s: with packets: %s", label, a->basis);
    if (!a->draws)
        return;
    for (int i = 0; i < RESULT_QUANTILES; i++)
        claim_text(a->drawn[i], CLAIM_TIME, drawn[i]);
    table_paragraph(out, "%s: hashed paths, largest link load over %d draws p50 %s, p95 %s, p99 %s; spread evenly %s",
                    label, a->draws, drawn[0], drawn[1], drawn[2], claim_text(a->spread, CLAIM_TIME, lo));
}
