/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/platform_data.h"
#include "validation/bench.h"

enum { MOST_PLACES = 4, LINK_TEXT = 40 };
static const double small_distance = 0.05; /* rms below it: nothing is wrong */
static const double must_explain = 0.5;    /* of the squares, or it is no cause */
static const double tied_share = 1.05; // noise of 3 % makes as much

static const char *const cause_names[CAUSES] = {"none",      "shared-uplink", "dead-rail", "slow-rank",
                                                "late-rank", "hot-rank",      "bytes",     "regime"};

const char *cause_name(int kind) {
    return cause_names[kind];
}

const char *elsewhere_name(int which) {
    static const char *const names[ELSEWHERES] = {"all-to-all of all ranks, 1 MiB a message",
                                                  "all-to-all inside the first group, 1 MiB a message",
                                                  "one pair between groups, 16 MiB"};
    return names[which];
}

/* --- a machine with a cause --------------------------------------------------------------------------- */

struct links {
    struct plat_degraded *items;
    char (*names)[LINK_TEXT];
    size_t n;
};

static void add_link(struct links *l, double factor, const char *format, long long number) {
    snprintf(l->names[l->n], LINK_TEXT, "%s-%lld", format, number);
    l->items[l->n] = (struct plat_degraded){l->names[l->n], {.value = factor, .given = true}};
    l->n++;
}

/* The links that a cause slows. */
static void slow_links(const struct samples *s, const struct cause *cause, struct links *l) {
    size_t most = 2 * (size_t)s->groups + 1;
    *l = (struct links){mem_alloc(most, sizeof *l->items), mem_alloc(most, sizeof *l->names), 0};
    if (cause->kind == CAUSE_SLOW_RANK)
        add_link(l, cause->size, "rank", cause->place);
    for (int64_t g = 0; g < s->groups && cause->kind == CAUSE_DEAD_RAIL; g++) {
        add_link(l, cause->size, "slow-out", g * s->ranks_per_group + cause->place);
        add_link(l, cause->size, "slow-in", g * s->ranks_per_group + cause->place);
    }
}

/* Opens the platform as the cause leaves it, of the log's shape. */
static enum rc open_machine(const struct diagnose_ask *ask, const struct cause *cause, struct bench *b,
                            struct err *e) {
    const struct samples *s = ask->samples;
    struct links slowed;
    slow_links(s, cause, &slowed);
    char *shape = mem_printf("groups=%lld ranks_per_group=%lld", (long long)s->groups, (long long)s->ranks_per_group);
    char *set = cause->kind == CAUSE_SHARED_UPLINK ? mem_printf("%s slow.oversubscription=%.17g", shape, cause->size)
                                                   : mem_copy(shape);
    char *layer = mem_printf("experts=%lld group_limit=none routing.mode=global_topk tokens_per_rank=1",
                             (long long)(8 * s->groups * s->ranks_per_group));
    const struct bench_ask how = {.platform = ask->platform, .platform_set = set, .workload = "terrace-reference",
                                  .workload_set = layer, .implementation = s->implementation,
                                  .strategy = STRATEGY_ONE_HOP};
    enum rc rc = bench_open_slowed(&how, slowed.items, slowed.n, b, e);
    free(layer);
    free(set);
    free(shape);
    free(slowed.names);
    free(slowed.items);
    return rc;
}

/* --- one timed point ------------------------------------------------------------------------------------ */

static bool is_call(const struct sample *s) {
    return s->quantity == SAMPLED_ALLTOALL || s->quantity == SAMPLED_ALLTOALLV || s->quantity == SAMPLED_DISPATCH ||
           s->quantity == SAMPLED_COMBINE;
}

static bool is_of_all(const struct samples *all, const struct sample *s) {
    return is_call(s) && s->world == all->groups * all->ranks_per_group;
}

static bool is_of_group(const struct samples *all, const struct sample *s) {
    return is_call(s) && s->span == SPANS_FAST && s->world == all->ranks_per_group;
}

static bool is_of_pairs(const struct samples *all, const struct sample *s) {
    int64_t most = s->span == SPANS_SLOW ? all->ranks_per_group : all->ranks_per_group / 2;
    return s->quantity == SAMPLED_PAIRS && s->senders <= most && (s->span == SPANS_FAST || all->groups > 1);
}

static bool is_used(const struct samples *all, const struct sample_point *p) {
    const struct sample *s = p->of;
    return p->median_s > 0 && s->send_bytes > 0 && (is_of_all(all, s) || is_of_group(all, s) || is_of_pairs(all, s));
}

/* Bytes from every one of the first ranks to every other; a hot rank receives more of them. */
static void fill_call(const struct sample *s, const struct cause *cause, int ranks, double *dense) {
    int world = (int)s->world, hot = -1;
    double weight = 1, bytes = s->send_bytes;
    if (cause->kind == CAUSE_HOT_RANK && s->quantity != SAMPLED_ALLTOALL) {
        hot = cause->place < world ? cause->place : world - 1;
        weight = cause->size;
    }
    if (cause->kind == CAUSE_BYTES)
        bytes /= cause->size;
    for (int src = 0; src < world; src++)
        for (int dst = 0; dst < world; dst++)
            dense[src * ranks + dst] = bytes * (dst == hot ? weight : 1) / (world - 1 + weight);
}

static void fill_pairs(const struct samples *all, const struct sample *s, int ranks, double *dense) {
    int group = (int)all->ranks_per_group;
    for (int k = 0; k < s->senders; k++) {
        int src = s->span == SPANS_SLOW ? k : 2 * k, dst = s->span == SPANS_SLOW ? group + k : 2 * k + 1;
        dense[src * ranks + dst] = s->message_bytes * (double)s->peers;
    }
}

/* Puts the bytes of a sample into the call. */
static void put_bytes(const struct samples *all, const struct sample *s, const struct cause *cause, struct bench *b) {
    int ranks = b->topology->ranks;
    double *dense = mem_alloc((size_t)ranks * (size_t)ranks, sizeof *dense);
    if (s->quantity == SAMPLED_PAIRS)
        fill_pairs(all, s, ranks, dense);
    else
        fill_call(s, cause, ranks, dense);
    matrix_clear(&b->call.stages[0].bytes);
    matrix_from_dense(dense, ranks, false, &b->call.stages[0].bytes);
    free(dense);
}

/* The fixed cost of a call of this world and regime, or that of the wire. */
static void price(const struct sample *s, const struct cause *cause, const struct bench *b, struct costs *costs) {
    enum regime regime = (enum regime)s->regime;
    char reason[200];
    if (cause->kind == CAUSE_REGIME)
        regime = regime == REGIME_AHEAD ? REGIME_OBSERVED : REGIME_AHEAD;
    costs_wire(&b->call, costs);
    if (s->quantity == SAMPLED_PAIRS)
        return;
    struct costs known;
    if (costs_known(&b->call, regime, &known, NULL, reason))
        *costs = known;
    costs->splits_s = costs->chain_s_per_pair = costs->chain_floor_s = 0;
}

static enum rc time_point(const struct diagnose_ask *ask, const struct sample *s, const struct cause *cause,
                       struct bench *b, double *time_s) {
    struct costs costs;
    struct err e;
    put_bytes(ask->samples, s, cause, b);
    price(s, cause, b, &costs);
    enum rc rc = simulate_time(ask->simulator, &b->call, &costs, time_s, &e);
    if (cause->kind == CAUSE_LATE_RANK && is_of_all(ask->samples, s))
        *time_s += cause->size;
    return rc;
}

enum rc diagnose_predict(const struct diagnose_ask *ask, const struct sample_points *points, const struct cause *cause,
                         double *times_s, struct err *e) {
    struct bench b;
    enum rc rc = open_machine(ask, cause, &b, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < points->n && !rc; i++) {
        times_s[i] = 0;
        if (is_used(ask->samples, &points->items[i]))
            rc = time_point(ask, points->items[i].of, cause, &b, &times_s[i]);
    }
    bench_close(&b);
    return rc ? err_set(e, rc, "%s: the simulation failed", cause_name(cause->kind)) : RC_OK;
}

/* --- one cause ---------------------------------------------------------------------------------------------- */

/* A search: what is asked, its points, room for their times, and the squares without a cause. */
struct search {
    const struct diagnose_ask *ask;
    struct sample_points points;
    double *times_s, *plain_s; /* under the cause at hand; without any */
    size_t n_used;
    double squares;
};

static double squares_left(const struct search *s) {
    double sum = 0;
    for (size_t i = 0; i < s->points.n; i++) {
        const struct sample_point *p = &s->points.items[i];
        double log_ratio = s->times_s[i] > 0 ? log(p->median_s / (double)p->of->calls / s->times_s[i]) : 0;
        sum += log_ratio * log_ratio;
    }
    return sum;
}

/* Sizes of a cause on a grid from low to high, each 2^(1/4) times the one before. */
struct grid {
    double low, high;
    bool has_place;
};
static const struct grid grids[CAUSES] = {
    [CAUSE_SHARED_UPLINK] = {1.25, 16, false}, [CAUSE_DEAD_RAIL] = {0.1, 0.9, true},
    [CAUSE_SLOW_RANK] = {0.1, 0.9, true},      [CAUSE_LATE_RANK] = {5e-6, 20e-3, false},
    [CAUSE_HOT_RANK] = {1.2, 8, false},        [CAUSE_REGIME] = {1, 1, false}};

/* A late rank changes no wire time: nothing is simulated again. */
static enum rc predict_all(struct search *s, const struct cause *c, struct err *e) {
    if (c->kind != CAUSE_LATE_RANK)
        return diagnose_predict(s->ask, &s->points, c, s->times_s, e);
    for (size_t i = 0; i < s->points.n; i++)
        s->times_s[i] = s->plain_s[i] + (is_of_all(s->ask->samples, s->points.items[i].of) ? c->size : 0);
    return RC_OK;
}

static enum rc try_one(struct search *s, const struct cause *c, struct finding *best, struct err *e) {
    enum rc rc = predict_all(s, c, e);
    if (rc)
        return rc;
    double rms = sqrt(squares_left(s) / (double)s->n_used);
    if (rms < best->rms)
        *best = (struct finding){.cause = *c, .rms = rms};
    return RC_OK;
}

static enum rc try_sizes(struct search *s, int kind, int place, struct finding *best, struct err *e) {
    const struct grid *g = &grids[kind];
    enum rc rc = RC_OK;
    for (double size = g->low; size <= g->high && !rc; size *= 1.189207115002721)
        rc = try_one(s, &(struct cause){kind, place, size}, best, e);
    return rc;
}

/* Ways in which benchmarks count: own part left out, all ranks' buffers, one message, half a round trip. */
static enum rc try_bytes(struct search *s, struct finding *best, struct err *e) {
    double n = (double)(s->ask->samples->groups * s->ask->samples->ranks_per_group);
    const double over[] = {n, 1 / n, (n - 1) / n, n / (n - 1), 2, 0.5};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < sizeof over / sizeof *over && !rc; i++)
        rc = try_one(s, &(struct cause){CAUSE_BYTES, -1, over[i]}, best, e);
    return rc;
}

/* First and last of the places that differ for calls of all ranks and of the first group, and for pairs. */
static int places(const struct samples *all, int kind, int into[static MOST_PLACES]) {
    int group = (int)all->ranks_per_group, ranks = (int)all->groups * group, n = 0;
    const int want[] = {0, group - 1, group, ranks - 1};
    for (int i = 0; i < (kind == CAUSE_DEAD_RAIL ? 2 : MOST_PLACES); i++)
        if (want[i] < ranks && (n == 0 || want[i] > into[n - 1]))
            into[n++] = want[i];
    return n;
}

static enum rc try_kind(struct search *s, int kind, struct finding *best, struct err *e) {
    const struct samples *all = s->ask->samples;
    int where[MOST_PLACES] = {-1};
    int n = grids[kind].has_place ? places(all, kind, where) : 1;
    *best = (struct finding){.rms = INFINITY};
    if (kind == CAUSE_BYTES)
        return try_bytes(s, best, e);
    if (kind == CAUSE_HOT_RANK)
        where[0] = (int)(all->groups * all->ranks_per_group) - 1;
    enum rc rc = RC_OK;
    for (int i = 0; i < n && !rc; i++)
        rc = try_sizes(s, kind, where[i], best, e);
    return rc;
}

/* --- elsewhere ------------------------------------------------------------------------------------------------ */

static enum rc time_elsewhere(const struct diagnose_ask *ask, const struct cause *cause, double times_s[ELSEWHERES],
                              struct err *e) {
    const struct samples *all = ask->samples;
    const double MiB = 1 << 20, group = (double)all->ranks_per_group, ranks = group * (double)all->groups;
    const struct sample calls[ELSEWHERES] = {
        {SAMPLED_ALLTOALLV, "", REGIME_AHEAD, SPANS_SLOW, (int64_t)ranks, 1, 1, 1, 0, 0, MiB, MiB * ranks, 0},
        {SAMPLED_ALLTOALLV, "", REGIME_AHEAD, SPANS_FAST, (int64_t)group, 1, 1, 1, 0, 0, MiB, MiB * group, 0},
        {SAMPLED_PAIRS, "", REGIME_AHEAD, SPANS_SLOW, 2, 1, 1, 1, 0, 0, 16 * MiB, 16 * MiB, 0}};
    struct bench b;
    enum rc rc = open_machine(ask, cause, &b, e);
    if (rc)
        return rc;
    for (int i = 0; i < ELSEWHERES && !rc; i++) {
        times_s[i] = 0;
        if ((i == ELSEWHERE_GROUP && all->ranks_per_group > 1) || (i != ELSEWHERE_GROUP && all->groups > 1))
            rc = time_point(ask, &calls[i], cause, &b, &times_s[i]);
    }
    bench_close(&b);
    return rc ? err_set(e, rc, "%s: the simulation failed", cause_name(cause->kind)) : RC_OK;
}

static enum rc look_elsewhere(const struct diagnose_ask *ask, struct diagnosis *d, struct err *e) {
    const struct cause none = {CAUSE_NONE, -1, 0};
    double without_s[ELSEWHERES], with_s[ELSEWHERES];
    enum rc rc = time_elsewhere(ask, &none, without_s, e);
    for (size_t i = 0; i < d->n && !rc; i++) {
        rc = time_elsewhere(ask, &d->items[i].cause, with_s, e);
        for (int k = 0; k < ELSEWHERES && !rc; k++)
            d->items[i].elsewhere[k] = without_s[k] > 0 ? with_s[k] / without_s[k] : 0;
    }
    return rc;
}

/* --- all causes -------------------------------------------------------------------------------------------------- */

static int by_rms(const void *a, const void *b) {
    double x = ((const struct finding *)a)->rms, y = ((const struct finding *)b)->rms;
    return (x > y) - (x < y);
}

static bool is_possible(const struct samples *all, int kind) {
    return all->groups > 1 || (kind != CAUSE_SHARED_UPLINK && kind != CAUSE_DEAD_RAIL);
}

static enum rc try_all(struct search *s, struct diagnosis *d, struct err *e) {
    struct finding none = {.rms = INFINITY};
    enum rc rc = try_one(s, &(struct cause){CAUSE_NONE, -1, 0}, &none, e);
    if (rc)
        return rc;
    memcpy(s->plain_s, s->times_s, s->points.n * sizeof *s->plain_s);
    d->rms = none.rms;
    for (int kind = CAUSE_NONE + 1; kind < CAUSES; kind++) {
        struct finding best;
        struct err skipped; // what this platform has no key for is no cause here
        if (!is_possible(s->ask->samples, kind) || try_kind(s, kind, &best, &skipped) || !isfinite(best.rms))
            continue;
        best.explained = none.rms > 0 ? 1 - best.rms * best.rms / (none.rms * none.rms) : 0;
        d->items[d->n++] = best;
    }
    qsort(d->items, d->n, sizeof *d->items, by_rms);
    d->healthy = none.rms < small_distance || !d->n || d->items[0].explained < must_explain;
    while (d->n_tied < d->n && d->items[d->n_tied].rms <= tied_share * d->items[0].rms)
        d->n_tied++;
    if (d->healthy) {
        d->n_tied = 1;
        memmove(&d->items[1], &d->items[0], d->n * sizeof *d->items);
        d->items[0] = none;
        d->n++;
    }
    return RC_OK;
}

/* Says where fixed costs are not known. */
static enum rc note_costs(const struct diagnose_ask *ask, struct diagnosis *d, struct err *e) {
    struct bench b;
    struct costs costs;
    char reason[200] = "";
    enum rc rc = open_machine(ask, &(struct cause){CAUSE_NONE, -1, 0}, &b, e);
    if (rc)
        return rc;
    if (!costs_known(&b.call, (enum regime)ask->samples->items[0].regime, &costs, NULL, reason))
        snprintf(d->note, sizeof d->note, "wire times only: %.200s", reason);
    bench_close(&b);
    return RC_OK;
}

enum rc diagnose(const struct diagnose_ask *ask, struct diagnosis *d, struct err *e) {
    struct search s = {.ask = ask};
    struct diagnosis made = {0};
    points_of(ask->samples, &s.points);
    s.times_s = mem_alloc(s.points.n + 1, sizeof *s.times_s);
    s.plain_s = mem_alloc(s.points.n + 1, sizeof *s.plain_s);
    for (size_t i = 0; i < s.points.n; i++)
        s.n_used += is_used(ask->samples, &s.points.items[i]);
    made.n_points = s.n_used;
    made.n_unused = s.points.n - s.n_used;
    enum rc rc = s.n_used ? RC_OK
                          : err_set(e, RC_UNSUPPORTED, "no all-to-all of all ranks or of one group and no pairs are "
                                    "among the samples: there is nothing to explain");
    if (!rc)
        rc = note_costs(ask, &made, e);
    if (!rc)
        rc = try_all(&s, &made, e);
    if (!rc)
        rc = look_elsewhere(ask, &made, e);
    free(s.plain_s);
    free(s.times_s);
    points_free(&s.points);
    if (!rc)
        *d = made;
    return rc;
}
