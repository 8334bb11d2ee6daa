/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/allow.h"

#include <stdio.h>

/* As many draws as take about a second, within bounds. */
static int draws_of(const struct call *call) {
    enum { MOST = 1000, LEAST = 20, ROUTES = 2000000 };
    double pairs = 1;
    for (int i = 0; i < call->n_stages; i++)
        pairs += (double)call->stages[i].bytes.start[call->stages[i].bytes.ranks];
    double draws = ROUTES / pairs;
    return draws > MOST ? MOST : draws < LEAST ? LEAST : (int)draws;
}

enum rc allow_find(const struct call *call, const struct allowance_call *known, uint64_t seed, struct allow_figures *f,
                   struct err *e) {
    *f = (struct allow_figures){.present = true, .transport = allowance_transport(call, known)};
    const struct allowance_ask window = {
        .wire_s = known->wire_s, .bound_s = known->bound_s, .window = call->implementation->window};
    f->shown = f->transport || call->topology->hashed || (window.window == 1 && allowance_is_loose(&window));
    allowance_of_call(call, known, &f->allowance);
    return call->topology->hashed ? hashed_find(call, seed, draws_of(call), &f->load, e) : RC_OK;
}

void allow_publish(const struct allow_figures *f, const struct licence *allowance, const struct licence *wire,
                   struct result_allowance *a) {
    *a = (struct result_allowance){.present = f->present,
                                   .shown = f->shown,
                                   .transport = f->transport,
                                   .lo = claim_if(f->allowance.claimed, allowance, f->allowance.lo_s),
                                   .hi = claim_if(f->allowance.claimed, allowance, f->allowance.hi_s),
                                   .draws = f->load.draws,
                                   .spread = claim_if(f->load.draws > 0, wire, f->load.spread_s)};
    for (int i = 0; i < ALLOWANCE_QUANTILES; i++)
        a->drawn[i] = claim_if(f->load.draws > 0, wire, f->load.drawn_s[i]);
    if (licence_state(allowance) == CAPABILITY_WITHDRAWN)
        snprintf(a->basis, sizeof a->basis, "withdrawn by gate %s: %s", licence_gate(allowance),
                 licence_reason(allowance));
    else
        snprintf(a->basis, sizeof a->basis, "%s", f->allowance.basis);
}
