/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/fit.h"
#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

enum { HALVES = 6 }; /* samples of a point below which it has no halves */

/* --- order ----------------------------------------------------------------------------------- */

static int by(double a, double b) {
    return (a > b) - (a < b);
}

static int by_series(const struct sample *a, const struct sample *b) {
    const int order[] = {by(a->quantity, b->quantity), strcmp(a->part, b->part), by(a->regime, b->regime),
                         by(a->span, b->span), by((double)a->world, (double)b->world),
                         by((double)a->senders, (double)b->senders)};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i])
            return order[i];
    return by((double)a->calls, (double)b->calls);
}

static int by_point(const struct sample *a, const struct sample *b) {
    int order = by_series(a, b);
    if (!order)
        order = by((double)a->peers, (double)b->peers);
    if (!order)
        order = by(a->message_bytes, b->message_bytes);
    return order ? order : by(a->send_bytes, b->send_bytes);
}

static int compare(const void *a, const void *b) {
    const struct sample *x = *(const struct sample *const *)a, *y = *(const struct sample *const *)b;
    int order = by_point(x, y);
    return order ? order : by((double)x->turn, (double)y->turn);
}

/* --- one point --------------------------------------------------------------------------------- */

static double median_of(const double *sorted, size_t n) {
    return (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
}

static double median_of_times(const struct sample *const *s, size_t n, double *room) {
    for (size_t i = 0; i < n; i++)
        room[i] = s[i]->time_s;
    stat_sort(room, n);
    return median_of(room, n);
}

static void compare_halves(const struct sample *const *s, size_t n, double *room, struct sample_point *p) {
    size_t half = n / 2, rest = n - half;
    p->early_s = median_of_times(s, half, room);
    double low_s = room[half / 4], high_s = room[half - 1 - half / 4];
    p->late_s = median_of_times(s + half, rest, room);
    p->drifts = room[rest / 4] > high_s || room[rest - 1 - rest / 4] < low_s;
}

/* Fills in a point; the ends of its interval stand at n / 2 -+ 0.98 sqrt(n) of the sorted times: the normal rule for a
 * median. */
static void fill_point(const struct sample *const *s, size_t n, double *room, struct sample_point *p) {
    double reach = 0.98 * sqrt((double)n), half = (double)n / 2;
    *p = (struct sample_point){.of = s[0], .n = n, .first_turn = s[0]->turn, .last_turn = s[n - 1]->turn};
    if (n >= HALVES)
        compare_halves(s, n, room, p);
    p->median_s = median_of_times(s, n, room);
    p->low_s = room[half > reach ? (size_t)(half - reach) : 0];
    p->high_s = room[half + reach < (double)(n - 1) ? (size_t)ceil(half + reach) : n - 1];
}

void points_of(const struct samples *s, struct sample_points *points) {
    const struct sample **sorted = mem_alloc(s->n, sizeof *sorted);
    double *room = mem_alloc(s->n, sizeof *room);
    *points = (struct sample_points){.items = mem_alloc(s->n, sizeof *points->items), .clock_s = s->clock_s.value};
    for (size_t i = 0; i < s->n; i++)
        sorted[i] = &s->items[i];
    qsort(sorted, s->n, sizeof *sorted, compare);
    for (size_t i = 0, next; i < s->n; i = next) {
        for (next = i + 1; next < s->n && !by_point(sorted[i], sorted[next]); next++)
            ;
        fill_point(sorted + i, next - i, room, &points->items[points->n++]);
    }
    free(sorted);
    free(room);
}

void points_free(struct sample_points *points) {
    free(points->items);
    *points = (struct sample_points){0};
}

bool points_same_series(const struct sample_point *a, const struct sample_point *b) {
    return !by_series(a->of, b->of) && a->of->peers == b->of->peers;
}

bool points_longer(const struct sample_points *points, const struct sample_point *a, const struct sample_point *b) {
    return a->low_s > b->high_s && a->median_s - b->median_s > points->clock_s;
}

const char *points_name(const struct sample_point *p, char text[static POINT_TEXT]) {
    const struct sample *s = p->of;
    snprintf(text, POINT_TEXT, "%s%s%.40s, %s, %s, world %lld, %.0f B, %lld calls (turns %lld to %lld)",
             sampled_name(s->quantity), *s->part ? " " : "", s->part, regime_name((enum regime)s->regime),
             s->span == SPANS_SLOW ? "slow" : "fast", (long long)s->world, s->message_bytes, (long long)s->calls,
             (long long)p->first_turn, (long long)p->last_turn);
    return text;
}

/* --- lines ------------------------------------------------------------------------------------- */

void sample_line_add(struct sample_line *line, double x, double time_s) {
    size_t room = line->room;
    MEM_GROW(line->x, line->n, line->room);
    if (line->room != room)
        line->time_s = mem_resize(line->time_s, line->room, sizeof *line->time_s);
    line->x[line->n] = x;
    line->time_s[line->n++] = time_s;
}

struct scaled {
    const struct sample_line *line;
    double fixed_s, slope; /* what 1 stands for */
};

static void points_residuals(const double *at, const void *context, double *r) {
    const struct scaled *s = context;
    for (size_t i = 0; i < s->line->n; i++)
        r[i] = (at[0] * s->fixed_s + at[1] * s->slope * s->line->x[i]) / s->line->time_s[i] - 1;
}

enum rc sample_line_fit(const struct sample_line *line, struct line_fit *fit, struct err *e) {
    static const char *const names[] = {"the fixed time", "the slope"};
    double longest_s = 0, furthest = 0, at[] = {0.5, 0.5}, error[2], sum;
    for (size_t i = 0; i < line->n; i++) {
        longest_s = fmax(longest_s, line->time_s[i]);
        furthest = fmax(furthest, line->x[i]);
        if (!(line->time_s[i] > 0))
            return err_set(e, RC_RANGE, "a time of 0 has no relative error");
    }
    if (!(furthest > 0))
        return err_set(e, RC_RANGE, "no points, or all of them at 0");
    struct scaled s = {line, longest_s, longest_s / furthest};
    struct fit_problem p = {.f = points_residuals, .context = &s, .n = line->n, .parameters = 2, .names = names,
                            .high = {1e3, 1e3}};
    enum rc rc = fit_least_squares(&p, at, error, &sum, e);
    if (rc)
        return rc;
    *fit = (struct line_fit){at[0] * s.fixed_s, at[1] * s.slope, error[0] * s.fixed_s, error[1] * s.slope, line->n};
    return RC_OK;
}

void sample_line_clear(struct sample_line *line) {
    free(line->x);
    free(line->time_s);
    *line = (struct sample_line){0};
}
