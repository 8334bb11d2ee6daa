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
    int pools, pools_chosen, pool_size, inside; /* a pool is a group, or all experts */
    struct sampler *which; /* draws the pools of a token */
    struct sampler **within; /* draws the experts inside each pool */
    bool shared; /* all pools have the same sampler */
    int *chosen_pools; /* scratch of one token */
    struct selection *scored; /* by scores, router.h; NULL otherwise */
};

bool choice_by_scores(const struct choice_shape *s) {
    return s->mode == MODE_GROUP_LIMITED || router_acts(&s->router);
}

/* Checks that the router and the machine's limit together leave a token at least top_k experts. */
static enum rc check_both(const struct choice_shape *s, struct err *e) {
    if (!router_acts(&s->router))
        return RC_OK;
    int least = router_least(&s->router, s->experts, s->n_groups, s->group_limit);
    if (least >= s->top_k)
        return RC_OK;
    return err_set(e, RC_RANGE,
                   "routing.topk_group %d of %d and group_limit %d of %d can leave a token %d experts, fewer than "
                   "top_k %d",
                   s->router.topk_group, s->router.n_group, s->group_limit, s->n_groups, least, s->top_k);
}

enum rc choice_check(const struct choice_shape *s, enum routing_mode mode, struct err *e) {
    enum rc rc = router_check(&s->router, s->experts, s->top_k, e);
    if (rc || mode == MODE_GLOBAL_TOPK)
        return rc;
    int m = mode == MODE_QUOTA_ONLY ? s->n_groups : s->group_limit;
    if (m > s->n_groups)
        return err_set(e, RC_RANGE, "group_limit %d is above the platform's %d groups", m,
                       s->n_groups);
    if (s->experts % s->n_groups != 0)
        return err_set(e, RC_RANGE, "%d experts cannot be split into %d equal routing groups; those of the model's own "
                       "router are routing.n_group",
                       s->experts, s->n_groups);
    int size = s->experts / s->n_groups;
    if (mode == MODE_GROUP_LIMITED)
        return m * (int64_t)size >= s->top_k
                   ? check_both(s, e)
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
    if (choice_by_scores(s)) {
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

static void choice_lay_out(struct choice *c) {
    const struct choice_shape *s = &c->shape;
    c->pools = s->mode == MODE_GLOBAL_TOPK ? 1 : s->n_groups;
    c->pools_chosen = s->mode == MODE_FULL ? s->group_limit : c->pools;
    c->pool_size = s->experts / c->pools;
    c->inside = s->top_k / c->pools_chosen;
    c->within = mem_alloc((size_t)c->pools, sizeof(struct sampler *));
    c->chosen_pools = mem_alloc((size_t)c->pools_chosen, sizeof *c->chosen_pools);
}

/* Builds a sampler of shares that are scaled to sum to k: rounding may leave their sum a little off, or one a little
 * above 1. */
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
    *c = (struct choice){.shape = *s};
    enum rc rc = RC_OK;
    if (choice_by_scores(s)) {
        struct selection_ask ask = {.experts = s->experts,
                                    .top_k = s->top_k,
                                    .router = s->router,
                                    .machine_groups = s->n_groups,
                                    .limit = s->mode == MODE_GROUP_LIMITED ? s->group_limit : 0,
                                    .weight = inclusion};
        c->scored = selection_build(&ask);
    } else {
        choice_lay_out(c);
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
    selection_free(c->scored);
    free(c);
}

/* --- drawing ------------------------------------------------------------------------------------- */

void choice_draw(struct choice *c, struct rng *r, int *ids) {
    if (c->scored) {
        selection_draw(c->scored, r, ids);
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
    BUG_ON(c->scored);
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
