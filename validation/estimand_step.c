/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands of Tier-2 and of the overlap families: what becomes of calls in a training step.
 *
 * The composition of calls into a step exists here and nowhere else, as the estimand of gates that fail. No
 * function of this file returns a time; what leaves it are gains of the corpus' geometries.
 * Source: TerraceMoE paper and artifact (sim/validate.py), restated; model/FORMULAS.md has no entry for it
 * because no capability rests on it. */
#include "validation/estimand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/calls.h"
#include "validation/closed.h"

/* A prediction within this distance of the measured gain counts as inside the band. */
static const double band = 0.035;

enum { COLUMNS = 9, CONSTANTS = 6 };

/* One geometry of the corpus, and the calls of its training step. */
struct geometry {
    const char *name;
    double micro_batch, off_s, gain;
    bool calibrates, signed2, signed5; /* signed2: sign point of Tier-2; signed5: of the families */
    double calls;                      /* dispatch calls; combine mirrors them */
    double pairs;                      /* T k */
    struct model_terms terms;
};

struct geometries {
    struct geometry *items;
    size_t n;
    const struct geometry *flag; /* the calibration point */
};

static enum rc read_geometry(const struct estimand_input *in, size_t row, const size_t *column,
                             const double *constant, enum chain_preset chain, struct geometry *out,
                             struct err *e) {
    const struct corpus *c = in->corpus;
    const char *sign = corpus_text(c, row, column[7]);
    struct geometry g = {.name = corpus_text(c, row, column[0]),
                         .micro_batch = corpus_value(c, row, column[4]),
                         .off_s = corpus_value(c, row, column[5]),
                         .gain = corpus_value(c, row, column[6]),
                         .calibrates = strcmp(corpus_text(c, row, column[8]), "calibration") == 0,
                         .signed2 = strcmp(sign, "prespecified") == 0};
    g.signed5 = g.signed2 || strcmp(sign, "added_later") == 0;
    const struct model_geometry geometry = {.groups = (int)corpus_value(c, row, column[1]),
                                            .ranks_per_group = (int)constant[0],
                                            .tokens = constant[3] * g.micro_batch,
                                            .top_k = corpus_value(c, row, column[2]),
                                            .fan_out = corpus_value(c, row, column[3]),
                                            .row_bytes = constant[1] * constant[2]};
    const struct closed_shape shape = {geometry.groups, geometry.ranks_per_group, BETA_TABLE};
    struct model_machine m;
    enum rc rc = closed_machine(in->platform, in->implementation, &shape, &m, e);
    if (rc)
        return rc;
    m.chain_s_per_pair = chain_constant(chain)->s_per_pair;
    model_predict(&m, &geometry, &g.terms);
    double batches = constant[4] / (geometry.groups * geometry.ranks_per_group * g.micro_batch);
    g.calls = 3 * constant[5] * batches; // forward, recomputed forward, backward
    g.pairs = geometry.tokens * geometry.top_k;
    *out = g;
    return RC_OK;
}

static enum rc read_geometries(const struct estimand_input *in, enum chain_preset chain,
                               struct geometries *all, struct err *e) {
    static const struct corpus_need columns[COLUMNS] = {
        {"name", CORPUS_TEXT},         {"groups", CORPUS_COUNT}, {"top_k", CORPUS_COUNT},
        {"group_limit", CORPUS_COUNT}, {"micro_batch", CORPUS_COUNT}, {"off_arm", CORPUS_TIME},
        {"gain", CORPUS_RATIO},        {"sign_point", CORPUS_TEXT},   {"role", CORPUS_TEXT}};
    static const struct corpus_need constants[CONSTANTS] = {
        {"ranks_per_group", CORPUS_COUNT}, {"hidden", CORPUS_COUNT},       {"element", CORPUS_SIZE},
        {"sequence", CORPUS_COUNT},        {"global_batch", CORPUS_COUNT}, {"moe_layers", CORPUS_COUNT}};
    size_t column[COLUMNS];
    double constant[CONSTANTS];
    enum rc rc = corpus_columns(in->corpus, columns, COLUMNS, column, e);
    if (!rc)
        rc = corpus_constants(in->corpus, constants, CONSTANTS, constant, e);
    if (rc)
        return rc;
    struct geometries g = {mem_alloc(in->corpus->n_rows, sizeof *g.items), in->corpus->n_rows, NULL};
    for (size_t i = 0; i < g.n && !rc; i++) {
        rc = read_geometry(in, i, column, constant, chain, &g.items[i], e);
        if (!rc && g.items[i].calibrates)
            g.flag = &g.items[i];
    }
    if (!rc && !g.flag)
        rc = err_set(e, RC_SCHEMA, "corpus %s has no row with role 'calibration'", in->corpus->name);
    if (rc)
        free(g.items);
    else
        *all = g;
    return rc;
}

/* Returns the gain of a step whose difference between the strategies is delta_s. */
static double step_gain(const struct geometry *g, double delta_s) {
    return g->off_s / (g->off_s + delta_s);
}

/* Returns the difference between the strategies that the measured gain stands for. */
static double measured_delta_s(const struct geometry *g) {
    return g->off_s / g->gain - g->off_s;
}

struct score {
    double mean_abs_error;
    int inside, signs;
};

static void score_add(struct score *s, const struct geometry *g, double gain, bool sign_point,
                      size_t holdouts) {
    double error = fabs(gain - g->gain);
    s->mean_abs_error += error / (double)holdouts;
    s->inside += error <= band;
    s->signs += sign_point && (gain > 1) == (g->gain > 1);
}

/* Fills in gains[all->n] by t_on = t_off + n (D + C + e T k / pairs of flag), D = two - one, C = D - chain, n dispatch
 * calls; e makes the calibration point exact. */
static void step_gains(const struct geometries *all, double *gains) {
    const struct geometry *f = all->flag;
    double flag_s = 2 * (f->terms.two_hop_s - f->terms.one_hop_s) - f->terms.chain_s;
    double combine_s = measured_delta_s(f) / f->calls - flag_s; // the one free constant
    for (size_t i = 0; i < all->n; i++) {
        const struct geometry *g = &all->items[i];
        double per_call_s = 2 * (g->terms.two_hop_s - g->terms.one_hop_s) - g->terms.chain_s;
        gains[i] = step_gain(g, g->calls * (per_call_s + combine_s * g->pairs / f->pairs));
    }
}

/* Evaluates the gain of steps under both chain constants: the chain cancels out, which the two sets of metrics show. */
enum rc estimand_step_gain(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const enum chain_preset levels[] = {CHAIN_V1, CHAIN_MEASURED};
    double *gains[2] = {NULL, NULL}, dependence = 0;
    struct score s = {0};
    enum rc rc = RC_OK;
    for (int k = 0; k < 2 && !rc; k++) {
        struct geometries all;
        rc = read_geometries(in, levels[k], &all, e);
        if (rc)
            break;
        gains[k] = mem_alloc(all.n, sizeof *gains[k]);
        step_gains(&all, gains[k]);
        for (size_t i = 0; i < all.n && k == 1; i++) {
            const struct geometry *g = &all.items[i];
            dependence = fmax(dependence, fabs(gains[1][i] / gains[0][i] - 1));
            gate_add_point(x, g != all.flag, gains[1][i], g->gain, "%s", g->name);
            if (g != all.flag)
                score_add(&s, g, gains[1][i], g->signed2, all.n - 1);
        }
        free(all.items);
    }
    free(gains[0]);
    free(gains[1]);
    if (rc)
        return rc;
    gate_add_metric(x, "mae", METRIC_NUMBER, s.mean_abs_error);
    gate_add_metric(x, "inside_band", METRIC_COUNT, s.inside);
    gate_add_metric(x, "signs_right", METRIC_COUNT, s.signs);
    gate_add_metric(x, "chain_dependence", METRIC_NUMBER, dependence);
    return RC_OK;
}

/* Returns how much of the calls' difference Dm = 2 n D the step feels in one of the six families. Each has one
 * parameter, solved on the calibration point; M0 has none. */
static double family_delta_s(int family, const struct geometry *g, double parameter) {
    double calls = 2 * g->calls;
    double full_s = calls * (g->terms.two_hop_s - g->terms.one_hop_s);
    double fixed_s = calls * (g->terms.chain_s + g->terms.splits_s);
    double compute_s = g->off_s - calls * g->terms.one_hop_s;
    switch (family) {
    case 1:
        return parameter * full_s;
    case 2:
        return full_s - parameter * calls;
    case 3:
        return full_s - parameter * fixed_s;
    case 4:
        return full_s - parameter * compute_s;
    case 5:
        return full_s * (1 - parameter / g->micro_batch);
    default:
        return full_s;
    }
}

/* Returns the parameter of a family at the calibration point; every family is linear in it. */
static double solve_parameter(int family, const struct geometry *flag) {
    double at0 = family_delta_s(family, flag, 0), at1 = family_delta_s(family, flag, 1);
    return family == 0 ? 0 : (measured_delta_s(flag) - at0) / (at1 - at0);
}

enum rc estimand_overlap(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const struct {
        enum chain_preset preset;
        const char *metrics[4];
    } levels[] = {{CHAIN_V1,
                   {"mae_v1", "inside_band_v1", "signs_right_v1", "parameter_v1"}},
                  {CHAIN_MEASURED,
                   {"mae_measured", "inside_band_measured", "signs_right_measured",
                    "parameter_measured"}}};
    int family = in->gate->id[strlen(in->gate->id) - 1] - '0';
    for (size_t k = 0; k < 2; k++) {
        struct geometries all;
        enum rc rc = read_geometries(in, levels[k].preset, &all, e);
        if (rc)
            return rc;
        double parameter = solve_parameter(family, all.flag);
        struct score s = {0};
        for (size_t i = 0; i < all.n; i++) {
            const struct geometry *g = &all.items[i];
            double gain = step_gain(g, family_delta_s(family, g, parameter));
            gate_add_point(x, g != all.flag, gain, g->gain, "%s, chain %s", g->name,
                           chain_constant(levels[k].preset)->name);
            if (g != all.flag)
                score_add(&s, g, gain, g->signed5, all.n - 1);
        }
        gate_add_metric(x, levels[k].metrics[0], METRIC_NUMBER, s.mean_abs_error);
        gate_add_metric(x, levels[k].metrics[1], METRIC_COUNT, s.inside);
        gate_add_metric(x, levels[k].metrics[2], METRIC_COUNT, s.signs);
        if (family)
            gate_add_metric(x, levels[k].metrics[3], METRIC_NUMBER, parameter * (family == 2 ? 1e3 : 1));
        free(all.items);
    }
    return RC_OK;
}
