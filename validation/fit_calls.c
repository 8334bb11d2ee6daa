/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/fit_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/fit.h"
#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "platforms/base/stat.h"

static const struct fit_world *find_world(const struct fit_calls *c, int world) {
    for (int i = 0; i < c->n_worlds; i++)
        if (c->worlds[i].world == world)
            return &c->worlds[i];
    return NULL;
}

double fit_calls_time_s(const struct fit_calls *c, int world, double bytes) {
    const struct fit_world *w = find_world(c, world);
    BUG_ON(!w);
    // [V1] t = (alpha^p + (wire / beta + (w - 1) o)^p)^(1/p)
    double wire_bytes = bytes * (1 - 1.0 / world), p = c->exponent.value;
    double transfer_s = wire_bytes / c->beta_Bps.value + (world - 1) * c->message_cost_s.value;
    double alpha_s = w->alpha_s.value, most_s = fmax(alpha_s, transfer_s);
    return most_s > 0 ? most_s * pow(pow(alpha_s / most_s, p) + pow(transfer_s / most_s, p), 1 / p)
                      : 0;
}

void fit_calls_errors(const struct fit_calls *c, const struct fit_point *points, size_t n,
                      struct fit_errors *errors) {
    double *e = mem_alloc(n, sizeof *e);
    for (size_t i = 0; i < n; i++)
        e[i] = fabs(fit_calls_time_s(c, points[i].world, points[i].bytes) / points[i].time_s - 1);
    stat_sort(e, n);
    *errors = (struct fit_errors){n % 2 ? e[n / 2] : (e[n / 2 - 1] + e[n / 2]) / 2, e[n - 1]};
    free(e);
}

/* --- the fit ------------------------------------------------------------------------------- */

/* The constants that are fitted, as a vector; logarithms keep alpha and beta positive. */
struct vector {
    int n;
    struct fit_constant *constant[FIT_PARAMETERS];
    bool log[FIT_PARAMETERS];
    double unit[FIT_PARAMETERS];
    const char *names[FIT_PARAMETERS];
};

static void add(struct vector *v, struct fit_constant *c, bool log_scale, const char *name) {
    if (!c->fitted)
        return;
    BUG_ON(v->n == FIT_PARAMETERS);
    v->constant[v->n] = c;
    v->log[v->n] = log_scale;
    v->unit[v->n] = c->value > 0 ? c->value : 1;
    v->names[v->n++] = name;
}

static void vector_of(struct fit_calls *c, struct vector *v) {
    *v = (struct vector){0};
    add(v, &c->beta_Bps, true, "beta");
    add(v, &c->exponent, true, "the exponent");
    for (int i = 0; i < c->n_worlds; i++)
        add(v, &c->worlds[i].alpha_s, true, "alpha");
    add(v, &c->message_cost_s, false, "the cost of a message (x_half)");
}

/* Turns the vector of the fit into values: x = 1 is the start, value = unit x, or unit exp(x - 1). */
static void unpack(const struct vector *v, const double *x) {
    for (int i = 0; i < v->n; i++)
        v->constant[i]->value = v->unit[i] * (v->log[i] ? exp(x[i] - 1) : x[i]);
}

struct problem {
    const struct fit_calls *c;
    const struct fit_point *points;
    size_t n;
};

static void residuals(const double *x, const void *context, double *r) {
    const struct problem *p = context;
    struct fit_calls c = *p->c;
    struct vector v;
    vector_of(&c, &v);
    unpack(&v, x);
    for (size_t i = 0; i < p->n; i++)
        r[i] =
            fit_calls_time_s(&c, p->points[i].world, p->points[i].bytes) / p->points[i].time_s - 1;
}

/* Checks that the points identify what is fitted: alpha and o of one world add up to one number unless the rule of
 * combination tells them apart. */
static enum rc identifiable(const struct fit_calls *c, struct err *e) {
    if (!c->message_cost_s.fitted)
        return RC_OK;
    int pinned = 0;
    for (int i = 0; i < c->n_worlds; i++)
        pinned += !c->worlds[i].alpha_s.fitted;
    bool additive = !c->exponent.fitted && c->exponent.value == 1;
    if (pinned || (!additive && c->n_worlds > 1))
        return RC_OK;
    return err_set(
        e, RC_UNSUPPORTED,
        "x_half cannot be fitted while alpha is free %s: only alpha + (w - 1) x_half / beta "
        "is in the data; pin alpha of one world to a measured value",
        c->n_worlds == 1 ? "on one world" : "on every world of an additive fit");
}

enum rc fit_calls_run(struct fit_calls *c, const struct fit_point *points, size_t n,
                      struct err *e) {
    enum rc rc = identifiable(c, e);
    for (size_t i = 0; i < n && !rc; i++) {
        if (!find_world(c, points[i].world))
            rc = err_set(e, RC_RANGE, "point %zu: no alpha for world %d", i + 1, points[i].world);
        else if (!(points[i].time_s > 0) || !(points[i].bytes > 0))
            rc = err_set(e, RC_RANGE, "point %zu: bytes and time must be above 0", i + 1);
    }
    if (rc)
        return rc;
    struct fit_calls copy = *c;
    struct vector v;
    vector_of(&copy, &v);
    if (!v.n)
        return RC_OK;
    const struct problem context = {c, points, n};
    struct fit_problem p = {
        .f = residuals, .context = &context, .n = n, .parameters = v.n, .names = v.names};
    double x[FIT_PARAMETERS], sum;
    for (int i = 0; i < v.n; i++) {
        x[i] = 1;
        p.low[i] = v.log[i] ? -9 : 0; // a factor of 22000 down, or no cost at all
        p.high[i] = v.log[i] ? 11 : 1e6;
    }
    rc = fit_least_squares(&p, x, NULL, &sum, e);
    if (!rc) {
        unpack(&v, x);
        *c = copy;
    }
    return rc;
}

/* --- bootstrap ------------------------------------------------------------------------------ */

/* Returns a random point of the same world. */
static size_t draw(const struct fit_point *points, size_t n, int world, struct rng *r) {
    for (;;) {
        size_t i = (size_t)rng_below(r, n);
        if (points[i].world == world)
            return i;
    }
}

static struct fit_interval interval_of(double *values, int n) {
    stat_sort(values, (size_t)n);
    return (struct fit_interval){values[(int)(0.05 * n)], values[(int)(0.95 * n)]};
}

void fit_calls_bootstrap(const struct fit_calls *fitted, const struct fit_point *points, size_t n,
                         int replicas, uint64_t seed, struct fit_intervals *intervals) {
    double *values = mem_alloc(3 * (size_t)replicas + 1, sizeof *values);
    double *beta = values, *cost = values + replicas, *x_half = values + 2 * replicas;
    struct fit_point *drawn = mem_alloc(n, sizeof *drawn);
    int done = 0;
    for (int i = 0; i < replicas; i++) {
        struct rng r;
        rng_init(&r, seed, "bootstrap", (uint64_t)i);
        for (size_t k = 0; k < n; k++)
            drawn[k] = points[draw(points, n, points[k].world, &r)];
        struct fit_calls c = *fitted;
        if (fit_calls_run(&c, drawn, n, NULL))
            continue;
        beta[done] = c.beta_Bps.value;
        cost[done] = c.message_cost_s.value;
        x_half[done++] = c.message_cost_s.value * c.beta_Bps.value;
    }
    *intervals = (struct fit_intervals){.replicas = done};
    if (done) {
        intervals->beta_Bps = interval_of(beta, done);
        intervals->message_cost_s = interval_of(cost, done);
        intervals->x_half_bytes = interval_of(x_half, done);
    }
    free(values);
    free(drawn);
}

/* --- marginal rates --------------------------------------------------------------------------- */

static int largest_first(const void *a, const void *b) {
    double x = ((const struct fit_point *)a)->bytes, y = ((const struct fit_point *)b)->bytes;
    return (x < y) - (x > y);
}

double fit_marginal_Bps(const struct fit_point *points, size_t n, size_t top) {
    struct fit_point *sorted = mem_alloc(n, sizeof *sorted);
    memcpy(sorted, points, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, largest_first);
    BUG_ON(top < 2 || top > n);
    double *wire = mem_alloc(top, sizeof *wire), *time = mem_alloc(top, sizeof *time);
    for (size_t i = 0; i < top; i++) {
        wire[i] = sorted[i].bytes * (1 - 1.0 / sorted[i].world);
        time[i] = sorted[i].time_s;
    }
    double intercept_s, s_per_byte;
    fit_line(wire, time, top, &intercept_s, &s_per_byte); // [V2]
    free(sorted);
    free(wire);
    free(time);
    return 1 / s_per_byte;
}

double fit_mix_Bps(const struct fit_peers *tiers, size_t n) {
    double peers = 0, time = 0;
    for (size_t i = 0; i < n; i++) {
        peers += tiers[i].peers;
        time += tiers[i].peers / tiers[i].Bps;
    }
    return peers / time;
}

double fit_unmix_Bps(double mixed_Bps, double missing_peers, const struct fit_peers *others,
                     size_t n) {
    double peers = missing_peers, time = 0;
    for (size_t i = 0; i < n; i++) {
        peers += others[i].peers;
        time += others[i].peers / others[i].Bps;
    }
    return missing_peers / (peers / mixed_Bps - time);
}
