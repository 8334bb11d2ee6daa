/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands of the host regime, of the refusal outside the measured worlds, and of evidence still to come. */
#include "validation/estimand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "platforms/find.h"
#include "validation/bench.h"

/* --- host regime ------------------------------------------------------------------------------ */

/* Sizes up to plateau_bytes show the fixed cost alone; points that scatter more than spread_max are left out (as the
 * artifact does). */
static const double plateau_bytes = 4 * 1048576.0, spread_max = 0.30;
enum { CALLS_IN_A_ROW = 32, REGIMES = 2 };

/* Columns: world, total_bytes, then time and spread per regime. */
struct regime_columns {
    size_t world, bytes, time[REGIMES], spread[REGIMES];
};

static bool usable(const struct corpus *c, const struct regime_columns *k, size_t row, int world,
                   int regime) {
    return (int)corpus_value(c, row, k->world) == world &&
           corpus_value(c, row, k->spread[regime]) <= spread_max;
}

/* Returns the fixed cost of a world and regime: the upper median of the plateau. */
static double plateau_s(const struct corpus *c, const struct regime_columns *k, int world, int regime) {
    double *times_s = mem_alloc(c->n_rows, sizeof *times_s);
    size_t n = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        if (usable(c, k, i, world, regime) && corpus_value(c, i, k->bytes) <= plateau_bytes)
            times_s[n++] = corpus_value(c, i, k->time[regime]);
    double alpha_s = n ? stat_upper_median(times_s, n) : NAN;
    free(times_s);
    return alpha_s;
}

/* Returns the bandwidth from the two largest sizes of a world where the host waits. */
static double marginal_Bps(const struct corpus *c, const struct regime_columns *k, int world) {
    double bytes[2] = {0, 0}, time_s[2] = {0, 0};
    for (size_t i = 0; i < c->n_rows; i++) {
        double x = corpus_value(c, i, k->bytes);
        if (!usable(c, k, i, world, REGIME_OBSERVED) || x <= bytes[1])
            continue;
        bytes[0] = bytes[1];
        time_s[0] = time_s[1];
        bytes[1] = x;
        time_s[1] = corpus_value(c, i, k->time[REGIME_OBSERVED]);
    }
    return (bytes[1] - bytes[0]) * (1 - 1.0 / world) / (time_s[1] - time_s[0]);
}

struct regime_errors {
    double *as_said, *otherwise; /* |relative error| of the regime's own rule and of the other one */
    size_t n;
};

static enum rc regime_point(const struct estimand_input *in, const struct regime_columns *k, size_t row,
                            int regime, struct regime_errors *errors, struct gate_evidence *x,
                            struct err *e) {
    const struct corpus *c = in->corpus;
    int world = (int)corpus_value(c, row, k->world);
    char machine[160];
    snprintf(machine, sizeof machine,
             "groups=1 ranks_per_group=%d fast.bandwidth=%.9gGBps fast.x_half=0B port_bandwidth=1000GBps",
             world, 1e-9 * marginal_Bps(c, k, world));
    char *routing = mem_printf("experts=%d group_limit=none routing.mode=global_topk tokens_per_rank=1",
                               8 * world);
    const struct bench_ask ask = {in->gate->platform, machine, "terrace-reference", routing,
                                  in->corpus->implementation, "window=all", STRATEGY_ONE_HOP, 1};
    struct bench b;
    enum rc rc = bench_open(&ask, &b, e);
    free(routing);
    if (rc)
        return rc;
    bench_all_to_all(&b, corpus_value(c, row, k->bytes));
    struct costs costs = {.alpha_s = {plateau_s(c, k, world, regime)}};
    double measured_s = corpus_value(c, row, k->time[regime]), time_s[REGIMES] = {0, 0};
    for (int r = 0; r < REGIMES && !rc; r++)
        rc = in->tools.repeat(&b.call, &costs, (enum regime)r, CALLS_IN_A_ROW, &time_s[r], e);
    bench_close(&b);
    if (rc)
        return rc;
    errors->as_said[errors->n] = fabs(time_s[regime] / measured_s - 1);
    errors->otherwise[errors->n++] = fabs(time_s[1 - regime] / measured_s - 1);
    gate_add_point(x, true, time_s[regime], measured_s, "%s, world %d, %.0f KiB",
                   regime == REGIME_AHEAD ? "ahead" : "observed", world,
                   corpus_value(c, row, k->bytes) / 1024);
    return RC_OK;
}

static enum rc regime_points(const struct estimand_input *in, const struct regime_columns *k, int regime,
                             struct gate_evidence *x, struct err *e) {
    static const char *const names[REGIMES][2] = {
        {"error_ahead", "preference_ahead"},
        {"error_observed", "preference_observed"}};
    const struct corpus *c = in->corpus;
    struct regime_errors errors = {mem_alloc(c->n_rows, sizeof(double)),
                                   mem_alloc(c->n_rows, sizeof(double)), 0};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < c->n_rows && !rc; i++)
        if (corpus_value(c, i, k->spread[regime]) <= spread_max)
            rc = regime_point(in, k, i, regime, &errors, x, e);
    if (!rc && errors.n) {
        double own = stat_upper_median(errors.as_said, errors.n);
        gate_add_metric(x, names[regime][0], METRIC_SHARE, own);
        gate_add_metric(x, names[regime][1], METRIC_SHARE,
                        stat_upper_median(errors.otherwise, errors.n) - own);
    }
    free(errors.as_said);
    free(errors.otherwise);
    return rc;
}

/* Evaluates the host regimes. Constants are read off the corpus (plateau, marginal bandwidth); what is tried is whether
 * one mechanism adds them where the host waits and overlaps them where it runs ahead. */
enum rc estimand_host_regime(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const struct corpus_need needs[] = {
        {"world", CORPUS_COUNT},   {"total_bytes", CORPUS_SIZE},   {"burst", CORPUS_TIME},
        {"percall", CORPUS_TIME}, {"burst_spread", CORPUS_RATIO}, {"percall_spread", CORPUS_RATIO}};
    size_t column[6];
    if (!in->tools.repeat)
        return err_set(e, RC_UNSUPPORTED,
                       "no engine was given that issues calls ahead of one another");
    enum rc rc = corpus_columns(in->corpus, needs, 6, column, e);
    const struct regime_columns k = {
        rc ? 0 : column[0], rc ? 0 : column[1],
        {[REGIME_AHEAD] = rc ? 0 : column[2], [REGIME_OBSERVED] = rc ? 0 : column[3]},
        {[REGIME_AHEAD] = rc ? 0 : column[4], [REGIME_OBSERVED] = rc ? 0 : column[5]}};
    for (int regime = 0; regime < REGIMES && !rc; regime++)
        rc = regime_points(in, &k, regime, x, e);
    return rc;
}

/* --- coverage --------------------------------------------------------------------------------- */

struct refusals {
    int answered_outside, refused_inside, asked;
};

static void ask_world(const struct platform *p, const struct plat_alpha *t, int64_t world, bool inside,
                      struct refusals *r) {
    for (int tier = 0; tier < p->n_tiers; tier++) {
        struct alpha_answer a;
        plat_alpha_phase(p, t->implementation, (enum alpha_phase)t->phase, (int)world, (enum tier)tier,
                         (enum regime)t->regime, &a);
        r->asked++;
        r->answered_outside += !inside && a.known;
        r->refused_inside += inside && !a.known;
    }
}

/* Asks an alpha table: worlds that it lists are answered for every span that it lists; worlds beyond, and those that
 * rest on low-confidence entries, are not. */
static void ask_table(const struct platform *p, const struct plat_alpha *t, struct refusals *r) {
    const struct plat_alpha_entry *x = t->entries.items;
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < t->entries.n; i++) {
        bool sound = x[i].time_s.status != STATUS_LOW_CONFIDENCE;
        if (x[i].span == SPAN_ANY)
            ask_world(p, t, x[i].world, sound, r);
        if (sound && (!low || x[i].world < low))
            low = x[i].world;
        if (sound && x[i].world > high)
            high = x[i].world;
    }
    if (low > 2)
        ask_world(p, t, low - 1, false, r);
    ask_world(p, t, high + 1, false, r);
    ask_world(p, t, 2 * high, false, r);
}

enum rc estimand_coverage(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    (void)in;
    struct find_names names;
    struct refusals all = {0};
    enum rc rc = RC_OK;
    find_names(FIND_PLATFORM, &names);
    for (size_t i = 0; i < names.n && !rc; i++) {
        struct platform *p;
        rc = plat_load(names.names[i], NULL, 0, &p, e);
        if (rc)
            break;
        struct refusals r = {0};
        const struct plat_alpha *tables = p->alpha.items;
        for (size_t k = 0; k < p->alpha.n; k++)
            ask_table(p, &tables[k], &r);
        if (!p->alpha.n) { // no table: no world is covered
            const struct plat_alpha none = {.implementation = p->implementation};
            ask_world(p, &none, plat_ranks(p), false, &r);
        }
        all.answered_outside += r.answered_outside;
        all.refused_inside += r.refused_inside;
        all.asked += r.asked;
        gate_add_point(x, true, r.answered_outside + r.refused_inside, 0, "%s, %d questions",
                       names.names[i], r.asked);
        plat_free(p);
    }
    find_names_free(&names);
    if (rc)
        return rc;
    gate_add_metric(x, "answered_outside", METRIC_COUNT, all.answered_outside);
    gate_add_metric(x, "refused_inside", METRIC_COUNT, all.refused_inside);
    gate_add_metric(x, "questions", METRIC_COUNT, all.asked);
    return RC_OK;
}

/* --- evidence that the program cannot weigh yet ------------------------------------------------- */

enum rc estimand_external(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    (void)in;
    (void)x;
    return err_set(e, RC_UNSUPPORTED,
                   "no corpus from outside the paper is wired to a gate; DeepEP times serve as fits, in tests");
}
