/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/figures.h"
#include "workloads/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void call_figures_clear(struct call_figures *f) {
    outcome_clear(&f->shown);
    free(f->ports);
    free(f->map);
    f->ports = NULL;
    f->map = NULL;
}

void figures_clear(struct figures *f) {
    for (int i = 0; i < f->n_calls; i++)
        call_figures_clear(&f->calls[i]);
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
                                             claim_make(l, s->end_s), s->bytes, s->messages, s->rho_out, s->rho_in};
    }
    memcpy(c->critical_path, f->shown.critical_path, sizeof c->critical_path);
    c->fairness = claim_if(f->shown.fairness > 0, l, f->shown.fairness);
    c->from_last = claim_make(l, f->shown.from_last_s);
    c->send_end = per_rank(f->shown.send_end_s, ranks, l);
    c->recv_end = per_rank(f->shown.recv_end_s, ranks, l);
}

static void publish_analytic(const struct call_analytic *f, const struct licence *time,
                             const struct licence *wire, struct result_analytic *a) {
    bool of_time = f->error_known && strcmp(f->basis, "time") == 0;
    *a = (struct result_analytic){
        .present = f->present,
        .time = claim_if(f->present && f->time_known, time, f->time_s),
        .wire = claim_if(f->covered, wire, f->wire_s),
        .relative_error = claim_if(f->error_known, of_time ? time : wire, f->relative_error),
        .basis = f->error_known ? f->basis : NULL,
        .no_form = f->no_form};
}

static void publish_causes(const struct call_figures *f, const struct licence *l,
                           struct result_analytic *a) {
    a->n_causes = f->causes.n;
    a->shapley = f->causes.shapley;
    for (int i = 0; i < a->n_causes; i++) {
        const struct cause_part *part = &f->causes.parts[i];
        a->causes[i].name = part->name;
        a->causes[i].seconds = claim_make(l, part->seconds);
        a->causes[i].first = claim_make(l, part->first);
        a->causes[i].last = claim_make(l, part->last);
    }
}

static void publish_ports(const struct call_figures *f, const struct topology *t, const struct licence *l,
                          struct result_call *c) {
    const struct bound_straggler *s = &f->straggler;
    c->straggler.rank = s->rank;
    if (s->rank >= 0)
        c->straggler = (struct result_straggler){s->rank, bound_side_name(s->side), &t->links[s->link],
                                                 claim_make(l, s->end_s)};
    if (!f->ports)
        return;
    c->port_end = mem_alloc((size_t)t->ranks * BOUND_SIDES, sizeof *c->port_end);
    for (int i = 0; i < t->ranks * BOUND_SIDES; i++) {
        double end_s = f->ports[i / BOUND_SIDES].end_s[i % BOUND_SIDES];
        c->port_end[i] = claim_if(end_s > 0, l, end_s);
    }
}

/* What would make a time known that no alpha covers. */
static void say_reopen(const struct gate_scope *asked, struct result_call *c) {
    bool several = asked->world[1] > asked->world[0];
    const char *worlds = several ? "worlds" : "world";
    char list[60];
    if (several)
        snprintf(list, sizeof list, "%.0f and %.0f", asked->world[0], asked->world[1]);
    else
        snprintf(list, sizeof list, "%.0f", asked->world[0]);
    snprintf(c->reopen, sizeof c->reopen,
             "measure all-to-alls of this implementation at %s %s, 32 KiB to 256 MiB a rank, and enter "
             "the intercept as alpha in the platform file",
             worlds, list);
}

/* A link and how long it would be busy at its full rate. */
struct load {
    int link;
    double busy_s;
};

static int busier_first(const void *a, const void *b) {
    const struct load *x = a, *y = b;
    if (x->busy_s != y->busy_s)
        return x->busy_s > y->busy_s ? -1 : 1;
    return x->link - y->link;
}

/* The links that are busiest over the run that is shown, with their use over time. */
static void publish_links(const struct call_figures *f, const struct topology *t, const struct licence *l, int64_t most,
                          struct result_call *c) {
    const struct outcome *o = &f->shown;
    if (!f->simulated || !o->link_bytes || !(o->time_s > 0))
        return;
    struct load *loads = mem_alloc((size_t)t->n_links, sizeof *loads);
    int n = 0;
    for (int i = 0; i < t->n_links; i++)
        if (o->link_bytes[i] > 0)
            loads[n++] = (struct load){i, o->link_bytes[i] / t->links[i].capacity_Bps};
    qsort(loads, (size_t)n, sizeof *loads, busier_first);
    c->n_links = n < most ? n : (int)most;
    c->links = mem_alloc((size_t)c->n_links + 1, sizeof *c->links);
    c->bin = claim_make(l, o->link_bin_s);
    for (int i = 0; i < c->n_links; i++) {
        int id = loads[i].link;
        struct result_link *link = &c->links[i];
        *link = (struct result_link){.link = &t->links[id],
                                     .bytes = o->link_bytes[id],
                                     .utilisation = claim_make(l, loads[i].busy_s / o->time_s)};
        link->n_bins = o->link_bins < RESULT_BINS ? o->link_bins : RESULT_BINS;
        for (int b = 0; b < link->n_bins; b++)
            link->bins[b] = o->link_bin_bytes[(size_t)id * (size_t)o->link_bins + (size_t)b] /
                            (o->link_bin_s * t->links[id].capacity_Bps);
    }
    free(loads);
}

static void publish_sequence(const struct sequence_figures *f, const struct licence *time,
                             const struct licence *wire, struct result_sequence *s) {
    *s = (struct result_sequence){.host = f->host,
                                  .n_calls = f->n_calls,
                                  .per_call = claim_if(f->host && f->known, time, f->per_call_s),
                                  .per_call_wire = claim_if(f->host && !f->known, wire, f->per_call_s),
                                  .by = f->by,
                                  .worst = -1};
    memcpy(s->reason, f->reason, sizeof s->reason);
    for (int i = 0; i < f->n_calls && f->by; i++) {
        s->number[i] = f->number[i];
        s->time[i] = claim_if(f->known, time, f->time_s[i]);
        s->wire[i] = claim_if(!f->known, wire, f->time_s[i]);
        bool shown = claim_known(s->time[i]) || claim_known(s->wire[i]);
        if (shown && (s->worst < 0 || f->time_s[i] > f->time_s[s->worst]))
            s->worst = i;
    }
}

/* The tail of skewed loads has a capability of its own: nobody has held it against measurements. */
static void publish_draws(const struct draws_figures *f, const struct licence *time,
                          const struct licence *wire, const struct licence *tail,
                          struct result_draws *d) {
    d->n = f->n;
    d->layers = f->layers;
    for (int i = 0; i < RESULT_QUANTILES && f->n; i++) {
        d->time[i] = claim_if(f->known, i == 0 ? time : tail, f->time_s[i]);
        d->wire[i] = claim_make(wire, f->wire_s[i]);
    }
    if (f->n && licence_state(tail) == CAPABILITY_WITHDRAWN)
        d->tail_reason = licence_reason(tail);
}

static void publish_messages(const struct outcome *o, const struct licence *l, struct result_messages *m) {
    if (!o->messages)
        return;
    *m = (struct result_messages){.items = mem_alloc(o->n_messages, sizeof *m->items),
                                  .left = o->left_messages,
                                  .left_bytes = o->left_bytes};
    for (; m->n < o->n_messages; m->n++) {
        const struct outcome_message *x = &o->messages[m->n];
        m->items[m->n] = (struct result_message){x->stage, x->src,   x->dst,
                                                 (enum tier)x->tier, x->bytes,
                                                 claim_make(l, x->start_s), claim_make(l, x->end_s)};
    }
}

static void publish_call(const struct call_figures *f, const struct topology *t,
                         const struct licence *time, const struct licence *wire,
                         struct result_call *c) {
    bool wired = f->simulated && f->wire_bound_s > 0;
    *c = (struct result_call){
        .strategy = f->strategy,
        .phase = f->phase,
        .dedup = f->dedup,
        .chunks = f->chunks,
        .pipelined = f->pipelined,
        .simulated = f->simulated,
        .conditional = licence_state(time) != CAPABILITY_OPEN,
        .licence = time,
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
    if (!f->time_known)
        say_reopen(&f->asked, c);
    c->map = f->map;
    c->map_blocks = f->map_blocks;
    c->map_ranks = f->map_ranks;
    for (int i = 0; i < FIXED_PARTS; i++)
        c->fixed[i] = claim_if(f->time_known, time, f->fixed_s[i]);
    publish_shown(f, t->ranks, f->time_known ? time : wire, c);
    publish_messages(&f->shown, f->time_known ? time : wire, &c->messages);
    publish_sequence(&f->sequence, time, wire, &c->sequence);
    publish_analytic(&f->analytic, time, wire, &c->analytic);
    publish_causes(f, f->time_known ? time : wire, &c->analytic);
    publish_ports(f, t, f->time_known ? time : wire, c);
}

static void publish_gain(const struct gain_figures *f, const struct licence *gain,
                         const struct licence *wire, struct result_gain *g) {
    *g = (struct result_gain){.asked = f->asked,
                              .time = claim_if(f->asked && f->known, gain, f->time),
                              .wire = claim_if(f->asked && f->wire_known, wire, f->wire),
                              .analytic = claim_if(f->analytic_known, gain, f->analytic),
                              .analytic_wire = claim_if(f->analytic_wire_known, wire, f->analytic_wire)};
    for (int i = 0; i < 2; i++)
        g->band[i] = claim_if(f->asked && f->band_known, gain, f->band[i]);
}

/* A gain at a ratio that nobody measured needs more than its calls. */
static const struct licence *gain_licence(const struct figures *f, struct licences *licences,
                                          const struct licence *const *calls, struct result *r) {
    const struct licence *gain =
        licences_of_calls(licences, CAP_GAIN, calls, (size_t)f->n_calls);
    const struct licence *beyond = r->licences[CAP_EXTRAPOLATION];
    return f->extrapolates && licence_state(beyond) > licence_state(gain) ? beyond : gain;
}

void figures_publish(const struct figures *f, const struct topology *t, struct licences *licences,
                     struct result *r) {
    const struct licence *calls[RESULT_CALLS], *absolute[RESULT_CALLS];
    for (int i = 0; i < CAP_COUNT; i++)
        r->licences[i] = f->n_calls ? licences_for(licences, (enum capability)i, &f->calls[0].asked)
                                    : licences_get(licences, (enum capability)i);
    const struct licence *wire = r->licences[CAP_WIRE_TIME];
    double ratio = plat_hierarchy_ratio(r->platform);
    r->hierarchy_ratio = claim_if(ratio > 0, r->licences[CAP_HIERARCHY_RATIO], ratio);
    r->n_calls = f->n_calls;
    for (int i = 0; i < f->n_calls; i++) {
        calls[i] = licences_for(licences, CAP_CALL_TIME, &f->calls[i].asked);
        absolute[i] = licences_for(licences, CAP_ABSOLUTE_TIME, &f->calls[i].asked);
        publish_call(&f->calls[i], t, calls[i], wire, &r->calls[i]);
        publish_links(&f->calls[i], t, f->calls[i].time_known ? calls[i] : wire, r->most_links, &r->calls[i]);
        publish_draws(&f->calls[i].draws, calls[i], wire,
                      licences_for(licences, CAP_SKEW_TAIL, &f->calls[i].asked), &r->calls[i].draws);
        allow_publish(&f->calls[i].allow, r->licences[CAP_ALLOWANCE], wire, &r->calls[i].allowance);
    }
    size_t n = (size_t)f->n_calls;
    r->licences[CAP_CALL_TIME] = licences_of_calls(licences, CAP_CALL_TIME, calls, n);
    r->licences[CAP_ABSOLUTE_TIME] = licences_of_calls(licences, CAP_ABSOLUTE_TIME, absolute, n);
    r->licences[CAP_GAIN] = gain_licence(f, licences, calls, r);
    r->gain_of = f->gain_of;
    r->gain_against = f->gain_against;
    for (int i = 0; i < RESULT_GAINS; i++)
        publish_gain(&f->gain[i], r->licences[CAP_GAIN], wire, &r->gain[i]);
}

void figures_unpublish(struct result *r) {
    for (int i = 0; i < r->n_calls; i++) {
        free(r->calls[i].messages.items);
        free(r->calls[i].send_end);
        free(r->calls[i].links);
        free(r->calls[i].recv_end);
        free(r->calls[i].port_end);
    }
    r->n_calls = 0;
}

/* --- gain ----------------------------------------------------------------------------------------- */

/* Sums of the calls that a gain is made of. */
struct sums {
    bool asked, known, banded;
    int n, closed, closed_known; /* calls; those with a closed form, of the wire and of the time */
    double closed_s, closed_wire_s;
    double time_s, wire_s, treatment_s[RESULT_TREATMENTS];
};

static void add_closed(struct sums *s, const struct call_analytic *a) {
    s->closed += a->covered;
    s->closed_known += a->covered && a->time_known;
    s->closed_s += a->time_s;
    s->closed_wire_s += a->wire_s;
}

static void add_call(struct sums *s, const struct call_figures *c) {
    s->n++;
    if (c)
        add_closed(s, &c->analytic);
    s->asked = s->asked && c && c->simulated;
    if (!s->asked)
        return;
    s->known = s->known && c->time_known;
    s->banded = s->banded && !c->time_known;
    s->time_s += c->time_s;
    s->wire_s += c->wire_s;
    for (int i = 0; i < RESULT_TREATMENTS; i++)
        s->treatment_s[i] += c->treatment_s[i];
}

static struct gain_figures divide(const struct sums *one, const struct sums *two, size_t n_treatments) {
    struct gain_figures g = {.asked = one->asked && two->asked};
    bool pairs = one->n > 0 && one->n == two->n && two->closed_wire_s > 0;
    g.analytic_wire_known = pairs && one->closed == one->n && two->closed == two->n;
    g.analytic_wire = g.analytic_wire_known ? one->closed_wire_s / two->closed_wire_s : 0;
    g.analytic_known = g.analytic_wire_known && one->closed_known == one->n && two->closed_known == two->n;
    g.analytic = g.analytic_known ? one->closed_s / two->closed_s : 0;
    if (!g.asked)
        return g;
    g.known = one->known && two->known && two->time_s > 0;
    g.time = g.known ? one->time_s / two->time_s : 0;
    g.wire_known = two->wire_s > 0;
    g.wire = g.wire_known ? one->wire_s / two->wire_s : 0;
    for (size_t i = 0; i < n_treatments && one->banded && two->banded; i++) {
        if (!(two->treatment_s[i] > 0))
            continue;
        double gain = one->treatment_s[i] / two->treatment_s[i];
        g.band[0] = g.band_known ? fmin(g.band[0], gain) : gain;
        g.band[1] = g.band_known ? fmax(g.band[1], gain) : gain;
        g.band_known = true;
    }
    return g;
}

static const struct call_figures *find_call(const struct figures *f, const char *strategy,
                                            enum phase phase) {
    for (int i = 0; i < f->n_calls; i++)
        if (strcmp(f->calls[i].strategy, strategy) == 0 &&
            strcmp(f->calls[i].phase, phase_name(phase)) == 0)
            return &f->calls[i];
    return NULL;
}

/* Rows de-duplicated per rank never take longer on the wire than plain ones, give or take rounding. */
static const struct call_figures *better(const struct call_figures *plain,
                                         const struct call_figures *other) {
    if (!plain->simulated) // by the closed form then
        return other->analytic.covered && plain->analytic.covered &&
                       other->analytic.wire_s < plain->analytic.wire_s * (1 - 1e-9)
                   ? other
                   : plain;
    return other->simulated && other->wire_s < plain->wire_s * (1 - 1e-9) ? other : plain;
}

void figures_gain(struct figures *f, const struct call_figures best[static PHASE_COUNT],
                  size_t n_treatments) {
    const char *one_hop = strategy_name(STRATEGY_ONE_HOP);
    bool one_asked = false;
    for (int i = 0; i < f->n_calls; i++) {
        bool one = strcmp(f->calls[i].strategy, one_hop) == 0;
        one_asked = one_asked || one;
        if (!one && !f->gain_of)
            f->gain_of = f->calls[i].strategy;
    }
    if (!one_asked)
        f->gain_of = NULL;
    if (!f->gain_of)
        return;
    struct sums one_all = {.asked = true, .known = true, .banded = true}, two_all = one_all;
    f->gain_against = DEDUP_NONE;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct sums one = {.asked = true, .known = true, .banded = true}, two = one;
        const struct call_figures *plain = find_call(f, one_hop, (enum phase)phase);
        const struct call_figures *against = plain ? better(plain, &best[phase]) : NULL;
        const struct call_figures *of = find_call(f, f->gain_of, (enum phase)phase);
        if (against && against->dedup == DEDUP_RANK)
            f->gain_against = DEDUP_RANK;
        add_call(&one, against);
        add_call(&two, of);
        add_call(&one_all, against);
        add_call(&two_all, of);
        f->gain[phase] = divide(&one, &two, n_treatments);
    }
    f->gain[RESULT_ROUND_TRIP] = divide(&one_all, &two_all, n_treatments);
}
