/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/diagnose_report.h"

#include "platforms/base/json.h"
#include "sim/report/table.h"

static void write_finding(struct table *t, const struct finding *f) {
    table_cell(t, "%s", cause_name(f->cause.kind));
    if (f->cause.place >= 0)
        table_cell(t, "%d", f->cause.place);
    else
        table_cell(t, "-");
    if (f->cause.kind == CAUSE_NONE || f->cause.kind == CAUSE_REGIME)
        table_cell(t, "-");
    else
        table_cell(t, "%.3g", f->cause.size);
    table_cell(t, "%.0f %%", 100 * f->explained);
    for (int k = 0; k < ELSEWHERES; k++)
        if (f->elsewhere[k] > 0)
            table_cell(t, "x %.2f", f->elsewhere[k]);
        else
            table_cell(t, "-");
}

void diagnose_write_text(const struct diagnosis *d, struct buf *out) {
    static const char *const head[] = {"cause", "place", "size", "explains", "all ranks", "one group", "one pair"};
    struct table t;
    table_paragraph(out, "%zu points compared, %zu of other kinds left out; measured and predicted times differ by "
                    "%.1f %% (root mean square of the logarithms).", d->n_points, d->n_unused, 100 * d->rms);
    if (d->note[0])
        table_paragraph(out, "%s", d->note);
    buf_text(out, "\n");
    table_init(&t, 7);
    for (int i = 0; i < 7; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < d->n; i++)
        write_finding(&t, &d->items[i]);
    table_write(&t, false, out);
    table_clear(&t);
    if (d->n_tied > 1)
        table_paragraph(out, "\nThe first %zu causes leave about the same distance: these samples do not tell which of them "
                        "it is; calls or pairs for which their last columns differ would.", d->n_tied);
    table_paragraph(out, "\nThe last three columns say what each cause would do elsewhere, time over that without it: "
                    "%s; %s; %s.", elsewhere_name(ELSEWHERE_ALL), elsewhere_name(ELSEWHERE_GROUP),
                    elsewhere_name(ELSEWHERE_PAIR));
}

static void finding_json(struct json *j, const struct finding *f) {
    static const char *const keys[ELSEWHERES] = {"all_ranks", "one_group", "one_pair"};
    bool sized = f->cause.kind != CAUSE_NONE && f->cause.kind != CAUSE_REGIME;
    json_open(j, '{');
    json_key_text(j, "cause", cause_name(f->cause.kind));
    json_key_number_if(j, "place", f->cause.place >= 0, f->cause.place);
    json_key_number_if(j, "size", sized, f->cause.size);
    json_key_number(j, "explained", f->explained);
    json_key_number(j, "rms_left", f->rms);
    json_key_open(j, "elsewhere", '{');
    for (int k = 0; k < ELSEWHERES; k++)
        json_key_number_if(j, keys[k], f->elsewhere[k] > 0, f->elsewhere[k]);
    json_close(j);
    json_close(j);
}

void diagnose_write_json(const struct diagnosis *d, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/diagnose/1");
    json_key_text(&j, "answer", cause_name(d->items[0].cause.kind));
    json_key_int(&j, "tied", (int64_t)d->n_tied);
    json_key_int(&j, "points", (int64_t)d->n_points);
    json_key_int(&j, "unused_points", (int64_t)d->n_unused);
    json_key_number(&j, "rms", d->rms);
    json_key_text(&j, "note", d->note[0] ? d->note : NULL);
    json_key_open(&j, "causes", '[');
    for (size_t i = 0; i < d->n; i++)
        finding_json(&j, &d->items[i]);
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}
