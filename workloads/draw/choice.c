/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/draw/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "workloads/draw/sampler.h"

struct choice {
    struct choice_shape shape;
    int group_size;
    int pools, pools_chosen, pool_size, inside; /* a pool is a group, or all experts */
    struct sampler *which; /* pools of a token */
    struct sampler **within; /* experts of each pool */
    bool shared; /* all pools have the same sampler */
    int *chosen_pools; /* scratch of one token */
    double *weight; /* group_limited */
    double *affinity;
    struct best *groups, *candidates;
};

struct best {
    double value;
    int id;
};

enum rc choice_check(const struct choice_shape *s, enum routing_mode mode, struct err *e) {
    if (mode == MODE_GLOBAL_TOPK)
        return RC_OK;
    int m = mode == MODE_QUOTA_ONLY ? s->n_groups : s->group_limit;
    if (m > s->n_groups)
        return err_set(e, RC_RANGE, "group_limit %d is above the platform's %d groups", m,
                       s->n_groups);
    if (s->experts % s->n_groups != 0)
        return err_set(e, RC_RANGE, "%d experts cannot be split into %d equal routing groups",
                       s->experts, s->n_groups);
    int size = s->experts / s->n_groups;
    if (mode == MODE_GROUP_LIMITED)
        return m * (int64_t)size >= s->top_k
                   ? RC_OK
                   : err_set(e, RC_RANGE,
                             "group_limit %d with groups of %d experts allows %d experts, fewer "
                             "than top_k %d",
                             m, size, m * size, s->top_k);
    if (s->top_k % m != 0)
        return err_set(e, RC_RANGE, "%s %d does not divide top_k %d",
                       mode == MODE_QUOTA_ONLY ? "routing.mode 'quota_only': the number of groups"
                                               : "group_limit",
                       m, s->top_k);
    if (s->top_k / m > size)
        return err_set(e, RC_RANGE,
                       "top_k %d with %s %d takes %d distinct experts of a group, but a group "
                       "holds %d",
                       s->top_k, mode == MODE_QUOTA_ONLY ? "groups" : "group_limit", m,
                       s->top_k / m, size);
    return RC_OK;
}

int choice_most_inside(const struct choice_shape *s) {
    return s->mode == MODE_QUOTA_ONLY ? s->top_k / s->n_groups
           : s->mode == MODE_FULL     ? s->top_k / s->group_limit
                                      : s->top_k;
}

void choice_shares(const double *weight, int n, int k, double *into) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += weight[i];
        into[i] = -1;
    }
    // the weights that would pass 1 are capped; each round leaves the rest more to share
    int left = k;
    for (bool more = true; more && left > 0;) {
        double factor = left / sum;
        more = false;
        for (int i = 0; i < n; i++)
            if (into[i] < 0 && weight[i] * factor >= 1) {
                into[i] = 1;
                sum -= weight[i];
                left--;
                more = true;
            }
    }
    double open = 0; // summed anew: the subtractions above rounded
    for (int i = 0; i < n; i++)
        open += into[i] < 0 ? weight[i] : 0;
    for (int i = 0; i < n; i++)
        if (into[i] < 0)
            into[i] = left > 0 && open > 0 ? fmin(weight[i] * left / open, 1) : 0;
}

static void full_inclusion(const struct choice_shape *s, const double *weight, double *into) {
    int size = s->experts / s->n_groups, inside = s->top_k / s->group_limit;
    double *group = mem_alloc((size_t)s->n_groups, sizeof *group);
    double *share = mem_alloc((size_t)s->n_groups, sizeof *share);
    for (int g = 0; g < s->n_groups; g++)
        group[g] = stat_sum(weight + g * size, (size_t)size);
    choice_shares(group, s->n_groups, s->group_limit, share);
    for (int g = 0; g < s->n_groups; g++) {
        choice_shares(weight + g * size, size, inside, into + g * size);
        for (int i = 0; i < size; i++)
            into[g * size + i] *= share[g];
    }
    free(group);
    free(share);
}

static void measured_inclusion(const struct choice_shape *s, const double *weight, int tokens,
                               double *into) {
    struct choice *c = NULL;
    struct rng r;
    int *ids = mem_alloc((size_t)s->top_k, sizeof *ids);
    BUG_ON(choice_build(s, weight, &c, NULL) != RC_OK);
    memset(into, 0, (size_t)s->experts * sizeof *into);
    rng_init(&r, 0, "inclusion", 0);
    for (int t = 0; t < tokens; t++) {
        choice_draw(c, &r, ids);
        for (int i = 0; i < s->top_k; i++)
            into[ids[i]] += 1.0 / tokens;
    }
    free(ids);
    choice_free(c);
}

void choice_inclusion(const struct choice_shape *s, const double *weight, int tokens,
                      double *into) {
    if (s->mode == MODE_GROUP_LIMITED) {
        measured_inclusion(s, weight, tokens, into);
    } else if (s->mode == MODE_FULL) {
        full_inclusion(s, weight, into);
    } else {
        int n = s->mode == MODE_QUOTA_ONLY ? s->n_groups : 1, size = s->experts / n;
        for (int g = 0; g < n; g++)
            choice_shares(weight + g * size, size, s->top_k / n, into + g * size);
    }
}

/* --- building ------------------------------------------------------------------------------------ */

static void lay_out(struct choice *c) {
    const struct choice_shape *s = &c->shape;
    c->pools = s->mode == MODE_GLOBAL_TOPK ? 1 : s->n_groups;
    c->pools_chosen = s->mode == MODE_FULL ? s->group_limit : c->pools;
    c->pool_size = s->experts / c->pools;
    c->inside = s->top_k / c->pools_chosen;
    c->within = mem_alloc((size_t)c->pools, sizeof(struct sampler *));
    c->chosen_pools = mem_alloc((size_t)c->pools_chosen, sizeof *c->chosen_pools);
}

/* Rounding may leave a sum a little off, or a share a little above 1. */
static enum rc build_within(const double *inclusion, int n, int k, struct sampler **s,
                            struct err *e) {
    double *p = mem_alloc((size_t)n, sizeof *p), sum = stat_sum(inclusion, (size_t)n);
    for (int i = 0; i < n; i++)
        p[i] = sum > 0 ? fmin(k * inclusion[i] / sum, 1) : (double)k / n;
    enum rc rc = sampler_build(p, n, k, s, e);
    free(p);
    return rc;
}

static enum rc build_draws(struct choice *c, const double *inclusion, struct err *e) {
    size_t bytes = (size_t)c->pool_size * sizeof *inclusion;
    double *pool = mem_alloc((size_t)c->pools, sizeof *pool);
    c->shared = true;
    for (int p = 0; p < c->pools; p++) {
        const double *own = inclusion + (size_t)p * (size_t)c->pool_size;
        pool[p] = stat_sum(own, (size_t)c->pool_size);
        c->shared = c->shared && memcmp(inclusion, own, bytes) == 0;
    }
    enum rc rc = build_within(pool, c->pools, c->pools_chosen, &c->which, e);
    for (int p = 0; p < (c->shared ? 1 : c->pools) && !rc; p++)
        rc = build_within(inclusion + (size_t)p * (size_t)c->pool_size, c->pool_size, c->inside,
                          &c->within[p], e);
    for (int p = 1; p < c->pools && c->shared; p++)
        c->within[p] = c->within[0];
    free(pool);
    return rc;
}

enum rc choice_build(const struct choice_shape *s, const double *inclusion, struct choice **choice,
                     struct err *e) {
    struct choice *c = mem_alloc(1, sizeof *c);
    *c = (struct choice){.shape = *s, .group_size = s->experts / s->n_groups};
    enum rc rc = RC_OK;
    if (s->mode == MODE_GROUP_LIMITED) {
        size_t n = (size_t)s->experts;
        double mean = stat_sum(inclusion, n) / s->experts;
        c->weight = mem_alloc(n, sizeof *c->weight);
        c->affinity = mem_alloc(n, sizeof *c->affinity);
        c->groups = mem_alloc((size_t)s->group_limit, sizeof *c->groups);
        c->candidates = mem_alloc((size_t)s->top_k, sizeof *c->candidates);
        for (size_t i = 0; i < n; i++)
            c->weight[i] = inclusion[i] / mean;
    } else {
        lay_out(c);
        rc = build_draws(c, inclusion, e);
    }
    if (rc)
        choice_free(c);
    else
        *choice = c;
    return rc;
}

void choice_free(struct choice *c) {
    if (!c)
        return;
    sampler_free(c->which);
    for (int p = 0; p < c->pools; p++)
        if (p == 0 || !c->shared)
            sampler_free(c->within[p]);
    free(c->within);
    free(c->chosen_pools);
    free(c->weight);
    free(c->affinity);
    free(c->groups);
    free(c->candidates);
    free(c);
}

/* --- drawing ------------------------------------------------------------------------------------- */

/* Keeps the `most` best, best first; of equal ones the first stays ahead. */
static void offer(struct best *list, int *n, int most, double value, int id) {
    if (*n == most && !(value > list[most - 1].value))
        return;
    int i = *n < most ? (*n)++ : most - 1;
    for (; i > 0 && value > list[i - 1].value; i--)
        list[i] = list[i - 1];
    list[i] = (struct best){value, id};
}

/* sigmoid(ln w + ln(u / (1 - u))) without a logarithm. */
static double affinity(double weight, double u) {
    double x = weight * u;
    return x > 0 ? x / (1 - u + x) : 0;
}

static void draw_limited(struct choice *c, struct rng *r, int *ids) {
    const struct choice_shape *s = &c->shape;
    int n_groups = 0, n = 0;
    for (int g = 0; g < s->n_groups; g++) {
        double first = -1, second = -1;
        for (int i = g * c->group_size; i < (g + 1) * c->group_size; i++) {
            double a = c->affinity[i] = affinity(c->weight[i], rng_unit(r));
            if (a > first) {
                second = first;
                first = a;
            } else if (a > second) {
                second = a;
            }
        }
        offer(c->groups, &n_groups, s->group_limit, second < 0 ? first : (first + second) / 2, g);
    }
    for (int i = 0; i < n_groups; i++)
        for (int k = c->groups[i].id * c->group_size; k < (c->groups[i].id + 1) * c->group_size;
             k++)
            offer(c->candidates, &n, s->top_k, c->affinity[k], k);
    for (int i = 0; i < n; i++)
        ids[i] = c->candidates[i].id;
}

void choice_draw(struct choice *c, struct rng *r, int *ids) {
    if (c->weight) {
        draw_limited(c, r, ids);
        return;
    }
    sampler_draw(c->which, r, c->chosen_pools);
    for (int i = 0; i < c->pools_chosen; i++) {
        int *own = ids + i * c->inside, first = c->chosen_pools[i] * c->pool_size;
        sampler_draw(c->within[c->chosen_pools[i]], r, own);
        for (int x = 0; x < c->inside; x++)
            own[x] += first;
    }
}

double choice_miss(const struct choice *c, const int *ids, const double *keep, int n) {
    BUG_ON(c->weight);
    int *own = mem_alloc((size_t)n, sizeof *own), *pools = mem_alloc((size_t)n, sizeof *pools), n_pools = 0;
    double *missed = mem_alloc((size_t)n, sizeof *missed); // given that the pool is chosen
    for (int from = 0, to = 0; from < n; from = to) {
        int pool = ids[from] / c->pool_size;
        for (; to < n && ids[to] / c->pool_size == pool; to++)
            own[to] = ids[to] - pool * c->pool_size;
        pools[n_pools] = pool;
        missed[n_pools++] = sampler_keep(c->within[pool], own + from, keep + from, to - from);
    }
    double miss = sampler_keep(c->which, pools, missed, n_pools);
    free(own);
    free(pools);
    free(missed);
    return miss;
}
