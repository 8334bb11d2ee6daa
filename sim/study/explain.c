/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the closed form and the simulation differ, and who is last at best. */
#include "sim/study/explain.h"

#include <stdlib.h>

#include "sim/engine/engine.h"
#include "sim/study/causes.h"
#include "workloads/strategy.h"

enum rc explain_causes(const struct call_run *run, const struct question *question, struct err *e) {
    const struct term *t = run->term;
    struct result_analytic *a = &run->c->analytic;
    struct causes causes;
    if (!t->closed_error || !t->simulated)
        return RC_OK;
    struct sim_options options = question_times_only(question);
    const struct causes_question q = {.call = &run->call,
                                      .costs = call_run_basis(run),
                                      .analytic_s = t->time_known ? t->closed_s : t->closed_wire_s,
                                      .simulated_s = t->time_known ? t->time_s : t->wire_s,
                                      .simulator = {sim_answer, &options}};
    enum rc rc = causes_find(&q, &causes, e);
    if (rc)
        return rc;
    a->n_causes = causes.n;
    a->shapley = causes.shapley;
    for (int i = 0; i < a->n_causes; i++) {
        const struct cause_part *part = &causes.parts[i];
        a->causes[i].name = part->name;
        a->causes[i].seconds = claim_make(run->shown, part->seconds);
        a->causes[i].first = claim_make(run->shown, part->first);
        a->causes[i].last = claim_make(run->shown, part->last);
    }
    return RC_OK;
}

void explain_ports(const struct call_run *run) {
    const struct topology *t = run->call.topology;
    struct bound_rank *ports = mem_alloc((size_t)t->ranks, sizeof *ports);
    struct bound_straggler s;
    bound_ports(&run->call, call_run_basis(run), ports, &s);
    if (s.rank >= 0)
        run->c->straggler = (struct result_straggler){s.rank, bound_side_name(s.side), &t->links[s.link],
                                                      claim_make(run->shown, s.end_s)};
    run->c->port_end = mem_alloc((size_t)t->ranks * BOUND_SIDES, sizeof *run->c->port_end);
    for (int i = 0; i < t->ranks * BOUND_SIDES; i++) {
        double end_s = ports[i / BOUND_SIDES].end_s[i % BOUND_SIDES];
        run->c->port_end[i] = claim_if(end_s > 0, run->shown, end_s);
    }
    free(ports);
}

/* Fills in the wire time of the call with another order or window. */
static enum rc time_with(const struct call_run *run, const struct question *question, int order, int64_t window,
                         double *wire_s, struct err *e) {
    const struct call *own = &run->call;
    struct implementation how = *own->implementation;
    struct sim_options options = question_times_only(question);
    struct costs wire;
    struct outcome o = {0};
    struct call call;
    how.order = order;
    how.window = window;
    call_build(own->topology, own->workload, &how, own->traffic, own->strategy, own->phase, &call);
    call.enter_s = own->enter_s;
    call.order_seed = own->order_seed;
    call.path_seed = own->path_seed;
    costs_wire(&call, &wire);
    enum rc rc = sim_run(&call, &wire, 1, &options, &o, e);
    if (!rc)
        *wire_s = o.time_s;
    outcome_clear(&o);
    call_clear(&call);
    return rc;
}

enum rc explain_slack(struct call_run *run, const struct question *question, struct err *e) {
    static const struct {
        int order; /* -1: as it is, with all messages under way */
        const char *cause;
    } tries[] = {{ORDER_GROUP_SHIFT, "the order convoys: --schedule group-shift does not"},
                 {ORDER_FARTHEST, "the order convoys: --schedule farthest does not"},
                 {ORDER_ROUNDS, "the order convoys: --schedule rounds does not"},
                 {-1, "the window holds messages back and no other order helps: --window all does not"}};
    const struct implementation *how = run->call.implementation;
    const double near_s = call_run_far * run->cases.bound_s[run->cases.wire];
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        bool order = tries[i].order >= 0;
        double wire_s;
        if (order ? how->order == tries[i].order : how->window == 0)
            continue;
        enum rc rc = time_with(run, question, order ? tries[i].order : how->order, order ? how->window : 0, &wire_s, e);
        if (rc)
            return rc;
        if (wire_s <= near_s) {
            run->c->far_cause = tries[i].cause;
            return RC_OK;
        }
    }
    run->c->far_cause = "messages wait for each other at a link that they share: neither an order nor --window all "
                        "mends it";
    return RC_OK;
}
