/* SPDX-License-Identifier: BSD-3-Clause */
/* score.h - predictions of a freeze file graded by what was measured afterwards.
 *
 * Units: SI; errors are predicted over measured, less 1.
 * Shapes: rows[n], one for each prediction, in the order of the freeze file.
 * Errors: RC_SHAPE (nothing that was measured is like a prediction), RC_SCHEMA and those of the CSV reader.
 * Ownership: score_clear() releases; a score borrows its freeze.
 * Edges: a prediction that nobody measured is not graded; one that was measured but has no time counts as failed, and
 * medians leave it out. */
#ifndef VALIDATION_SCORE_H
#define VALIDATION_SCORE_H

#include "validation/freeze.h"
#include "validation/points.h"

struct score_row {
    const struct prediction *of;
    bool measured;                      /* otherwise the rest is 0 */
    double measured_s, low_s, high_s;   /* of one call; interval of the median, or both the time itself */
    double error;                       /* NAN: no time was predicted */
};

struct score {
    struct score_row *rows;
    size_t n, n_graded;       /* measured, and a time was predicted */
    size_t n_failed;          /* measured, and no time was predicted */
    size_t n_banded, n_inside; /* graded ones with a band; those whose measured time lies in it */
    double median_abs_error, median_signed_error, worst_abs_error; /* 0 where nothing is graded */
};

/* Grades by the points of samples; chosen[points->n] says which count, NULL: all. */
enum rc score_points(const struct freeze *f, const struct sample_points *points, const bool *chosen,
                     struct score *score, struct err *e);
/* Grades by a CSV with columns id and time_s; name stands for the file in messages. */
enum rc score_csv(const struct freeze *f, const char *text, size_t n, const char *name, struct score *score,
                  struct err *e);
/* Grades by a file: a CSV that begins with a column `id`, otherwise samples or a log (ask may be NULL). */
enum rc score_file(const struct freeze *f, const char *path, const struct samples_ask *ask, struct score *score,
                   struct err *e);
void score_clear(struct score *score);

#endif
