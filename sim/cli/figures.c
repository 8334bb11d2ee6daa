/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/figures.h"

#include <stdlib.h>
#include <string.h>

void figures_clear(struct figures *f) {
    for (int i = 0; i < f->n_calls; i++)
        outcome_clear(&f->calls[i].shown);
    *f = (struct figures){0};
}

static struct claim *per_rank(const double *times_s, int ranks, const struct licence *l) {
    if (!times_s)
        return NULL;
    struct claim *claims = mem_alloc((size_t)ranks, sizeof *claims);
    for (int i = 0; i < ranks; i++)
        claims[i] = claim_make(l, times_s[i]);
    return claims;
}

/* Stages and ranks of the run that is shown; they belong to the call time, or to the wire. */
static void publish_shown(const struct call_figures *f, int ranks, const struct licence *l,
                          struct result_call *c) {
    if (!f->simulated)
        return;
    c->n_stages = f->shown.n_stages;
    for (int i = 0; i < c->n_stages; i++) {
        const struct outcome_stage *s = &f->shown.stages[i];
        c->stages[i] = (struct result_stage){s->name, claim_make(l, s->start_s),
                                             claim_make(l, s->end_s), s->bytes, s->messages};
    }
    c->send_end = per_rank(f->shown.send_end_s, ranks, l);
    c->recv_end = per_rank(f->shown.recv_end_s, ranks, l);
}

static void publish_analytic(const struct call_analytic *f, const struct licence *time,
                             const struct licence *wire, struct result_analytic *a) {
    bool of_time = f->error_known && strcmp(f->basis, "time") == 0;
    *a = (struct result_analytic){
        .present = f->present,
        .time = claim_if(f->present && f->time_known, time, f->time_s),
        .wire = claim_if(f->present, wire, f->wire_s),
        .relative_error = claim_if(f->error_known, of_time ? time : wire, f->relative_error),
        .basis = f->error_known ? f->basis : NULL};
}

static void publish_call(const struct call_figures *f, int ranks, const struct licences *licences,
                         struct result_call *c) {
    const struct licence *time = licences_get(licences, CAP_CALL_TIME);
    const struct licence *wire = licences_get(licences, CAP_WIRE_TIME);
    bool wired = f->simulated && f->wire_bound_s > 0;
    *c = (struct result_call){
        .strategy = f->strategy,
        .phase = f->phase,
        .simulated = f->simulated,
        .conditional = licence_state(time) != CAPABILITY_OPEN,
        .time_known = f->time_known,
        .time = claim_if(f->simulated && f->time_known, time, f->time_s),
        .wire = claim_if(f->simulated, wire, f->wire_s),
        .bound = claim_make(wire, f->bound_s),
        .wire_bound = claim_make(wire, f->wire_bound_s),
        .slack = claim_if(wired, wire, wired ? f->wire_s / f->wire_bound_s : 0),
        .busiest = f->busiest,
        .busiest_bytes = f->busiest_bytes,
        .busiest_utilisation = claim_if(f->busiest && f->simulated && f->wire_s > 0, wire,
                                        f->busiest_utilisation)};
    memcpy(c->reason, f->reason, sizeof c->reason);
    memcpy(c->tier_bytes, f->tier_bytes, sizeof c->tier_bytes);
    memcpy(c->tier_messages, f->tier_messages, sizeof c->tier_messages);
    for (int i = 0; i < 2; i++)
        c->band[i] = claim_if(f->simulated && f->band_known, time, f->band_s[i]);
    for (int i = 0; i < RESULT_TREATMENTS; i++)
        c->treatments[i] = claim_if(f->simulated && !f->time_known, time, f->treatment_s[i]);
    publish_shown(f, ranks, f->time_known ? time : wire, c);
    publish_analytic(&f->analytic, time, wire, &c->analytic);
}

static void publish_gain(const struct gain_figures *f, const struct licences *licences,
                         struct result_gain *g) {
    const struct licence *gain = licences_get(licences, CAP_GAIN);
    const struct licence *wire = licences_get(licences, CAP_WIRE_TIME);
    *g = (struct result_gain){.of = f->of,
                              .time = claim_if(f->of && f->known, gain, f->time),
                              .wire = claim_if(f->of && f->wire_known, wire, f->wire)};
    for (int i = 0; i < 2; i++)
        g->band[i] = claim_if(f->of && f->band_known, gain, f->band[i]);
}

void figures_publish(const struct figures *f, int ranks, const struct licences *licences,
                     struct result *r) {
    r->licences = licences;
    r->n_calls = f->n_calls;
    for (int i = 0; i < f->n_calls; i++)
        publish_call(&f->calls[i], ranks, licences, &r->calls[i]);
    publish_gain(&f->gain, licences, &r->gain);
}

void figures_unpublish(struct result *r) {
    for (int i = 0; i < r->n_calls; i++) {
        free(r->calls[i].send_end);
        free(r->calls[i].recv_end);
    }
    r->n_calls = 0;
}
