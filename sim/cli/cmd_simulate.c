/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate and compare: the same calls, simulated; compare adds the closed form's answer. */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gates/capability.h"
#include "model/bound.h"
#include "model/model.h"
#include "sim/engine/engine.h"
#include "sim/report/result.h"
#include "validation/causes.h"
#include "validation/compare.h"

/* Cases of fixed costs of one call: first what is shown, then the rest. */
struct cases {
    struct costs costs[RESULT_TREATMENTS + 1];
    size_t n;
    size_t wire;      /* index of the wire case */
    size_t treatment; /* index of the first treatment; n when the time is known */
};

static void fill_cases(const struct step *step, struct cases *cases, struct result_call *call) {
    struct alpha_answer answers[STEP_STAGES];
    *cases = (struct cases){0};
    call->time_known =
        costs_known(step, REGIME_AHEAD, &cases->costs[0], answers, call->reason);
    if (call->time_known) {
        cases->wire = 1;
        cases->n = cases->treatment = 2;
        for (int i = 0; i < step->n_stages; i++)
            if (answers[i].interpolated)
                snprintf(call->reason, sizeof call->reason, "%s", answers[i].reason);
    } else {
        cases->treatment = 1;
        cases->n = 1 + step->platform->alpha_treatments.n;
        for (size_t i = cases->treatment; i < cases->n; i++)
            costs_treatment(step, i - cases->treatment, &cases->costs[i]);
    }
    costs_wire(step, &cases->costs[cases->wire]);
}

static void fill_bounds(const struct step *step, const struct cases *cases, struct result_call *call) {
    call->wire_bound_s = bound_call_s(step, &cases->costs[cases->wire]);
    call->bound_s = call->time_known ? bound_call_s(step, &cases->costs[0]) : -1;
    for (size_t i = cases->treatment; i < cases->n; i++) {
        double bound_s = bound_call_s(step, &cases->costs[i]);
        if (call->bound_s < 0 || bound_s < call->bound_s)
            call->bound_s = bound_s;
    }
    if (call->bound_s < 0)
        call->bound_s = call->wire_bound_s;
}

static void fill_traffic(const struct step *step, struct result_call *call) {
    for (int i = 0; i < step->n_stages; i++)
        for (int tier = 0; tier < TIER_COUNT; tier++) {
            double bytes, messages;
            step_tier_traffic(step, i, (enum tier)tier, &bytes, &messages);
            call->tier_bytes[tier] += bytes;
            call->tier_messages[tier] += messages;
        }
    struct bound_link busiest;
    bound_busiest_link(step, &busiest);
    if (busiest.link < 0)
        return;
    call->busiest = &step->topology->links[busiest.link];
    call->busiest_bytes = busiest.bytes;
    if (call->wire_s > 0)
        call->busiest_utilisation = busiest.bytes / (call->busiest->capacity_Bps * call->wire_s);
}

static void fill_band(const struct cases *cases, const struct outcome *outcomes,
                      struct result_call *call) {
    if (call->time_known) {
        call->band_known = true;
        call->band_s[0] = call->band_s[1] = call->time_s;
    }
    for (size_t i = cases->treatment; i < cases->n; i++) {
        double time_s = outcomes[i].time_s;
        call->treatment_s[i - cases->treatment] = time_s;
        if (!call->band_known || time_s < call->band_s[0])
            call->band_s[0] = time_s;
        if (!call->band_known || time_s > call->band_s[1])
            call->band_s[1] = time_s;
        call->band_known = true;
    }
}

static enum rc simulate_call(const struct step *step, const struct cases *cases,
                             const struct options *o, struct result *r, struct result_call *call,
                             struct err *e) {
    struct outcome outcomes[RESULT_TREATMENTS + 1] = {0};
    const struct sim_options options = {.timeout_s = o->timeout_s};
    enum rc rc = sim_run(step, cases->costs, cases->n, &options, outcomes, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < cases->n && !rc; i++) {
        double bound_s = bound_call_s(step, &cases->costs[i]);
        if (compare_below_bound(outcomes[i].time_s, bound_s))
            rc = err_set(e, RC_ENGINE,
                         "%s (%s costs): simulated %.17g s lies below the lower bound %.17g s; "
                         "this is a bug of the program",
                         call->strategy, cases->costs[i].name, outcomes[i].time_s, bound_s);
        r->flows += outcomes[i].flows;
        r->wall_s += outcomes[i].wall_s;
        r->cpu_s += outcomes[i].cpu_s;
        if (outcomes[i].peak_rss_bytes > r->peak_rss_bytes)
            r->peak_rss_bytes = outcomes[i].peak_rss_bytes;
    }
    call->simulated = true;
    call->wire_s = outcomes[cases->wire].time_s;
    call->time_s = call->time_known ? outcomes[0].time_s : 0;
    fill_band(cases, outcomes, call);
    call->shown = outcomes[0]; // known costs, or the wire
    for (size_t i = 1; i < cases->n; i++)
        outcome_clear(&outcomes[i]);
    return rc;
}

static void analytic_call(const struct step *step, const struct cases *cases,
                          struct result_call *call) {
    struct outcome wire, known;
    model_call(step, &cases->costs[cases->wire], &wire);
    model_call(step, &cases->costs[0], &known);
    struct comparison c = {.time_known = call->time_known,
                           .analytic_s = known.time_s,
                           .simulated_s = call->time_s,
                           .analytic_wire_s = wire.time_s,
                           .simulated_wire_s = call->wire_s};
    compare_fill(&c);
    call->analytic = (struct result_analytic){.present = true,
                                              .time_known = call->time_known,
                                              .time_s = known.time_s,
                                              .wire_s = wire.time_s,
                                              .error_known = c.basis != COMPARE_NONE,
                                              .relative_error = c.relative_error,
                                              .basis = compare_basis_name(c.basis)};
    outcome_clear(&wire);
    outcome_clear(&known);
}

static enum rc run_engine(const struct step *step, const struct costs *costs, size_t n_costs,
                          void *context, struct outcome *outcomes, struct err *e) {
    const struct options *o = context;
    return sim_run(step, costs, n_costs, &(struct sim_options){.timeout_s = o->timeout_s}, outcomes,
                   e);
}

/* Why the two answers differ, on the basis that the relative error has. */
static enum rc explain_call(const struct step *step, const struct cases *cases,
                            const struct options *o, struct result_call *call, struct err *e) {
    struct result_analytic *a = &call->analytic;
    if (!a->error_known || !call->simulated)
        return RC_OK;
    struct causes causes;
    const struct causes_question q = {.step = step,
                                      .costs = &cases->costs[call->time_known ? 0 : cases->wire],
                                      .analytic_s = call->time_known ? a->time_s : a->wire_s,
                                      .simulated_s = call->time_known ? call->time_s : call->wire_s,
                                      .simulator = {run_engine, (void *)(uintptr_t)o}};
    enum rc rc = causes_find(&q, &causes, e);
    if (rc)
        return rc;
    a->n_causes = causes.n;
    a->shapley = causes.shapley;
    for (int i = 0; i < causes.n; i++) {
        a->causes[i].name = causes.parts[i].name;
        a->causes[i].seconds = causes.parts[i].seconds;
        a->causes[i].first = causes.parts[i].first;
        a->causes[i].last = causes.parts[i].last;
    }
    return RC_OK;
}

static void fill_straggler(const struct step *step, const struct cases *cases,
                           struct result_call *call) {
    int n = step->topology->ranks;
    struct bound_rank *ranks = mem_alloc((size_t)n, sizeof *ranks);
    struct bound_straggler s;
    bound_ports(step, &cases->costs[0], ranks, &s);
    call->port_end_s = mem_alloc((size_t)n * BOUND_SIDES, sizeof *call->port_end_s);
    for (int i = 0; i < n * BOUND_SIDES; i++)
        call->port_end_s[i] = ranks[i / BOUND_SIDES].end_s[i % BOUND_SIDES];
    free(ranks);
    call->straggler = (struct result_straggler){.rank = s.rank};
    if (s.rank >= 0)
        call->straggler = (struct result_straggler){s.rank, bound_side_name(s.side),
                                                    &step->topology->links[s.link], s.end_s};
}

static enum rc run_call(const struct inputs *in, const struct options *o, enum strategy strategy,
                        bool compare, struct result *r, struct err *e) {
    struct result_call *call = &r->calls[r->n_calls++];
    call->strategy = strategy_name(strategy);
    call->phase = phase_name(PHASE_DISPATCH);
    call->conditional = capability_state(CAP_CALL_TIME) != CAPABILITY_OPEN;
    struct step step;
    step_build(in->topology, in->workload, in->implementation, in->traffic, strategy, PHASE_DISPATCH,
               &step);
    struct cases cases;
    fill_cases(&step, &cases, call);
    fill_bounds(&step, &cases, call);
    enum rc rc = o->analytic_only ? RC_OK : simulate_call(&step, &cases, o, r, call, e);
    if (!rc && compare)
        analytic_call(&step, &cases, call);
    if (!rc && compare)
        rc = explain_call(&step, &cases, o, call, e);
    fill_straggler(&step, &cases, call);
    fill_traffic(&step, call);
    step_clear(&step);
    return rc;
}

static const struct result_call *find_call(const struct result *r, enum strategy strategy) {
    for (int i = 0; i < r->n_calls; i++)
        if (strcmp(r->calls[i].strategy, strategy_name(strategy)) == 0 && r->calls[i].simulated)
            return &r->calls[i];
    return NULL;
}

static void fill_gain(struct result *r) {
    const struct result_call *one = find_call(r, STRATEGY_ONE_HOP);
    const struct result_call *two = find_call(r, STRATEGY_TWO_HOP);
    if (!one || !two)
        return;
    struct result_gain *g = &r->gain;
    g->of = two->strategy;
    g->known = one->time_known && two->time_known && two->time_s > 0;
    if (g->known)
        g->time = one->time_s / two->time_s;
    g->wire_known = two->wire_s > 0;
    if (g->wire_known)
        g->wire = one->wire_s / two->wire_s;
    if (one->time_known || two->time_known)
        return;
    for (size_t i = 0; i < r->platform->alpha_treatments.n; i++) {
        if (!(two->treatment_s[i] > 0))
            continue;
        double gain = one->treatment_s[i] / two->treatment_s[i];
        if (!g->band_known || gain < g->band[0])
            g->band[0] = gain;
        if (!g->band_known || gain > g->band[1])
            g->band[1] = gain;
        g->band_known = true;
    }
}

static void weaken(struct result_weakest *w, const char *constant, enum status status) {
    if (*w->constant && status_weakness(status) <= status_weakness(w->status))
        return;
    snprintf(w->constant, sizeof w->constant, "%s", constant);
    w->status = status;
}

/* The first of the weakest constants, the most influential ones asked first. */
static void fill_weakest(const struct inputs *in, struct result *r) {
    struct result_weakest *w = &r->weakest;
    const struct platform *p = in->platform;
    char name[48];
    for (int tier = TIER_COUNT - 1; tier >= 0; tier--) {
        const struct plat_tier *t = &p->tier[tier];
        const struct {
            const char *key;
            const struct quantity *q;
        } all[] = {{"bandwidth", &t->bandwidth_Bps}, {"x_half", &t->x_half_bytes},
                   {"message_cost", &t->message_cost_s}, {"oversubscription", &t->oversubscription},
                   {"latency", &t->latency_s}};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            snprintf(name, sizeof name, "platform.%s.%s", tier_name((enum tier)tier), all[i].key);
            if (all[i].q->given)
                weaken(w, name, all[i].q->status);
        }
    }
    if (p->port_bandwidth_Bps.given)
        weaken(w, "platform.port_bandwidth", p->port_bandwidth_Bps.status);
    struct alpha_answer alpha;
    plat_alpha(p, in->implementation->name, plat_ranks(p), plat_widest(p, (int)p->groups), REGIME_AHEAD,
               &alpha);
    if (alpha.known)
        weaken(w, "platform.alpha", alpha.status);
    if (p->splits_sync_s.given)
        weaken(w, "platform.splits_sync", p->splits_sync_s.status);
    const struct chain_constant *chain =
        chain_constant((enum chain_preset)in->implementation->chain.preset);
    if (chain->s_per_pair > 0)
        weaken(w, "implementation.chain", chain->status);
    weaken(w, "implementation.window", STATUS_ASSUMED); // no source states one
}

/* A uniform load that ends far above its bound is the schedule's doing. */
static void warn_of_order(const struct inputs *in, struct result *r) {
    for (int i = 0; i < r->n_calls; i++) {
        const struct result_call *c = &r->calls[i];
        if (in->workload->routing.source == SOURCE_UNIFORM && c->simulated && c->wire_bound_s > 0 &&
            c->wire_s > 1.15 * c->wire_bound_s)
            buf_printf(&r->warnings,
                       "%s: a uniform load takes %.2f times its bound with order %s; the order "
                       "convoys\n",
                       c->strategy, c->wire_s / c->wire_bound_s, order_name(in->implementation->order));
    }
}

static void write_result(const struct result *r, enum format format, struct buf *out) {
    if (format == FORMAT_JSON)
        result_write_json(r, out);
    else if (format == FORMAT_CSV)
        result_write_csv(r, out);
    else
        result_write_text(r, out);
}

static enum rc run(const struct options *o, bool compare, struct buf *out, struct err *e) {
    if (o->n_words)
        return err_set(e, RC_USAGE, "unexpected word '%.60s'", o->words[0]);
    enum rc rc = o->step_level ? capability_require(CAP_STEP_TIME, e) : RC_OK;
    if (rc)
        return rc;
    struct inputs in = {0};
    struct result r = {.schema = compare ? "moesim/compare/1" : "moesim/simulate/1",
                       .seed = o->seed,
                       .engine_version = sim_version(),
                       .program_version = MOESIM_VERSION,
                       .program_git = MOESIM_GIT,
                       .arguments = o->arguments,
                       .n_arguments = o->n_arguments};
    rc = inputs_load(o, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION | INPUT_TRAFFIC, &in, e);
    if (!rc && in.platform->alpha_treatments.n > RESULT_TREATMENTS)
        rc = err_set(e, RC_RANGE, "%s: alpha_treatments: %zu given, at most %d are supported",
                     in.platform->doc->file, in.platform->alpha_treatments.n, RESULT_TREATMENTS);
    static const int both[] = {STRATEGY_ONE_HOP, STRATEGY_TWO_HOP};
    const int *strategies = o->n_strategies ? o->strategies : both;
    int n = o->n_strategies ? o->n_strategies : 2;
    for (int i = 0; i < n && !rc; i++)
        rc = run_call(&in, o, (enum strategy)strategies[i], compare, &r, e);
    if (!rc) {
        r.platform = in.platform;
        r.workload = in.workload;
        r.implementation = in.implementation;
        r.traffic = in.traffic;
        traffic_rho(in.traffic, &r.rho);
        fill_gain(&r);
        fill_weakest(&in, &r);
        warn_of_order(&in, &r);
        write_result(&r, o->format, out);
    }
    for (int i = 0; i < r.n_calls; i++) {
        outcome_clear(&r.calls[i].shown);
        free(r.calls[i].port_end_s);
    }
    buf_clear(&r.warnings);
    inputs_clear(&in);
    return rc;
}

enum rc cmd_simulate(const struct options *o, struct buf *out, struct err *e) {
    return run(o, false, out, e);
}

enum rc cmd_compare(const struct options *o, struct buf *out, struct err *e) {
    return run(o, true, out, e);
}
