/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/calibrate_flags.h"

#include <math.h>
#include <string.h>

#include "platforms/base/mem.h"

enum { MOST = 4 };                    /* flags of one kind; more are counted */
static const double apart = 0.10;     /* regimes and halves that differ by more disagree */
static const double artefact = 0.25;  /* a world that costs so much more than its neighbours */

struct kind {
    struct calibration *c;
    int n;
};

/* Starts a flag; false: there are enough of its kind. */
static bool another(struct kind *k) {
    return k->n++ < MOST;
}

static void finish(const struct kind *k, const char *what) {
    if (k->n > MOST)
        buf_printf(&k->c->flags, "%s: %d more\n", what, k->n - MOST);
}

static void drift(struct calibration *c) {
    struct kind k = {c, 0};
    char name[POINT_TEXT];
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample_point *p = &c->points.items[i];
        double change = p->early_s > 0 ? p->late_s / p->early_s - 1 : 0;
        if (fabs(change) > apart && p->drifts && another(&k))
            buf_printf(&c->flags, "drift: second half %+.0f %% against the first: %s\n", 100 * change,
                       points_name(p, name));
    }
    finish(&k, "drift");
}

static void falling(struct calibration *c) {
    struct kind k = {c, 0};
    char a[POINT_TEXT], b[POINT_TEXT];
    for (size_t i = 1; i < c->points.n; i++) {
        const struct sample_point *p = &c->points.items[i], *before = p - 1;
        if (points_same_series(p, before) && p->of->message_bytes > before->of->message_bytes &&
            points_longer(&c->points, before, p) && another(&k))
            buf_printf(&c->flags, "more bytes take less time: %s, then %s\n", points_name(before, a),
                       points_name(p, b));
    }
    finish(&k, "more bytes take less time");
}

/* The point that is the same but for its regime. */
static const struct sample_point *other_regime(const struct calibration *c, const struct sample_point *p) {
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample *s = c->points.items[i].of;
        if (s->quantity == p->of->quantity && s->regime != p->of->regime && s->span == p->of->span &&
            s->world == p->of->world && s->send_bytes == p->of->send_bytes && !strcmp(s->part, p->of->part))
            return &c->points.items[i];
    }
    return NULL;
}

/* Per call and at the largest size of a series: there only the bytes should count. */
static void regimes(struct calibration *c) {
    struct kind k = {c, 0};
    char a[POINT_TEXT], b[POINT_TEXT];
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample_point *p = &c->points.items[i];
        bool last = i + 1 == c->points.n || !points_same_series(p, p + 1);
        bool sweep = p->of->quantity == SAMPLED_ALLTOALL || p->of->quantity == SAMPLED_ALLTOALLV;
        const struct sample_point *other =
            last && sweep && p->of->regime == REGIME_OBSERVED ? other_regime(c, p) : NULL;
        if (!other)
            continue;
        double ratio = p->median_s / (double)p->of->calls / (other->median_s / (double)other->of->calls);
        if (fabs(ratio - 1) > apart && another(&k))
            buf_printf(&c->flags, "host regimes disagree, %+.0f %% a call where the host waits: %s and %s\n",
                       100 * (ratio - 1), points_name(p, a), points_name(other, b));
    }
    finish(&k, "host regimes disagree");
}

static bool is_power(int64_t n) {
    return !(n & (n - 1));
}

/* A world between two powers of two that costs more than the line between them, or less. */
static void worlds(struct calibration *c) {
    for (size_t i = 1; i + 1 < c->n_alpha; i++) {
        const struct calibrated_alpha *a = &c->alpha[i], *low = a - 1, *high = a + 1;
        bool together = low->regime == a->regime && high->regime == a->regime && low->span == a->span &&
                        high->span == a->span;
        if (!together || is_power(a->world) || !is_power(low->world) || !is_power(high->world))
            continue;
        double share = (double)(a->world - low->world) / (double)(high->world - low->world);
        double due_s = low->time_s.value + share * (high->time_s.value - low->time_s.value);
        double off_s = a->time_s.value - due_s, sure_s = a->time_s.high - a->time_s.low;
        if (due_s > 0 && fabs(off_s) > artefact * due_s && fabs(off_s) > sure_s)
            buf_printf(&c->flags, "alpha of world %lld is %+.0f %% off the line between %lld and %lld: call-scan, %s, "
                       "%s, world %lld; interpolate with care\n", (long long)a->world, 100 * off_s / due_s,
                       (long long)low->world, (long long)high->world, regime_name((enum regime)a->regime),
                       a->span == SPANS_SLOW ? "slow" : "fast", (long long)a->world);
    }
}

void calibration_flag(struct calibration *c) {
    regimes(c);
    drift(c);
    falling(c);
    worlds(c);
}
