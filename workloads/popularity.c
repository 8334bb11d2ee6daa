/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/popularity.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/draw/skew.h"

/* Fractions in a record are rounded: max/mean may stand this much above its ceiling. */
static const double ceiling_tolerance = 1e-9;

void popularity_record_ask(const struct workload *w, struct record_ask *ask) {
    *ask = (struct record_ask){
        .counts = {(int)w->experts, w->routing.model, w->routing.corpus},
        .routes = {.experts = (int)w->experts,
                   .top_k = (int)w->top_k,
                   .router_experts = (int)w->routing.router_experts,
                   .slots = (int)w->placement_slots,
                   .drop_zero_weight = w->routing.zero_weight != 0,
                   .batch_rows = w->routing.batch_rows,
                   .batch_valid = w->routing.batch_valid},
        .as = w->routing.record,
        .row_bytes = (double)w->hidden * workload_element_bytes(w),
    };
}

static void set_shape(const struct popularity_ask *ask, struct choice_shape *s) {
    const struct workload *w = ask->workload;
    *s = (struct choice_shape){
        .mode = w->routing.mode,
        .experts = (int)w->experts,
        .top_k = (int)w->top_k,
        .n_groups = w->routing.mode == MODE_GLOBAL_TOPK ? 1 : (int)ask->platform->groups,
        .group_limit = (int)w->group_limit,
        .router = {(int)w->routing.n_group, (int)w->routing.topk_group, w->routing.group_score},
    };
}

/* Appends a note where a router of the model's own has replaced a mode that was written for the machine's groups. */
static void note_mode(const struct routing_keys *r, struct buf *notes) {
    if (r->mode != r->mode_written)
        buf_printf(notes, "routing.mode '%s' is taken as 'global_topk': routing.n_group is given, and no group_limit\n",
                   r->mode_written == MODE_FULL ? "full" : "quota_only");
}

static enum rc take_counts(const struct popularity_ask *ask, double *weight, struct buf *notes,
                           struct err *e) {
    const struct workload *w = ask->workload;
    const struct counts *c = ask->record->counts;
    size_t n = (size_t)w->experts;
    struct choice_shape shape;
    set_shape(ask, &shape);
    bool imposed = w->routing.mode != MODE_GLOBAL_TOPK || choice_by_scores(&shape);
    double ceiling = (double)w->experts / (double)w->top_k;
    if (c->n_named < c->n_experts)
        return err_set(
            e, RC_SHAPE,
            "%s: no record of experts %d to %d, is workload.experts %d too high? use --set "
            "workload.experts=%d, or add them with count 0",
            w->trace_path, c->n_named, c->n_experts - 1, c->n_experts, c->n_named);
    memcpy(weight, c->counts + (size_t)ask->layer * n, n * sizeof *weight);
    double most = stat_max_over_mean(weight, n);
    if (most > ceiling * (1 + ceiling_tolerance))
        return err_set(
            e, RC_RANGE,
            "%s: layer %lld: the busiest expert has %.6g times the mean, but %.6g (experts / "
            "top_k) is the most: a token chooses an expert once",
            w->trace_path, (long long)c->layer[ask->layer], most, ceiling);
    if (imposed)
        buf_text(notes,
                 "the routing mode is imposed on the record: its counts are popularities, the "
                 "loads differ from them\n");
    buf_printf(notes, "marginals only: %s, joint draw by maximum entropy\n",
               w->routing.pair_sigma.value > 0
                   ? "pair skew is added to them"
                   : "every source rank draws from the same distribution (rank-one matrix)");
    return RC_OK;
}

static enum rc take_synthetic(const struct popularity_ask *ask, const struct choice_shape *shape,
                              double *weight, struct buf *notes, struct err *e) {
    const struct routing_keys *r = &ask->workload->routing;
    int ranks = r->rho_ep ? (int)r->rho_ep : plat_ranks(ask->platform);
    struct skew s = {.shape = *shape,
                     .family = r->family,
                     .ranks = ranks,
                     .rho_max = r->rho_max.value,
                     .cv = r->cv.value,
                     .parameter = r->exponent.value,
                     .seed = ask->seed,
                     .drift = r->drift.value,
                     .step = ask->step};
    if (r->hot_ratio.given) {
        s.family = SKEW_HOT_RANK;
        s.rho_max = skew_rho_of_hot_ratio(r->hot_ratio.value, ranks);
        buf_printf(notes,
                   "hot_ratio %g (hot rank over the mean of the other ranks) is rho_max %.6g on %d "
                   "ranks\n",
                   r->hot_ratio.value, s.rho_max, ranks);
    }
    if (r->preset != PRESET_NONE) {
        enum { LOWEST = 8, HIGHEST = 64 }; // EP of the public figures
        if (!r->rho_ep)
            s.ranks = ranks < LOWEST ? LOWEST : ranks > HIGHEST ? HIGHEST : ranks;
        else if (ranks < LOWEST || ranks > HIGHEST)
            return err_set(e, RC_RANGE, "routing.preset is known for EP %d to %d, rho_ep is %d",
                           LOWEST, HIGHEST, ranks);
        // so hot that spread popularities hardly reach it
        if (r->preset == PRESET_BAD_LAYER && !r->family_given)
            s.family = SKEW_HOT_RANK;
        s.rho_max = skew_preset_rho((enum skew_preset)(r->preset - PRESET_MIXED_WEB), s.ranks);
    }
    enum rc rc = skew_weights(&s, weight, notes, e);
    if (!rc && r->pair_sigma.value <= 0)
        buf_text(notes, "every source rank draws from the same distribution (rank-one matrix)\n");
    return rc;
}

static enum rc take_weights(const struct popularity_ask *ask, struct popularity *p,
                            struct buf *notes, struct err *e) {
    const int tokens = 1 << 25; // scores drawn to measure loads
    size_t n = (size_t)p->shape.experts;
    int source = ask->workload->routing.source;
    double *weight = mem_alloc(n, sizeof *weight);
    for (size_t i = 0; i < n; i++)
        weight[i] = 1;
    enum rc rc = source == SOURCE_TRACE       ? take_counts(ask, weight, notes, e)
                 : source == SOURCE_SYNTHETIC ? take_synthetic(ask, &p->shape, weight, notes, e)
                                              : RC_OK;
    if (!rc) {
        choice_inclusion(&p->shape, weight, tokens / p->shape.experts + 1, p->load);
        p->max_over_mean = stat_max_over_mean(source == SOURCE_SYNTHETIC ? p->load : weight, n);
        memcpy(p->inclusion, choice_by_scores(&p->shape) ? weight : p->load,
               n * sizeof *weight);
    }
    free(weight);
    return rc;
}

enum rc popularity_build(const struct popularity_ask *ask, struct popularity *p, struct buf *notes,
                         struct err *e) {
    size_t n = (size_t)ask->workload->experts;
    set_shape(ask, &p->shape);
    enum rc rc = choice_check(&p->shape, (enum routing_mode)p->shape.mode, e);
    if (rc)
        return rc;
    if (ask->workload->model_notes.n)
        buf_text(notes, ask->workload->model_notes.text);
    note_mode(&ask->workload->routing, notes);
    p->load = mem_alloc(n, sizeof *p->load);
    if (ask->record && ask->record->kind == RECORD_ROUTES) {
        bool all = ask->workload->routing.suspected == 0;
        routes_count(ask->record->routes, ask->layer, all, p->load);
        p->max_over_mean = stat_max_over_mean(p->load, n);
        return RC_OK;
    }
    p->inclusion = mem_alloc(n, sizeof *p->inclusion);
    return take_weights(ask, p, notes, e);
}

void popularity_clear(struct popularity *p) {
    free(p->inclusion);
    free(p->load);
    *p = (struct popularity){0};
}

enum rc popularity_check_groups(const struct popularity *p, const struct placement *placement,
                                const struct platform *platform, struct err *e) {
    if (p->shape.mode == MODE_GLOBAL_TOPK)
        return RC_OK;
    int size = p->shape.experts / p->shape.n_groups;
    int *image = mem_alloc((size_t)p->shape.n_groups, sizeof *image); // group of ranks + 1
    bool *taken = mem_alloc((size_t)p->shape.n_groups, sizeof *taken);
    enum rc rc = RC_OK;
    for (int i = 0; i < p->shape.experts && !rc; i++)
        for (int h = placement->home_start[i]; h < placement->home_start[i + 1] && !rc; h++) {
            int group = plat_group_of(platform, placement->home[h]), *own = &image[i / size];
            if (*own == 0 && !taken[group]) {
                *own = group + 1;
                taken[group] = true;
            }
            if (*own != group + 1)
                rc = err_set(
                    e, RC_SHAPE,
                    "the routing mode's group %d (experts %d to %d) does not lie on one group of "
                    "ranks of its own: expert %d is on rank %d; %s",
                    i / size, i / size * size, i / size * size + size - 1, i, placement->home[h],
                    !plat_is_even(platform) ? "the groups of ranks differ in size: use mode global_topk"
                    : placement->blocks     ? "the groups of ranks hold unequal numbers of experts: use mode "
                                              "global_topk, with the model's own groups in routing.n_group"
                                            : "use placement contiguous");
        }
    free(image);
    free(taken);
    return rc;
}
