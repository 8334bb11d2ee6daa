/* SPDX-License-Identifier: BSD-3-Clause */
/* A token chooses pools of experts, then experts inside each. Global top-k has one pool with all experts; mode
 * full has one pool per group. Both choices are conditional Poisson draws (sampler.h), so that drawing and
 * expected values need no case of their own. */
#include "workloads/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/counts.h"
#include "workloads/sampler.h"

/* Fractions in a record are rounded: max/mean may stand this much above its ceiling. */
static const double ceiling_tolerance = 1e-9;

struct routing {
    const struct platform *platform;
    const struct workload *workload;
    uint64_t seed;
    int ranks, groups, local; /* local: ranks per group */
    int experts, per_rank, per_group;
    int pools_chosen, chosen_inside; /* their product is top_k */
    int pool_size;
    double *weight; /* per expert; loads are proportional to it */
    struct sampler *pools; /* which pools a token uses */
    struct sampler *inside; /* which experts of a pool */
    struct traffic *traffic;
    size_t room_one_hop, room_per_rank, room_hop_a;
};

static long long number(int64_t value) {
    return (long long)value;
}

/* --- checks and marginals ----------------------------------------------------------------------- */

static enum rc check_shape(const struct routing *r, struct err *e) {
    const struct workload *w = r->workload;
    int64_t next = (w->experts + r->ranks - 1) / r->ranks * r->ranks;
    if (w->experts % r->ranks != 0)
        return err_set(e, RC_SHAPE,
                       "%lld experts cannot be placed evenly on %d ranks; change one of them, for "
                       "example --set workload.experts=%lld",
                       number(w->experts), r->ranks, number(next));
    if (w->routing.mode == MODE_FULL && w->group_limit > r->groups)
        return err_set(e, RC_RANGE, "group_limit %lld is above the platform's %d groups",
                       number(w->group_limit), r->groups);
    if (r->chosen_inside > r->pool_size)
        return err_set(
            e, RC_RANGE,
            "top_k %lld with group_limit %lld takes %d distinct experts of a group, but a "
            "group holds %d",
            number(w->top_k), number(w->group_limit), r->chosen_inside, r->pool_size);
    return RC_OK;
}

static enum rc find_layer(const struct workload *w, const struct counts *c, int *l,
                          struct buf *notes, struct err *e) {
    if (!w->routing.layer_given) {
        buf_printf(notes, "layer %lld of the record, its first\n", number(c->layer[0]));
        *l = 0;
        return RC_OK;
    }
    *l = counts_find_layer(c, w->routing.layer);
    if (*l >= 0)
        return RC_OK;
    struct buf list = {0};
    for (int i = 0; i < c->n_layers; i++)
        buf_printf(&list, "%s%lld", i ? ", " : "", number(c->layer[i]));
    enum rc rc = err_set(e, RC_RANGE,
                         "%s: no counts of layer %lld; --set workload.routing.layer= one of %.300s",
                         w->trace_path, number(w->routing.layer), list.text);
    buf_clear(&list);
    return rc;
}

static enum rc take_layer(struct routing *r, const struct counts *c, struct err *e) {
    const struct workload *w = r->workload;
    struct traffic *t = r->traffic;
    size_t n = (size_t)r->experts;
    double ceiling = (double)w->experts / (double)w->top_k;
    int l;
    if (c->n_named < c->n_experts)
        return err_set(
            e, RC_SHAPE,
            "%s: no record of experts %d to %d, is workload.experts %d too high? use --set "
            "workload.experts=%d, or add them with count 0",
            w->trace_path, c->n_named, c->n_experts - 1, c->n_experts, c->n_named);
    enum rc rc = find_layer(w, c, &l, &t->notes, e);
    if (rc)
        return rc;
    memcpy(r->weight, c->counts + (size_t)l * n, n * sizeof *r->weight);
    t->max_over_mean = stat_max_over_mean(r->weight, n);
    if (t->max_over_mean > ceiling * (1 + ceiling_tolerance))
        return err_set(
            e, RC_RANGE,
            "%s: layer %lld: the busiest expert has %.6g times the mean, but %.6g (experts / "
            "top_k) is the most: a token chooses an expert once",
            w->trace_path, number(c->layer[l]), t->max_over_mean, ceiling);
    memcpy(t->trace_sha256, c->sha256, sizeof t->trace_sha256);
    if (c->notes.n)
        buf_add(&t->notes, c->notes.text, c->notes.n);
    buf_text(
        &t->notes,
        "marginals only: every source rank draws from the same distribution (rank-one matrix), "
        "joint draw by maximum entropy\n");
    return RC_OK;
}

static enum rc read_trace(struct routing *r, struct err *e) {
    const struct workload *w = r->workload;
    struct counts_ask ask = {r->experts, w->routing.model, w->routing.corpus};
    struct counts *c = NULL;
    enum rc rc = counts_load(w->trace_path, &ask, &c, e);
    if (!rc)
        rc = take_layer(r, c, e);
    counts_free(c);
    return rc;
}

/* Inclusion probabilities proportional to weights that sum to `sum`; --- [M4] */
static enum rc build_sampler(const double *weight, int n, int k, struct sampler **s,
                             struct err *e) {
    double *inclusion = mem_alloc((size_t)n, sizeof *inclusion), sum = stat_sum(weight, (size_t)n);
    for (int i = 0; i < n; i++)
        inclusion[i] = fmin(k * weight[i] / sum, 1);
    enum rc rc = sampler_build(inclusion, n, k, s, e);
    free(inclusion);
    return rc;
}

/* Weights and samplers. Pools are alike: mode full is uniform by definition, global top-k has one. */
static enum rc prepare(struct routing *r, struct err *e) {
    r->weight = mem_alloc((size_t)r->experts, sizeof *r->weight);
    for (int i = 0; i < r->experts; i++)
        r->weight[i] = 1;
    enum rc rc = RC_OK;
    if (r->workload->routing.source == SOURCE_TRACE)
        rc = read_trace(r, e);
    if (!rc)
        rc = build_sampler(r->weight, r->pool_size, r->chosen_inside, &r->inside, e);
    if (!rc) {
        int n = r->experts / r->pool_size;
        double *same = mem_alloc((size_t)n, sizeof *same);
        for (int i = 0; i < n; i++)
            same[i] = 1;
        rc = build_sampler(same, n, r->pools_chosen, &r->pools, e);
        free(same);
    }
    return rc;
}

/* --- rows of the matrices ----------------------------------------------------------------------- */

static void start_row(struct matrix *m, int src) {
    m->start[src + 1] = m->start[src];
}

static void add_entry(struct matrix *m, size_t *room, int src, int dst, double value) {
    size_t n = m->start[src + 1];
    if (value == 0)
        return;
    if (n == *room) {
        *room = *room ? 2 * *room : 1024;
        m->dst = mem_resize(m->dst, *room, sizeof *m->dst);
        m->value = mem_resize(m->value, *room, sizeof *m->value);
    }
    m->dst[n] = dst;
    m->value[n] = value;
    m->start[src + 1] = n + 1;
}

/* What one sender has for others. */
struct sent {
    double *rank_rows;    /* rows per rank */
    double *rank_tokens;  /* tokens that reach a rank */
    double *group_tokens; /* tokens that reach a group */
};

static struct sent sent_new(const struct routing *r) {
    return (struct sent){mem_alloc((size_t)r->ranks, sizeof(double)),
                         mem_alloc((size_t)r->ranks, sizeof(double)),
                         mem_alloc((size_t)r->groups, sizeof(double))};
}

static void sent_clear(struct sent *s) {
    free(s->rank_rows);
    free(s->rank_tokens);
    free(s->group_tokens);
}

/* Appends a sender's rows of one_hop [M1], one_hop_rank [M5] and hop_a [M2]. */
static void add_source(struct routing *r, int src, const struct sent *s) {
    struct traffic *t = r->traffic;
    int local = plat_local_of(r->platform, src);
    start_row(&t->one_hop, src);
    start_row(&t->one_hop_rank, src);
    for (int dst = 0; dst < r->ranks; dst++) {
        add_entry(&t->one_hop, &r->room_one_hop, src, dst, s->rank_rows[dst]);
        add_entry(&t->one_hop_rank, &r->room_per_rank, src, dst, s->rank_tokens[dst]);
    }
    start_row(&t->hop_a, src);
    for (int g = 0; g < r->groups; g++)
        add_entry(&t->hop_a, &r->room_hop_a, src, g * r->local + local, s->group_tokens[g]);
}

/* Expected tokens, of `tokens`, that choose at least one of the experts first .. first + count - 1. */
static double expect_reached(const struct routing *r, double tokens, int first, int count) {
    return tokens * sampler_inclusion(r->pools, first / r->pool_size) *
           (1 - sampler_miss(r->inside, first % r->pool_size, count));
}

/* Expected values: the same row for every sender. */
static void expect(struct routing *r) {
    double tokens = (double)r->workload->tokens_per_rank;
    double rows = tokens * (double)r->workload->top_k;
    double sum = stat_sum(r->weight, (size_t)r->experts);
    struct sent sent = sent_new(r);
    for (int dst = 0; dst < r->ranks; dst++) {
        int first = dst * r->per_rank;
        sent.rank_rows[dst] = rows * stat_sum(r->weight + first, (size_t)r->per_rank) / sum;
        sent.rank_tokens[dst] = expect_reached(r, tokens, first, r->per_rank);
    }
    for (int g = 0; g < r->groups; g++)
        sent.group_tokens[g] = expect_reached(r, tokens, g * r->per_group, r->per_group);
    for (int src = 0; src < r->ranks; src++)
        add_source(r, src, &sent);
    for (int i = 0; i < r->experts; i++)
        r->traffic->expert_load[i] = rows * (double)r->ranks * r->weight[i] / sum;
    sent_clear(&sent);
}

/* What is needed to draw the tokens of one sender after the other. */
struct draw {
    int *rank_of, *group_of; /* per expert */
    int *pools; /* of one token */
    int *ids; /* of one token and pool */
    int64_t *chosen; /* rows per expert */
    int64_t *reached_rank, *reached_group; /* tokens */
    struct sent sent;
};

static void draw_token(const struct routing *r, struct rng *rng, struct draw *d) {
    // pools and experts come rising, so the experts of a rank and of a group stand together
    int last_rank = -1, last_group = -1;
    sampler_draw(r->pools, rng, d->pools);
    for (int p = 0; p < r->pools_chosen; p++) {
        int first = d->pools[p] * r->pool_size;
        sampler_draw(r->inside, rng, d->ids);
        for (int i = 0; i < r->chosen_inside; i++) {
            int expert = first + d->ids[i];
            int rank = d->rank_of[expert], group = d->group_of[expert];
            d->chosen[expert]++;
            d->reached_rank[rank] += rank != last_rank;
            d->reached_group[group] += group != last_group;
            last_rank = rank;
            last_group = group;
        }
    }
}

static void draw_source(struct routing *r, int src, struct draw *d) {
    struct rng rng;
    rng_init(&rng, r->seed, "routing", (uint64_t)src);
    memset(d->chosen, 0, (size_t)r->experts * sizeof *d->chosen);
    memset(d->reached_rank, 0, (size_t)r->ranks * sizeof *d->reached_rank);
    memset(d->reached_group, 0, (size_t)r->groups * sizeof *d->reached_group);
    memset(d->sent.rank_rows, 0, (size_t)r->ranks * sizeof *d->sent.rank_rows);
    for (int64_t t = 0; t < r->workload->tokens_per_rank; t++)
        draw_token(r, &rng, d);
    for (int i = 0; i < r->experts; i++) {
        r->traffic->expert_load[i] += (double)d->chosen[i];
        d->sent.rank_rows[d->rank_of[i]] += (double)d->chosen[i];
    }
    for (int dst = 0; dst < r->ranks; dst++)
        d->sent.rank_tokens[dst] = (double)d->reached_rank[dst];
    for (int g = 0; g < r->groups; g++)
        d->sent.group_tokens[g] = (double)d->reached_group[g];
    add_source(r, src, &d->sent);
}

static void draw_all(struct routing *r) {
    size_t experts = (size_t)r->experts;
    struct draw d = {.rank_of = mem_alloc(experts, sizeof *d.rank_of),
                     .group_of = mem_alloc(experts, sizeof *d.group_of),
                     .pools = mem_alloc((size_t)r->pools_chosen, sizeof *d.pools),
                     .ids = mem_alloc((size_t)r->chosen_inside, sizeof *d.ids),
                     .chosen = mem_alloc(experts, sizeof *d.chosen),
                     .reached_rank = mem_alloc((size_t)r->ranks, sizeof *d.reached_rank),
                     .reached_group = mem_alloc((size_t)r->groups, sizeof *d.reached_group),
                     .sent = sent_new(r)};
    for (int i = 0; i < r->experts; i++) {
        d.rank_of[i] = i / r->per_rank;
        d.group_of[i] = i / r->per_group;
    }
    for (int src = 0; src < r->ranks; src++)
        draw_source(r, src, &d);
    free(d.rank_of);
    free(d.group_of);
    free(d.pools);
    free(d.ids);
    free(d.chosen);
    free(d.reached_rank);
    free(d.reached_group);
    sent_clear(&d.sent);
}

/* First entry of a row whose receiver is not below dst. */
static size_t lower_bound(const struct matrix *m, int src, int dst) {
    size_t low = m->start[src], high = m->start[src + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->dst[middle] < dst)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rank (h, r) forwards what the ranks (g, r) of all groups g send to group h. [M3] */
static void build_hop_b(const struct routing *r, const struct matrix *direct, struct matrix *hop_b) {
    double *rows = mem_alloc((size_t)r->local, sizeof *rows);
    size_t room = 0;
    matrix_init(hop_b, r->ranks, 0, direct->whole);
    for (int src = 0; src < r->ranks; src++) {
        int first = src - plat_local_of(r->platform, src);
        memset(rows, 0, (size_t)r->local * sizeof *rows);
        for (int from = src - first; from < r->ranks; from += r->local) {
            size_t end = direct->start[from + 1];
            for (size_t i = lower_bound(direct, from, first);
                 i < end && direct->dst[i] < first + r->local; i++)
                rows[direct->dst[i] - first] += direct->value[i];
        }
        start_row(hop_b, src);
        for (int x = 0; x < r->local; x++)
            add_entry(hop_b, &room, src, first + x, rows[x]);
    }
    free(rows);
}

/* --- the whole ---------------------------------------------------------------------------------- */

static void fill(struct routing *r) {
    struct traffic *t = r->traffic;
    bool whole = r->workload->routing.draw == DRAW_SAMPLED;
    matrix_init(&t->one_hop, r->ranks, 0, whole);
    matrix_init(&t->one_hop_rank, r->ranks, 0, whole);
    matrix_init(&t->hop_a, r->ranks, 0, whole);
    t->expert_load = mem_alloc((size_t)r->experts, sizeof *t->expert_load);
    t->rank_load = mem_alloc((size_t)r->ranks, sizeof *t->rank_load);
    if (whole)
        draw_all(r);
    else
        expect(r);
    build_hop_b(r, &t->one_hop, &t->hop_b);
    build_hop_b(r, &t->one_hop_rank, &t->hop_b_rank);
    matrix_sums(&t->one_hop, false, true, t->rank_load);
    t->fan_out =
        matrix_total(&t->hop_a, true) / ((double)r->workload->tokens_per_rank * (double)r->ranks);
}

enum rc traffic_build(const struct platform *p, const struct workload *w, uint64_t seed,
                      struct traffic **traffic, struct err *e) {
    bool full = w->routing.mode == MODE_FULL;
    struct traffic *t = mem_alloc(1, sizeof *t);
    struct routing r = {.platform = p,
                        .workload = w,
                        .seed = seed,
                        .ranks = plat_ranks(p),
                        .groups = (int)p->groups,
                        .local = (int)p->ranks_per_group,
                        .experts = (int)w->experts,
                        .traffic = t};
    r.per_rank = r.experts / r.ranks;
    r.per_group = r.per_rank * r.local;
    r.pools_chosen = full ? (int)w->group_limit : 1;
    r.chosen_inside = (int)w->top_k / r.pools_chosen;
    r.pool_size = full ? r.per_group : r.experts;
    t->ranks = r.ranks;
    t->experts = r.experts;
    t->max_over_mean = 1;
    enum rc rc = check_shape(&r, e);
    if (!rc)
        rc = prepare(&r, e);
    if (!rc) {
        fill(&r);
        *traffic = t;
    } else {
        traffic_free(t);
    }
    free(r.weight);
    sampler_free(r.pools);
    sampler_free(r.inside);
    return rc;
}

void traffic_free(struct traffic *t) {
    if (!t)
        return;
    matrix_clear(&t->one_hop);
    matrix_clear(&t->one_hop_rank);
    matrix_clear(&t->hop_a);
    matrix_clear(&t->hop_b);
    matrix_clear(&t->hop_b_rank);
    free(t->expert_load);
    free(t->rank_load);
    buf_clear(&t->notes);
    free(t);
}

void traffic_rho(const struct traffic *t, struct traffic_rho *rho) {
    *rho = (struct traffic_rho){
        .rank = stat_max_over_mean(t->rank_load, (size_t)t->ranks),
        .expert = stat_max_over_mean(t->expert_load, (size_t)t->experts),
        .one_hop_in = matrix_rho_max(&t->one_hop, false),
        .one_hop_out = matrix_rho_max(&t->one_hop, true),
        .hop_a_in = matrix_rho_max(&t->hop_a, false),
        .hop_a_out = matrix_rho_max(&t->hop_a, true),
        .hop_b_in = matrix_rho_max(&t->hop_b, false),
        .hop_b_out = matrix_rho_max(&t->hop_b, true),
    };
}
