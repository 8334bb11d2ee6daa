/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/draw/skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/placement/placement.h"

/* Weights below this share of the largest one are raised to it: a probability must stay a number. */
static const double weight_floor = 1e-12;

/* What is drawn once for a seed: the parameter then moves every weight continuously. */
struct fixed {
    int *order;
    double *z, *u;
    int hot;
    double *load; /* scratch */
};

static void draw_fixed(const struct skew *s, struct fixed *f) {
    size_t n = (size_t)s->shape.experts;
    struct rng r;
    rng_init(&r, s->seed, "skew", 0);
    *f = (struct fixed){.order = mem_alloc(n, sizeof *f->order),
                        .z = mem_alloc(n, sizeof *f->z),
                        .u = mem_alloc(n, sizeof *f->u),
                        .load = mem_alloc(n, sizeof *f->load)};
    for (int i = 0; i < s->shape.experts; i++) {
        int other = (int)rng_below(&r, (uint64_t)i + 1);
        f->order[i] = f->order[other];
        f->order[other] = i;
    }
    for (size_t i = 0; i < n; i++) {
        f->z[i] = rng_normal(&r);
        f->u[i] = 1 - rng_unit(&r);
    }
    f->hot = (int)rng_below(&r, s->family == SKEW_HOT_RANK ? (uint64_t)s->ranks : n);
}

static void fixed_clear(struct fixed *f) {
    free(f->order);
    free(f->z);
    free(f->u);
    free(f->load);
}

/* Returns ln of a Gamma(a) variate from a normal and a uniform one: Gamma(a) = Gamma(a + 1) U^(1/a); Gamma(a + 1) by
 * the cube of Wilson and Hilferty (Proc. Natl. Acad. Sci. 1931), whose root is kept above 0. */
static double log_gamma_variate(double a, double z, double u) {
    double b = a + 1, root = 1 - 1 / (9 * b) + z / (3 * sqrt(b));
    return log(b) + 3 * log(fmax(root, 0.01)) + log(u) / a;
}

static double log_weight(const struct skew *s, const struct fixed *f, int i, double x) {
    switch (s->family) {
    case SKEW_ZIPF:
        return -x * log(1 + f->order[i]);
    case SKEW_LOGNORMAL:
        return x * f->z[i];
    case SKEW_DIRICHLET:
        return x > 0 ? log_gamma_variate(1 / x, f->z[i], f->u[i]) : 0;
    case SKEW_HOT_EXPERT:
        return i == f->hot ? log(1 + x) : 0;
    default:
        return placement_block(s->shape.experts, s->ranks, i) == f->hot ? log(1 + x) : 0;
    }
}

static void weights_at(const struct skew *s, const struct fixed *f, double x, double *weight) {
    double most = -INFINITY;
    for (int i = 0; i < s->shape.experts; i++) {
        weight[i] = log_weight(s, f, i, x);
        most = fmax(most, weight[i]);
    }
    for (int i = 0; i < s->shape.experts; i++)
        weight[i] = fmax(exp(weight[i] - most), weight_floor);
}

double skew_ceiling(const struct choice_shape *shape, int ranks) {
    int most = choice_most_inside(shape), held = 0;
    for (int first = 0, end = 0; first < shape->experts; first = end) {
        int rank = placement_block(shape->experts, ranks, first);
        while (end < shape->experts && placement_block(shape->experts, ranks, end) == rank)
            end++;
        int here = router_most(&shape->router, shape->experts, first, end);
        held = here > held ? here : held;
    }
    return (double)ranks * (most < held ? most : held) / shape->top_k;
}

double skew_rho(const double *load, int experts, int ranks) {
    double *sum = mem_alloc((size_t)ranks, sizeof *sum);
    for (int i = 0; i < experts; i++)
        sum[placement_block(experts, ranks, i)] += load[i];
    double rho = stat_max_over_mean(sum, (size_t)ranks);
    free(sum);
    return rho;
}

/* How many affinities are drawn to measure the loads of scores once: few while a parameter is searched for, many to
 * check the one that was found. */
enum { FEW_AFFINITIES = 1 << 20, MANY_AFFINITIES = 1 << 25 };

/* Returns the measure of the target (rho_max or cv) at parameter x, from so many affinities where loads have to be
 * drawn; weight is overwritten. */
static double measure(const struct skew *s, const struct fixed *f, double x, int affinities, double *weight) {
    weights_at(s, f, x, weight);
    choice_inclusion(&s->shape, weight, affinities / s->shape.experts + 1, f->load);
    return s->rho_max > 0 ? skew_rho(f->load, s->shape.experts, s->ranks)
                          : stat_cv(f->load, (size_t)s->shape.experts);
}

static const char *family_name(int family) {
    static const char *const names[] = {"zipf", "lognormal", "dirichlet", "hot-expert", "hot-rank"};
    return names[family];
}

static enum rc refuse(const struct skew *s, double target, double reached, struct err *e) {
    return err_set(e, RC_RANGE,
                   "routing.%s %.6g is above %.6g, the most that family %s reaches here%s",
                   s->rho_max > 0 ? "rho_max" : "cv", target, reached, family_name(s->family),
                   s->rho_max > 0 && s->family != SKEW_HOT_RANK
                       ? "; family hot-rank reaches the ceiling of the routing"
                       : "");
}

/* An interval of the parameter in which a measure from so many affinities crosses the target. */
struct bracket {
    double low, high, value; /* value: measure at high */
    int affinities;
    double tolerance;
};

/* Widens a bracket upwards until it holds the target; returns the largest measure that it saw. */
static double widen(const struct skew *s, const struct fixed *f, double target, double *weight, struct bracket *b) {
    enum { DOUBLINGS = 44 };
    double most = b->value = measure(s, f, b->high, b->affinities, weight);
    for (int i = 0; i < DOUBLINGS && b->value < target; i++) {
        // above a few dozen, all but the hot families have nothing left to give
        if (s->family != SKEW_HOT_RANK && s->family != SKEW_HOT_EXPERT && b->high > 60)
            break;
        b->low = b->high;
        b->high *= 2;
        b->value = measure(s, f, b->high, b->affinities, weight);
        most = fmax(most, b->value);
    }
    return most;
}

/* Halves a bracket until it is narrow and returns the parameter. The measure is continuous in it, not always monotonic:
 * any crossing serves. */
static double halve(const struct skew *s, const struct fixed *f, double target, double *weight, struct bracket b) {
    enum { HALVINGS = 60 };
    double x = b.high;
    for (int i = 0; i < HALVINGS && fabs(b.value - target) > b.tolerance * target; i++) {
        x = (b.low + b.high) / 2;
        b.value = measure(s, f, x, b.affinities, weight);
        if (b.value < target)
            b.low = x;
        else
            b.high = x;
    }
    return x;
}

/* Finds a parameter whose measure from many affinities is the target: searches with few affinities, measures the result
 * with many, and corrects the target of the search by the difference until both agree. */
static enum rc search_drawn(const struct skew *s, const struct fixed *f, double target, double *weight, double *found,
                            struct err *e) {
    enum { ROUNDS = 8 };
    static const double tolerance = 2e-3;
    double ratio = 1, reached = 0; // of the measure from many to that from few
    for (int i = 0; i < ROUNDS && fabs(reached - target) > tolerance * target; i++) {
        struct bracket b = {0, 1.0 / 16, 0, FEW_AFFINITIES, 1e-4};
        widen(s, f, target / ratio, weight, &b);
        *found = b.value < target / ratio ? b.high : halve(s, f, target / ratio, weight, b);
        double few = measure(s, f, *found, FEW_AFFINITIES, weight);
        reached = measure(s, f, *found, MANY_AFFINITIES, weight);
        ratio = reached / few;
    }
    return reached < target * (1 - 2 * tolerance) ? refuse(s, target, reached, e) : RC_OK;
}

static enum rc search(const struct skew *s, const struct fixed *f, double *weight, double *found, struct err *e) {
    double target = s->rho_max > 0 ? s->rho_max : s->cv;
    struct bracket b = {0, 1.0 / 16, 0, 0, 1e-9};
    if (choice_by_scores(&s->shape))
        return search_drawn(s, f, target, weight, found, e);
    double most = widen(s, f, target, weight, &b);
    if (b.value < target * (1 - 1e-6))
        return refuse(s, target, most, e);
    *found = halve(s, f, target, weight, b);
    return RC_OK;
}

/* Lets popularities drift: from one batch or layer to the next a share of the experts swap theirs among each other. */
static void let_drift(const struct skew *s, double *weight) {
    int n = s->shape.experts, moved = (int)lround(s->drift * n);
    int *pick = mem_alloc((size_t)n, sizeof *pick);
    double *old = mem_alloc((size_t)n, sizeof *old);
    for (int64_t step = 1; step <= s->step && moved > 1; step++) {
        struct rng r;
        rng_init(&r, s->seed, "drift", (uint64_t)step);
        for (int i = 0; i < n; i++)
            pick[i] = i;
        for (int i = 0; i < moved; i++) {
            int other = i + (int)rng_below(&r, (uint64_t)(n - i)), kept = pick[i];
            pick[i] = pick[other];
            pick[other] = kept;
        }
        memcpy(old, weight, (size_t)n * sizeof *old);
        for (int i = 0; i < moved; i++)
            weight[pick[i]] = old[pick[(i + 1) % moved]];
    }
    free(pick);
    free(old);
}

static enum rc check_target(const struct skew *s, struct err *e) {
    double most = skew_ceiling(&s->shape, s->ranks);
    if (s->rho_max > 0 && s->ranks > s->shape.experts)
        return err_set(e, RC_RANGE, "routing.rho_max on %d ranks, but there are %d experts",
                       s->ranks, s->shape.experts);
    if (s->rho_max > most)
        return err_set(e, RC_RANGE,
                       "routing.rho_max %.6g is above %.6g, the most that %d ranks with %d experts "
                       "can have: a token chooses %d distinct experts, at most %d of one rank",
                       s->rho_max, most, s->ranks, s->shape.experts, s->shape.top_k,
                       (int)lround(most * s->shape.top_k / s->ranks));
    return RC_OK;
}

enum rc skew_weights(const struct skew *s, double *weight, struct buf *notes, struct err *e) {
    double x = s->parameter;
    struct fixed f;
    enum rc rc = check_target(s, e);
    if (rc)
        return rc;
    draw_fixed(s, &f);
    if (s->rho_max <= 0 && s->cv <= 0)
        weights_at(s, &f, x, weight);
    else if (s->rho_max > 0 && s->rho_max <= 1 + 1e-9)
        weights_at(s, &f, x = 0, weight);
    else
        rc = search(s, &f, weight, &x, e);
    if (!rc) {
        buf_printf(notes, "synthetic popularities: family %s, parameter %.6g",
                   family_name(s->family), x);
        if (s->rho_max > 0)
            buf_printf(notes, ", rho_max %.6g on %d ranks in contiguous blocks", s->rho_max,
                       s->ranks);
        else if (s->cv > 0)
            buf_printf(notes, ", cv %.6g of the expert loads", s->cv);
        buf_text(notes, "\n");
        let_drift(s, weight);
        if (s->drift > 0 && s->step > 0)
            buf_printf(notes, "step %lld of a drift of %g a step\n", (long long)s->step, s->drift);
    }
    fixed_clear(&f);
    return rc;
}

double skew_preset_rho(enum skew_preset preset, int ranks) {
    /* rho_max at EP 8, 32 and 64 in public records with E = 256, k = 8 (GLM-5.2 on ten domains). */
    static const double rho[SKEW_PRESETS][3] = {{1.1, 1.4, 1.7}, {1.2, 1.8, 2.5}, {2.2, 5, 9}};
    double x = (log2(ranks) - 3) / 2; // 0, 1 and 1.5 at 8, 32 and 64
    return x <= 1 ? rho[preset][0] + x * (rho[preset][1] - rho[preset][0])
                  : rho[preset][1] + (x - 1) / 0.5 * (rho[preset][2] - rho[preset][1]);
}

double skew_rho_of_hot_ratio(double hot_ratio, int ranks) {
    return hot_ratio * ranks / (hot_ratio + ranks - 1);
}
