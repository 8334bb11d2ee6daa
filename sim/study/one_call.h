/* SPDX-License-Identifier: BSD-3-Clause */
/* one_call.h - one call of a question: its licence, its runs, and its part of the result.
 *
 * The licence needs the question only, so it stands before anything is run, and each number becomes a claim where it
 * arises. What gains are made of is kept raw beside (struct term), for this folder alone.
 * Units: SI. Errors: those of the engine. Ownership: call_run_clear() releases; the result keeps what it was given. */
#ifndef SIM_STUDY_ONE_CALL_H
#define SIM_STUDY_ONE_CALL_H

#include "model/bound.h"
#include "sim/study/gain.h"
#include "sim/study/study.h"

/* A question on its way to its result. */
struct asking {
    const struct question *q;
    struct licences *licences;
    struct result *r; /* with the inputs */
    struct term terms[RESULT_CALLS]; /* as r->calls */
    struct gate_scope scopes[RESULT_CALLS];
    const struct licence *time[RESULT_CALLS]; /* of the call time */
};

/* Cases of fixed costs of one call: first what is shown, then the rest. */
struct cases {
    struct costs costs[RESULT_TREATMENTS + 1];
    double bound_s[RESULT_TREATMENTS + 1]; /* lower bounds of their times */
    struct bound_link busiest;
    size_t n;
    size_t wire;      /* index of the wire case */
    size_t treatment; /* index of the first treatment; n when the time is known */
};

struct call_run {
    struct call call;
    struct cases cases;
    const struct gate_scope *scope;
    const struct licence *time, *wire;
    const struct licence *shown; /* of the call time where it is known, otherwise of the wire */
    struct result_call *c;
    struct term *term;
};

/* Asks for the licence, runs the call as the next one of the result, and by the closed form when that was asked. */
enum rc call_run(struct asking *a, enum strategy strategy, enum phase phase, const struct implementation *how,
                 struct call_run *run, struct err *e);
/* Adds all else that was asked of it: causes, ports, a sequence, draws, the map. */
enum rc call_run_more(struct asking *a, struct call_run *run, struct err *e);
void call_run_clear(struct call_run *run);

/* Releases what a call of a result owns. */
void result_call_clear(struct result_call *c);

/* The parts of it. */
const struct costs *call_run_basis(const struct call_run *run); /* the costs that are shown */
void shown_publish(const struct outcome *o, const struct call_run *run, const struct question *q);
void shown_map(const struct call *call, struct result_call *c);
enum rc explain_causes(const struct call_run *run, const struct question *q, struct err *e);
void explain_ports(const struct call_run *run);
/* A wire time of this many times its bound is far above it. */
static const double call_run_far = 1.15;
/* Finds what holds a uniform load far above its bound, by runs without it: the window, the order, or else a link. */
enum rc explain_slack(struct call_run *run, const struct question *q, struct err *e);
/* Times of calls back to back, raw. */
struct sequence_times {
    bool known; /* otherwise they are those of the wire */
    double per_call_s;
    double time_s[RESULT_SEQUENCE]; /* what each call adds to the end of the sequence */
};
/* Makes them claims; the worst call is named only if its number may be shown. */
void sequence_publish(const struct sequence_times *t, const struct licence *time, const struct licence *wire,
                      struct result_sequence *s);
enum rc sequence_run(const struct asking *a, struct call_run *run, struct err *e);
enum rc draws_run(const struct asking *a, struct call_run *run, struct err *e);
/* What packet transports may add, and the load of hashed paths. */
enum rc allow_publish(const struct asking *a, struct call_run *run, struct err *e);
/* What one call is about. Constants or an implementation changed by --set are not those that were tried; the number
 * of groups and ranks may be set. Texts are borrowed from the call. */
void scope_of_call(const struct question *q, const struct inputs *in, const struct call *call,
                   struct gate_scope *scope);
/* Names the weakest constant under a result, and all that are assumed. The most influential ones come first. */
void constants_weigh(const struct inputs *in, struct result *r);

#endif
