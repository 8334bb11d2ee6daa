/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/draw/pairs.h"
#include "workloads/expected.h"
#include "workloads/job_traffic.h"
#include "workloads/placement/placement_build.h"
#include "workloads/popularity.h"
#include "workloads/records/record.h"
#include "workloads/rows.h"
#include "workloads/tokens.h"
#include "workloads/trace.h"
#include "workloads/traffic_routes.h"

struct traffic_plan {
    const struct platform *platform; /* as the EP group at hand sees it */
    const struct workload *workload;
    struct job *job;                 /* NULL: the whole machine */
    const struct ep_group *group;    /* at hand; NULL without a job */
    const int64_t *tokens;           /* of its ranks; NULL without a job */
    uint64_t seed;
    struct record *record; /* NULL: no trace */
    int layer;             /* index of the one layer, or -1: all in turn */
    bool same;             /* every draw has the popularity below */
    struct popularity popularity;
    struct buf popularity_notes;
};

/* One draw in the making. */
struct drawing {
    const struct traffic_plan *plan;
    const struct workload *workload;
    int ranks;
    uint64_t seed;
    int layer;          /* index in the record */
    struct popularity popularity;
    struct placement *placement;
    double *shares;     /* pair skew: [ranks][experts]; NULL: the same for all */
    struct traffic *traffic;
};

/* --- plan ------------------------------------------------------------------------------------------- */

static enum rc find_popularity(const struct traffic_plan *plan, int layer, int64_t step, struct popularity *found,
                               struct buf *notes, struct err *e) {
    const struct platform *experts = plan->group ? plan->group->experts : plan->platform;
    const struct popularity_ask ask = {experts, plan->workload, plan->record, layer, step, plan->seed};
    return popularity_build(&ask, found, notes, e);
}

enum rc traffic_plan_build(const struct platform *p, const struct workload *w, uint64_t seed,
                           struct traffic_plan **plan, struct err *e) {
    struct traffic_plan *t = mem_alloc(1, sizeof *t);
    *t = (struct traffic_plan){.platform = p, .workload = w, .seed = seed, .layer = -1};
    enum rc rc = job_build(p, w, &t->job, e);
    if (!rc && t->job) {
        t->group = t->job->groups; // each EP group draws with the popularities of the first one
        t->platform = t->group->platform;
    }
    if (!rc && w->routing.source == SOURCE_TRACE)
        rc = trace_load(t->platform, w, &t->record, &t->layer, e);
    if (!rc)
        rc = job_check_record(t->job, w, t->record, e);
    if (!rc && !t->record && w->routing.drift.value <= 0) {
        rc = find_popularity(t, 0, 0, &t->popularity, &t->popularity_notes, e);
        t->same = true;
    }
    if (rc)
        traffic_plan_free(t);
    else
        *plan = t;
    return rc;
}

void traffic_plan_free(struct traffic_plan *plan) {
    if (!plan)
        return;
    job_release(plan->job);
    record_free(plan->record);
    popularity_clear(&plan->popularity);
    buf_clear(&plan->popularity_notes);
    free(plan);
}

int traffic_plan_layers(const struct traffic_plan *plan) {
    return plan->record && plan->layer < 0 ? record_layers(plan->record) : 1;
}

int64_t traffic_plan_batches(const struct traffic_plan *plan) {
    const struct record *r = plan->record;
    if (!r || r->kind == RECORD_COUNTS)
        return 0;
    return r->kind == RECORD_MATRIX
               ? 1
               : traffic_routes_batches(r->routes, plan->layer < 0 ? 0 : plan->layer, plan->workload,
                                        plat_ranks(plan->platform));
}

/* --- expected values ------------------------------------------------------------------------------- */

/* Appends one source's expected rows, of which `each` holds those of one token. */
static void expect_source(const struct drawing *d, int src, const double *inclusion, struct rows *rows,
                          const struct sent *each) {
    double tokens = (double)d->traffic->tokens[src];
    sent_scale(each, rows->platform, tokens, &rows->sent);
    if (rows->shared->kind != SHARED_NOT_SENT)
        expected_shared(rows, src, tokens, &rows->sent);
    for (int i = 0; i < d->placement->experts; i++)
        d->traffic->expert_load[i] += tokens * inclusion[i];
    rows_append(rows, src);
}

static const double *shares_of(const struct drawing *d, int src) {
    return d->shares ? d->shares + (size_t)src * (size_t)d->placement->experts : d->popularity.inclusion;
}

static enum rc expect_all(struct drawing *d, struct rows *rows, struct err *e) {
    struct choice *c = NULL;
    struct sent each;
    enum rc rc = RC_OK;
    sent_init(&each, rows->platform);
    for (int src = 0; src < d->ranks && !rc; src++) {
        const double *inclusion = shares_of(d, src);
        if (src == 0 || d->shares) {
            choice_free(c);
            c = NULL;
            rc = choice_build(&d->popularity.shape, inclusion, &c, e);
            if (rc)
                break;
        }
        if (src == 0 || d->shares || !replicas_same(rows->replicas)) {
            replicas_source(rows->replicas, src);
            expected_token(c, inclusion, rows);
            sent_scale(&rows->sent, rows->platform, 1, &each);
        }
        expect_source(d, src, inclusion, rows, &each);
    }
    sent_clear(&each);
    choice_free(c);
    return rc;
}

/* --- drawn tokens ----------------------------------------------------------------------------------- */

static enum rc draw_all(struct drawing *d, struct rows *rows, struct err *e) {
    int k = d->popularity.shape.top_k;
    int *ids = mem_alloc((size_t)k, sizeof *ids);
    struct choice *c = NULL;
    enum rc rc = RC_OK;
    for (int src = 0; src < d->ranks && !rc; src++) {
        if (src == 0 || d->shares) {
            choice_free(c);
            c = NULL;
            rc = choice_build(&d->popularity.shape, shares_of(d, src), &c, e);
            if (rc)
                break;
        }
        struct rng rng;
        rng_init(&rng, d->seed, "routing", (uint64_t)src);
        rows_source(rows, src);
        for (int64_t t = 0; t < d->traffic->tokens[src]; t++) {
            choice_draw(c, &rng, ids);
            rows_token(rows, ids, k);
        }
        rows_source_end(rows);
    }
    choice_free(c);
    free(ids);
    return rc;
}

/* --- one draw --------------------------------------------------------------------------------------- */

static const struct routes *routes_of(const struct drawing *d) {
    const struct record *r = d->plan->record;
    return r && r->kind == RECORD_ROUTES ? r->routes : NULL;
}

static enum rc take_tokens(struct drawing *d, struct err *e) {
    const struct workload *w = d->workload;
    struct traffic *t = d->traffic;
    struct tokens_ask ask = {.ranks = d->ranks,
                             .each = w->tokens_per_rank,
                             .list = w->tokens_list,
                             .path = w->tokens_path,
                             .cv = w->tokens_cv.value,
                             .idle = w->tokens_idle.value,
                             .seed = d->seed};
    t->tokens = mem_alloc((size_t)d->ranks, sizeof *t->tokens);
    if (d->plan->tokens) {
        memcpy(t->tokens, d->plan->tokens, (size_t)d->ranks * sizeof *t->tokens);
        return RC_OK;
    }
    return routes_of(d) ? RC_OK : tokens_fill(&ask, t->tokens, &t->notes, e);
}

static enum rc place_experts(struct drawing *d, struct err *e) {
    const struct workload *w = d->workload;
    const struct ep_group *group = d->plan->group;
    const struct platform *experts = group ? group->experts : d->plan->platform;
    struct placement_ask ask = {.kind = w->placement,
                                .remainder = w->placement_remainder,
                                .packing = w->placement_packing,
                                .ranks = plat_ranks(experts),
                                .groups = plat_is_even(experts) ? (int)experts->groups : 0,
                                .experts = (int)w->experts,
                                .slots = (int)w->placement_slots,
                                .routing_groups = (int)(w->expert_groups ? w->expert_groups : w->routing.n_group),
                                .load = d->popularity.load,
                                .path = w->placement_path,
                                .layer = w->routing.layer_given ? w->routing.layer : -1};
    enum rc rc = placement_build(&ask, &d->placement, e);
    if (!rc && d->placement->notes.n)
        buf_add(&d->traffic->notes, d->placement->notes.text, d->placement->notes.n);
    if (!rc)
        rc = popularity_check_groups(&d->popularity, d->placement, experts, e);
    if (!rc && group)
        job_place(d->plan->job, d->placement);
    return rc;
}

/* Rows of shared experts: one a token, by the mean load of the ranks over all sources. */
static void share_out(const struct drawing *d, struct rows *rows) {
    static const char *const where[] = {NULL, "to the own rank", "to the least loaded ranks"};
    const struct workload *w = d->workload;
    size_t n = (size_t)d->ranks;
    double *load = mem_alloc(n, sizeof *load), *sum = mem_alloc(n, sizeof *sum);
    bool same = replicas_same(rows->replicas);
    for (int src = 0; src < (same ? 1 : d->ranks) && w->shared_experts == SHARED_LEAST_LOADED; src++) {
        replicas_source(rows->replicas, src);
        replicas_load(rows->replicas, d->popularity.load, load);
        for (size_t i = 0; i < n; i++)
            sum[i] += load[i] * (same || routes_of(d) ? 1 : (double)d->traffic->tokens[src]);
    }
    shared_init(rows->shared, w->shared_experts, d->ranks, sum, (int)w->top_k);
    if (w->shared_experts != SHARED_NOT_SENT)
        buf_printf(&d->traffic->notes, "shared experts: one more row a token, %s\n", where[w->shared_experts]);
    free(load);
    free(sum);
}

/* Sets the most rows that a source may send an expert. */
static enum rc set_capacity(const struct workload *w, struct rows *rows, struct err *e) {
    double rows_each = w->capacity_factor.value * (double)w->tokens_per_rank * (double)w->top_k / (double)w->experts;
    if (!w->capacity_factor.given)
        return RC_OK;
    if (rows_each < 1 && w->capacity_rounding == 0)
        return err_set(e, RC_RANGE,
                       "capacity_factor %g allows a source %.4g rows an expert, less than one: no row would be sent; "
                       "--set workload.capacity_rounding=ceil allows one",
                       w->capacity_factor.value, rows_each);
    // 1e-9: a product that is whole stays whole
    rows->capacity = (int64_t)(w->capacity_rounding ? ceil(rows_each * (1 - 1e-9)) : floor(rows_each * (1 + 1e-9)));
    rows->pad = w->capacity_policy != 0;
    return RC_OK;
}

/* Everything beside the choice of experts that decides where rows go. */
static enum rc choose_places(struct drawing *d, struct rows *rows, struct err *e) {
    const struct replicas_ask ask = {.placement = d->placement,
                                     .platform = d->plan->platform,
                                     .choice = (enum replica_choice)d->workload->replica_choice,
                                     .cap = d->workload->replica_cap.value,
                                     .load = d->popularity.load,
                                     .seed = d->seed};
    rows->replicas = replicas_build(&ask);
    rows->shared = mem_alloc(1, sizeof *rows->shared);
    replicas_note(rows->replicas, &d->traffic->notes);
    share_out(d, rows);
    return set_capacity(d->workload, rows, e);
}

static enum rc fill(struct drawing *d, struct err *e) {
    const struct workload *w = d->workload;
    struct traffic *t = d->traffic;
    bool whole = w->routing.draw == DRAW_SAMPLED;
    struct rows rows;
    matrix_init(&t->one_hop, d->ranks, 0, whole);
    matrix_init(&t->one_hop_rank, d->ranks, 0, whole);
    for (int cut = 0; cut < d->plan->platform->n_tiers - 1; cut++)
        matrix_init(&t->hop_a[cut], d->ranks, 0, whole);
    rows_init(&rows, d->plan->platform, d->placement, t);
    enum rc rc = choose_places(d, &rows, e);
    if (!rc)
        rc = routes_of(d) ? traffic_routes_fill(routes_of(d), d->layer, w, &rows, e)
                 : whole      ? draw_all(d, &rows, e)
                              : expect_all(d, &rows, e);
    if (!rc) {
        rows_relay(d->plan->platform, TIER_FAST, &t->one_hop, &t->hop_b);
        rows_relay(d->plan->platform, TIER_FAST, &t->one_hop_rank, &t->hop_b_rank);
        matrix_sums(&t->one_hop, false, true, t->rank_load);
        for (int src = 0; src < d->ranks; src++)
            t->tokens_total += t->tokens[src];
        t->fan_out = t->tokens_total ? matrix_total(&t->hop_a[TIER_FAST], true) / (double)t->tokens_total : 0;
        t->over_capacity = rows.over_capacity;
        if (rows.capacity)
            buf_printf(&t->notes, "capacity %lld rows a source and expert: %lld rows dropped, %lld added\n",
                       (long long)rows.capacity, (long long)rows.over_capacity, (long long)rows.padding);
        rc = traffic_check_bytes(t, (double)w->hidden * workload_element_bytes(w), e);
    }
    replicas_free(rows.replicas);
    shared_clear(rows.shared);
    free(rows.shared);
    rows_clear(&rows);
    return rc;
}

/* A record that is the matrix: bytes as they are, nothing else is known. */
static enum rc take_matrix(struct drawing *d) {
    struct traffic *t = d->traffic;
    const struct record *r = d->plan->record;
    t->unit = TRAFFIC_BYTES;
    matrix_scale(&r->bytes, 1, &t->one_hop);
    t->one_hop.whole = r->bytes.whole;
    matrix_scale(&r->bytes, 1, &t->one_hop_rank); // whatever the de-duplication, these are the bytes
    t->one_hop_rank.whole = r->bytes.whole;
    for (int cut = 0; cut < d->plan->platform->n_tiers - 1; cut++)
        matrix_init(&t->hop_a[cut], d->ranks, 0, true);
    rows_relay(d->plan->platform, TIER_FAST, &t->one_hop, &t->hop_b);
    matrix_scale(&t->hop_b, 1, &t->hop_b_rank);
    matrix_sums(&t->one_hop, false, true, t->rank_load);
    t->max_over_mean = stat_max_over_mean(t->rank_load, (size_t)d->ranks);
    buf_text(&t->notes, "a matrix of bytes: no de-duplication, workload geometry unused\n");
    return RC_OK;
}

static void start_notes(struct drawing *d) {
    const struct traffic_plan *plan = d->plan;
    const struct record *r = plan->record;
    struct traffic *t = d->traffic;
    if (!r)
        return;
    memcpy(t->trace_sha256, r->sha256, sizeof t->trace_sha256);
    if (r->kind == RECORD_MATRIX) {
        buf_text(&t->notes, record_notes(r));
        return;
    }
    t->layer = record_layer(r, d->layer);
    if (plan->layer < 0)
        buf_printf(&t->notes, "layer %lld of the record%s\n", (long long)t->layer,
                   d->layer == 0 ? ", its first" : "");
    buf_text(&t->notes, record_notes(r));
}

static enum rc make(struct drawing *d, struct err *e) {
    const struct workload *w = d->workload;
    struct traffic *t = d->traffic;
    const struct record *r = d->plan->record;
    t->expert_load = mem_alloc((size_t)w->experts, sizeof *t->expert_load);
    t->rank_load = mem_alloc((size_t)d->ranks, sizeof *t->rank_load);
    start_notes(d);
    if (r && r->kind == RECORD_MATRIX)
        return take_matrix(d);
    enum rc rc = RC_OK;
    if (d->plan->same) {
        d->popularity = d->plan->popularity;
        buf_add(&t->notes, d->plan->popularity_notes.text, d->plan->popularity_notes.n);
    } else {
        rc = find_popularity(d->plan, d->layer, t->batch, &d->popularity, &t->notes, e);
    }
    t->max_over_mean = d->popularity.max_over_mean;
    if (!rc)
        rc = place_experts(d, e);
    if (!rc)
        rc = take_tokens(d, e);
    if (!rc && w->routing.pair_sigma.value > 0) {
        struct pairs_ask pairs = {.ranks = d->ranks,
                                  .experts = (int)w->experts,
                                  .top_k = (int)w->top_k,
                                  .pools = d->popularity.shape.n_groups,
                                  .base = d->popularity.inclusion,
                                  .tokens = t->tokens,
                                  .sigma = w->routing.pair_sigma.value,
                                  .seed = d->plan->seed};
        d->shares = pairs_build(&pairs, &t->notes);
    }
    return rc ? rc : fill(d, e);
}

static enum rc draw_one(struct drawing *d, int64_t batch, struct traffic **traffic, struct err *e) {
    struct traffic *t = mem_alloc(1, sizeof *t);
    d->ranks = plat_ranks(d->plan->platform);
    d->traffic = t;
    t->ranks = d->ranks;
    t->experts = (int)d->workload->experts;
    t->layer = -1;
    t->batch = batch;
    enum rc rc = make(d, e);
    if (rc)
        traffic_free(t);
    else
        *traffic = t;
    if (!d->plan->same)
        popularity_clear(&d->popularity);
    placement_free(d->placement);
    free(d->shares);
    return rc;
}

/* Draws each EP group as if alone, the first one with the seed itself. */
static enum rc draw_groups(struct drawing *d, int64_t batch, const int64_t *tokens, struct traffic *all,
                           struct err *e) {
    const struct job *job = d->plan->job;
    int64_t *own = mem_alloc((size_t)job->ep, sizeof *own);
    enum rc rc = RC_OK;
    for (int g = 0; g < job->n_groups && !rc; g++) {
        struct traffic_plan plan = *d->plan;
        struct drawing part = *d;
        part.plan = &plan;
        plan.group = &job->groups[g];
        plan.platform = plan.group->platform;
        plan.tokens = routes_of(d) ? NULL : own;
        plan.seed += (uint64_t)g * 0xD1B54A32D192ED03u;
        part.seed += (uint64_t)g * 0xD1B54A32D192ED03u;
        for (int i = 0; i < job->ep; i++)
            own[i] = job->sends && !job->sends[i] ? 0 : tokens[plan.group->job_rank[i]];
        rc = draw_one(&part, batch, &all->parts[g], e);
    }
    free(own);
    return rc;
}

static enum rc draw(struct drawing *d, int64_t batch, struct traffic **traffic, struct err *e) {
    struct job *job = d->plan->job;
    if (!job)
        return draw_one(d, batch, traffic, e);
    struct traffic *all = mem_alloc(1, sizeof *all);
    all->job = job_hold(job);
    all->parts = mem_alloc((size_t)job->n_groups, sizeof(struct traffic *));
    d->traffic = all;
    d->ranks = job->ranks;
    enum rc rc = take_tokens(d, e);
    if (!rc)
        rc = draw_groups(d, batch, all->tokens, all, e);
    if (rc)
        traffic_free(all);
    else
        *traffic = job_unite(all);
    return rc;
}

enum rc traffic_plan_draw(const struct traffic_plan *plan, int64_t number, struct traffic **traffic,
                          struct err *e) {
    int layers = traffic_plan_layers(plan);
    struct drawing d = {.plan = plan,
                        .workload = plan->workload,
                        .seed = plan->seed ^ (uint64_t)number * 0x9E3779B97F4A7C15u,
                        .layer = plan->layer >= 0 ? plan->layer : (int)(number % layers)};
    return draw(&d, plan->workload->routing.batch + number / layers, traffic, e);
}

enum rc traffic_plan_layer(const struct traffic_plan *plan, int layer, struct traffic **traffic, struct err *e) {
    struct workload w = *plan->workload; // shares everything with the original but the layer
    w.routing.layer_given = plan->record && plan->record->kind != RECORD_MATRIX;
    w.routing.layer = w.routing.layer_given ? record_layer(plan->record, layer) : 0;
    struct drawing d = {.plan = plan, .workload = &w, .seed = plan->seed, .layer = layer};
    return draw(&d, w.routing.batch, traffic, e);
}

enum rc traffic_build(const struct platform *p, const struct workload *w, uint64_t seed,
                      struct traffic **traffic, struct err *e) {
    struct traffic_plan *plan;
    enum rc rc = traffic_plan_build(p, w, seed, &plan, e);
    if (rc)
        return rc;
    rc = traffic_plan_draw(plan, 0, traffic, e);
    traffic_plan_free(plan);
    return rc;
}

void traffic_free(struct traffic *t) {
    if (!t)
        return;
    for (int g = 0; t->job && g < t->job->n_groups; g++)
        traffic_free(t->parts[g]);
    free(t->parts);
    job_release(t->job);
    matrix_clear(&t->one_hop);
    matrix_clear(&t->one_hop_rank);
    for (int cut = 0; cut < TIER_MAX; cut++)
        matrix_clear(&t->hop_a[cut]);
    matrix_clear(&t->hop_b);
    matrix_clear(&t->hop_b_rank);
    free(t->expert_load);
    free(t->rank_load);
    free(t->tokens);
    buf_clear(&t->notes);
    free(t);
}
