/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "workloads/strategy.h"

/* The calls of a sequence; equal ones share their traffic. */
struct calls {
    int n;
    struct traffic **traffic; /* of each, by layer or batch only */
    struct call *calls;
    struct costs *costs;
    struct outcome *outcomes;
};

static enum rc load_layers(const struct inputs *in, uint64_t seed, struct calls *c, struct sequence_figures *s,
                           struct err *e) {
    struct workload w = *in->workload;
    struct traffic_plan *plan;
    if (w.routing.source != SOURCE_TRACE)
        return err_set(e, RC_USAGE, "--layers: the workload %s has no trace", w.name);
    w.routing.layer_given = false; // all of them, whichever the first call is
    enum rc rc = traffic_plan_build(in->platform, &w, seed, &plan, e);
    if (rc)
        return rc;
    int layers = traffic_plan_layers(plan);
    if (layers > RESULT_SEQUENCE) {
        rc = err_set(e, RC_RANGE, "%s: %d layers, at most %d can be put in sequence", w.trace_path, layers,
                     RESULT_SEQUENCE);
    } else {
        c->n = layers;
        c->traffic = mem_alloc((size_t)layers, sizeof(struct traffic *));
    }
    for (int i = 0; i < layers && !rc; i++) {
        rc = traffic_plan_layer(plan, i, &c->traffic[i], e);
        if (!rc)
            s->number[i] = c->traffic[i]->layer >= 0 ? c->traffic[i]->layer : 0;
    }
    traffic_plan_free(plan);
    s->by = "layer";
    return rc;
}

/* Batches of the layer that the first call is of. */
static enum rc load_batches(const struct inputs *in, const struct options *o, const struct traffic *first,
                            struct calls *c, struct sequence_figures *s, struct err *e) {
    struct workload w = *in->workload;
    struct traffic_plan *plan;
    if (first->layer >= 0) {
        w.routing.layer = first->layer;
        w.routing.layer_given = true;
    }
    enum rc rc = traffic_plan_build(in->platform, &w, o->seed, &plan, e);
    if (rc)
        return rc;
    int64_t left = traffic_plan_batches(plan);
    c->n = (int)o->batches;
    if (left > 0 && o->batches > left)
        rc = err_set(e, RC_RANGE, "--batches %d: %s has %lld batches of this many tokens from batch %lld on", c->n,
                     w.trace_path, (long long)left, (long long)w.routing.batch);
    else
        c->traffic = mem_alloc((size_t)c->n, sizeof(struct traffic *));
    for (int i = 0; i < c->n && !rc; i++) {
        rc = traffic_plan_draw(plan, i, &c->traffic[i], e);
        s->number[i] = w.routing.batch + i;
    }
    traffic_plan_free(plan);
    s->by = "batch";
    return rc;
}

static void clear(struct calls *c) {
    for (int i = 0; i < c->n; i++) {
        if (c->traffic)
            traffic_free(c->traffic[i]);
        if (c->calls)
            call_clear(&c->calls[i]);
        if (c->outcomes)
            outcome_clear(&c->outcomes[i]);
    }
    free(c->traffic);
    free(c->calls);
    free(c->costs);
    free(c->outcomes);
}

static enum rc play(const struct options *o, const struct calls *c, enum regime host, struct sequence_figures *s,
                    struct err *e) {
    const struct sim_sequence sequence = {c->calls, c->costs, (size_t)c->n, host};
    const struct sim_options options = {.timeout_s = o->timeout_s, .times_only = true};
    double total_s;
    enum rc rc = sim_run_sequence(&sequence, &options, c->outcomes, &total_s, e);
    if (rc)
        return rc;
    s->per_call_s = total_s / c->n;
    double end_s = 0;
    for (int i = 0; i < c->n && s->by; i++) {
        double ends_s = c->outcomes[i].begin_s + c->outcomes[i].time_s;
        s->time_s[i] = fmax(ends_s - end_s, 0);
        end_s = fmax(end_s, ends_s);
    }
    return RC_OK;
}

enum rc sequence_run(const struct inputs *in, const struct options *o, const struct call *like,
                     struct sequence_figures *s, struct err *e) {
    enum { CALLS_AHEAD = 32 }; // as many as the burst measurements behind the host regimes
    bool ahead = o->host && strcmp(o->host, "ahead") == 0;
    enum regime host = ahead ? REGIME_AHEAD : REGIME_OBSERVED;
    // without --host: one after the other, at the fixed cost that a single call is given
    enum regime table = o->host ? host : REGIME_AHEAD;
    struct calls c = {.n = o->calls ? (int)o->calls : ahead ? CALLS_AHEAD : 1};
    enum rc rc = o->all_layers ? load_layers(in, o->seed, &c, s, e)
                 : o->batches  ? load_batches(in, o, like->traffic, &c, s, e)
                               : RC_OK;
    size_t n = (size_t)c.n;
    s->host = ahead ? "ahead" : "observed";
    s->n_calls = c.n;
    s->known = true;
    if (!rc) {
        c.calls = mem_alloc(n, sizeof *c.calls);
        c.costs = mem_alloc(n, sizeof *c.costs);
        c.outcomes = mem_alloc(n, sizeof *c.outcomes);
    }
    for (int i = 0; i < c.n && !rc; i++) {
        const struct traffic *t = c.traffic ? c.traffic[i] : like->traffic;
        call_build(like->topology, like->workload, like->implementation, t, like->strategy, like->phase,
                   &c.calls[i]);
        c.calls[i].enter_s = like->enter_s;
        c.calls[i].order_seed = like->order_seed;
        c.calls[i].path_seed = like->path_seed;
        s->known = costs_known(&c.calls[i], table, &c.costs[i], NULL, s->reason) && s->known;
    }
    for (int i = 0; i < c.n && !rc && !s->known; i++)
        costs_wire(&c.calls[i], &c.costs[i]);
    if (!rc)
        rc = play(o, &c, host, s, e);
    clear(&c);
    return rc;
}
