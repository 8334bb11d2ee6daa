/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/draws.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/stat.h"
#include "sim/engine/engine.h"
#include "workloads/strategy.h"

static const double levels[DRAWS_QUANTILES] = {0.5, 0.95, 0.99};

/* The smallest value that at least a share q of the draws does not exceed. */
static void quantiles(double *times_s, size_t n, double *q) {
    stat_sort(times_s, n);
    for (int i = 0; i < DRAWS_QUANTILES; i++) {
        size_t at = (size_t)ceil(levels[i] * (double)n);
        q[i] = times_s[at > 0 ? at - 1 : 0];
    }
}

static enum rc one_draw(const struct options *o, const struct call *like, const struct traffic *t,
                        const struct costs *cases, size_t n_cases, double *times_s, struct err *e) {
    struct call call;
    struct outcome outcomes[2] = {{0}};
    const struct sim_options options = {.timeout_s = o->timeout_s, .times_only = true};
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

enum rc draws_run(const struct inputs *in, const struct options *o, const struct call *like, bool known,
                  const struct costs *cases, struct draws_figures *d, struct err *e) {
    struct traffic_plan *plan;
    enum rc rc = traffic_plan_build(in->platform, in->workload, o->seed, &plan, e);
    if (rc)
        return rc;
    int64_t batches = traffic_plan_batches(plan);
    size_t n = (size_t)o->draws;
    if (batches > 0 && o->draws > batches * traffic_plan_layers(plan))
        n = (size_t)(batches * traffic_plan_layers(plan)); // a record has no more than that
    double *known_s = mem_alloc(n, sizeof *known_s), *wire_s = mem_alloc(n, sizeof *wire_s);
    for (size_t i = 0; i < n && !rc; i++) {
        struct traffic *t;
        double times_s[2];
        struct call drawn = *like; // the first draw takes the paths of the call itself
        drawn.path_seed = topo_path_seed(o->seed, (uint64_t)i);
        rc = traffic_plan_draw(plan, (int64_t)i, &t, e);
        if (rc)
            break;
        // the cases stand as known, wire; without the known one the wire comes first
        rc = one_draw(o, &drawn, t, cases, known ? 2 : 1, times_s, e);
        known_s[i] = times_s[0];
        wire_s[i] = times_s[known ? 1 : 0];
        traffic_free(t);
    }
    if (!rc) {
        d->n = (int)n;
        d->layers = traffic_plan_layers(plan);
        d->known = known;
        quantiles(known_s, n, d->time_s);
        quantiles(wire_s, n, d->wire_s);
    }
    free(known_s);
    free(wire_s);
    traffic_plan_free(plan);
    return rc;
}
