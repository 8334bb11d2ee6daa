/* SPDX-License-Identifier: BSD-3-Clause */
/* The same call several times back to back, or one for each layer or micro-batch of a trace. */
#include "sim/study/sequence.h"

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

static enum rc load_layers(const struct inputs *in, uint64_t seed, struct calls *c, struct result_sequence *s,
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

/* Draws the batches of the layer that the first call is of. */
static enum rc load_batches(const struct inputs *in, const struct question *q, const struct traffic *first,
                            struct calls *c, struct result_sequence *s, struct err *e) {
    struct workload w = *in->workload;
    struct traffic_plan *plan;
    if (first->layer >= 0) {
        w.routing.layer = first->layer;
        w.routing.layer_given = true;
    }
    enum rc rc = traffic_plan_build(in->platform, &w, (uint64_t)q->seed, &plan, e);
    if (rc)
        return rc;
    int64_t left = traffic_plan_batches(plan);
    c->n = (int)q->batches;
    if (left > 0 && q->batches > left)
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

static enum rc play(const struct question *q, const struct calls *c, enum regime host, struct sequence_times *t,
                    struct err *e) {
    const struct sim_sequence sequence = {c->calls, c->costs, (size_t)c->n, host};
    const struct sim_options options = question_times_only(q);
    double total_s;
    enum rc rc = sim_run_sequence(&sequence, &options, c->outcomes, &total_s, e);
    if (rc)
        return rc;
    t->per_call_s = total_s / c->n;
    double end_s = 0;
    for (int i = 0; i < c->n && c->traffic; i++) {
        double ends_s = c->outcomes[i].begin_s + c->outcomes[i].time_s;
        t->time_s[i] = fmax(ends_s - end_s, 0);
        end_s = fmax(end_s, ends_s);
    }
    return RC_OK;
}

void sequence_publish(const struct sequence_times *t, const struct licence *time, const struct licence *wire,
                      struct result_sequence *s) {
    s->per_call = claim_if(t->known, time, t->per_call_s);
    s->per_call_wire = claim_if(!t->known, wire, t->per_call_s);
    s->worst = -1;
    for (int i = 0; i < s->n_calls && s->by; i++) {
        s->time[i] = claim_if(t->known, time, t->time_s[i]);
        s->wire[i] = claim_if(!t->known, wire, t->time_s[i]);
        bool shown = claim_known(s->time[i]) || claim_known(s->wire[i]);
        if (shown && (s->worst < 0 || t->time_s[i] > t->time_s[s->worst]))
            s->worst = i;
    }
}

/* Builds the calls and their costs; of the wire where one is not known. */
static void build(const struct call *like, enum regime table, struct calls *c, struct sequence_times *t,
                  struct result_sequence *s) {
    size_t n = (size_t)c->n;
    c->calls = mem_alloc(n, sizeof *c->calls);
    c->costs = mem_alloc(n, sizeof *c->costs);
    c->outcomes = mem_alloc(n, sizeof *c->outcomes);
    t->known = true;
    for (int i = 0; i < c->n; i++) {
        const struct traffic *traffic = c->traffic ? c->traffic[i] : like->traffic;
        call_build(like->topology, like->workload, like->implementation, traffic, like->strategy, like->phase,
                   &c->calls[i]);
        c->calls[i].enter_s = like->enter_s;
        c->calls[i].order_seed = like->order_seed;
        c->calls[i].path_seed = like->path_seed;
        t->known = costs_known(&c->calls[i], table, &c->costs[i], NULL, s->reason) && t->known;
    }
    for (int i = 0; i < c->n && !t->known; i++)
        costs_wire(&c->calls[i], &c->costs[i]);
}

enum rc sequence_run(const struct asking *a, struct call_run *run, struct err *e) {
    enum { CALLS_AHEAD = 32 }; // as many as the burst measurements behind the host regimes
    const struct question *q = a->q;
    const struct inputs *in = &a->r->in;
    struct result_sequence *s = &run->c->sequence;
    bool ahead = q->host == HOST_AHEAD;
    enum regime host = ahead ? REGIME_AHEAD : REGIME_OBSERVED;
    // without --host: one after the other, at the fixed cost that a single call is given
    enum regime table = q->host != HOST_ALONE ? host : REGIME_AHEAD;
    struct calls c = {.n = q->calls ? (int)q->calls : ahead ? CALLS_AHEAD : 1};
    struct sequence_times times = {0};
    enum rc rc = q->all_layers ? load_layers(in, (uint64_t)q->seed, &c, s, e)
                 : q->batches  ? load_batches(in, q, run->call.traffic, &c, s, e)
                               : RC_OK;
    s->host = ahead ? "ahead" : "observed";
    s->n_calls = c.n;
    if (!rc) {
        build(&run->call, table, &c, &times, s);
        rc = play(q, &c, host, &times, e);
    }
    if (!rc)
        sequence_publish(&times, run->time, run->wire, s);
    clear(&c);
    return rc;
}
