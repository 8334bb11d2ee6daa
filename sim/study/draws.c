/* SPDX-License-Identifier: BSD-3-Clause */
/* One call over many batches and layers of its workload: quantiles of its times. */
#include "sim/study/draws.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/stat.h"
#include "sim/engine/engine.h"
#include "workloads/strategy.h"

static const double levels[RESULT_QUANTILES] = {0.5, 0.95, 0.99};

/* Finds the smallest values that at least each share of the draws does not exceed. */
static void quantiles(double *times_s, size_t n, double *q) {
    stat_sort(times_s, n);
    for (int i = 0; i < RESULT_QUANTILES; i++) {
        size_t at = (size_t)ceil(levels[i] * (double)n);
        q[i] = times_s[at > 0 ? at - 1 : 0];
    }
}

static enum rc one_draw(const struct question *q, const struct call *like, const struct traffic *t,
                        const struct costs *cases, size_t n_cases, double *times_s, struct err *e) {
    struct call call;
    struct outcome outcomes[2] = {{0}};
    const struct sim_options options = question_times_only(q);
    call_build(like->topology, like->workload, like->implementation, t, like->strategy, like->phase,
               &call);
    call.enter_s = like->enter_s;
    call.order_seed = like->order_seed;
    call.path_seed = like->path_seed;
    enum rc rc = sim_run(&call, cases, n_cases, &options, outcomes, e);
    for (size_t i = 0; i < n_cases; i++) {
        times_s[i] = outcomes[i].time_s;
        outcome_clear(&outcomes[i]);
    }
    call_clear(&call);
    return rc;
}

/* The tail of skewed loads has a capability of its own: nobody has held it against measurements. */
static void draws_publish(const struct asking *a, const struct call_run *run, double *known_s, double *wire_s,
                          struct result_draws *d) {
    const struct licence *tail = licences_for(a->licences, CAP_SKEW_TAIL, run->scope);
    double time_q_s[RESULT_QUANTILES], wire_q_s[RESULT_QUANTILES];
    quantiles(known_s, (size_t)d->n, time_q_s);
    quantiles(wire_s, (size_t)d->n, wire_q_s);
    for (int i = 0; i < RESULT_QUANTILES; i++) {
        d->time[i] = claim_if(run->c->time_known, i == 0 ? run->time : tail, time_q_s[i]);
        d->wire[i] = claim_make(run->wire, wire_q_s[i]);
    }
    if (licence_state(tail) == CAPABILITY_WITHDRAWN)
        d->tail_reason = licence_reason(tail);
}

enum rc draws_run(const struct asking *a, struct call_run *run, struct err *e) {
    const struct question *q = a->q;
    struct result_draws *d = &run->c->draws;
    bool known = run->c->time_known;
    struct traffic_plan *plan;
    enum rc rc = traffic_plan_build(a->r->in.platform, a->r->in.workload, (uint64_t)q->seed, &plan, e);
    if (rc)
        return rc;
    int64_t batches = traffic_plan_batches(plan);
    size_t n = (size_t)q->draws;
    if (batches > 0 && q->draws > batches * traffic_plan_layers(plan))
        n = (size_t)(batches * traffic_plan_layers(plan)); // a record has no more than that
    double *known_s = mem_alloc(n, sizeof *known_s), *wire_s = mem_alloc(n, sizeof *wire_s);
    for (size_t i = 0; i < n && !rc; i++) {
        struct traffic *t;
        double times_s[2];
        rc = traffic_plan_draw(plan, (int64_t)i, &t, e);
        if (rc)
            break;
        // the cases stand as known, wire; without the known one the wire comes first
        struct call drawn = run->call; // the first draw takes the paths of the call itself
        drawn.path_seed = topo_path_seed((uint64_t)q->seed, (uint64_t)i);
        rc = one_draw(q, &drawn, t, run->cases.costs, known ? 2 : 1, times_s, e);
        known_s[i] = times_s[0];
        wire_s[i] = times_s[known ? 1 : 0];
        traffic_free(t);
    }
    if (!rc) {
        *d = (struct result_draws){.n = (int)n, .layers = traffic_plan_layers(plan)};
        draws_publish(a, run, known_s, wire_s, d);
    }
    free(known_s);
    free(wire_s);
    traffic_plan_free(plan);
    return rc;
}
