/* SPDX-License-Identifier: BSD-3-Clause */
/* points.h - samples by what was timed: medians with intervals, halves in time, and lines through them.
 *
 * Units: SI.
 * Errors: those of fit_least_squares(); RC_RANGE for a time of 0.
 * Ownership: points_free() and sample_line_clear() release; points borrow the samples.
 * Edges: the interval of few samples is their range; without points n is 0. */
#ifndef VALIDATION_POINTS_H
#define VALIDATION_POINTS_H

#include "validation/samples.h"

struct sample_point {
    const struct sample *of; /* one of its samples; they differ in repeat, turn and time only */
    size_t n;
    double median_s, low_s, high_s; /* interval of the median from order statistics, 95 % */
    double early_s, late_s;         /* medians of the first and of the second half in time; 0 below 6 samples */
    bool drifts;                    /* the middle halves of these two do not overlap */
    int64_t first_turn, last_turn;
};

struct sample_points {
    struct sample_point *items; /* by quantity, part, regime, span, world, senders, peers, calls, rising size */
    size_t n;
    double clock_s;             /* nothing is told apart below it */
};

void points_of(const struct samples *s, struct sample_points *points);
void points_free(struct sample_points *points);

/* Returns whether two points are of one series: they differ in sizes only. */
bool points_same_series(const struct sample_point *a, const struct sample_point *b);
/* Returns whether a takes longer than b by more than both intervals and the clock say. */
bool points_longer(const struct sample_points *points, const struct sample_point *a, const struct sample_point *b);

/* Writes a name for the samples of a point, "alltoall, observed, slow, world 8, 64 KiB (turns 12 to 90)", and returns
 * it. */
enum { POINT_TEXT = 160 };
const char *points_name(const struct sample_point *p, char text[static POINT_TEXT]);

/* A line through points, time = fixed + slope x, by least squares on the relative error; neither is below 0. */
struct sample_line {
    double *x, *time_s;
    size_t n, room;
};
struct line_fit {
    double fixed_s, slope;
    double fixed_error, slope_error; /* standard errors; at least what the clock resolves */
    size_t n;
};
void sample_line_add(struct sample_line *line, double x, double time_s);
enum rc sample_line_fit(const struct sample_line *line, struct line_fit *fit, struct err *e);
void sample_line_clear(struct sample_line *line);

#endif
