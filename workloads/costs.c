/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/costs.h"

#include <stdio.h>

double costs_alpha_s(const struct costs *c, const struct call *call, int stage) {
    int launch = call->stages[stage].launch;
    return launch >= 0 ? c->alpha_s[launch] : 0;
}

double costs_splits_s(const struct costs *c, const struct call *call, int stage) {
    return call->stages[stage].splits ? c->splits_s : 0;
}

double costs_chain_s(const struct costs *c, const struct call *call, int stage, int rank) {
    const double *pairs = call->stages[stage].pairs;
    if (!pairs || pairs[rank] <= 0 || c->chain_s_per_pair <= 0)
        return 0;
    double time_s = c->chain_s_per_pair * pairs[rank];
    return time_s > c->chain_floor_s ? time_s : c->chain_floor_s;
}

void costs_wire(const struct call *call, struct costs *costs) {
    (void)call;
    *costs = (struct costs){.name = "wire"};
}

static enum alpha_phase alpha_phase_of(const struct call *call) {
    return call->phase == PHASE_COMBINE ? ALPHA_COMBINE : ALPHA_DISPATCH;
}

struct alpha_ask costs_ask(const struct call *call, int stage, enum regime regime) {
    return (struct alpha_ask){.implementation = call->implementation->name,
                              .regime = regime,
                              .phase = alpha_phase_of(call),
                              .world = call->stages[stage].world,
                              .span = call->stages[stage].span};
}

/* Fills in all costs but alpha. What the alpha table says that its times contain is not charged again. */
static void own_constants(const struct call *call, enum regime regime, struct costs *costs) {
    const char *library = call->implementation->name;
    enum alpha_phase phase = alpha_phase_of(call);
    *costs = (struct costs){0};
    costs->cables = !plat_alpha_includes(call->platform, library, phase, regime, ALPHA_LATENCY);
    if (costs->cables)
        for (int tier = 0; tier < call->platform->n_tiers; tier++)
            costs->latency_s[tier] = call->platform->tier[tier].latency_s.value;
    costs->splits_s = call->platform->splits_sync_s.value;
    const struct chain_keys *chain = &call->implementation->chain;
    costs->chain_s_per_pair = chain_constant((enum chain_preset)chain->preset)->s_per_pair;
    costs->chain_floor_s = chain->floor_s.given ? chain->floor_s.value : 0;
}

/* What the look-ups of alpha for a call's launches share. */
struct look_up {
    const struct call *call;
    enum regime regime;
    enum alpha_phase phase;
    bool counts; /* the table contains the exchange of counts */
};

/* Charges the collectives that launch a stage. FORMULAS.md [P1] */
static void charge_launch(const struct look_up *l, int stage, const struct alpha_answer *answer, struct costs *costs) {
    const struct stage *s = &l->call->stages[stage];
    // the first is the payload's
    int others = s->collectives - 1 - (l->counts && s->collectives > 1 ? 1 : 0);
    costs->alpha_s[s->launch] = answer->time_s * (1 + others);
    costs->fixed_s[FIXED_PAYLOAD] += answer->time_s;
    costs->fixed_s[FIXED_PROTOCOL] += answer->time_s * others;
    // a one hop with a counts exchange of its own reads the sizes back where the host waits
    if (l->regime == REGIME_OBSERVED && l->call->strategy == STRATEGY_ONE_HOP && others > 0 && !l->counts) {
        costs->alpha_s[s->launch] += costs->splits_s;
        costs->fixed_s[FIXED_READBACK] += costs->splits_s - costs_splits_s(costs, l->call, stage);
    }
}

bool costs_known(const struct call *call, enum regime regime, struct costs *costs,
                 struct alpha_answer *answers, char reason[static 200]) {
    const char *library = call->implementation->name;
    struct look_up l = {call, regime, alpha_phase_of(call), false};
    l.counts = plat_alpha_includes(call->platform, library, l.phase, regime, ALPHA_COUNTS);
    own_constants(call, regime, costs);
    snprintf(costs->name, sizeof costs->name, "known");
    bool known = true;
    for (int i = 0; i < call->n_stages; i++) {
        const struct stage *stage = &call->stages[i];
        struct alpha_answer answer;
        costs->fixed_s[FIXED_READBACK] += costs_splits_s(costs, call, i);
        if (stage->launch < 0)
            continue;
        const struct alpha_ask ask = costs_ask(call, i, regime);
        plat_alpha_phase(call->platform, ask.implementation, ask.phase, ask.world, ask.span, ask.regime, &answer);
        if (known && !answer.known)
            snprintf(reason, 200, "%s", answer.reason);
        known = known && answer.known;
        charge_launch(&l, i, &answer, costs);
        if (answers)
            answers[stage->launch] = answer;
    }
    return known;
}

void costs_treatment(const struct call *call, size_t i, struct costs *costs) {
    const struct plat_treatment *t =
        (const struct plat_treatment *)call->platform->alpha_treatments.items + i;
    own_constants(call, REGIME_AHEAD, costs);
    snprintf(costs->name, sizeof costs->name, "%.39s", t->name);
    for (int k = 0; k < call->n_stages; k++) {
        const struct stage *stage = &call->stages[k];
        if (stage->launch >= 0)
            costs->alpha_s[stage->launch] =
                stage->collectives * plat_treatment_alpha_s(call->platform, i, stage->world, stage->span);
    }
}
