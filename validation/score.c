/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "workloads/records/csv.h"

enum { MOST_BYTES = 1 << 28 };
static const double same_bytes = 1e-9; /* relative */

static void start(const struct freeze *f, struct score *score) {
    const struct prediction *all = f->predictions.items;
    *score = (struct score){.n = f->predictions.n, .rows = mem_alloc(f->predictions.n + 1, sizeof *score->rows)};
    for (size_t i = 0; i < score->n; i++)
        score->rows[i].of = &all[i];
}

void score_clear(struct score *score) {
    free(score->rows);
    *score = (struct score){0};
}

/* --- summing up --------------------------------------------------------------------------------------- */

static void grade_row(struct score *score, struct score_row *row) {
    const struct prediction *p = row->of;
    if (!p->time_s.given) {
        row->error = NAN;
        score->n_failed++;
        return;
    }
    row->error = p->time_s.value / row->measured_s - 1;
    score->n_graded++;
    score->n_banded += p->low_s.given;
    score->n_inside += p->low_s.given && p->low_s.value <= row->measured_s && row->measured_s <= p->high_s.value;
}

/* Fills what is said of all rows together. */
static enum rc grade(struct score *score, struct err *e) {
    double *errors = mem_alloc(score->n + 1, sizeof *errors);
    for (size_t i = 0; i < score->n; i++)
        if (score->rows[i].measured)
            grade_row(score, &score->rows[i]);
    size_t n = 0;
    for (size_t i = 0; i < score->n; i++)
        if (score->rows[i].measured && score->rows[i].of->time_s.given)
            errors[n++] = score->rows[i].error;
    if (n) {
        score->median_signed_error = stat_upper_median(errors, n);
        for (size_t i = 0; i < n; i++)
            errors[i] = fabs(errors[i]);
        score->median_abs_error = stat_upper_median(errors, n);
        for (size_t i = 0; i < n; i++)
            score->worst_abs_error = fmax(score->worst_abs_error, errors[i]);
    }
    free(errors);
    if (score->n_graded + score->n_failed)
        return RC_OK;
    score_clear(score);
    return err_set(e, RC_SHAPE, "nothing that was measured is like a prediction: quantity, part, regime, world and "
                   "bytes of a sample must be those of the prediction, or the ids");
}

/* --- samples ------------------------------------------------------------------------------------------ */

static bool is_like(const struct prediction *p, const struct sample *s) {
    if (!p->send_bytes.given || p->quantity != s->quantity || p->regime != s->regime || p->world != s->world)
        return false;
    return !strcmp(p->part ? p->part : "", s->part) &&
           fabs(p->send_bytes.value - s->send_bytes) <= same_bytes * s->send_bytes;
}

enum rc score_points(const struct freeze *f, const struct sample_points *points, const bool *chosen,
                     struct score *score, struct err *e) {
    struct score made;
    start(f, &made);
    for (size_t i = 0; i < made.n; i++) {
        struct score_row *row = &made.rows[i];
        for (size_t k = 0; k < points->n && !row->measured; k++) {
            const struct sample_point *p = &points->items[k];
            if ((chosen && !chosen[k]) || !is_like(row->of, p->of) || !(p->median_s > 0))
                continue;
            double calls = (double)p->of->calls;
            *row = (struct score_row){row->of, true, p->median_s / calls, p->low_s / calls, p->high_s / calls, 0};
        }
    }
    enum rc rc = grade(&made, e);
    if (!rc)
        *score = made;
    return rc;
}

/* --- times by id ---------------------------------------------------------------------------------------- */

static int column_of(const struct csv *c, const char *name) {
    for (size_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->fields[i].text, name))
            return (int)i;
    return -1;
}

static enum rc take_time(const struct csv *c, int id, int time, struct score *score, struct err *e) {
    double time_s;
    const struct csv_field *fields = c->fields;
    if (c->n_fields <= (size_t)id || c->n_fields <= (size_t)time)
        return err_at(e, RC_SCHEMA, &c->at, "id and time_s: a field is missing");
    if (!csv_number(&fields[time], &time_s) || !(time_s > 0) || !isfinite(time_s))
        return err_at(e, RC_SCHEMA, &fields[time].at, "time_s: '%.40s' found, expected seconds above 0",
                      fields[time].text);
    for (size_t i = 0; i < score->n; i++) {
        struct score_row *row = &score->rows[i];
        if (strcmp(row->of->id, fields[id].text) != 0)
            continue;
        if (row->measured)
            return err_at(e, RC_SCHEMA, &fields[id].at, "id '%.60s' is there twice", fields[id].text);
        *row = (struct score_row){row->of, true, time_s, time_s, time_s, 0};
        return RC_OK;
    }
    return err_at(e, RC_SCHEMA, &fields[id].at, "id '%.60s' is not one of the predictions", fields[id].text);
}

static enum rc take_times(struct csv *c, struct score *score, struct err *e) {
    enum rc rc = csv_next(c, e);
    int id = column_of(c, "id"), time = column_of(c, "time_s");
    if (!rc && (id < 0 || time < 0))
        return err_at(e, RC_SCHEMA, &c->at, "columns id and time_s are expected");
    while (!rc && !(rc = csv_next(c, e)) && c->n_fields)
        rc = take_time(c, id, time, score, e);
    return rc;
}

enum rc score_csv(const struct freeze *f, const char *text, size_t n, const char *name, struct score *score,
                  struct err *e) {
    struct csv c;
    struct score made;
    start(f, &made);
    csv_init(&c, text, n, name);
    enum rc rc = take_times(&c, &made, e);
    csv_clear(&c);
    if (rc) {
        score_clear(&made);
        return rc;
    }
    rc = grade(&made, e);
    if (!rc)
        *score = made;
    return rc;
}

enum rc score_file(const struct freeze *f, const char *path, const struct samples_ask *ask, struct score *score,
                   struct err *e) {
    char *text;
    size_t n;
    struct samples *s = NULL;
    enum rc rc = file_read(path, MOST_BYTES, &text, &n, e);
    if (rc)
        return rc;
    if (n >= 3 && !memcmp(text, "id,", 3)) {
        rc = score_csv(f, text, n, path, score, e);
    } else if ((rc = samples_parse(text, n, path, ask, &s, e)) == RC_OK) {
        struct sample_points points;
        points_of(s, &points);
        rc = score_points(f, &points, NULL, score, e);
        points_free(&points);
    }
    samples_free(s);
    free(text);
    return rc;
}
