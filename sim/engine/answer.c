/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* Earliest start and latest end of something that all ranks do. */
struct interval {
    double start_s, end_s;
};

static void interval_add(struct interval *x, double start_s, double end_s) {
    x->start_s = fmin(x->start_s, start_s);
    x->end_s = fmax(x->end_s, end_s);
}

static void add_stage(struct outcome *o, const char *name, const struct interval *when) {
    BUG_ON(o->n_stages == OUTCOME_STAGES);
    o->stages[o->n_stages++] =
        (struct outcome_stage){.name = name, .start_s = when->start_s, .end_s = when->end_s};
    o->time_s = fmax(o->time_s, when->end_s);
}

/* Latest event of a rank in a stage, latency included; -1 when there is none. */
static double latest_s(const struct step *step, const double *events_s, int stage, int rank,
                       const double *latency_s) {
    double latest = -1;
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        size_t row = (size_t)(stage * TIER_COUNT + tier);
        double at_s = events_s[row * (size_t)step->topology->ranks + (size_t)rank];
        if (at_s >= 0)
            latest = fmax(latest, at_s + (latency_s ? latency_s[tier] : 0));
    }
    return latest;
}

static void answer_stage(const struct step *step, const struct costs *costs,
                         const struct play *play, int stage, struct outcome *o) {
    const struct stage *s = &step->stages[stage];
    struct interval splits = {INFINITY, 0}, chain = {INFINITY, 0}, hop = {INFINITY, 0};
    int ranks = step->topology->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        // the clock of a run starts when alpha of the first stage is paid
        double shift_s = costs->alpha_s[0];
        double ready_s = stage ? shift_s + play->ready_s[stage * ranks + rank] : 0;
        double read_s = ready_s + costs_splits_s(costs, step, stage);
        double worked_s = read_s + costs_chain_s(costs, step, stage, rank);
        interval_add(&splits, ready_s, read_s);
        interval_add(&chain, read_s, worked_s);
        interval_add(&hop, worked_s, worked_s + costs->alpha_s[stage]);
        double sent_s = latest_s(step, play->sent_s, stage, rank, NULL);
        double received_s = latest_s(step, play->received_s, stage, rank, costs->latency_s);
        if (sent_s >= 0)
            o->send_end_s[rank] = fmax(o->send_end_s[rank], shift_s + sent_s);
        if (received_s >= 0) {
            o->recv_end_s[rank] = fmax(o->recv_end_s[rank], shift_s + received_s);
            interval_add(&hop, worked_s, shift_s + received_s);
        }
    }
    if (s->splits)
        add_stage(o, "splits", &splits);
    if (s->pairs)
        add_stage(o, "chain", &chain);
    add_stage(o, s->name, &hop);
    struct outcome_stage *last = &o->stages[o->n_stages - 1];
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        double bytes, messages;
        step_tier_traffic(step, stage, (enum tier)tier, &bytes, &messages);
        last->bytes += bytes;
        last->messages += messages;
    }
}

void answer_from_play(const struct step *step, const struct costs *costs, const struct play *play,
                      struct outcome *outcome) {
    size_t ranks = (size_t)step->topology->ranks, links = (size_t)step->topology->n_links;
    *outcome = (struct outcome){.send_end_s = mem_alloc(ranks, sizeof(double)),
                                .recv_end_s = mem_alloc(ranks, sizeof(double)),
                                .link_bytes = mem_alloc(links, sizeof(double)),
                                .flows = play->flows,
                                .events = play->events,
                                .wall_s = play->wall_s,
                                .cpu_s = play->cpu_s,
                                .peak_rss_bytes = play->peak_rss_bytes};
    memcpy(outcome->link_bytes, play->link_bytes, links * sizeof(double));
    for (int stage = 0; stage < step->n_stages; stage++)
        answer_stage(step, costs, play, stage, outcome);
}
