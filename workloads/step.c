/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "workloads/hops.h"

static const char *const strategy_names[STRATEGY_COUNT] = {"one-hop", "two-hop", "two-hop-pipelined",
                                                            "gather-first"};
static const char *const phase_names[PHASE_COUNT] = {"dispatch", "combine"};

/* Pieces of a pipelined message where the implementation states none: assumed. */
enum { CHUNKS_ASSUMED = 8, CHUNKS_MOST = 64 };

const char *strategy_name(enum strategy s) {
    return strategy_names[s];
}

const char *phase_name(enum phase p) {
    return phase_names[p];
}

/* Bytes of one row. FORMULAS.md [M6] */
static double row_bytes(const struct step *s) {
    if (s->traffic->unit == TRAFFIC_BYTES)
        return 1; // the record is the matrix of bytes
    const struct row_keys *row = s->phase == PHASE_COMBINE ? &s->implementation->combine_row
                                                           : &s->implementation->dispatch_row;
    double hidden = (double)s->workload->hidden, bytes;
    if (row->format == ROW_FP8_SCALES)
        bytes = hidden + 4 * ceil(hidden / 128);
    else if (row->format == ROW_BF16)
        bytes = 2 * hidden;
    else
        bytes = hidden * workload_element_bytes(s->workload);
    return bytes + row->header_bytes.value;
}

/* Pieces that pipelined messages are cut into, by the largest message of the first stage. */
static int choose_chunks(const struct step *s) {
    const struct implementation *m = s->implementation;
    if (!s->pipelined)
        return 1;
    if (m->chunks)
        return (int)m->chunks;
    if (!m->chunk_bytes.given)
        return CHUNKS_ASSUMED;
    const struct matrix *bytes = &s->stages[0].bytes;
    double most = 0;
    for (int src = 0; src < bytes->ranks; src++)
        for (size_t i = bytes->start[src]; i < bytes->start[src + 1]; i++)
            if (bytes->dst[i] != src)
                most = fmax(most, bytes->value[i]);
    return (int)fmin(fmax(ceil(most / m->chunk_bytes.value), 1), CHUNKS_MOST);
}

/* Takes the rows. */
static struct stage *add_stage(struct step *s, const char *name, struct matrix *rows) {
    const struct implementation *m = s->implementation;
    struct stage *stage = &s->stages[s->n_stages++];
    bool rows_known = s->traffic->unit == TRAFFIC_ROWS; // in a matrix of bytes a pair is one message
    *stage = (struct stage){.name = name,
                            .unit_bytes = m->message == UNIT_ROW     ? (rows_known ? s->row_bytes : 0)
                                          : m->message == UNIT_CHUNK ? m->chunk_bytes.value
                                                                     : 0,
                            .collectives = 1};
    if (s->phase == PHASE_COMBINE) {
        struct matrix back;
        matrix_transpose(rows, &back);
        matrix_clear(rows);
        *rows = back;
    }
    stage->bytes = *rows;
    stage->bytes.whole = false;
    for (size_t i = 0; i < rows->start[rows->ranks]; i++)
        stage->bytes.value[i] *= s->row_bytes;
    return stage;
}

static void set_collective(struct stage *stage, int world, enum tier span, int64_t collectives) {
    stage->world = world;
    stage->span = span;
    stage->collectives = (int)collectives;
}

/* Rows on the way back, by the place where they are added up; on the way out, by de-duplication. */
static enum dedup rows_of(const struct step *s, enum dedup on_the_way_out, enum dedup at_forwarder) {
    if (s->phase == PHASE_DISPATCH)
        return on_the_way_out;
    switch ((enum reduce)s->implementation->reduce) {
    case REDUCE_NONE:
        return DEDUP_NONE;
    case REDUCE_EXPERT_RANK:
        return DEDUP_RANK;
    case REDUCE_FORWARDER:
        break;
    }
    return at_forwarder;
}

static void build_one_hop(struct step *s) {
    const struct platform *p = s->platform;
    s->one_hop_dedup = rows_of(s, (enum dedup)s->implementation->dedup.one_hop, DEDUP_RANK);
    struct matrix rows;
    hops_direct(s->traffic, s->one_hop_dedup, &rows);
    struct stage *stage = add_stage(s, "one_hop", &rows);
    set_collective(stage, plat_ranks(p), plat_widest(p, (int)p->groups),
                   s->implementation->collectives.one_hop);
}

static void build_two_hop(struct step *s) {
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    int groups = (int)p->groups, world = m->collectives.hop_a_communicator == COMMUNICATOR_EP
                                             ? plat_ranks(p)
                                             : groups;
    struct matrix rows_a, rows_b;
    hops_fold(p, s->traffic, rows_of(s, (enum dedup)m->dedup.hop_a, DEDUP_GROUP), &rows_a);
    hops_forward(s->traffic, rows_of(s, (enum dedup)m->dedup.hop_b, (enum dedup)m->dedup.hop_b),
                 &rows_b);
    struct stage *a, *b;
    if (s->phase == PHASE_DISPATCH) {
        a = add_stage(s, "hop_a", &rows_a);
        b = add_stage(s, "hop_b", &rows_b);
        b->pairs = mem_alloc((size_t)plat_ranks(p), sizeof *b->pairs);
        matrix_sums(&s->traffic->hop_b, true, true, b->pairs);
    } else {
        b = add_stage(s, "hop_b", &rows_b);
        a = add_stage(s, "hop_a", &rows_a);
    }
    set_collective(a, groups > 1 ? world : 1, plat_widest(p, groups), m->collectives.hop_a);
    set_collective(b, (int)p->ranks_per_group, TIER_FAST, m->collectives.hop_b);
    s->pipelined = s->strategy == STRATEGY_TWO_HOP_PIPELINED || m->hops == HOPS_PIPELINED;
    s->chunks = choose_chunks(s);
    if (m->hops == HOPS_PIPELINED) {
        // one launch for both hops, over all ranks
        set_collective(&s->stages[0], plat_ranks(p), plat_widest(p, groups), m->collectives.one_hop);
        set_collective(&s->stages[1], 1, TIER_FAST, 1);
    } else if (s->phase == PHASE_DISPATCH) {
        b->splits = true;
    }
}

static void build_gather_first(struct step *s) {
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    struct matrix rows[STEP_STAGES], pairs;
    static const char *const names[STEP_STAGES] = {"gather", "exchange", "scatter"};
    enum dedup between = rows_of(s, (enum dedup)m->dedup.hop_a, DEDUP_GROUP);
    hops_gather(p, s->traffic, between,
                rows_of(s, (enum dedup)m->dedup.hop_b, (enum dedup)m->dedup.hop_b), rows);
    bool out = s->phase == PHASE_DISPATCH;
    for (int i = 0; i < STEP_STAGES; i++) {
        int which = out ? i : STEP_STAGES - 1 - i;
        struct stage *stage = add_stage(s, names[which], &rows[which]);
        if (which == 1)
            set_collective(stage, (int)p->groups, plat_widest(p, (int)p->groups),
                           m->collectives.hop_a);
        else
            set_collective(stage, (int)p->ranks_per_group, TIER_FAST, m->collectives.hop_b);
    }
    if (!out)
        return;
    struct stage *last = &s->stages[STEP_STAGES - 1];
    last->splits = true;
    last->pairs = mem_alloc((size_t)plat_ranks(p), sizeof *last->pairs);
    hops_scatter(p, s->traffic, DEDUP_NONE, &pairs);
    matrix_sums(&pairs, true, true, last->pairs);
    matrix_clear(&pairs);
}

void step_build(const struct topology *topology, const struct workload *w,
                const struct implementation *implementation, const struct traffic *traffic,
                enum strategy strategy, enum phase phase, struct step *step) {
    *step = (struct step){.platform = topology->platform,
                          .topology = topology,
                          .workload = w,
                          .implementation = implementation,
                          .traffic = traffic,
                          .strategy = strategy,
                          .phase = phase,
                          .chunks = 1};
    step->row_bytes = row_bytes(step);
    if (strategy == STRATEGY_ONE_HOP)
        build_one_hop(step);
    else if (strategy == STRATEGY_GATHER_FIRST)
        build_gather_first(step);
    else
        build_two_hop(step);
}

void step_clear(struct step *step) {
    for (int i = 0; i < step->n_stages; i++) {
        matrix_clear(&step->stages[i].bytes);
        free(step->stages[i].pairs);
    }
    *step = (struct step){0};
}

void step_route(const struct step *step, int src, int dst, struct route *route) {
    topo_find_route(step->topology, src, dst, (enum topo_path)step->implementation->intra_group_path,
                    route);
}

double step_message_cost_s(const struct step *step, enum tier tier) {
    const struct tier_factors *own = &step->implementation->message_cost_s;
    const struct quantity *q = tier == TIER_FAST ? &own->fast : &own->slow;
    return q->given ? q->value : plat_message_cost_s(step->platform, tier);
}

double step_bandwidth_Bps(const struct step *step, enum tier tier) {
    const struct tier_factors *reached = &step->implementation->efficiency;
    return step->platform->tier[tier].bandwidth_Bps.value *
           (tier == TIER_FAST ? reached->fast.value : reached->slow.value);
}

/* Sums of one link that message after message adds to: kept at hand. */
struct tally {
    int link;
    double bytes, busy_s;
};

static void tally_move(struct tally *at, int link, const struct step_load *load) {
    if (at->link == link)
        return;
    if (at->link >= 0 && load->bytes)
        load->bytes[at->link] = at->bytes;
    if (at->link >= 0 && load->busy_s)
        load->busy_s[at->link] = at->busy_s;
    at->link = link;
    at->bytes = link >= 0 && load->bytes ? load->bytes[link] : 0;
    at->busy_s = link >= 0 && load->busy_s ? load->busy_s[link] : 0;
}

/* A message counts on the widest tier that it uses, its bytes on every tier. */
static void add_message(const struct link *links, const struct way *way, double bytes, double cost_s,
                        struct tally *at, struct step_load *load) {
    tally_move(at, way->links[0], load);
    for (int k = 0; k < way->n; k++) {
        int l = way->links[k];
        double busy_s = bytes / links[l].capacity_Bps;
        if (links[l].role == LINK_EGRESS)
            load->tier_bytes[links[l].tier] += bytes;
        if (load->of_tier_s)
            load->of_tier_s[l * TIER_COUNT + (int)way->tier] += busy_s + (l == way->cost_link ? cost_s : 0);
        if (l == at->link) {
            at->bytes += bytes;
            at->busy_s += busy_s;
            continue;
        }
        if (load->bytes)
            load->bytes[l] += bytes;
        if (load->busy_s)
            load->busy_s[l] += busy_s;
    }
}

static void add_cost(const struct way *way, double cost_s, struct tally *at, struct step_load *load) {
    if (way->cost_link == at->link)
        at->busy_s += cost_s;
    else if (load->busy_s)
        load->busy_s[way->cost_link] += cost_s;
}

void step_load(const struct step *step, int stage, struct step_load *load) {
    const struct matrix *m = &step->stages[stage].bytes;
    double cost_s[TIER_COUNT];
    struct route route;
    struct tally at = {.link = -1};
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        cost_s[tier] = step_message_cost_s(step, (enum tier)tier);
        load->tier_bytes[tier] = load->tier_messages[tier] = 0;
    }
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (m->dst[i] == src || m->value[i] <= 0)
                continue;
            struct way way = step_way(step, src, m->dst[i], &route);
            double units = step_message_units(step, stage, m->value[i]);
            double own_s = units * cost_s[way.tier];
            add_message(step->topology->links, &way, m->value[i] * way.share, own_s * way.share, &at, load);
            add_cost(&way, own_s, &at, load);
            load->tier_messages[way.tier] += units;
        }
    tally_move(&at, -1, load);
}

void step_tier_traffic(const struct step *step, int stage, double bytes[static TIER_COUNT],
                       double messages[static TIER_COUNT]) {
    struct step_load load = {.bytes = NULL};
    step_load(step, stage, &load);
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        bytes[tier] = load.tier_bytes[tier];
        messages[tier] = load.tier_messages[tier];
    }
}

void step_link_load(const struct step *step, int stage, double *bytes, double *busy_s) {
    struct step_load load = {.bytes = bytes, .busy_s = busy_s};
    step_load(step, stage, &load);
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

/* All but alpha. What the alpha table says that it contains is not charged again. */
static void own_constants(const struct step *step, enum regime regime, struct costs *costs) {
    const char *library = step->implementation->name;
    enum alpha_phase phase = step->phase == PHASE_COMBINE ? ALPHA_COMBINE : ALPHA_DISPATCH;
    *costs = (struct costs){0};
    if (!plat_alpha_includes(step->platform, library, phase, regime, "latency"))
        for (int tier = 0; tier < TIER_COUNT; tier++)
            costs->latency_s[tier] = step->platform->tier[tier].latency_s.value;
    costs->splits_s = step->platform->splits_sync_s.value;
    const struct chain_keys *chain = &step->implementation->chain;
    costs->chain_s_per_pair = chain_constant((enum chain_preset)chain->preset)->s_per_pair;
    costs->chain_floor_s = chain->floor_s.given ? chain->floor_s.value : 0;
}

bool costs_known(const struct step *step, enum regime regime, struct costs *costs,
                 struct alpha_answer *answers, char reason[static 200]) {
    const char *library = step->implementation->name;
    enum alpha_phase phase = step->phase == PHASE_COMBINE ? ALPHA_COMBINE : ALPHA_DISPATCH;
    bool counts = plat_alpha_includes(step->platform, library, phase, regime, "counts");
    own_constants(step, regime, costs);
    snprintf(costs->name, sizeof costs->name, "known");
    bool known = true;
    for (int i = 0; i < step->n_stages; i++) {
        const struct stage *stage = &step->stages[i];
        struct alpha_answer answer;
        plat_alpha_phase(step->platform, library, phase, stage->world, stage->span, regime, &answer);
        if (known && !answer.known)
            snprintf(reason, 200, "%s", answer.reason);
        known = known && answer.known;
        costs->alpha_s[i] =
            answer.time_s * (stage->collectives - (counts && stage->collectives > 1 ? 1 : 0));
        // a one hop with a counts exchange of its own reads the sizes back where the host waits
        if (regime == REGIME_OBSERVED && step->strategy == STRATEGY_ONE_HOP &&
            step->phase == PHASE_DISPATCH && stage->collectives > 1 && !counts)
            costs->alpha_s[i] += costs->splits_s;
        if (answers)
            answers[i] = answer;
    }
    return known;
}

void costs_treatment(const struct step *step, size_t i, struct costs *costs) {
    const struct plat_treatment *t =
        (const struct plat_treatment *)step->platform->alpha_treatments.items + i;
    own_constants(step, REGIME_AHEAD, costs);
    snprintf(costs->name, sizeof costs->name, "%.39s", t->name);
    for (int k = 0; k < step->n_stages; k++)
        costs->alpha_s[k] = step->stages[k].collectives *
                            plat_treatment_alpha_s(step->platform, i, step->stages[k].world,
                                                   step->stages[k].span);
}

void outcome_clear(struct outcome *o) {
    free(o->send_end_s);
    free(o->recv_end_s);
    free(o->link_bytes);
    free(o->link_bin_bytes);
    free(o->messages);
    *o = (struct outcome){0};
}
