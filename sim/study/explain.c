/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the closed form and the simulation differ, and who is last at best. */
#include "sim/study/explain.h"

#include <stdlib.h>

#include "sim/engine/engine.h"
#include "sim/study/causes.h"

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
