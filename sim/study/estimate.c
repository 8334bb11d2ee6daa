/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/estimate.h"

#include <math.h>

#include "model/model.h"
#include "platforms/base/memory.h"
#include "platforms/base/unit.h"
#include "sim/study/one_call.h"

/* What a run of one call, or of calls back to back, has to deal with. */
struct run_size {
    double flows;
    double messages; /* pieces, of several chunks */
    double at_once;  /* messages under way together, at most */
    double links;    /* counted once for each exchange */
    bool unequal;    /* messages differ in size, so that their ends fall apart */
};

/* What an engine takes for each flow: least_s, and where ends fall apart unit_s x (messages under way)^power more. */
struct engine_cost {
    double least_s, unit_s, power;
    double message_bytes, flow_bytes; /* of each message; of each one under way */
};
static const struct engine_cost cost_of[] = {
    [SIM_ENGINE_SIMGRID] = {2e-6, 1e-6, 1, 60, 1000},
    [SIM_ENGINE_FLUID] = {1e-6, 1e-6, 0.5, 60, 250},
};
#define LINK_BYTES 150.0

static struct run_size size_of(const struct call *call) {
    double window = (double)call->implementation->window, chunks = call->chunks > 1 ? call->chunks : 1;
    struct run_size size = {.flows = sim_flows(call),
                            .links = (double)call->n_stages * call->topology->n_links,
                            .unequal = call->workload->routing.source != SOURCE_UNIFORM};
    for (int stage = 0; stage < call->n_stages; stage++) {
        const struct matrix *m = &call->stages[stage].bytes;
        double messages = (double)m->start[m->ranks]; // pairs of a rank with itself among them
        size.messages += messages * chunks;
        size.at_once = fmax(size.at_once, window > 0 ? fmin(window * m->ranks, messages) : messages);
    }
    return size;
}

static double run_seconds(const struct run_size *size, enum sim_engine engine) {
    const struct engine_cost *c = &cost_of[engine];
    double apart_s = size->unequal ? c->unit_s * pow(size->at_once, c->power) : 0;
    return size->flows * (c->least_s + apart_s);
}

static double run_bytes(const struct run_size *size, enum sim_engine engine) {
    const struct engine_cost *c = &cost_of[engine];
    return c->message_bytes * size->messages + c->flow_bytes * size->at_once + LINK_BYTES * size->links;
}

/* Runs of a call beside its own: those that look for causes. */
static double runs_of_causes(const struct asking *a, const struct call_run *run) {
    enum { EFFECTS = 7 }; // as many of full size as were measured to take that long
    return a->q->compare && a->q->causes && !model_no_form(&run->call) ? EFFECTS : 0;
}

/* Calls that are played back to back; 0: none. */
static double calls_in_row(const struct question *q) {
    enum { AHEAD = 32 };
    if (!question_is_sequence(q))
        return 0;
    return q->calls ? (double)q->calls : q->batches ? (double)q->batches : q->host == HOST_AHEAD ? AHEAD : 1;
}

/* Adds n equal runs. */
static void add_runs(const struct run_size *size, double n, struct estimate *x) {
    x->all_flows += n * size->flows;
    x->largest_flows = fmax(x->largest_flows, n > 0 ? size->flows : 0);
    for (int i = SIM_ENGINE_SIMGRID; i <= SIM_ENGINE_FLUID && n > 0; i++) {
        x->by[i].seconds += n * run_seconds(size, (enum sim_engine)i);
        x->by[i].run_bytes = fmax(x->by[i].run_bytes, run_bytes(size, (enum sim_engine)i));
    }
}

void estimate_add(const struct asking *a, const struct call_run *run) {
    const struct question *q = a->q;
    const struct cases *cases = &run->cases;
    struct run_size size = size_of(&run->call);
    double runs = (double)sim_runs(&run->call, cases->costs, cases->n);
    double draw_runs = (double)sim_runs(&run->call, cases->costs, run->c->time_known ? 2 : 1);
    a->estimate->flows += runs * size.flows;
    add_runs(&size, runs + runs_of_causes(a, run) + draw_runs * (double)q->draws, a->estimate);
    double in_row = calls_in_row(q);
    struct run_size row = {.flows = in_row * size.flows,
                           .messages = in_row * size.messages,
                           .at_once = size.at_once,
                           .links = in_row * size.links,
                           .unequal = size.unequal};
    add_runs(&row, in_row > 0, a->estimate);
}

void estimate_conclude(const struct licences *licences, const struct question *q, struct estimate *x) {
    x->engine = (enum sim_engine)q->engine;
    if (x->engine == SIM_ENGINE_AUTO)
        x->engine = licence_state(licences_get(licences, CAP_FLUID_ENGINE)) == CAPABILITY_WITHDRAWN
                        ? SIM_ENGINE_SIMGRID
                        : sim_engine_for(x->largest_flows);
    x->memory_bytes = memory_held_bytes();
    if (x->engine == SIM_ENGINE_BOUND)
        return;
    x->seconds = x->by[x->engine].seconds;
    x->memory_bytes += x->by[x->engine].run_bytes;
}

enum rc estimate_check(const struct estimate *x, double available_bytes, struct err *e) {
    char needed[UNIT_TEXT], there[UNIT_TEXT];
    if (x->engine == SIM_ENGINE_BOUND || x->by[x->engine].run_bytes <= available_bytes)
        return RC_OK;
    return err_set(e, RC_RESOURCE,
                   "a simulation of %.3g flows needs about %s of memory beside what is loaded, and %s is there: ask "
                   "for --engine bound, a smaller --window, or fewer ranks",
                   x->largest_flows, unit_format(x->by[x->engine].run_bytes, UNIT_SIZE, needed),
                   unit_format(available_bytes, UNIT_SIZE, there));
}
