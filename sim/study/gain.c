/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/gain.h"

#include "workloads/strategy.h"

/* Sums of the calls that a gain is made of. */
struct gain_sums {
    bool asked, known, banded;
    int n, closed, closed_known; /* calls; those with a closed form, of the wire and of the time */
    double closed_s, closed_wire_s;
    double time_s, wire_s, treatment_s[RESULT_TREATMENTS];
};

static const struct gain_sums gain_nothing = {.asked = true, .known = true, .banded = true};

static void add_term(struct gain_sums *s, const struct term *t) {
    s->n++;
    s->asked = s->asked && t && t->simulated;
    if (!t)
        return;
    s->closed += t->closed;
    s->closed_known += t->closed && t->time_known;
    s->closed_s += t->closed_s;
    s->closed_wire_s += t->closed_wire_s;
    s->known = s->known && t->time_known;
    s->banded = s->banded && !t->time_known;
    s->time_s += t->time_s;
    s->wire_s += t->wire_s;
    for (int i = 0; i < RESULT_TREATMENTS; i++)
        s->treatment_s[i] += t->treatment_s[i];
}

/* By the closed form. */
static void divide_closed(const struct gain_sums *one, const struct gain_sums *two, const struct licence *licence,
                          const struct licence *wire, struct result_gain *g) {
    bool pairs = one->n > 0 && two->closed_wire_s > 0 && one->closed == one->n && two->closed == two->n;
    bool known = pairs && one->closed_known == one->n && two->closed_known == two->n;
    g->analytic_wire = claim_if(pairs, wire, pairs ? one->closed_wire_s / two->closed_wire_s : 0);
    g->analytic = claim_if(known, licence, known ? one->closed_s / two->closed_s : 0);
}

/* Lowest and highest over the treatments, where neither time is known. */
static void divide_band(const struct gain_sums *one, const struct gain_sums *two, size_t n_treatments,
                        const struct licence *licence, struct result_gain *g) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < n_treatments && one->banded && two->banded; i++) {
        if (!(two->treatment_s[i] > 0))
            continue;
        double gain = one->treatment_s[i] / two->treatment_s[i];
        low = fmin(low, gain);
        high = fmax(high, gain);
    }
    g->band[0] = claim_if(high > 0, licence, low);
    g->band[1] = claim_if(high > 0, licence, high);
}

static void divide(const struct gain_sums *one, const struct gain_sums *two, size_t n_treatments,
                   const struct licence *licence, const struct licence *wire, struct result_gain *g) {
    *g = (struct result_gain){.asked = one->asked && two->asked};
    divide_closed(one, two, licence, wire, g);
    if (!g->asked)
        return;
    bool known = one->known && two->known && two->time_s > 0, wired = two->wire_s > 0;
    g->time = claim_if(known, licence, known ? one->time_s / two->time_s : 0);
    g->wire = claim_if(wired, wire, wired ? one->wire_s / two->wire_s : 0);
    divide_band(one, two, n_treatments, licence, g);
}

/* Rows de-duplicated per rank never take longer on the wire than plain ones, give or take rounding. */
bool gain_is_better(const struct term *other, const struct term *plain) {
    if (!plain->simulated) // by the closed form then
        return other->closed && plain->closed && other->closed_wire_s < plain->closed_wire_s * (1 - 1e-9);
    return other->simulated && other->wire_s < plain->wire_s * (1 - 1e-9);
}

/* The last call of a strategy and phase; of one hops the last is the best. Returns its index or -1. */
static int find_term(const struct term *terms, int n, enum strategy strategy, enum phase phase) {
    while (--n >= 0 && (terms[n].strategy != strategy || terms[n].phase != phase))
        continue;
    return n;
}

/* The strategy whose gain is told; STRATEGY_ONE_HOP: none. */
static enum strategy gain_of(const struct term *terms, int n) {
    enum strategy of = STRATEGY_ONE_HOP;
    bool one = false;
    for (int i = 0; i < n; i++) {
        one = one || terms[i].strategy == STRATEGY_ONE_HOP;
        of = of == STRATEGY_ONE_HOP ? terms[i].strategy : of;
    }
    return one ? of : STRATEGY_ONE_HOP;
}

void gain_fill(const struct term *terms, size_t n_treatments, const struct licence *licence,
               const struct licence *wire, struct result *r) {
    enum strategy of = gain_of(terms, r->n_calls);
    struct gain_sums one_all = gain_nothing, two_all = gain_nothing;
    r->gain_of = of == STRATEGY_ONE_HOP ? NULL : strategy_name(of);
    r->gain_against = DEDUP_NONE;
    for (int phase = 0; phase < PHASE_COUNT && r->gain_of; phase++) {
        struct gain_sums one = gain_nothing, two = gain_nothing;
        int against = find_term(terms, r->n_calls, STRATEGY_ONE_HOP, (enum phase)phase);
        int over = find_term(terms, r->n_calls, of, (enum phase)phase);
        if (against >= 0 && terms[against].dedup == DEDUP_RANK)
            r->gain_against = DEDUP_RANK;
        const struct term *plain = against < 0 ? NULL : &terms[against], *other = over < 0 ? NULL : &terms[over];
        add_term(&one, plain);
        add_term(&two, other);
        add_term(&one_all, plain);
        add_term(&two_all, other);
        divide(&one, &two, n_treatments, licence, wire, &r->gain[phase]);
        r->gain[phase].against = against;
    }
    if (r->gain_of)
        divide(&one_all, &two_all, n_treatments, licence, wire, &r->gain[RESULT_ROUND_TRIP]);
}
