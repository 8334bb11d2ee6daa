/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static const char *const strategy_names[STRATEGY_COUNT] = {"one-hop", "two-hop"};
static const char *const phase_names[PHASE_COUNT] = {"dispatch"};

const char *strategy_name(enum strategy s) {
    return strategy_names[s];
}

int strategy_find(const char *name) {
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (strcmp(strategy_names[i], name) == 0)
            return i;
    return -1;
}

const char *phase_name(enum phase p) {
    return phase_names[p];
}

static struct stage *add_stage(struct step *s, const char *name, const struct matrix *rows, int world,
                               enum tier span) {
    struct stage *stage = &s->stages[s->n_stages++];
    *stage = (struct stage){.name = name, .world = world, .span = span};
    matrix_scale(rows, s->row_bytes, &stage->bytes);
    return stage;
}

void step_build(const struct topology *topology, const struct workload *w,
                const struct implementation *implementation, const struct traffic *traffic,
                enum strategy strategy, enum phase phase, struct step *step) {
    const struct platform *p = topology->platform;
    *step = (struct step){.platform = p,
                          .topology = topology,
                          .workload = w,
                          .implementation = implementation,
                          .traffic = traffic,
                          .strategy = strategy,
                          .phase = phase,
                          .row_bytes = (double)w->hidden * workload_element_bytes(w)};
    int groups = (int)p->groups, local = (int)p->ranks_per_group;
    if (strategy == STRATEGY_ONE_HOP) {
        add_stage(step, "one_hop", &traffic->one_hop, plat_ranks(p), plat_widest(p, groups));
        return;
    }
    add_stage(step, "hop_a", &traffic->hop_a, groups, plat_widest(p, groups));
    struct stage *b = add_stage(step, "hop_b", &traffic->hop_b, local, TIER_FAST);
    b->splits = true;
    b->pairs = mem_alloc((size_t)plat_ranks(p), sizeof *b->pairs);
    matrix_sums(&traffic->hop_b, true, true, b->pairs);
}

void step_clear(struct step *step) {
    for (int i = 0; i < step->n_stages; i++) {
        matrix_clear(&step->stages[i].bytes);
        free(step->stages[i].pairs);
    }
    *step = (struct step){0};
}

void step_tier_traffic(const struct step *step, int stage, enum tier tier, double *bytes,
                       double *messages) {
    const struct matrix *m = &step->stages[stage].bytes;
    *bytes = *messages = 0;
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
            if (m->dst[i] != src && m->value[i] > 0 &&
                topo_tier(step->topology, src, m->dst[i]) == tier) {
                *bytes += m->value[i];
                *messages += 1;
            }
}

void step_link_load(const struct step *step, int stage, double *bytes, double *busy_s) {
    const struct matrix *m = &step->stages[stage].bytes;
    const struct topology *t = step->topology;
    double cost_s[TIER_COUNT];
    for (int tier = 0; tier < TIER_COUNT; tier++)
        cost_s[tier] = plat_message_cost_s(step->platform, (enum tier)tier);
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (m->dst[i] == src || m->value[i] <= 0)
                continue;
            int links[TOPO_ROUTE_MAX], n = topo_route(t, src, m->dst[i], links);
            for (int k = 0; k < n; k++) {
                if (bytes)
                    bytes[links[k]] += m->value[i];
                if (busy_s)
                    busy_s[links[k]] += m->value[i] / t->links[links[k]].capacity_Bps;
            }
            if (busy_s)
                busy_s[links[0]] += cost_s[t->links[links[0]].tier];
        }
}

double costs_splits_s(const struct costs *c, const struct step *step, int stage) {
    return step->stages[stage].splits ? c->splits_s : 0;
}

double costs_chain_s(const struct costs *c, const struct step *step, int stage, int rank) {
    const double *pairs = step->stages[stage].pairs;
    if (!pairs || pairs[rank] <= 0 || c->chain_s_per_pair <= 0)
        return 0;
    double time_s = c->chain_s_per_pair * pairs[rank];
    return time_s > c->chain_floor_s ? time_s : c->chain_floor_s;
}

void costs_wire(const struct step *step, struct costs *costs) {
    (void)step;
    *costs = (struct costs){.name = "wire"};
}

/* All but alpha. */
static void own_constants(const struct step *step, struct costs *costs) {
    *costs = (struct costs){0};
    for (int tier = 0; tier < TIER_COUNT; tier++)
        costs->latency_s[tier] = step->platform->tier[tier].latency_s.value;
    costs->splits_s = step->platform->splits_sync_s.value;
    const struct chain_keys *chain = &step->implementation->chain;
    costs->chain_s_per_pair = chain_constant((enum chain_preset)chain->preset)->s_per_pair;
    costs->chain_floor_s = chain->floor_s.given ? chain->floor_s.value : 0;
}

bool costs_known(const struct step *step, enum regime regime, struct costs *costs,
                 struct alpha_answer *answers, char reason[static 200]) {
    own_constants(step, costs);
    snprintf(costs->name, sizeof costs->name, "known");
    bool known = true;
    for (int i = 0; i < step->n_stages; i++) {
        struct alpha_answer answer;
        plat_alpha(step->platform, step->implementation->name, step->stages[i].world,
                   step->stages[i].span, regime, &answer);
        if (known && !answer.known)
            snprintf(reason, 200, "%s", answer.reason);
        known = known && answer.known;
        costs->alpha_s[i] = answer.time_s;
        if (answers)
            answers[i] = answer;
    }
    return known;
}

void costs_treatment(const struct step *step, size_t i, struct costs *costs) {
    const struct plat_treatment *t =
        (const struct plat_treatment *)step->platform->alpha_treatments.items + i;
    own_constants(step, costs);
    snprintf(costs->name, sizeof costs->name, "%.39s", t->name);
    for (int k = 0; k < step->n_stages; k++)
        costs->alpha_s[k] = plat_treatment_alpha_s(step->platform, i, step->stages[k].world,
                                                   step->stages[k].span);
}

void outcome_clear(struct outcome *o) {
    free(o->send_end_s);
    free(o->recv_end_s);
    free(o->link_bytes);
    *o = (struct outcome){0};
}
