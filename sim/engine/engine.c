/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "sim/engine/answer.h"
#include "sim/engine/child.h"
#include "sim/engine/driver.h"
#include "sim/engine/flow.h"
#include "sim/engine/wire.h"

const char *sim_version(void) {
    static char text[40];
    int major, minor, patch;
    flow_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}

static enum rc check_links_capacity(const struct topology *t, struct err *e) {
    for (int l = 0; l < t->n_links; l++) {
        const struct link *link = &t->links[l];
        if (!(link->capacity_Bps > 0 && isfinite(link->capacity_Bps)))
            return err_set(e, RC_RANGE, "link %s: capacity %g is not a rate", link->name,
                           link->capacity_Bps);
    }
    return RC_OK;
}

/* SimGrid aborts on what it does not accept; the readers let none of this through. */
static enum rc check_call(const struct call *call, struct err *e) {
    for (int s = 0; s < call->n_stages; s++) {
        const struct matrix *m = &call->stages[s].bytes;
        BUG_ON(m->ranks != call->topology->ranks);
        for (size_t i = 0; i < m->start[m->ranks]; i++)
            if (!(m->value[i] >= 0 && isfinite(m->value[i])))
                return err_set(e, RC_RANGE, "%s: %g bytes is not a size", call->stages[s].name,
                               m->value[i]);
    }
    for (int rank = 0; rank < call->topology->ranks && call->enter_s; rank++)
        if (!(call->enter_s[rank] >= 0 && isfinite(call->enter_s[rank])))
            return err_set(e, RC_RANGE, "rank %d enters the call at %g s, which is not a time",
                           rank, call->enter_s[rank]);
    return RC_OK;
}

static enum rc check_costs(const struct call *call, const struct costs *c, struct err *e) {
    double sum = c->splits_s + c->chain_s_per_pair + c->chain_floor_s;
    for (int i = 0; i < call->n_launches; i++)
        sum += c->alpha_s[i];
    for (int tier = 0; tier < TIER_MAX; tier++)
        sum += c->latency_s[tier];
    if (!(sum >= 0 && isfinite(sum)))
        return err_set(e, RC_RANGE, "fixed costs '%s' are not times", c->name);
    return RC_OK;
}

/* --- the runs that a list of cases needs ------------------------------------------------------ */

/* The cases of one call, or the one case of a sequence. */
struct runs {
    struct plan plan;
    const struct costs *costs; /* [case * n_calls + call] */
    size_t *of_case; /* [n_cases] */
    size_t *case_of; /* a case of each run */
    struct play *plays;
    size_t n;
};

static void runs_init(struct runs *r, const struct costs *costs, size_t n_cases) {
    r->costs = costs;
    r->of_case = mem_alloc(n_cases, sizeof *r->of_case);
    r->case_of = mem_alloc(n_cases, sizeof *r->case_of);
    r->plays = mem_alloc(n_cases, sizeof *r->plays);
    for (size_t i = 0; i < n_cases; i++) {
        size_t run = 0;
        while (run < r->n && !plan_same_run(r->plan.calls, &costs[i], &costs[r->case_of[run]]))
            run++;
        if (run == r->n) {
            play_init(&r->plays[run], &r->plan);
            r->case_of[r->n++] = i;
        }
        r->of_case[i] = run;
    }
}

static void runs_clear(struct runs *r) {
    for (size_t i = 0; i < r->n; i++)
        play_clear(&r->plays[i]);
    free(r->of_case);
    free(r->case_of);
    free(r->plays);
    plan_clear(&r->plan);
}

/* --- the runs in a process of their own --------------------------------------------------------- */

/* Plays all runs and reports them; runs in the child. */
static void runs_play(void *context, struct buf *report) {
    struct runs *r = context;
    struct err e = {0};
    struct driver *driver = NULL;
    enum rc rc = driver_open(&r->plan, &driver, &e);
    for (size_t i = 0; i < r->n && rc == RC_OK; i++)
        rc = driver_play(driver, &r->costs[r->case_of[i]], &r->plays[i], &e);
    wire_encode(&r->plan, rc, &e, r->plays, r->n, report);
    driver_close(driver);
}

static enum rc runs_play_in_child(struct runs *r, double cpu_limit_s, struct err *e) {
    struct buf report = {0};
    enum rc rc = child_run(runs_play, r, cpu_limit_s, &report, e);
    if (rc == RC_OK)
        rc = wire_decode(&r->plan, report.text, report.n, r->plays, r->n, e);
    buf_clear(&report);
    return rc;
}

/* Messages of a plan, or more: pairs of ranks. */
static double most_messages(const struct plan *p) {
    double n = 0;
    for (int x = 0; x < p->n; x++)
        n += (double)p->exchanges[x].call->stages[p->exchanges[x].stage].bytes.start[p->ranks];
    return n;
}

static void choose_engine(const struct sim_options *options, struct plan *p) {
    enum sim_engine engine = options->engine;
    BUG_ON(engine == SIM_ENGINE_BOUND);
    double flows = 0;
    for (int i = 0; i < p->n_calls && engine == SIM_ENGINE_AUTO; i++)
        flows += sim_flows(&p->calls[i]);
    if (engine == SIM_ENGINE_AUTO)
        engine = sim_engine_for(flows);
    p->engine = engine == SIM_ENGINE_FLUID ? &flow_fluid : &flow_simgrid;
    p->checked = options->checked;
    p->most_messages = (int)fmin(options->messages, most_messages(p));
}

size_t sim_runs(const struct call *call, const struct costs *cases, size_t n_cases) {
    size_t n = 0;
    for (size_t i = 0; i < n_cases; i++) {
        size_t same = 0;
        while (same < i && !plan_same_run(call, &cases[i], &cases[same]))
            same++;
        n += same == i;
    }
    return n;
}

enum rc sim_run(const struct call *call, const struct costs *cases, size_t n_cases,
                const struct sim_options *options, struct outcome *outcomes, struct err *e) {
    enum rc rc = check_links_capacity(call->topology, e);
    if (rc == RC_OK)
        rc = check_call(call, e);
    for (size_t i = 0; i < n_cases && rc == RC_OK; i++)
        rc = check_costs(call, &cases[i], e);
    if (rc)
        return rc;
    struct runs r = {0};
    plan_init(&r.plan, call);
    choose_engine(options, &r.plan);
    r.plan.times_only = options->times_only && options->link_bins == 0;
    r.plan.link_bins = options->link_bins;
    runs_init(&r, cases, n_cases);
    rc = runs_play_in_child(&r, options->timeout_s, e);
    for (size_t i = 0; i < n_cases && rc == RC_OK; i++) {
        answer_from_play(&r.plan, 0, &cases[i], &r.plays[r.of_case[i]], &outcomes[i]);
        outcomes[i].run = (int)r.of_case[i];
    }
    runs_clear(&r);
    return rc;
}

enum rc sim_answer(const struct call *call, const struct costs *cases, size_t n_cases, void *options,
                   struct outcome *outcomes, struct err *e) {
    return sim_run(call, cases, n_cases, options, outcomes, e);
}

enum rc sim_run_sequence(const struct sim_sequence *s, const struct sim_options *options,
                         struct outcome *outcomes, double *total_s, struct err *e) {
    BUG_ON(s->n_calls < 1);
    enum rc rc = check_links_capacity(s->calls[0].topology, e);
    for (size_t i = 0; i < s->n_calls && rc == RC_OK; i++) {
        rc = check_call(&s->calls[i], e);
        if (rc == RC_OK)
            rc = check_costs(&s->calls[i], &s->costs[i], e);
    }
    if (rc)
        return rc;
    struct runs r = {0};
    plan_init_sequence(&r.plan, s->calls, s->n_calls, s->host);
    choose_engine(options, &r.plan);
    r.plan.times_only = options->times_only && options->link_bins == 0;
    r.plan.link_bins = options->link_bins;
    runs_init(&r, s->costs, 1);
    rc = runs_play_in_child(&r, options->timeout_s, e);
    for (size_t i = 0; i < s->n_calls && rc == RC_OK; i++)
        answer_from_play(&r.plan, (int)i, s->costs, &r.plays[0], &outcomes[i]);
    if (rc == RC_OK)
        *total_s = answer_total_s(&r.plan, outcomes);
    runs_clear(&r);
    return rc;
}

enum rc sim_answer_sequence(const struct call *calls, const struct costs *costs, size_t n_calls, enum regime host,
                            void *options, struct outcome *outcomes, struct err *e) {
    const struct sim_sequence sequence = {calls, costs, n_calls, host};
    double total_s;
    return sim_run_sequence(&sequence, options, outcomes, &total_s, e);
}
