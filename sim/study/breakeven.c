/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/breakeven.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/checklist.h"
#include "model/skew.h"
#include "sim/engine/engine.h"
#include "sim/study/estimate.h"
#include "validation/ratio_search.h"
#include "workloads/strategy.h"

enum { PRESETS = 4, DRAWS_DEFAULT = 400 };
static const enum chain_preset presets[PRESETS] = {CHAIN_V1, CHAIN_MEASURED, CHAIN_FUSED,
                                                   CHAIN_NONE};
static const double range_default[2] = {1, 32};
static const double simulated_relative = 5e-4; // three digits

/* The one-hop and the two-hop call, and the constants of their platform that have an interval. */
struct pair {
    struct call one, two;
    struct intervals *intervals;
};

/* Finds the seconds per pair of a preset at the workload's width. Presets `fused` and `none` do not depend on the
 * width. */
static enum rc chain_at_width(const struct workload *w, enum chain_preset preset, bool interpolate,
                              double *s_per_pair, bool *interpolated, struct err *e) {
    double factor = 1;
    *interpolated = false;
    enum rc rc = RC_OK;
    if (preset == CHAIN_V1 || preset == CHAIN_MEASURED)
        rc = breakeven_chain_width((double)w->hidden, interpolate, &factor, interpolated, e);
    *s_per_pair = chain_constant(preset)->s_per_pair * factor;
    return rc;
}

static void family(const struct pair *p, const struct costs *one, const struct costs *two,
                   const struct breakeven_question *ask, double s_per_pair, struct breakeven *b) {
    breakeven_from_calls(&p->one, one, &p->two, two, b);
    b->chain_s_per_pair = s_per_pair;
    b->host_exposure_s = ask->host_exposure_s;
    memcpy(b->range, range_default, sizeof b->range);
}

static void take_root(const struct root *root, struct breakeven_ratio *r) {
    r->known = root->state == ROOT_FOUND;
    r->value = root->x;
    if (root->state == ROOT_ALREADY)
        snprintf(r->reason, sizeof r->reason, "range: two hops win at ratio %g already", root->x);
    if (root->state == ROOT_NEVER)
        snprintf(r->reason, sizeof r->reason, "range: two hops lose up to ratio %g", root->x);
}

static void no_ratio(struct breakeven_entry *entry, const char *kind, const char *reason) {
    snprintf(entry->ratio.reason, sizeof entry->ratio.reason, "%s: %.200s", kind, reason);
    entry->time_held = entry->ratio;
}

/* Fills in the band of one chain's ratio over the treatments of alpha, where alpha is not known. */
static void fill_band(const struct pair *p, const struct breakeven_question *ask,
                      struct breakeven_entry *entry) {
    size_t n = p->one.platform->alpha_treatments.n;
    entry->band_known = n > 0;
    for (size_t i = 0; i < n; i++) {
        struct costs one, two;
        struct breakeven b;
        costs_treatment(&p->one, i, &one);
        costs_treatment(&p->two, i, &two);
        family(p, &one, &two, ask, entry->s_per_pair, &b);
        struct root root = breakeven_effective(&b);
        entry->band_known = entry->band_known && root.state == ROOT_FOUND;
        entry->band[0] = i ? fmin(entry->band[0], root.x) : root.x;
        entry->band[1] = i ? fmax(entry->band[1], root.x) : root.x;
    }
}

static void fill_curve(const struct breakeven *b, struct breakeven_result *r,
                       struct breakeven_entry *entry) {
    r->curves_known = true;
    for (int i = 0; i < BREAKEVEN_CURVE; i++) {
        struct model_terms t;
        r->curve_ratio[i] =
            r->range[0] * pow(r->range[1] / r->range[0], i / (BREAKEVEN_CURVE - 1.0));
        breakeven_predict(b, r->curve_ratio[i], &t);
        entry->gain[i] = t.gain;
    }
}

struct known_costs {
    bool known;
    struct costs one, two;
};

static void analytic_entry(const struct pair *p, const struct breakeven_question *ask, enum chain_preset preset,
                           const struct known_costs *c, struct breakeven_result *r) {
    struct breakeven_entry *entry = &r->entries[r->n_entries++];
    struct err e;
    *entry = (struct breakeven_entry){.chain = chain_constant(preset)};
    if (chain_at_width(r->in.workload, preset, ask->interpolate, &entry->s_per_pair,
                       &entry->interpolated, &e)) {
        no_ratio(entry, "chain_width", e.text);
        return;
    }
    if (!c->known) {
        no_ratio(entry, "coverage", r->alpha_reason);
        fill_band(p, ask, entry);
        return;
    }
    struct breakeven b;
    family(p, &c->one, &c->two, ask, entry->s_per_pair, &b);
    struct root root = breakeven_effective(&b);
    take_root(&root, &entry->ratio);
    fill_curve(&b, r, entry);
    b.hold = HOLD_TIME;
    root = breakeven_effective(&b);
    take_root(&root, &entry->time_held);
}

static void fill_costs(const struct pair *p, struct known_costs *c, struct breakeven_result *r) {
    struct alpha_answer one[CALL_LAUNCHES], two[CALL_LAUNCHES];
    c->known = costs_known(&p->one, REGIME_AHEAD, &c->one, one, r->alpha_reason);
    if (c->known)
        c->known = costs_known(&p->two, REGIME_AHEAD, &c->two, two, r->alpha_reason);
    r->alpha_known = c->known;
    for (int i = 0; c->known && i < p->two.n_launches; i++)
        if (two[i].interpolated)
            snprintf(r->alpha_reason, sizeof r->alpha_reason, "%s", two[i].reason);
    if (c->known && one[0].interpolated)
        snprintf(r->alpha_reason, sizeof r->alpha_reason, "%s", one[0].reason);
}

/* --- skew and checklist ------------------------------------------------------------------------------ */

static void fill_skew(const struct inputs *in, const struct pair *p, struct breakeven_result *r) {
    struct model_machine m;
    struct model_geometry g;
    struct costs wire;
    struct skew_row rows[SKEW_ROWS];
    costs_wire(&p->one, &wire);
    model_from_call(&p->one, &wire, &m, &g);
    skew_table(&g, in->traffic, SKEW_CV, rows);
    r->cv = SKEW_CV;
    for (int i = 0; i < SKEW_ROWS; i++) {
        r->skew[i].exchange = rows[i].exchange;
        r->skew[i].paper = rows[i].paper;
        r->skew[i].exact = rows[i].exact;
        r->skew[i].matrix_in = rows[i].matrix_in;
        r->skew[i].matrix_out = rows[i].matrix_out;
    }
}

static void fill_checklist(const struct pair *p, const struct breakeven_question *ask,
                           const struct known_costs *c, struct breakeven_result *r) {
    r->ratio = plat_hierarchy_ratio(r->in.platform);
    double s_per_pair;
    bool interpolated;
    if (!c->known || r->ratio < 0 ||
        chain_at_width(r->in.workload, (enum chain_preset)r->in.implementation->chain.preset,
                       ask->interpolate, &s_per_pair, &interpolated, NULL))
        return;
    struct breakeven b;
    struct checklist list;
    family(p, &c->one, &c->two, ask, s_per_pair, &b);
    checklist_fill(&b, r->ratio, NULL, &list);
    r->checklist_known = true;
    r->cleared = list.cleared;
    r->gain = list.gain;
    for (int i = 0; i < CHECK_ITEMS; i++) {
        r->checks[i].name = list.rows[i].name;
        r->checks[i].passed = list.rows[i].passed;
        r->checks[i].value = list.rows[i].value;
        r->checks[i].threshold = list.rows[i].threshold;
    }
}

/* --- uncertainty ------------------------------------------------------------------------------------- */

enum { OUT_ONE, OUT_TWO, OUT_GAIN, OUT_RATIOS, OUTPUTS = OUT_RATIOS + PRESETS };

struct spread_context {
    const struct pair *pair;
    const struct breakeven_question *ask;
    const struct breakeven_result *r;
    double own_s_per_pair; /* the implementation's chain at this width */
};

static void evaluate(const double *values, const void *context, double *outputs) {
    const struct spread_context *c = context;
    struct platform *p = intervals_apply(c->r->in.platform, c->pair->intervals, values);
    struct pair pair = *c->pair;
    pair.one.platform = pair.two.platform = p;
    struct costs one, two;
    struct breakeven b;
    struct model_terms t;
    char reason[200];
    costs_known(&pair.one, REGIME_AHEAD, &one, NULL, reason);
    costs_known(&pair.two, REGIME_AHEAD, &two, NULL, reason);
    const double ratio =
        p->tier[TIER_FAST].bandwidth_Bps.value / p->tier[plat_slow(p)].bandwidth_Bps.value;
    family(&pair, &one, &two, c->ask, c->own_s_per_pair, &b);
    breakeven_predict(&b, ratio, &t);
    outputs[OUT_ONE] = t.one_hop_s;
    outputs[OUT_TWO] = t.two_hop_s;
    outputs[OUT_GAIN] = t.gain;
    for (int i = 0; i < PRESETS; i++) {
        family(&pair, &one, &two, c->ask, c->r->entries[i].s_per_pair, &b);
        outputs[OUT_RATIOS + i] = breakeven_effective(&b).x;
    }
    intervals_free(p);
}

static void fill_spreads(const struct pair *p, const struct breakeven_question *ask,
                         struct breakeven_result *r) {
    const struct intervals *found = p->intervals;
    intervals_find(r->in.platform, p->intervals);
    r->draws = ask->q.draws ? (int)ask->q.draws : DRAWS_DEFAULT;
    struct spread_context context = {p, ask, r, 0};
    bool interpolated;
    if (!found->n || !r->alpha_known ||
        chain_at_width(r->in.workload, (enum chain_preset)r->in.implementation->chain.preset,
                       ask->interpolate, &context.own_s_per_pair, &interpolated, NULL))
        return;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const struct uncertainty_question q = {.inputs = found->inputs,
                                           .n_inputs = found->n,
                                           .n_outputs = OUTPUTS,
                                           .evaluate = evaluate,
                                           .context = &context,
                                           .draws = r->draws,
                                           .seed = (uint64_t)ask->q.seed,
                                           .threads = cores > 0 ? (int)cores : 1};
    struct spread s[OUTPUTS];
    struct swing *swings = mem_alloc((size_t)found->n, sizeof *swings);
    uncertainty_run(&q, s);
    uncertainty_swings(&q, OUT_GAIN, swings);
    struct breakeven_spread *const into[] = {&r->one_hop_s, &r->two_hop_s, &r->gain_spread};
    for (int i = 0; i < OUT_RATIOS; i++)
        *into[i] = (struct breakeven_spread){true, s[i].p5, s[i].p50, s[i].p95};
    for (int i = 0; i < r->n_entries; i++) {
        const struct spread *x = &s[OUT_RATIOS + i];
        r->entries[i].spread =
            (struct breakeven_spread){r->entries[i].ratio.known, x->p5, x->p50, x->p95};
    }
    r->n_inputs = found->n;
    r->inputs = mem_alloc((size_t)found->n, sizeof *r->inputs);
    for (int i = 0; i < found->n; i++) {
        const struct uncertain *input = &found->inputs[swings[i].input];
        r->inputs[i].name = input->name;
        r->inputs[i].low = input->low;
        r->inputs[i].high = input->high;
        r->inputs[i].gain_low = swings[i].low;
        r->inputs[i].gain_high = swings[i].high;
    }
    free(swings);
}

/* --- by simulation ----------------------------------------------------------------------------------- */

/* Returns the ratio at which a search begins: the closed form's, under the same assumption. */
static double first_guess(const struct pair *p, const struct breakeven_question *ask,
                          const struct known_costs *c, int treatment, double s_per_pair) {
    struct costs one = c->one, two = c->two;
    struct breakeven b;
    if (treatment >= 0) {
        costs_treatment(&p->one, (size_t)treatment, &one);
        costs_treatment(&p->two, (size_t)treatment, &two);
    }
    family(p, &one, &two, ask, s_per_pair, &b);
    return breakeven_effective(&b).x;
}

static enum rc simulated_entry(const struct inputs *in, const struct breakeven_question *ask,
                               const struct pair *p, const struct known_costs *c,
                               struct breakeven_result *r, struct err *e) {
    struct breakeven_entry *entry = &r->entries[r->n_entries++];
    const struct chain_constant *chain =
        chain_constant((enum chain_preset)in->implementation->chain.preset);
    *entry = (struct breakeven_entry){.chain = chain, .s_per_pair = chain->s_per_pair};
    struct sim_options options = question_times_only(&ask->q);
    options.engine = r->engine;
    struct ratio_search s = {.platform = in->platform,
                             .path_seed = topo_path_seed((uint64_t)ask->q.seed, 0),
                             .workload = in->workload,
                             .implementation = in->implementation,
                             .traffic = in->traffic,
                             .simulator = {sim_answer, &options},
                             .treatment = -1,
                             .host_exposure_s = ask->host_exposure_s,
                             .relative = simulated_relative};
    memcpy(s.range, range_default, sizeof s.range);
    int n = c->known ? 1 : (int)in->platform->alpha_treatments.n;
    entry->band_known = !c->known && n > 0;
    enum rc rc = RC_OK;
    for (int i = 0; i < n && !rc; i++) {
        struct root root;
        s.treatment = c->known ? -1 : i;
        s.guess = first_guess(p, ask, c, s.treatment, chain->s_per_pair);
        rc = ratio_search_run(&s, &root, e);
        if (rc)
            break;
        entry->evaluations += root.evaluations;
        take_root(&root, &entry->ratio);
        entry->band_known = entry->band_known && root.state == ROOT_FOUND;
        entry->band[0] = i ? fmin(entry->band[0], root.x) : root.x;
        entry->band[1] = i ? fmax(entry->band[1], root.x) : root.x;
    }
    if (!rc && !c->known) {
        entry->ratio.known = false;
        no_ratio(entry, "coverage", r->alpha_reason);
    }
    return rc;
}

/* --- all of it --------------------------------------------------------------------------------------- */

static void fill_geometry(const struct inputs *in, const struct pair *p,
                          struct breakeven_result *r) {
    const struct workload *w = in->workload;
    struct platform seen;
    call_seen(&p->one, &seen);
    r->ranks = plat_ranks(&seen);
    // group_limited reaches at most the limit: what the matrix has, then
    r->fan_out = w->group_limit && w->routing.mode == MODE_FULL ? (double)w->group_limit
                                                                : in->traffic->fan_out;
    r->quota = (double)w->top_k / r->fan_out;
    r->row_bytes = p->one.row_bytes;
    r->experts_per_rank = (double)w->experts / (double)r->ranks;
    r->base_Bps = in->platform->tier[TIER_FAST].bandwidth_Bps.value;
    struct breakeven b;
    struct costs wire;
    costs_wire(&p->one, &wire);
    breakeven_from_calls(&p->one, &wire, &p->two, &wire, &b);
    r->held = breakeven_hold_name(b.hold);
    int local = (int)seen.ranks_per_group;
    bool many = seen.groups > 1, even = plat_is_even(&seen);
    r->byte_only.known = many && even && breakeven_byte_only(local, r->quota, 0, &r->byte_only.value);
    r->byte_only_dedup.known =
        many && even && breakeven_byte_only(local, r->quota, r->experts_per_rank, &r->byte_only_dedup.value);
    const char *why = !even          ? "geometry: the fast domains are not uniform: groups differ in size"
                      : r->quota > 1 ? "geometry: a hierarchy needs 2 groups of 2 ranks or more"
                                     : "geometry: a token has one expert in each group it reaches, so hop A saves "
                                       "nothing";
    if (!r->byte_only.known)
        snprintf(r->byte_only.reason, sizeof r->byte_only.reason, "%s", why);
    if (!r->byte_only_dedup.known)
        snprintf(r->byte_only_dedup.reason, sizeof r->byte_only_dedup.reason, "%s", why);
}

static enum rc fill(const struct inputs *in, const struct breakeven_question *ask, const struct pair *p,
                    struct breakeven_result *r, struct err *e) {
    struct known_costs c = {0};
    fill_geometry(in, p, r);
    fill_costs(p, &c, r);
    fill_skew(in, p, r);
    if (plat_hierarchy_ratio(in->platform) < 0) {
        for (int i = 0; i < PRESETS; i++) {
            struct breakeven_entry *entry = &r->entries[r->n_entries++];
            *entry = (struct breakeven_entry){.chain = chain_constant(presets[i])};
            entry->s_per_pair = entry->chain->s_per_pair;
            no_ratio(entry, "geometry", plat_no_ratio(in->platform));
        }
        return RC_OK;
    }
    if (r->simulated)
        return simulated_entry(in, ask, p, &c, r, e);
    for (int i = 0; i < PRESETS; i++)
        analytic_entry(p, ask, presets[i], &c, r);
    fill_checklist(p, ask, &c, r);
    fill_spreads(p, ask, r);
    return RC_OK;
}

/* Chooses the engine of all calls of a search, by the larger one of the two. */
static void choose_engine(const struct pair *p, struct breakeven_result *r) {
    struct estimate x = {.largest_flows = fmax(sim_flows(&p->one), sim_flows(&p->two))};
    estimate_conclude(r->decided, &r->question->q, &x);
    r->engine = x.engine;
}

/* Refuses engines that a search cannot use: of lower bounds there is no meaningful ratio. */
static enum rc check_engine_of_search(const struct breakeven_result *r, struct err *e) {
    int engine = r->question->q.engine;
    if (r->simulated && engine == SIM_ENGINE_BOUND)
        return err_set(e, RC_USAGE, "--engine bound: breakeven --by simulated compares simulated times; the closed "
                                    "form (--by analytic) needs no engine");
    return engine == SIM_ENGINE_FLUID ? licence_require(licences_get(r->decided, CAP_FLUID_ENGINE), e) : RC_OK;
}

static enum rc check(const struct inputs *in, struct err *e) {
    if (in->traffic->unit == TRAFFIC_BYTES)
        return err_set(e, RC_UNSUPPORTED,
                       "breakeven: a matrix of bytes says nothing of two hops; give a routing record");
    if (in->traffic->tokens_total == 0)
        return err_set(e, RC_RANGE, "breakeven: no tokens, so nothing moves");
    return RC_OK;
}

static enum rc check_hops(const struct inputs *in, struct err *e) {
    enum rc rc = call_check_traffic(in->platform, in->traffic, in->implementation, STRATEGY_TWO_HOP, e);
    if (!rc && in->implementation->cut && strcmp(in->implementation->cut, "fast") != 0)
        rc = err_set(e, RC_UNSUPPORTED,
                     "breakeven asks about hops that are cut at the fast tier; implementation.cut is '%.40s': compare "
                     "cuts with simulate or a sweep",
                     in->implementation->cut);
    return rc;
}

static enum rc ask_licence(const struct study *s, struct breakeven_result *r, struct err *e) {
    const struct gate_scope asked = {.machine = r->in.platform->name};
    r->licence = licences_for(s->licences, CAP_BREAKEVEN, &asked);
    return licence_require(r->licence, e);
}

static enum rc fill_pair(struct breakeven_result *r, struct err *e) {
    struct pair p = {.intervals = r->intervals = mem_alloc(1, sizeof *p.intervals)};
    const struct inputs *in = &r->in;
    call_build(in->topology, in->workload, in->implementation, in->traffic, STRATEGY_ONE_HOP, PHASE_DISPATCH, &p.one);
    call_build(in->topology, in->workload, in->implementation, in->traffic, STRATEGY_TWO_HOP, PHASE_DISPATCH, &p.two);
    if (r->simulated)
        choose_engine(&p, r);
    enum rc rc = fill(in, r->question, &p, r, e);
    call_clear(&p.one);
    call_clear(&p.two);
    return rc;
}

enum rc study_breakeven(const struct study *s, const struct breakeven_question *question,
                        struct breakeven_result **result, struct err *e) {
    struct breakeven_result *r = mem_alloc(1, sizeof *r);
    *r = (struct breakeven_result){.question = question,
                                   .in = {.memo = s->memo},
                                   .decided = s->licences,
                                   .simulated = question->simulated,
                                   .host_exposure_s = question->host_exposure_s,
                                   .range = {range_default[0], range_default[1]},
                                   .seed = (uint64_t)question->q.seed};
    enum rc rc = check_engine_of_search(r, e);
    if (!rc)
        rc = inputs_load(&question->q, INPUT_ALL, &r->in, e);
    if (!rc)
        rc = check(&r->in, e);
    if (!rc)
        rc = ask_licence(s, r, e);
    if (!rc)
        rc = check_hops(&r->in, e);
    if (!rc)
        rc = fill_pair(r, e);
    if (!rc)
        rc = inputs_files(&r->in, &r->files, e);
    if (rc)
        breakeven_free(r);
    else
        *result = r;
    return rc;
}

void breakeven_free(struct breakeven_result *r) {
    if (!r)
        return;
    licences_forget(r->decided);
    if (r->intervals)
        intervals_clear(r->intervals);
    free(r->intervals);
    free(r->inputs);
    manifest_clear(&r->files);
    inputs_clear(&r->in);
    free(r);
}
