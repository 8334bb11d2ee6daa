/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/calibrate_flags.h"
#include "validation/fit_calls.h"

enum { LARGEST = 8, FEW = 3 }; /* bandwidth: the four largest sizes; points that a line needs */
static const double quantile90 = 1.645;   /* of the normal distribution, both sides */
static const double shares = 0.97; /* concurrent pairs share a link when they reach less than that of their sum */

/* --- helpers ----------------------------------------------------------------------------------- */

static void set(struct fitted *k, double value, double error, enum status status, const char *source, size_t n) {
    *k = (struct fitted){true, value, fmax(value - quantile90 * error, 0), value + quantile90 * error, status, ""};
    snprintf(k->source, sizeof k->source, "%s, %zu samples", source, n);
}

/* A rate and its interval from those of the slope: above 0 however unsure, and at most ten times the value. */
static void set_rate(struct fitted *k, const struct line_fit *f, const char *source) {
    set(k, 1 / f->slope, 0, STATUS_FITTED, source, f->n);
    k->low = 1 / (f->slope + quantile90 * f->slope_error);
    k->high = 1 / fmax(f->slope - quantile90 * f->slope_error, f->slope / 10);
}

/* Standard error that the interval of a constant stands for. */
static double error_of(const struct fitted *k) {
    return k->known ? (k->high - k->low) / 2 / quantile90 : 0;
}

/* What a line is drawn through: samples of these kinds, x by a function. */
struct choice {
    int quantity, regime, span;
    int64_t world, senders; /* 0: any */
    double least_bytes;
    double (*x)(const struct sample *s);
};

static double x_bytes(const struct sample *s) {
    return (double)s->peers * s->message_bytes * (double)s->calls;
}
static double x_bytes_of_all(const struct sample *s) {
    return x_bytes(s) * (double)s->senders;
}
static double x_messages(const struct sample *s) {
    return (double)s->peers;
}
static double x_calls(const struct sample *s) {
    return (double)s->calls;
}

static bool is_chosen(const struct choice *c, const struct sample *s) {
    return s->quantity == c->quantity && s->regime == c->regime && s->span == c->span &&
           (!c->world || s->world == c->world) && (!c->senders || s->senders == c->senders) &&
           s->message_bytes >= c->least_bytes;
}

/* Fits the line through chosen samples; false: there are too few, or they do not make one. */
static bool fit(const struct calibration *c, const struct choice *choice, struct line_fit *into) {
    struct sample_line line = {0};
    for (size_t i = 0; i < c->samples->n; i++)
        if (is_chosen(choice, &c->samples->items[i]))
            sample_line_add(&line, choice->x(&c->samples->items[i]), c->samples->items[i].time_s);
    bool good = line.n >= FEW && sample_line_fit(&line, into, NULL) == RC_OK && into->slope > 0;
    sample_line_clear(&line);
    if (good && !isfinite(into->slope_error))
        into->slope_error = 0;
    return good;
}

static double largest_of(const struct calibration *c, int quantity, int span) {
    double most = 0;
    for (size_t i = 0; i < c->samples->n; i++)
        if (c->samples->items[i].quantity == quantity && c->samples->items[i].span == span)
            most = fmax(most, c->samples->items[i].message_bytes);
    return most;
}

static const char *const tier_names[] = {"fast", "slow"};

static bool has_tier(const struct calibration *c, int span) {
    return span == SPANS_SLOW ? c->samples->groups > 1 : c->samples->ranks_per_group > 1;
}

/* --- tiers ------------------------------------------------------------------------------------- */

static void find_bandwidth(struct calibration *c, int span) {
    struct line_fit f;
    struct choice one = {SAMPLED_PAIRS, REGIME_OBSERVED, span, 0, 1, 0, x_bytes};
    one.least_bytes = largest_of(c, SAMPLED_PAIRS, span) / LARGEST;
    if (fit(c, &one, &f))
        set_rate(&c->tier[span].bandwidth_Bps, &f, "slope of long messages of one pair");
    else if (has_tier(c, span))
        buf_printf(&c->flags, "no bandwidth of the %s tier: samples of 'pairs' with one pair are missing\n",
                   tier_names[span]);
}

/* Time of one short message beyond its bytes: what the sender pays for each. */
static void find_message_cost(struct calibration *c, int span) {
    struct calibrated_tier *t = &c->tier[span];
    struct line_fit f;
    if (fit(c, &(struct choice){SAMPLED_MESSAGES, REGIME_OBSERVED, span, 0, 1, 0, x_messages}, &f)) {
        double bytes_s = t->bandwidth_Bps.known ? largest_of(c, SAMPLED_MESSAGES, span) / t->bandwidth_Bps.value : 0;
        set(&t->message_cost_s, fmax(f.slope - bytes_s, 0), f.slope_error, STATUS_FITTED,
            "slope over the number of short messages", f.n);
    } else if (has_tier(c, span)) {
        buf_printf(&c->flags, "no cost of a message on the %s tier (x_half): samples of 'messages' are missing; alpha "
                   "contains it\n", tier_names[span]);
    }
}

static double cost_of(const struct calibration *c, int span) {
    return c->tier[span].message_cost_s.known ? c->tier[span].message_cost_s.value : 0;
}

/* Half of there and back, less the cost and the bytes of a message. */
static void find_latency(struct calibration *c, int span) {
    struct calibrated_tier *t = &c->tier[span];
    struct line_fit f;
    if (!fit(c, &(struct choice){SAMPLED_PING_PONG, REGIME_OBSERVED, span, 0, 0, 0, x_calls}, &f))
        return;
    double bytes_s = t->bandwidth_Bps.known ? largest_of(c, SAMPLED_PING_PONG, span) / t->bandwidth_Bps.value : 0;
    set(&t->latency_s, fmax(f.slope / 2 - bytes_s - cost_of(c, span), 0),
        hypot(f.slope_error / 2, error_of(&t->message_cost_s)), STATUS_MEASURED, "half of there and back", f.n);
}

/* Rate that all pairs share when they are slower together than alone. */
static void find_uplink(struct calibration *c) {
    const struct fitted *alone = &c->tier[SPANS_SLOW].bandwidth_Bps;
    int64_t most = 0;
    for (size_t i = 0; i < c->samples->n; i++)
        if (c->samples->items[i].quantity == SAMPLED_PAIRS && c->samples->items[i].span == SPANS_SLOW &&
            c->samples->items[i].senders > most)
            most = c->samples->items[i].senders;
    struct line_fit f;
    struct choice all = {SAMPLED_PAIRS, REGIME_OBSERVED, SPANS_SLOW, 0, most, 0, x_bytes_of_all};
    all.least_bytes = largest_of(c, SAMPLED_PAIRS, SPANS_SLOW) / LARGEST;
    if (!alone->known || most < 2 || !fit(c, &all, &f))
        return;
    double together_Bps = 1 / f.slope;
    double sum_Bps = alone->value * (double)c->samples->ranks_per_group;
    if (together_Bps >= shares * alone->value * (double)most) {
        set(&c->oversubscription, 1, 0, STATUS_MEASURED, "pairs at once reach the sum of their rates", f.n);
        if (most < c->samples->ranks_per_group)
            buf_printf(&c->flags, "an uplink was not looked for beyond %lld pairs at once\n", (long long)most);
        return;
    }
    set_rate(&c->uplink_Bps, &f, "slope of all pairs at once");
    double relative = hypot(f.slope_error / f.slope, error_of(alone) / alone->value);
    set(&c->oversubscription, sum_Bps / together_Bps, relative * sum_Bps / together_Bps, STATUS_FITTED,
        "ports of a group over the rate that all pairs share", f.n);
    c->oversubscription.low = fmax(c->oversubscription.low, 1);
}

/* --- alpha ------------------------------------------------------------------------------------- */

/* Costs of the messages of one rank in an even call over a world, bytes included; *error: of that sum. */
static double messages_s(const struct calibration *c, const struct sample *s, double *error) {
    int64_t local = s->span == SPANS_FAST ? s->world : s->world / c->samples->groups;
    double peers[] = {(double)(local - 1), (double)(s->world - local)}, sum_s = 0;
    *error = 0;
    for (int span = 0; span < 2; span++) {
        const struct fitted *rate = &c->tier[span].bandwidth_Bps;
        sum_s += peers[span] * (cost_of(c, span) + (rate->known ? s->message_bytes / rate->value : 0));
        *error = hypot(*error, peers[span] * error_of(&c->tier[span].message_cost_s));
    }
    return sum_s;
}

static void find_alpha(struct calibration *c, const struct sample *of) {
    struct line_fit f;
    const struct choice calls = {of->quantity, of->regime, of->span, of->world, 0, 0, x_calls};
    if (c->n_alpha == CALIBRATED_ALPHAS || of->world < 2)
        return;
    if (!fit(c, &calls, &f)) {
        buf_printf(&c->flags, "no alpha of world %lld over the %s tier, %s: fewer than %d samples of 'call-scan', or "
                   "more calls take no more time\n", (long long)of->world, tier_names[of->span],
                   regime_name((enum regime)of->regime), FEW);
        return;
    }
    struct calibrated_alpha *a = &c->alpha[c->n_alpha++];
    *a = (struct calibrated_alpha){.regime = of->regime, .span = of->span, .world = of->world};
    double costs_error, costs_s = messages_s(c, of, &costs_error);
    set(&a->time_s, fmax(f.slope - costs_s, 0), hypot(f.slope_error, costs_error), STATUS_MEASURED,
        "slope over calls in a row, less the costs of its messages", f.n);
}

static void find_alphas(struct calibration *c) {
    const struct sample *before = NULL;
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample *s = c->points.items[i].of;
        if (s->quantity != SAMPLED_CALL_SCAN)
            continue;
        if (!before || before->regime != s->regime || before->span != s->span || before->world != s->world)
            find_alpha(c, s);
        before = s;
    }
}

static const struct fitted *alpha_of(const struct calibration *c, int regime, int span, int64_t world) {
    for (size_t i = 0; i < c->n_alpha; i++)
        if (c->alpha[i].regime == regime && c->alpha[i].span == span && c->alpha[i].world == world)
            return &c->alpha[i].time_s;
    return NULL;
}

/* --- the whole all-to-all -------------------------------------------------------------------------- */

static bool is_all_to_all(const struct sample *s) {
    return s->quantity == SAMPLED_ALLTOALL || s->quantity == SAMPLED_ALLTOALLV;
}

/* Every third size of a series is held back, and every matrix. */
static void hold_back(struct calibration *c) {
    c->held = mem_alloc(c->points.n + 1, sizeof *c->held);
    size_t in_series = 0;
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample_point *p = &c->points.items[i];
        in_series = i && !strcmp(p->of->part, p[-1].of->part) && points_same_series(p, &p[-1]) ? in_series + 1 : 0;
        c->held[i] = p->of->quantity == SAMPLED_REPLAY || (is_all_to_all(p->of) && in_series % 3 == 1);
        c->n_held += c->held[i];
    }
}

/* Points of the widest world in a regime that no one holds back; returns how many. */
static size_t collective_points(const struct calibration *c, int regime, struct fit_point *points) {
    int64_t world = c->samples->groups * c->samples->ranks_per_group;
    size_t n = 0;
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample_point *p = &c->points.items[i];
        if (is_all_to_all(p->of) && p->of->regime == regime && p->of->world == world && !c->held[i])
            points[n++] = (struct fit_point){(int)world, p->of->send_bytes, p->median_s / (double)p->of->calls};
    }
    return n;
}

/* Where the search for a rate starts: no call can be better. */
static double fastest_Bps(const struct fit_point *points, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, points[i].bytes * (1 - 1.0 / points[i].world) / points[i].time_s);
    return most;
}

/* The rate of a whole call, alpha pinned where it was scanned; otherwise alpha is fitted with it. */
static void fit_collective(struct calibration *c, int regime, const struct fit_point *points, size_t n) {
    int64_t world = c->samples->groups * c->samples->ranks_per_group;
    int span = c->samples->groups > 1 ? SPANS_SLOW : SPANS_FAST;
    const struct fitted *pinned = alpha_of(c, regime, span, world);
    const struct sample even = {.span = span, .world = world};
    double error;
    struct fit_calls f = {.n_worlds = 1, .beta_Bps = {fastest_Bps(points, n), true},
                          .message_cost_s = {messages_s(c, &even, &error) / (double)(world - 1), false},
                          .exponent = {1, false}};
    f.worlds[0] = (struct fit_world){(int)world, {pinned ? pinned->value : points[0].time_s / 2, !pinned}};
    struct fit_intervals i;
    struct err e;
    if (fit_calls_run(&f, points, n, &e)) {
        buf_text(&c->flags, "the all-to-alls make no line: no rate of a whole call\n");
        return;
    }
    fit_calls_bootstrap(&f, points, n, 200, 1, &i);
    set(&c->collective_Bps, f.beta_Bps.value, 0, STATUS_FITTED,
        pinned ? "sizes of all-to-alls of all ranks, alpha pinned" : "sizes of all-to-alls of all ranks", n);
    if (i.replicas) {
        c->collective_Bps.low = i.beta_Bps.low;
        c->collective_Bps.high = i.beta_Bps.high;
    }
    if (pinned || c->n_alpha == CALIBRATED_ALPHAS)
        return;
    struct calibrated_alpha *a = &c->alpha[c->n_alpha++];
    *a = (struct calibrated_alpha){.regime = regime, .span = span, .world = world};
    set(&a->time_s, f.worlds[0].alpha_s.value, 0, STATUS_FITTED, "sizes of all-to-alls, no scan of calls", n);
    a->time_s.high = fmax(points[0].time_s, a->time_s.value); // no more than the shortest call
    a->time_s.low = 0;
}

static size_t different_sizes(const struct fit_point *points, size_t n) {
    size_t different = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && points[k].bytes != points[i].bytes)
            k++;
        different += k == i && points[i].bytes > 0 && points[i].time_s > 0;
    }
    return different;
}

static void find_collective(struct calibration *c) {
    struct fit_point *points = mem_alloc(c->points.n + 1, sizeof *points);
    static const int order[] = {REGIME_AHEAD, REGIME_OBSERVED}; // the closed form is one of calls that run ahead
    for (int k = 0; k < 2 && !c->collective_Bps.known; k++) {
        size_t n = collective_points(c, order[k], points);
        if (different_sizes(points, n) >= FEW)
            fit_collective(c, order[k], points, n);
    }
    free(points);
}

/* What a log of DeepEP alone lacks, or "". */
static const char *only_layers(const struct samples *s) {
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].quantity != SAMPLED_DISPATCH && s->items[i].quantity != SAMPLED_COMBINE)
            return "";
    return "; times of dispatch and combine hold a routing that the log does not say: add a log of nccl-tests "
           "(alltoall) or samples of moesim-measure from the same machine";
}

/* A machine of one tier whose pairs nobody timed has the rate of its all-to-alls. */
static enum rc check_bandwidths(struct calibration *c, struct err *e) {
    if (!has_tier(c, SPANS_FAST) && !has_tier(c, SPANS_SLOW))
        return err_set(e, RC_UNSUPPORTED, "one rank has nobody to talk to");
    for (int span = 0; span < 2; span++) {
        struct fitted *rate = &c->tier[span].bandwidth_Bps;
        bool only = !has_tier(c, !span);
        if (!rate->known && has_tier(c, span) && only && c->collective_Bps.known)
            *rate = c->collective_Bps;
        if (!rate->known && has_tier(c, span) && !c->collective_Bps.known)
            return err_set(e, RC_UNSUPPORTED, "no bandwidth can be had from these samples: neither pairs nor "
                           "all-to-alls of three sizes or more are among them%s", only_layers(c->samples));
    }
    return RC_OK;
}

enum rc calibrate(const struct samples *samples, struct calibration *c, struct err *e) {
    struct calibration made = {.samples = samples};
    points_of(samples, &made.points);
    hold_back(&made);
    for (int span = 0; span < 2; span++) {
        find_bandwidth(&made, span);
        find_message_cost(&made, span);
        find_latency(&made, span);
    }
    find_uplink(&made);
    find_alphas(&made);
    find_collective(&made);
    enum rc rc = check_bandwidths(&made, e);
    if (!rc)
        calibration_flag(&made);
    if (rc)
        calibration_clear(&made);
    else
        *c = made;
    return rc;
}

void calibration_clear(struct calibration *c) {
    points_free(&c->points);
    free(c->held);
    buf_clear(&c->flags);
    *c = (struct calibration){0};
}
