/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/study.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/memory.h"
#include "platforms/sanity.h"
#include "sim/study/constants.h"
#include "sim/study/estimate.h"
#include "sim/study/one_call.h"
#include "workloads/strategy.h"

enum rc study_open(const char *corpus, struct inputs_memo *memo, struct study *s, struct err *e) {
    const struct gate_run_options options = {.folder = corpus, .analytic_only = true};
    *s = (struct study){.memo = memo};
    enum rc rc = gate_run(&options, &s->run, e);
    if (!rc)
        s->licences = licences_decide(s->run.results, s->run.n);
    return rc;
}

void study_close(struct study *s) {
    licences_free(s->licences);
    gate_run_clear(&s->run);
    *s = (struct study){0};
}

/* --- the calls ------------------------------------------------------------------------------------------ */

static enum rc check_strategy(const struct inputs *in, enum strategy strategy, struct err *e) {
    return call_check_traffic(in->platform, in->traffic, in->implementation, strategy, e);
}

static enum rc run_asked(struct asking *a, enum phase phase, struct err *e) {
    const struct inputs *in = &a->r->in;
    const int *strategies;
    int n = question_strategies(a->q, &strategies);
    enum rc rc = RC_OK;
    if (in->traffic->unit == TRAFFIC_BYTES && !a->q->strategies.n)
        n = 1;
    for (int i = 0; i < n && !rc; i++) {
        struct call_run run;
        rc = check_strategy(in, (enum strategy)strategies[i], e);
        if (rc)
            break;
        rc = call_run(a, (enum strategy)strategies[i], phase, in->implementation, &run, e);
        if (!rc)
            rc = call_run_more(a, &run, e);
        if (!rc && a->weights)
            weights_add(a, &run, a->weights);
        call_run_clear(&run);
    }
    return rc;
}

/* Returns the plain one hop of a phase, if a gain is asked for; NULL: there is none, or the gain is against another. */
static const struct term *plain_one_hop(const struct asking *a, enum phase phase) {
    const struct term *plain = NULL;
    bool other = false;
    for (int i = 0; i < a->r->n_calls; i++) {
        const struct term *t = &a->terms[i];
        if (t->strategy != STRATEGY_ONE_HOP)
            other = true;
        else if (t->phase == phase && t->dedup == DEDUP_NONE)
            plain = t;
    }
    return other ? plain : NULL;
}

/* Runs the other one hop, since gains are against the best: the one with rows de-duplicated per rank becomes a call of
 * the result where it is better than the plain one. */
static enum rc run_best(struct asking *a, enum phase phase, struct err *e) {
    const struct term *plain = plain_one_hop(a, phase);
    if (!plain || a->r->in.drawn->same_per_rank)
        return RC_OK;
    struct implementation per_rank = *a->r->in.implementation;
    struct call_run run;
    per_rank.dedup.one_hop = DEDUP_RANK;
    per_rank.reduce = REDUCE_EXPERT_RANK;
    enum rc rc = call_run(a, STRATEGY_ONE_HOP, phase, &per_rank, &run, e);
    run.c->baseline = true;
    bool better = !rc && gain_is_better(run.term, plain);
    if (better)
        rc = call_run_more(a, &run, e);
    else if (!rc)
        result_call_clear(&a->r->calls[--a->r->n_calls]);
    if (better && !rc && a->weights)
        weights_add(a, &run, a->weights);
    call_run_clear(&run);
    return rc;
}

static enum rc run_calls(struct asking *a, struct err *e) {
    enum rc rc = RC_OK;
    for (int phase = 0; phase < PHASE_COUNT && !rc; phase++)
        if (question_has_phase(a->q, (enum phase)phase))
            rc = run_asked(a, (enum phase)phase, e);
    for (int phase = 0; phase < PHASE_COUNT && !rc; phase++)
        if (question_has_phase(a->q, (enum phase)phase))
            rc = run_best(a, (enum phase)phase, e);
    return rc;
}

/* --- what follows from all of them ----------------------------------------------------------------------- */

/* Fills the licence for each capability as this question leaves it. A gain at a ratio that nobody measured needs more
 * than its calls. */
static void fill_licences(struct asking *a) {
    struct result *r = a->r;
    const struct licence *absolute[RESULT_CALLS];
    size_t n = (size_t)r->n_calls;
    for (int i = 0; i < CAP_COUNT; i++)
        r->licences[i] = licences_for(a->licences, (enum capability)i, &a->scopes[0]);
    for (size_t i = 0; i < n; i++)
        absolute[i] = licences_for(a->licences, CAP_ABSOLUTE_TIME, &a->scopes[i]);
    r->licences[CAP_CALL_TIME] = licences_of_calls(a->licences, CAP_CALL_TIME, a->time, n);
    r->licences[CAP_ABSOLUTE_TIME] = licences_of_calls(a->licences, CAP_ABSOLUTE_TIME, absolute, n);
    const struct licence *gain = licences_of_calls(a->licences, CAP_GAIN, a->time, n);
    const struct licence *beyond = r->licences[CAP_EXTRAPOLATION];
    bool extrapolates = r->in.platform->ratio.given;
    r->licences[CAP_GAIN] = extrapolates && licence_state(beyond) > licence_state(gain) ? beyond : gain;
}

static void warn_of_order(struct result *r) {
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        char slack[CLAIM_TEXT];
        if (c->far_cause)
            buf_printf(&r->warnings, "%s: a uniform load takes %s times its bound with order %s; %s\n",
                       result_call_name(c), claim_text(c->slack, CLAIM_COARSE, slack),
                       order_name(r->in.implementation->order), c->far_cause);
    }
}

static void conclude(struct asking *a) {
    struct result *r = a->r;
    double ratio = plat_hierarchy_ratio(r->in.platform);
    fill_licences(a);
    r->hierarchy_ratio = claim_if(ratio > 0, r->licences[CAP_HIERARCHY_RATIO], ratio);
    gain_fill(a->terms, r->in.platform->alpha_treatments.n, r->licences[CAP_GAIN], r->licences[CAP_WIRE_TIME], r);
    weights_conclude(a->weights, r);
    plat_sanity(r->in.platform, &r->warnings);
    warn_of_order(r);
    r->arguments = a->q->arguments;
    r->n_arguments = a->q->n_arguments;
    if (!r->arguments) {
        const char **words;
        r->n_arguments = question_words(a->q, &r->arena, &words);
        r->arguments = words;
    }
}

static enum rc load(struct result *r, struct err *e) {
    enum rc rc = inputs_load(r->question, INPUT_ALL, &r->in, e);
    if (!rc && r->in.platform->alpha_treatments.n > RESULT_TREATMENTS)
        rc = err_set(e, RC_RANGE, "%s: alpha_treatments: %zu given, at most %d are supported",
                     r->in.platform->doc->file, r->in.platform->alpha_treatments.n, RESULT_TREATMENTS);
    if (!rc)
        topo_list_routes(r->in.topology, (enum topo_path)r->in.implementation->intra_group_path);
    return rc;
}

/* --- before the start -------------------------------------------------------------------------------------- */

/* Refuses calls back to back that are asked for in two ways. */
static enum rc check_sequence(const struct question *q, struct err *e) {
    if (q->all_layers && q->calls)
        return err_set(e, RC_USAGE, "--calls and --layers cannot stand together: --layers makes one call a layer");
    if (q->batches && (q->all_layers || q->calls))
        return err_set(e, RC_USAGE, "--batches and %s cannot stand together: --batches makes one call a batch",
                       q->calls ? "--calls" : "--layers");
    return RC_OK;
}

/* Refuses what a lower bound cannot be given for, and an engine that a gate has withdrawn. */
static enum rc check_engine(const struct study *s, const struct question *q, struct err *e) {
    const char *more = question_is_sequence(q) ? "calls back to back" : q->draws ? "--draws" : NULL;
    if (q->engine == SIM_ENGINE_BOUND && more)
        return err_set(e, RC_USAGE, "--engine bound: a bound is that of one call; %s are simulated", more);
    return q->engine == SIM_ENGINE_FLUID ? licence_require(licences_get(s->licences, CAP_FLUID_ENGINE), e) : RC_OK;
}

/* Counts the runs of all calls, none of which is run. Calls of the result are forgotten again. */
static enum rc estimate_calls(const struct question *q, struct licences *licences, struct result *r,
                              struct estimate *estimate, struct err *e) {
    struct asking *a = mem_alloc(1, sizeof *a);
    *a = (struct asking){.q = q, .licences = licences, .r = r, .estimate = estimate};
    *estimate = (struct estimate){.flows = 0};
    enum rc rc = question_simulates(q) ? run_calls(a, e) : RC_OK;
    for (; r->n_calls > 0; r->n_calls--)
        result_call_clear(&r->calls[r->n_calls - 1]);
    estimate_conclude(licences, q, estimate);
    free(a);
    return rc;
}

/* Counts what the question will cost, names its engine, and refuses what there is no memory for. */
static enum rc prepare(const struct study *s, struct question *q, struct result *r, struct err *e) {
    struct estimate estimate;
    enum rc rc = estimate_calls(q, s->licences, r, &estimate, e);
    if (!rc)
        rc = estimate_check(&estimate, memory_available_bytes(), e);
    if (rc)
        return rc;
    q->engine = (int)estimate.engine;
    r->engine = q->analytic_only ? NULL : sim_engine_name(estimate.engine);
    if (s->tell && question_simulates(q))
        s->tell(&estimate);
    return RC_OK;
}

enum rc study_refuse_step(const struct study *s, struct err *e) {
    enum rc rc = licence_require(licences_get(s->licences, CAP_STEP_TIME), e);
    return rc ? rc : err_set(e, RC_WITHDRAWN, "step_time: nothing in this program composes calls into a step");
}

static struct result *result_of(const struct study *s, const struct question *q) {
    struct result *r = mem_alloc(1, sizeof *r);
    *r = (struct result){.question = q,
                         .in = {.memo = s->memo},
                         .decided = s->licences,
                         .gates = s->run.results,
                         .n_gates = s->run.n};
    return r;
}

enum rc study_estimate(const struct study *s, const struct question *q, struct estimate *estimate, struct err *e) {
    struct result *r = result_of(s, q);
    struct estimate x = {0};
    enum rc rc = check_sequence(q, e);
    if (!rc)
        rc = check_engine(s, q, e);
    if (!rc)
        rc = load(r, e);
    if (!rc)
        rc = estimate_calls(q, s->licences, r, &x, e);
    if (!rc)
        *estimate = x;
    result_free(r);
    return rc;
}

enum rc study_answer(const struct study *s, const struct question *question, struct result **result, struct err *e) {
    struct result *r = result_of(s, question);
    struct asking *a = mem_alloc(1, sizeof *a);
    struct question q = *question; // with its engine named
    *a = (struct asking){.q = &q, .licences = s->licences, .r = r, .weights = weights_new()};
    enum rc rc = check_sequence(question, e);
    if (!rc)
        rc = check_engine(s, question, e);
    if (!rc)
        rc = load(r, e);
    if (!rc)
        rc = prepare(s, &q, r, e);
    if (!rc)
        rc = run_calls(a, e);
    if (!rc)
        rc = inputs_files(&r->in, &r->files, e);
    if (!rc)
        conclude(a);
    weights_free(a->weights);
    free(a);
    if (rc)
        result_free(r);
    else
        *result = r;
    return rc;
}

const char *result_call_name(const struct result_call *c) {
    return c->baseline ? "one-hop (dedup)" : c->strategy;
}

void result_free(struct result *r) {
    if (!r)
        return;
    for (int i = 0; i < r->n_calls; i++)
        result_call_clear(&r->calls[i]);
    licences_forget(r->decided);
    buf_clear(&r->warnings);
    buf_clear(&r->assumed);
    buf_clear(&r->assumed_choices);
    arena_clear(&r->arena);
    manifest_clear(&r->files);
    inputs_clear(&r->in);
    free(r);
}
