/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands about the simulator itself: bound, conservation, monotonicity; on recorded, skewed routing. */
#include "validation/estimand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"
#include "platforms/base/mem.h"
#include "validation/bench.h"
#include "workloads/strategy.h"

/* Checks a property on one skewed call. */
typedef enum rc (*case_f)(const struct estimand_input *in, struct bench *b, const char *label,
                          double *worst, struct gate_evidence *x, struct err *e);

struct shape {
    const char *set; /* of dgx-h100 */
    bool quick;
};
static const struct shape shapes[] = {
    {"groups=2 ranks_per_group=4", true},
    {"groups=4 ranks_per_group=2 slow.oversubscription=2", true},
    {"groups=1 ranks_per_group=8", true},
    {"groups=4 ranks_per_group=4 port_bandwidth=450GBps", false},
    {"groups=8 ranks_per_group=4 slow.oversubscription=2", false}};
static const char *const windows[] = {"1", "8", "all"};

static enum rc skewed_cases(const struct estimand_input *in, case_f run, double *worst,
                            struct gate_evidence *x, struct err *e) {
    enum rc rc = RC_OK;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int i = 0; i < 6 && !rc; i++) {
            if (!in->tools.full && !shapes[s].quick)
                continue;
            char how[40], label[48];
            snprintf(how, sizeof how, "window=%s", windows[i % 3]);
            enum strategy strategy = i / 3 ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP;
            snprintf(label, sizeof label, "%s, shape %zu, window %s", strategy_name(strategy), s + 1,
                     windows[i % 3]);
            const struct bench_ask ask = {"dgx-h100", shapes[s].set, "olmoe-github",
                                          "tokens_per_rank=256", "nccl-p2p", how, strategy,
                                          (uint64_t)i + 1};
            struct bench b;
            rc = bench_open(&ask, &b, e);
            if (rc)
                break;
            rc = run(in, &b, label, worst, x, e);
            bench_close(&b);
        }
    return rc;
}

static enum rc time_of(const struct estimand_input *in, const struct call *call,
                       const struct costs *costs, double *time_s, struct err *e) {
    return simulate_time(in->tools.simulator, call, costs, time_s, e);
}

/* --- bound ------------------------------------------------------------------------------------ */

static enum rc bound_case(const struct estimand_input *in, struct bench *b, const char *label,
                          double *worst, struct gate_evidence *x, struct err *e) {
    struct costs costs[2];
    costs_wire(&b->call, &costs[0]);
    costs_treatment(&b->call, b->platform->alpha_treatments.n - 1, &costs[1]);
    for (int i = 0; i < 2; i++) {
        double time_s, bound_s = bound_call_s(&b->call, &costs[i]);
        enum rc rc = time_of(in, &b->call, &costs[i], &time_s, e);
        if (rc)
            return rc;
        if (bound_s > 0)
            *worst = fmax(*worst, (bound_s - time_s) / bound_s);
        gate_add_point(x, true, time_s, bound_s, "%s, %.8s", label, costs[i].name);
    }
    return RC_OK;
}

enum rc estimand_bound(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    double worst = -INFINITY;
    enum rc rc = skewed_cases(in, bound_case, &worst, x, e);
    if (rc)
        return rc;
    gate_add_metric(x, "worst_below_bound", METRIC_NUMBER, worst);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)x->n_points);
    return RC_OK;
}

/* --- conservation ------------------------------------------------------------------------------ */

static enum rc conservation_case(const struct estimand_input *in, struct bench *b, const char *label,
                                 double *worst, struct gate_evidence *x, struct err *e) {
    size_t n = (size_t)b->topology->n_links;
    double *due = mem_alloc(n, sizeof *due);
    double tier[2][TIER_MAX] = {{0}};
    struct costs wire;
    struct outcome o = {0};
    costs_wire(&b->call, &wire);
    enum rc rc = in->tools.simulator->run(&b->call, &wire, 1, in->tools.simulator->context, &o, e);
    if (!rc && !o.link_bytes)
        rc = err_set(e, RC_UNSUPPORTED, "the engine does not count bytes on links");
    for (int stage = 0; stage < b->call.n_stages; stage++)
        call_link_load(&b->call, stage, due, NULL);
    for (size_t i = 0; i < n && !rc; i++) {
        enum tier t = b->topology->links[i].tier;
        tier[0][t] += o.link_bytes[i];
        tier[1][t] += due[i];
        double scale = fmax(due[i], o.link_bytes[i]);
        if (scale > 0)
            *worst = fmax(*worst, fabs(o.link_bytes[i] - due[i]) / scale);
    }
    for (int t = 0; t < TIER_MAX && !rc; t++)
        if (tier[1][t] > 0)
            gate_add_point(x, true, tier[0][t], tier[1][t], "%s, %s", label, b->platform->tier[t].name);
    outcome_clear(&o);
    free(due);
    return rc;
}

enum rc estimand_conservation(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    double worst = 0;
    enum rc rc = skewed_cases(in, conservation_case, &worst, x, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < x->n_points; i++)
        worst = fmax(worst, fabs(x->points[i].predicted / x->points[i].measured - 1));
    gate_add_metric(x, "worst_difference", METRIC_NUMBER, worst);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)x->n_points);
    return RC_OK;
}

/* --- monotonicity ------------------------------------------------------------------------------ */

struct rises {
    double uniform, skewed, bound, scaling, permutation; /* worst relative change of each kind; 0: none */
    int anomalies;
};

static double rise(double before, double after) {
    return before > 0 ? (after - before) / before : 0;
}

/* Compares a call with the same call on a machine that differs in one setting. */
static enum rc compare_two(const struct estimand_input *in, const struct bench_ask *before,
                           const char *more, double time_s[2], double bound_s[2], struct err *e) {
    enum rc rc = RC_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        struct bench_ask ask = *before;
        char *set = mem_printf("%s %s", before->platform_set, i ? more : "");
        ask.platform_set = set;
        struct bench b;
        struct costs wire;
        rc = bench_open(&ask, &b, e);
        free(set);
        if (rc)
            break;
        costs_wire(&b.call, &wire);
        bound_s[i] = bound_call_s(&b.call, &wire);
        rc = time_of(in, &b.call, &wire, &time_s[i], e);
        bench_close(&b);
    }
    return rc;
}

/* Raises a whole tier: a uniform load with everything posted at once is never slower; a skewed one may be, by a little,
 * which is counted; the bound never rises. message_cost is fixed, so that nothing else changes. */
static enum rc raise_tiers(const struct estimand_input *in, const struct bench_ask *ask, bool uniform,
                           struct rises *r, struct gate_evidence *x, struct err *e) {
    static const char *const raised[] = {"fast.bandwidth=900GBps", "slow.bandwidth=80GBps"};
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        double time_s[2], bound_s[2];
        enum rc rc = compare_two(in, ask, raised[i], time_s, bound_s, e);
        if (rc)
            return rc;
        double slower = rise(time_s[0], time_s[1]);
        r->bound = fmax(r->bound, rise(bound_s[0], bound_s[1]));
        if (uniform)
            r->uniform = fmax(r->uniform, slower);
        else
            r->skewed = fmax(r->skewed, slower);
        r->anomalies += !uniform && slower > 1e-9;
        gate_add_point(x, true, time_s[1], time_s[0], "%s %s %.21s", uniform ? "uniform" : "skewed",
                       strategy_name(ask->strategy), raised[i]);
    }
    return RC_OK;
}

/* Scales bytes and bandwidth by four, the cost of a message the same: nothing changes. Fewer bytes never raise the
 * bound. */
static enum rc scale_all(const struct estimand_input *in, const struct bench_ask *ask, struct rises *r,
                         struct err *e) {
    struct bench b;
    enum rc rc = bench_open(ask, &b, e);
    if (rc)
        return rc;
    char *more = mem_printf("fast.bandwidth=%.0fGBps slow.bandwidth=%.0fGBps",
                            4e-9 * b.platform->tier[TIER_FAST].bandwidth_Bps.value,
                            4e-9 * b.platform->tier[plat_slow(b.platform)].bandwidth_Bps.value);
    char *set = mem_printf("%s %s", ask->platform_set, more);
    struct bench_ask large = *ask;
    large.platform_set = set;
    large.workload_set = "tokens_per_rank=256 hidden=8192";
    struct bench scaled;
    rc = bench_open(&large, &scaled, e);
    struct costs wire = {0};
    double before_s = 0, after_s = 0;
    if (!rc) {
        rc = time_of(in, &b.call, &wire, &before_s, e);
        if (!rc)
            rc = time_of(in, &scaled.call, &wire, &after_s, e);
        r->scaling = fmax(r->scaling, fabs(rise(before_s, after_s)));
        large.platform_set = ask->platform_set;
        bench_close(&scaled);
    }
    if (!rc)
        rc = bench_open(&large, &scaled, e);
    if (!rc) { // the same machine with four times the bytes
        r->bound = fmax(r->bound, rise(bound_call_s(&scaled.call, &wire), bound_call_s(&b.call, &wire)));
        bench_close(&scaled);
    }
    bench_close(&b);
    free(more);
    free(set);
    return rc;
}

/* Returns where a rank goes: the next place of its group; in odd groups, if they may differ, the place before. */
static int moved(const struct platform *p, int rank, bool differ) {
    int local = plat_local_of(p, rank), n = (int)p->ranks_per_group, group = plat_group_of(p, rank);
    int step = differ && group % 2 ? n - 1 : 1;
    return group * n + (local + step) % n;
}

static void permute(const struct platform *p, struct matrix *m, bool differ) {
    int ranks = m->ranks;
    size_t n = (size_t)ranks;
    bool whole = m->whole;
    double *before = matrix_dense(m), *after = mem_alloc(n * n, sizeof *after);
    size_t *to = mem_alloc(n, sizeof *to);
    for (int rank = 0; rank < ranks; rank++)
        to[rank] = (size_t)moved(p, rank, differ);
    for (size_t src = 0; src < n; src++)
        for (size_t dst = 0; dst < n; dst++)
            after[to[src] * n + to[dst]] = before[src * n + dst];
    matrix_clear(m);
    matrix_from_dense(after, ranks, whole, m);
    free(to);
    free(before);
    free(after);
}

/* Renames ranks inside their groups, everything posted at once: no time changes. With two hops all groups are renamed
 * alike, since a rank's hop A ends at the ranks of equal index. */
static enum rc permute_ranks(const struct estimand_input *in, const struct bench_ask *ask,
                             struct rises *r, struct err *e) {
    struct bench b;
    struct costs wire = {0};
    double before_s = 0, after_s = 0;
    enum rc rc = bench_open(ask, &b, e);
    if (rc)
        return rc;
    rc = time_of(in, &b.call, &wire, &before_s, e);
    for (int i = 0; i < b.call.n_stages; i++)
        permute(b.platform, &b.call.stages[i].bytes, ask->strategy == STRATEGY_ONE_HOP);
    if (!rc)
        rc = time_of(in, &b.call, &wire, &after_s, e);
    r->permutation = fmax(r->permutation, fabs(rise(before_s, after_s)));
    bench_close(&b);
    return rc;
}

enum rc estimand_monotonic(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const char *const machines[] = {
        "groups=2 ranks_per_group=4 fast.message_cost=0.1us slow.message_cost=1us",
        "groups=4 ranks_per_group=2 slow.oversubscription=2 fast.message_cost=0.1us slow.message_cost=1us",
        "groups=8 ranks_per_group=4 fast.message_cost=0.1us slow.message_cost=1us"};
    struct rises r = {0};
    enum rc rc = RC_OK;
    for (int i = 0; i < 6 && !rc; i++) {
        if (!in->tools.full && i / 2 == 2)
            continue;
        struct bench_ask ask = {"dgx-h100",
                                machines[i / 2],
                                "terrace-reference",
                                "tokens_per_rank=256 group_limit=none routing.mode=global_topk",
                                "nccl-p2p",
                                "window=all",
                                i % 2 ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP,
                                1};
        rc = raise_tiers(in, &ask, true, &r, x, e);
        ask.workload = "olmoe-github";
        ask.workload_set = "tokens_per_rank=256";
        for (uint64_t seed = 1; seed <= (in->tools.full ? 8 : 2) && !rc; seed++) {
            ask.seed = seed;
            ask.implementation_set = seed % 2 ? "window=all" : "window=8";
            rc = raise_tiers(in, &ask, false, &r, x, e);
        }
        if (!rc)
            rc = scale_all(in, &ask, &r, e);
        ask.implementation_set = "window=all";
        if (!rc)
            rc = permute_ranks(in, &ask, &r, e);
    }
    if (rc)
        return rc;
    gate_add_metric(x, "worst_uniform_rise", METRIC_NUMBER, r.uniform);
    gate_add_metric(x, "worst_bound_rise", METRIC_NUMBER, r.bound);
    gate_add_metric(x, "worst_scaling_change", METRIC_NUMBER, r.scaling);
    gate_add_metric(x, "worst_permutation", METRIC_NUMBER, r.permutation);
    gate_add_metric(x, "worst_skewed_rise", METRIC_SHARE, r.skewed);
    gate_add_metric(x, "skewed_rises", METRIC_COUNT, r.anomalies);
    return RC_OK;
}
