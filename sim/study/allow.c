/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/allow.h"

#include <stdio.h>
#include <string.h>

#include "model/allowance.h"
#include "model/hashed.h"

/* Returns how many draws take about a second, within bounds. */
static int draws_of(const struct call *call) {
    enum { MOST = 1000, LEAST = 20, ROUTES = 2000000 };
    double pairs = 1;
    for (int i = 0; i < call->n_stages; i++)
        pairs += (double)call->stages[i].bytes.start[call->stages[i].bytes.ranks];
    double draws = ROUTES / pairs;
    return draws > MOST ? MOST : draws < LEAST ? LEAST : (int)draws;
}

static void publish_ends(const struct asking *a, const struct call_run *run, const struct allowance *found,
                         struct result_allowance *into) {
    const struct licence *l = licences_for(a->licences, CAP_ALLOWANCE, run->scope);
    into->lo = claim_if(found->claimed, l, found->lo_s);
    into->hi = claim_if(found->claimed, l, found->hi_s);
    if (licence_state(l) == CAPABILITY_WITHDRAWN)
        snprintf(into->basis, sizeof into->basis, "withdrawn by gate %s: %s", licence_gate(l), licence_reason(l));
    else
        snprintf(into->basis, sizeof into->basis, "%s", found->basis);
}

static enum rc publish_load(const struct asking *a, const struct call_run *run, struct result_allowance *into,
                            struct err *e) {
    struct hashed_load load;
    enum rc rc = hashed_find(&run->call, (uint64_t)a->q->seed, draws_of(&run->call), &load, e);
    if (rc)
        return rc;
    into->draws = load.draws;
    into->spread = claim_make(run->wire, load.spread_s);
    for (int i = 0; i < RESULT_QUANTILES; i++)
        into->drawn[i] = claim_make(run->wire, load.drawn_s[i]);
    return RC_OK;
}

enum rc allow_publish(const struct asking *a, struct call_run *run, struct err *e) {
    struct allowance_call known = {.wire_s = run->term->wire_s, .bound_s = run->cases.bound_s[run->cases.wire]};
    memcpy(known.tier_bytes, run->c->tier_bytes, sizeof known.tier_bytes);
    memcpy(known.tier_messages, run->c->tier_messages, sizeof known.tier_messages);
    bool hashed = run->call.topology->hashed;
    struct result_allowance *into = &run->c->allowance;
    struct allowance found;
    *into = (struct result_allowance){.present = true, .transport = allowance_transport(&run->call, &known)};
    allowance_of_call(&run->call, &known, &found);
    publish_ends(a, run, &found, into);
    return hashed ? publish_load(a, run, into, e) : RC_OK;
}
