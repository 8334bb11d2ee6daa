/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/estimate.h"

#include <math.h>

#include "model/model.h"
#include "platforms/base/unit.h"

/* What a run of one call, or of calls back to back, has to deal with. */
struct run_size {
    double flows;
    double messages; /* pieces, of several chunks */
    double at_once;  /* messages under way together, at most */
    double ranks;
    double links; /* counted once for each exchange */
    bool unequal; /* messages differ in size, so that their ends fall apart */
    bool shared;  /* some links are those of several ranks */
};

/* What an engine takes for each flow: least_s, and where ends fall apart unit_s more for each message that shares links
 * with it: on SimGrid all that are under way, on `fluid` those of its sender, and more of them where ranks share
 * uplinks. Read off CPU seconds and peak memory of the simulating process on 2026-12-01 (2 shared cores, 32 to 256
 * ranks, the loads of tests/bench/estimate.sh, which prints estimate beside measurement); a choice of round numbers, no
 * least squares. With 48 and 192 ranks, which were left out, skewed one hop took 0.6 to 2.3 times what was said, most
 * with everything posted at once. PAIR_BYTES and LINK_BYTES are of the same runs. */
struct engine_cost {
    double least_s, unit_s;
    double process_bytes, message_bytes, flow_bytes; /* by itself; of each message; of each one under way */
};
static const struct engine_cost cost_of[] = {
    [SIM_ENGINE_SIMGRID] = {4e-6, 0.62e-6, 11e6, 65, 2000},
    [SIM_ENGINE_FLUID] = {1e-6, 0.35e-6, 6.3e6, 65, 250},
};
/* Memory of routes and traffic for each pair of ranks; of each link. */
#define PAIR_BYTES 60.0
#define LINK_BYTES 150.0

static bool shares_links(const struct topology *t) {
    for (int l = 0; l < t->n_links; l++)
        if (t->links[l].role >= LINK_UP)
            return true;
    return false;
}

static struct run_size size_of(const struct call *call) {
    double window = (double)call->implementation->window, chunks = call->chunks > 1 ? call->chunks : 1;
    struct run_size size = {.flows = sim_flows(call),
                            .ranks = call->topology->ranks,
                            .links = (double)call->n_stages * call->topology->n_links,
                            .unequal = call->workload->routing.source != SOURCE_UNIFORM,
                            .shared = shares_links(call->topology)};
    for (int stage = 0; stage < call->n_stages; stage++) {
        const struct matrix *m = &call->stages[stage].bytes;
        double messages = (double)m->start[m->ranks]; // pairs of a rank with itself among them
        size.messages += messages * chunks;
        size.at_once = fmax(size.at_once, window > 0 ? fmin(window * m->ranks, messages) : messages);
    }
    return size;
}

static double run_seconds(const struct run_size *size, enum sim_engine engine) {
    enum { FEW_RANKS = 64 };
    const struct engine_cost *c = &cost_of[engine];
    double near = size->at_once;
    if (engine == SIM_ENGINE_FLUID)
        near *= (size->shared ? fmax(1, sqrt(size->ranks / FEW_RANKS)) : 1) / size->ranks;
    return size->flows * (c->least_s + (size->unequal ? c->unit_s * near : 0));
}

static double run_bytes(const struct run_size *size, enum sim_engine engine) {
    const struct engine_cost *c = &cost_of[engine];
    return c->message_bytes * size->messages + c->flow_bytes * size->at_once + LINK_BYTES * size->links +
           PAIR_BYTES * size->ranks * size->ranks;
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
    struct run_size row = size;
    row.flows *= in_row;
    row.messages *= in_row;
    row.links *= in_row;
    add_runs(&row, in_row > 0, a->estimate);
}

void estimate_conclude(const struct licences *licences, const struct question *q, struct estimate *x) {
    x->engine = (enum sim_engine)q->engine;
    if (x->engine == SIM_ENGINE_AUTO)
        x->engine = licence_state(licences_get(licences, CAP_FLUID_ENGINE)) == CAPABILITY_WITHDRAWN
                        ? SIM_ENGINE_SIMGRID
                        : sim_engine_for(x->largest_flows);
    if (x->engine == SIM_ENGINE_BOUND)
        return;
    x->seconds = x->by[x->engine].seconds;
    x->memory_bytes = cost_of[x->engine].process_bytes + x->by[x->engine].run_bytes;
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
