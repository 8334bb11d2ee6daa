/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/one_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "sim/engine/engine.h"
#include "sim/study/allow.h"
#include "sim/study/draws.h"
#include "sim/study/estimate.h"
#include "sim/study/explain.h"
#include "sim/study/scope.h"
#include "sim/study/sequence.h"
#include "sim/study/shown.h"
#include "validation/compare.h"
#include "workloads/strategy.h"

void result_call_clear(struct result_call *c) {
    free(c->messages.items);
    free(c->send_end);
    free(c->recv_end);
    free(c->groups);
    free(c->links);
    free(c->port_end);
    free(c->map);
    *c = (struct result_call){0};
}

/* --- before the run ------------------------------------------------------------------------------------ */

/* Says what would make a time known that no alpha covers. */
static void say_reopen(const struct gate_scope *asked, struct result_call *c) {
    bool several = asked->world[1] > asked->world[0];
    char list[60];
    if (several)
        snprintf(list, sizeof list, "worlds %.0f and %.0f", asked->world[0], asked->world[1]);
    else
        snprintf(list, sizeof list, "world %.0f", asked->world[0]);
    snprintf(c->reopen, sizeof c->reopen,
             "measure all-to-alls of this implementation at %s, 32 KiB to 256 MiB a rank, and enter "
             "the intercept as alpha in the platform file",
             list);
}

static void fill_known(struct call_run *run, const struct alpha_answer *answers) {
    const struct costs *known = &run->cases.costs[0];
    run->cases.wire = 1;
    run->cases.n = run->cases.treatment = 2;
    for (int i = 0; i < FIXED_PARTS; i++)
        run->c->fixed[i] = claim_make(run->time, known->fixed_s[i]);
    for (int i = 0; i < run->call.n_launches; i++)
        if (answers[i].interpolated)
            snprintf(run->c->reason, sizeof run->c->reason, "%s", answers[i].reason);
}

static void fill_cases(const struct question *q, struct call_run *run) {
    struct alpha_answer answers[CALL_LAUNCHES];
    struct cases *cases = &run->cases;
    enum regime regime = q->host == HOST_OBSERVED ? REGIME_OBSERVED : REGIME_AHEAD;
    run->c->time_known = run->term->time_known =
        costs_known(&run->call, regime, &cases->costs[0], answers, run->c->reason);
    run->shown = run->c->time_known ? run->time : run->wire;
    if (run->c->time_known) {
        fill_known(run, answers);
    } else {
        cases->treatment = 1;
        cases->n = 1 + run->call.platform->alpha_treatments.n;
        for (size_t i = cases->treatment; i < cases->n; i++)
            costs_treatment(&run->call, i - cases->treatment, &cases->costs[i]);
        say_reopen(run->scope, run->c);
    }
    costs_wire(&run->call, &cases->costs[cases->wire]);
}

/* Fills the lower bounds of a call; without a known time its bound is the lowest of the treatments. */
static void fill_bounds(struct call_run *run) {
    struct cases *cases = &run->cases;
    bound_calls(&run->call, cases->costs, cases->n, cases->bound_s, &cases->busiest);
    double bound_s = run->c->time_known ? cases->bound_s[0] : -1;
    for (size_t i = cases->treatment; i < cases->n; i++)
        if (bound_s < 0 || cases->bound_s[i] < bound_s)
            bound_s = cases->bound_s[i];
    run->c->bound = claim_make(run->wire, bound_s < 0 ? cases->bound_s[cases->wire] : bound_s);
    run->c->wire_bound = claim_make(run->wire, cases->bound_s[cases->wire]);
}

static void fill_traffic(struct call_run *run) {
    const struct bound_link *busiest = &run->cases.busiest;
    struct result_call *c = run->c;
    memcpy(c->tier_bytes, busiest->tier_bytes, sizeof c->tier_bytes);
    memcpy(c->tier_messages, busiest->tier_messages, sizeof c->tier_messages);
    if (busiest->link < 0)
        return;
    c->busiest = &run->call.topology->links[busiest->link];
    c->busiest_bytes = busiest->bytes;
    double wire_s = run->term->wire_s;
    c->busiest_utilisation = claim_if(c->simulated && wire_s > 0, run->wire,
                                      wire_s > 0 ? busiest->bytes / (c->busiest->capacity_Bps * wire_s) : 0);
}

/* --- the run ------------------------------------------------------------------------------------------- */

/* Fills the band of the call time over the treatments of fixed costs; where the time is known, it is that time. */
static void call_fill_band(const struct outcome *outcomes, struct call_run *run) {
    const struct cases *cases = &run->cases;
    double low_s = INFINITY, high_s = -INFINITY;
    if (run->c->time_known)
        low_s = high_s = outcomes[0].time_s;
    for (size_t i = cases->treatment; i < cases->n; i++) {
        double time_s = run->term->treatment_s[i - cases->treatment] = outcomes[i].time_s;
        run->c->treatments[i - cases->treatment] = claim_make(run->time, time_s);
        low_s = fmin(low_s, time_s);
        high_s = fmax(high_s, time_s);
    }
    run->c->band[0] = claim_if(high_s >= low_s, run->time, low_s);
    run->c->band[1] = claim_if(high_s >= low_s, run->time, high_s);
}

/* Adds what the simulations cost; a run that several cases share counts once. */
static void add_cost(const struct outcome *outcomes, size_t i, struct result *r) {
    size_t first = 0;
    while (outcomes[first].run != outcomes[i].run)
        first++;
    if (first == i) {
        r->flows += outcomes[i].flows;
        r->events += outcomes[i].events;
        r->levels += outcomes[i].levels;
        r->wall_s += outcomes[i].wall_s;
        r->cpu_s += outcomes[i].cpu_s;
    }
    if (outcomes[i].peak_rss_bytes > r->peak_rss_bytes)
        r->peak_rss_bytes = outcomes[i].peak_rss_bytes;
}

static enum rc check_bounds(const struct outcome *outcomes, const struct call_run *run, struct err *e) {
    for (size_t i = 0; i < run->cases.n; i++)
        if (compare_below_bound(outcomes[i].time_s, run->cases.bound_s[i]))
            return err_set(e, RC_ENGINE,
                           "%s (%s costs): simulated %.17g s lies below the lower bound %.17g s; "
                           "this is a bug of the program",
                           run->c->strategy, run->cases.costs[i].name, outcomes[i].time_s, run->cases.bound_s[i]);
    return RC_OK;
}

static void fill_times(const struct outcome *outcomes, struct call_run *run) {
    struct result_call *c = run->c;
    double wire_bound_s = run->cases.bound_s[run->cases.wire];
    c->simulated = run->term->simulated = true;
    run->term->wire_s = outcomes[run->cases.wire].time_s;
    run->term->time_s = c->time_known ? outcomes[0].time_s : 0;
    c->wire = claim_make(run->wire, run->term->wire_s);
    c->time = claim_if(c->time_known, run->time, run->term->time_s);
    c->slack = claim_if(wire_bound_s > 0, run->wire, wire_bound_s > 0 ? run->term->wire_s / wire_bound_s : 0);
    c->wire_slack_is_far = wire_bound_s > 0 && run->term->wire_s > call_run_far * wire_bound_s;
    call_fill_band(outcomes, run);
}

static enum rc simulate(struct asking *a, struct call_run *run, struct err *e) {
    const struct question *q = a->q;
    struct outcome outcomes[RESULT_TREATMENTS + 1] = {0};
    BUG_ON(q->engine == SIM_ENGINE_AUTO); // decided once for all calls
    bool detail = q->detail >= DETAIL_RANKS;
    const struct sim_options options = {.engine = (enum sim_engine)q->engine,
                                        .timeout_s = q->timeout_s,
                                        .times_only = !detail,
                                        .link_bins = detail ? RESULT_BINS : 0,
                                        .messages = q->messages ? RESULT_MESSAGES : 0};
    enum rc rc = sim_run(&run->call, run->cases.costs, run->cases.n, &options, outcomes, e);
    if (rc)
        return rc;
    rc = check_bounds(outcomes, run, e);
    for (size_t i = 0; i < run->cases.n; i++)
        add_cost(outcomes, i, a->r);
    fill_times(outcomes, run);
    shown_publish(&outcomes[0], run, q); // known costs, or the wire
    for (size_t i = 0; i < run->cases.n; i++)
        outcome_clear(&outcomes[i]);
    return rc;
}

static void answer_closed(struct call_run *run) {
    struct outcome wire, known;
    struct result_analytic *x = &run->c->analytic;
    struct term *t = run->term;
    model_call(&run->call, &run->cases.costs[run->cases.wire], &wire);
    model_call(&run->call, &run->cases.costs[0], &known); // the wire again where the time is not known
    struct comparison c = {.time_known = t->time_known,
                           .analytic_s = known.time_s,
                           .simulated_s = t->time_s,
                           .analytic_wire_s = wire.time_s,
                           .simulated_wire_s = t->wire_s};
    compare_fill(&c);
    t->closed = true;
    t->closed_error = c.basis != COMPARE_NONE;
    t->closed_s = known.time_s;
    t->closed_wire_s = wire.time_s;
    x->time = claim_if(t->time_known, run->time, known.time_s);
    x->wire = claim_make(run->wire, wire.time_s);
    x->relative_error =
        claim_if(t->closed_error, c.basis == COMPARE_TIME ? run->time : run->wire, c.relative_error);
    x->basis = compare_basis_name(c.basis);
    outcome_clear(&wire);
    outcome_clear(&known);
}

enum rc call_run(struct asking *a, enum strategy strategy, enum phase phase, const struct implementation *how,
                 struct call_run *run, struct err *e) {
    const struct inputs *in = &a->r->in;
    int i = a->r->n_calls;
    *run = (struct call_run){.c = &a->r->calls[i], .term = &a->terms[i], .scope = &a->scopes[i]};
    call_build(in->topology, in->workload, how, in->traffic, strategy, phase, &run->call);
    run->call.enter_s = in->enter_s;
    run->call.order_seed = (uint64_t)a->q->seed;
    run->call.path_seed = topo_path_seed((uint64_t)a->q->seed, 0);
    scope_of_call(a->q, in, &run->call, &a->scopes[i]);
    run->time = a->time[i] = licences_for(a->licences, CAP_CALL_TIME, run->scope);
    run->wire = licences_for(a->licences, CAP_WIRE_TIME, run->scope);
    *run->term = (struct term){.strategy = strategy, .phase = phase, .dedup = run->call.one_hop_dedup};
    *run->c = (struct result_call){.strategy = strategy_name(strategy),
                                   .phase = phase_name(phase),
                                   .dedup = run->call.one_hop_dedup,
                                   .engine = a->r->engine,
                                   .chunks = run->call.chunks,
                                   .pipelined = run->call.pipelined,
                                   .conditional = licence_state(run->time) != CAPABILITY_OPEN,
                                   .licence = run->time,
                                   .straggler.rank = -1,
                                   .sequence.worst = -1};
    a->r->n_calls++;
    fill_cases(a->q, run);
    if (a->estimate) {
        estimate_add(a, run);
        return RC_OK;
    }
    fill_bounds(run);
    enum rc rc = question_simulates(a->q) ? simulate(a, run, e) : RC_OK;
    run->c->analytic.present = a->q->compare;
    run->c->analytic.no_form = a->q->compare ? model_no_form(&run->call) : NULL;
    if (!rc && model_covers(&run->call) && a->q->compare)
        answer_closed(run);
    return rc;
}

enum rc call_run_more(struct asking *a, struct call_run *run, struct err *e) {
    const struct question *q = a->q;
    enum rc rc = RC_OK;
    if (a->estimate)
        return rc;
    fill_traffic(run);
    if (q->detail >= DETAIL_MAP)
        shown_map(&run->call, run->c);
    if (q->detail >= DETAIL_TEXT || !q->analytic_only)
        explain_ports(run);
    if (run->c->wire_slack_is_far && (run->c->even || run->call.workload->routing.source == SOURCE_UNIFORM))
        rc = explain_slack(run, q, e);
    if (!rc && q->compare && q->causes)
        rc = explain_causes(run, q, e);
    if (!rc && question_is_sequence(q))
        rc = sequence_run(a, run, e);
    if (!rc && q->draws)
        rc = draws_run(a, run, e);
    if (!rc && run->c->simulated)
        rc = allow_publish(a, run, e);
    return rc;
}

void call_run_clear(struct call_run *run) {
    call_clear(&run->call);
}
