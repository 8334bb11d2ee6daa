/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/score_report.h"

#include "platforms/base/unit.h"
#include "sim/report/table.h"

static void cell_time(struct table *t, bool known, double value_s) {
    char text[UNIT_TEXT];
    table_cell(t, "%s", known ? unit_format(value_s, UNIT_TIME, text) : "-");
}

static bool has_error(const struct score_row *row) {
    return row->measured && row->of->time_s.given;
}

void score_rows_text(const struct score *score, const char *head, struct buf *out) {
    struct table t;
    table_init(&t, 4);
    const char *const heads[] = {head, "measured", "predicted", "error"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", heads[i]);
    for (size_t i = 0; i < score->n; i++) {
        const struct score_row *row = &score->rows[i];
        table_cell(&t, "%s", row->of->id);
        cell_time(&t, row->measured, row->measured_s);
        cell_time(&t, row->of->time_s.given, row->of->time_s.value);
        if (has_error(row))
            table_cell(&t, "%+.0f %%", 100 * row->error);
        else
            table_cell(&t, "-");
    }
    table_write(&t, false, out);
    table_clear(&t);
    for (size_t i = 0; i < score->n; i++)
        if (score->rows[i].of->reason)
            table_paragraph(out, "%s: %s", score->rows[i].of->id, score->rows[i].of->reason);
}

void score_write_text(const struct freeze *f, const struct score *score, struct buf *out) {
    buf_printf(out, "Predictions of moesim %s, sha256 %s, unchanged.\n\n", f->version, f->sha256);
    score_rows_text(score, "prediction", out);
    buf_printf(out, "\n%zu of %zu predictions were measured and graded, %zu measured ones had no time and failed, "
               "%zu were not measured.\n", score->n_graded, score->n, score->n_failed,
               score->n - score->n_graded - score->n_failed);
    if (score->n_graded)
        buf_printf(out, "Median error %.1f %% (signed %+.1f %%), worst %.1f %%.\n", 100 * score->median_abs_error,
                   100 * score->median_signed_error, 100 * score->worst_abs_error);
    if (score->n_banded)
        buf_printf(out, "Inside the stated band: %zu of %zu.\n", score->n_inside, score->n_banded);
}

static void write_row(struct json *j, const struct score_row *row) {
    const struct prediction *p = row->of;
    json_open(j, '{');
    json_key_text(j, "id", p->id);
    json_key_text(j, "quantity", sampled_name(p->quantity));
    json_key_text(j, "regime", regime_name((enum regime)p->regime));
    json_key_int(j, "world", p->world);
    json_key_number_if(j, "send_bytes", p->send_bytes.given, p->send_bytes.value);
    json_key_number_if(j, "measured_s", row->measured, row->measured_s);
    json_key_number_if(j, "measured_low_s", row->measured, row->low_s);
    json_key_number_if(j, "measured_high_s", row->measured, row->high_s);
    json_key_number_if(j, "predicted_s", p->time_s.given, p->time_s.value);
    json_key_number_if(j, "predicted_low_s", p->low_s.given, p->low_s.value);
    json_key_number_if(j, "predicted_high_s", p->high_s.given, p->high_s.value);
    json_key_number_if(j, "relative_error", has_error(row), row->error);
    json_key_text(j, "reason", p->reason);
    json_close(j);
}

void score_rows_json(struct json *j, const char *key, const struct score *score) {
    json_key_open(j, key, '[');
    for (size_t i = 0; i < score->n; i++)
        write_row(j, &score->rows[i]);
    json_close(j);
}

void score_write_json(const struct freeze *f, const struct score *score, struct buf *out) {
    struct json j;
    bool any = score->n_graded > 0;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/score/1");
    json_key_open(&j, "freeze", '{');
    json_key_text(&j, "sha256", f->sha256);
    json_key_text(&j, "version", f->version);
    json_close(&j);
    json_key_int(&j, "predictions", (int64_t)score->n);
    json_key_int(&j, "graded", (int64_t)score->n_graded);
    json_key_int(&j, "failed", (int64_t)score->n_failed);
    json_key_number_if(&j, "median_abs_error", any, score->median_abs_error);
    json_key_number_if(&j, "median_signed_error", any, score->median_signed_error);
    json_key_number_if(&j, "worst_abs_error", any, score->worst_abs_error);
    json_key_int(&j, "banded", (int64_t)score->n_banded);
    json_key_int(&j, "inside_band", (int64_t)score->n_inside);
    score_rows_json(&j, "rows", score);
    json_close(&j);
    buf_text(out, "\n");
}
