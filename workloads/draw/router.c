/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/draw/router.h"

#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

struct best {
    double value;
    int id;
};

struct selection {
    struct selection_ask ask; /* without the weights */
    double *weight; /* with mean 1 */
    double *score; /* of one token; below 0: out */
    struct best *groups, *experts; /* the best ones of one token */
    bool *kept; /* groups of one token */
};

bool router_acts(const struct router *r) {
    return r->topk_group < r->n_group;
}

enum rc router_check(const struct router *r, int experts, int top_k, struct err *e) {
    if (r->n_group == 0)
        return RC_OK;
    if (r->topk_group > r->n_group)
        return err_set(e, RC_RANGE, "routing.topk_group %d is above routing.n_group %d", r->topk_group, r->n_group);
    if (experts % r->n_group != 0)
        return err_set(e, RC_RANGE, "routing.n_group %d does not divide %d experts", r->n_group, experts);
    int size = experts / r->n_group;
    if (r->topk_group * size < top_k)
        return err_set(e, RC_RANGE,
                       "routing.topk_group %d with groups of %d experts (%d in %d groups) allows a token %d experts, "
                       "fewer than top_k %d",
                       r->topk_group, size, experts, r->n_group, r->topk_group * size, top_k);
    return RC_OK;
}

int router_least(const struct router *r, int experts, int machine_groups, int limit) {
    int block = experts / r->n_group, group = experts / machine_groups, piece = experts, from = 0;
    // the borders of both cut the experts into pieces, which a token gets whole
    while (from < experts) {
        int next_block = (from / block + 1) * block, next_group = (from / group + 1) * group;
        int next = next_block < next_group ? next_block : next_group;
        piece = next - from < piece ? next - from : piece;
        from = next;
    }
    int all = r->topk_group * block;
    return limit * piece < all ? limit * piece : all;
}

int router_most(const struct router *r, int experts, int first, int end) {
    if (!router_acts(r))
        return end - first;
    int block = experts / r->n_group, left = r->topk_group, most = 0, low = first % block, high = end % block;
    int whole = end / block - (first + block - 1) / block;
    if (whole < 0) // inside one group
        return end - first;
    int taken = whole < left ? whole : left, head = low ? block - low : 0;
    most = taken * block;
    left -= taken;
    int larger = head > high ? head : high, smaller = head > high ? high : head;
    return most + (left > 0 ? larger : 0) + (left > 1 ? smaller : 0);
}

struct selection *selection_build(const struct selection_ask *ask) {
    struct selection *s = mem_alloc(1, sizeof *s);
    size_t n = (size_t)ask->experts;
    int groups = ask->router.n_group > ask->machine_groups ? ask->router.n_group : ask->machine_groups;
    double mean = stat_sum(ask->weight, n) / ask->experts;
    *s = (struct selection){.ask = *ask,
                            .weight = mem_alloc(n, sizeof *s->weight),
                            .score = mem_alloc(n, sizeof *s->score),
                            .groups = mem_alloc((size_t)groups, sizeof *s->groups),
                            .experts = mem_alloc((size_t)ask->top_k, sizeof *s->experts),
                            .kept = mem_alloc((size_t)groups, sizeof *s->kept)};
    s->ask.weight = NULL;
    for (size_t i = 0; i < n; i++)
        s->weight[i] = ask->weight[i] / mean;
    return s;
}

void selection_free(struct selection *s) {
    if (!s)
        return;
    free(s->weight);
    free(s->score);
    free(s->groups);
    free(s->experts);
    free(s->kept);
    free(s);
}

/* Returns whether a value would be among the `most` best. */
static inline bool is_wanted(const struct best *list, int n, int most, double value) {
    return n < most || value > list[most - 1].value;
}

/* Adds a value that is_wanted() accepts to a list, best first; among equal values the earlier one stays ahead. */
static void offer(struct best *list, int *n, int most, double value, int id) {
    int i = *n < most ? (*n)++ : most - 1;
    for (; i > 0 && value > list[i - 1].value; i--)
        list[i] = list[i - 1];
    list[i] = (struct best){value, id};
}

/* Returns the score sigmoid(ln w + ln(u / (1 - u))), worked out without a logarithm. */
static double score_of(double weight, double u) {
    double x = weight * u;
    return x > 0 ? x / (1 - u + x) : 0;
}

/* Returns the score of a group of experts: its highest one, or the mean of its two highest ones, which orders groups as
 * their sum does and lets a group of one expert take part. Below 0: none of its experts is left. */
static double group_value(const double *score, int n, enum group_score how) {
    double first = -1, second = -1;
    for (int i = 0; i < n; i++) { // smaller and larger of two without a branch: which way it goes cannot be foreseen
        double other = score[i] < first ? score[i] : first;
        first = score[i] > first ? score[i] : first;
        second = other > second ? other : second;
    }
    return how == GROUP_MAX || second < 0 ? first : (first + second) / 2;
}

/* Rules out all experts but those of the `most` best of n equal groups. */
static void keep_groups(struct selection *s, int n, int most, enum group_score how) {
    int size = s->ask.experts / n, found = 0;
    for (int g = 0; g < n; g++) {
        double value = group_value(s->score + g * size, size, how);
        s->kept[g] = false;
        if (value >= 0 && is_wanted(s->groups, found, most, value))
            offer(s->groups, &found, most, value, g);
    }
    for (int i = 0; i < found; i++)
        s->kept[s->groups[i].id] = true;
    for (int g = 0; g < n; g++)
        for (int i = g * size; i < (g + 1) * size && !s->kept[g]; i++)
            s->score[i] = -1;
}

void selection_draw(struct selection *s, struct rng *r, int *ids) {
    const struct selection_ask *a = &s->ask;
    int n = 0;
    for (int i = 0; i < a->experts; i++)
        s->score[i] = score_of(s->weight[i], rng_unit(r));
    if (router_acts(&a->router))
        keep_groups(s, a->router.n_group, a->router.topk_group, (enum group_score)a->router.group_score);
    if (a->limit)
        keep_groups(s, a->machine_groups, a->limit, GROUP_TOP2_SUM);
    for (int i = 0; i < a->experts; i++)
        if (s->score[i] >= 0 && is_wanted(s->experts, n, a->top_k, s->score[i]))
            offer(s->experts, &n, a->top_k, s->score[i], i);
    BUG_ON(n != a->top_k);
    for (int i = 0; i < n; i++)
        ids[i] = s->experts[i].id;
}
