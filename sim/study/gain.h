/* SPDX-License-Identifier: BSD-3-Clause */
/* gain.h - what a gain is made of, and the gain of the first multi-hop strategy over the best one hop.
 *
 * Units: SI. Errors: none. Ownership: borrows everything. Edges: without a one hop or another strategy, no gain. */
#ifndef SIM_STUDY_GAIN_H
#define SIM_STUDY_GAIN_H

#include "sim/study/result.h"

/* The times of one call, raw: for gains and causes alone, never for an output. */
struct term {
    enum strategy strategy;
    enum phase phase;
    enum dedup dedup; /* of a one hop */
    bool simulated, time_known;
    double time_s, wire_s, treatment_s[RESULT_TREATMENTS];
    bool closed, closed_error; /* there is a closed form; both its time and the simulated one are known */
    double closed_s, closed_wire_s;
};

/* True when a one hop with the other de-duplication beats the plain one, on the wire. */
bool gain_is_better(const struct term *other, const struct term *plain);

/* Fills the gains of the calls of a result, per phase and for the round trip; terms[r->n_calls] stand for them. */
void gain_fill(const struct term *terms, size_t n_treatments, const struct licence *licence,
               const struct licence *wire, struct result *r);

#endif
