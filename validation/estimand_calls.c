/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands of single calls by the closed form: one all-to-all, one hop against two, alpha above coverage. */
#include "validation/estimand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/calls.h"
#include "validation/closed.h"

const struct corpus_need sweep_needs[SWEEP_COLUMNS] = {
    {"world", CORPUS_COUNT}, {"total_bytes", CORPUS_SIZE}, {"time", CORPUS_TIME}};
const struct corpus_need strategy_needs[STRATEGY_COLUMNS] = {
    {"tokens_per_rank", CORPUS_COUNT}, {"one_hop", CORPUS_TIME}, {"two_hop", CORPUS_TIME}};
const struct corpus_need geometry_needs[GEOMETRY_CONSTANTS] = {
    {"groups", CORPUS_COUNT}, {"ranks_per_group", CORPUS_COUNT}, {"top_k", CORPUS_COUNT},
    {"group_limit", CORPUS_COUNT}, {"hidden", CORPUS_COUNT}, {"element", CORPUS_SIZE}};

/* Predicts all-to-alls. paper: every world at the level of one-hop calls, beta by the 48-point table. Otherwise a
 * collective that fits into a group runs at the level of the fast tier, beta in closed form. */
static enum rc all_to_all(const struct estimand_input *in, bool paper, struct gate_evidence *x,
                          struct err *e) {
    const struct corpus *c = in->corpus;
    const struct closed_shape shape = {(int)in->platform->groups, (int)in->platform->ranks_per_group,
                                       paper ? BETA_TABLE : BETA_CLOSED};
    struct model_machine m;
    size_t column[SWEEP_COLUMNS];
    enum rc rc = corpus_columns(c, sweep_needs, SWEEP_COLUMNS, column, e);
    if (!rc)
        rc = closed_machine(in->platform, in->implementation, &shape, &m, e);
    for (size_t i = 0; i < c->n_rows && !rc; i++) {
        int world = (int)corpus_value(c, i, column[0]);
        double bytes = corpus_value(c, i, column[1]), alpha_s = 0;
        bool inside = world <= shape.ranks_per_group;
        rc = closed_alpha_s(in->platform, in->implementation->name, world,
                            inside ? TIER_FAST : plat_slow(in->platform), &alpha_s, e);
        if (rc)
            break;
        const struct beta *level = inside && !paper ? &m.fast : &m.flat;
        double time_s = model_all_to_all_s(level, alpha_s, world, bytes, 1.0 / world, 1);
        gate_add_point(x, true, time_s, corpus_value(c, i, column[2]), "world %d, %.0f KiB", world,
                       bytes / 1024);
    }
    if (!rc)
        closed_sweep_metrics(x);
    return rc;
}

enum rc estimand_all_to_all(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    return all_to_all(in, false, x, e);
}

enum rc estimand_all_to_all_paper(const struct estimand_input *in, struct gate_evidence *x,
                                  struct err *e) {
    return all_to_all(in, true, x, e);
}

static void find_crossing(const struct crossing *points, size_t n, bool measured, double interval[2]) {
    interval[0] = interval[1] = NAN;
    for (size_t i = 1; i < n; i++) {
        double before = measured ? points[i - 1].measured : points[i - 1].predicted;
        double after = measured ? points[i].measured : points[i].predicted;
        if ((before > 1) != (after > 1) && isnan(interval[0])) {
            interval[0] = points[i - 1].tokens;
            interval[1] = points[i].tokens;
        }
    }
}

void calls_strategy_metrics(struct gate_evidence *x, const struct crossing *points, size_t n) {
    closed_worst_metrics(x);
    double predicted[2], measured[2];
    find_crossing(points, n, false, predicted);
    find_crossing(points, n, true, measured);
    gate_add_metric(x, "crossing_low", METRIC_COUNT, predicted[0]);
    gate_add_metric(x, "crossing_high", METRIC_COUNT, predicted[1]);
    gate_add_metric(x, "measured_crossing_low", METRIC_COUNT, measured[0]);
    gate_add_metric(x, "measured_crossing_high", METRIC_COUNT, measured[1]);
}

/* Predicts both strategies, without the splits readback and the chain, which the corpora of this estimand do not
 * hold. */
static enum rc strategies(const struct estimand_input *in, enum beta_kind kind, struct gate_evidence *x,
                          struct err *e) {
    const struct corpus *c = in->corpus;
    double k[GEOMETRY_CONSTANTS];
    size_t column[STRATEGY_COLUMNS];
    struct model_machine m;
    enum rc rc = corpus_constants(c, geometry_needs, GEOMETRY_CONSTANTS, k, e);
    if (!rc)
        rc = corpus_columns(c, strategy_needs, STRATEGY_COLUMNS, column, e);
    const struct closed_shape shape = {rc ? 0 : (int)k[0], rc ? 0 : (int)k[1], kind};
    if (!rc)
        rc = closed_machine(in->platform, in->implementation, &shape, &m, e);
    if (rc)
        return rc;
    m.splits_s = 0;
    struct crossing *crossing = mem_alloc(c->n_rows, sizeof *crossing);
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct model_geometry g = {.groups = shape.groups,
                                         .ranks_per_group = shape.ranks_per_group,
                                         .tokens = corpus_value(c, i, column[0]),
                                         .top_k = k[2],
                                         .fan_out = k[3],
                                         .row_bytes = k[4] * k[5]};
        struct model_terms t;
        model_predict(&m, &g, &t);
        double one_s = corpus_value(c, i, column[1]), two_s = corpus_value(c, i, column[2]);
        gate_add_point(x, true, t.one_hop_s, one_s, "one hop, %.0f tokens", g.tokens);
        gate_add_point(x, true, t.two_hop_s, two_s, "two hops, %.0f tokens", g.tokens);
        crossing[i] = (struct crossing){g.tokens, t.gain, one_s / two_s};
    }
    calls_strategy_metrics(x, crossing, c->n_rows);
    free(crossing);
    return RC_OK;
}

enum rc estimand_strategies(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    return strategies(in, BETA_CLOSED, x, e);
}

enum rc estimand_strategies_paper(const struct estimand_input *in, struct gate_evidence *x,
                                  struct err *e) {
    return strategies(in, BETA_TABLE, x, e);
}

/* Predicts the gain under one treatment of alpha: rows of the corpus with that name replace what the table says above
 * world 128. */
static enum rc treated_gain(const struct estimand_input *in, const size_t column[3], const char *treatment,
                            const struct platform *p, const struct model_geometry *g, double *gain,
                            struct err *e) {
    const struct closed_shape shape = {g->groups, g->ranks_per_group, BETA_TABLE};
    const struct corpus *c = in->corpus;
    struct model_machine m;
    enum rc rc = closed_machine(p, in->implementation, &shape, &m, e);
    if (rc)
        return rc;
    m.chain_s_per_pair = chain_constant(CHAIN_FUSED)->s_per_pair;
    for (size_t i = 0; i < c->n_rows; i++)
        if (strcmp(corpus_text(c, i, column[0]), treatment) == 0 &&
            (int)corpus_value(c, i, column[1]) == g->groups * g->ranks_per_group)
            m.alpha_one_hop_s = corpus_value(c, i, column[2]);
    struct model_terms t;
    model_predict(&m, g, &t);
    *gain = t.gain;
    return RC_OK;
}

enum rc estimand_alpha_spread(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const struct corpus_need columns[] = {
        {"treatment", CORPUS_TEXT}, {"world", CORPUS_COUNT}, {"alpha", CORPUS_TIME}};
    static const struct corpus_need needs[] = {
        {"ratio", CORPUS_RATIO},   {"world", CORPUS_COUNT},  {"ranks_per_group", CORPUS_COUNT},
        {"top_k", CORPUS_COUNT},   {"group_limit", CORPUS_COUNT}, {"tokens_per_rank", CORPUS_COUNT},
        {"hidden", CORPUS_COUNT},  {"element", CORPUS_SIZE}};
    const struct corpus *c = in->corpus;
    size_t column[3];
    double k[8];
    enum rc rc = corpus_columns(c, columns, 3, column, e);
    if (!rc)
        rc = corpus_constants(c, needs, 8, k, e);
    if (rc)
        return rc;
    char *ratio = mem_printf("%.17g", k[0]);
    const struct setting setting = {"ratio", ratio};
    struct platform *p = NULL;
    rc = plat_load(in->platform->name, &setting, 1, &p, e);
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < c->n_rows && !rc; i++) {
        const struct model_geometry g = {.groups = (int)(k[1] / k[2]),
                                         .ranks_per_group = (int)k[2],
                                         .tokens = k[5],
                                         .top_k = k[3],
                                         .fan_out = k[4],
                                         .row_bytes = k[6] * k[7]};
        double gain = 0;
        if ((int)corpus_value(c, i, column[1]) != (int)k[1])
            continue;
        const char *name = corpus_text(c, i, column[0]);
        rc = treated_gain(in, column, name, p, &g, &gain, e);
        if (rc)
            break;
        gate_add_point(x, true, gain, NAN, "alpha %s", name);
        low = fmin(low, gain);
        high = fmax(high, gain);
    }
    if (!rc) {
        gate_add_metric(x, "gain_low", METRIC_NUMBER, low);
        gate_add_metric(x, "gain_high", METRIC_NUMBER, high);
        gate_add_metric(x, "high_over_low", METRIC_NUMBER, high / low);
    }
    plat_free(p);
    free(ratio);
    return rc;
}
