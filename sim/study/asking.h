/* SPDX-License-Identifier: BSD-3-Clause */
/* asking.h - a question on its way to its result, and one call of it while it is made: what the parts of this folder
 * hand to each other.
 *
 * What gains are made of is kept raw (struct term), for this folder alone.
 * Units: SI. Errors: none. Ownership: borrows the question, the study's licences and the result. Edges: without a known
 * call time the costs that are shown are those of the wire. */
#ifndef SIM_STUDY_ASKING_H
#define SIM_STUDY_ASKING_H

#include "model/bound.h"
#include "sim/study/gain.h"

struct estimate; /* estimate.h */

/* A question on its way to its result. */
struct asking {
    const struct question *q;
    struct licences *licences;
    struct result *r; /* with the inputs */
    struct term terms[RESULT_CALLS]; /* as r->calls */
    struct gate_scope scopes[RESULT_CALLS];
    const struct licence *time[RESULT_CALLS]; /* of the call time */
    struct weights *weights; /* of the constants under the calls */
    struct estimate *estimate; /* calls are added to it and not run; NULL: they are run */
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

/* Returns the costs under which the times are that are shown. */
const struct costs *call_run_basis(const struct call_run *run);

#endif
