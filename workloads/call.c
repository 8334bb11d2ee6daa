/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "workloads/turns.h"

static const char *const phase_names[PHASE_COUNT] = {"dispatch", "combine"};

const char *phase_name(enum phase p) {
    return phase_names[p];
}

struct stage *call_add_round(struct call *call, const char *name) {
    call->stages = mem_resize(call->stages, (size_t)call->n_stages + 1, sizeof *call->stages);
    struct stage *stage = &call->stages[call->n_stages++];
    *stage = (struct stage){.name = name, .launch = -1, .index = -1};
    return stage;
}

struct stage *call_add_stage(struct call *call, const char *name) {
    BUG_ON(call->n_launches == CALL_LAUNCHES);
    struct stage *stage = call_add_round(call, name);
    stage->launch = call->n_launches++;
    stage->collectives = 1;
    return stage;
}

bool call_is_round(const struct call *call, int stage) {
    return stage > 0 && stage < call->n_stages && call->stages[stage].launch < 0;
}

void call_seen(const struct call *call, struct platform *seen) {
    const struct job *job = call->traffic ? call->traffic->job : NULL;
    *seen = *call->platform;
    if (!job)
        return;
    const struct platform *part = job->groups[0].platform;
    memcpy(seen->domains, part->domains, sizeof seen->domains);
    seen->groups = part->groups;
    seen->ranks_per_group = part->ranks_per_group;
}

void call_copy(const struct call *from, struct call *to) {
    size_t ranks = (size_t)from->topology->ranks;
    *to = *from;
    to->stages = mem_alloc((size_t)from->n_stages + 1, sizeof *to->stages);
    for (int i = 0; i < from->n_stages; i++) {
        struct stage *stage = &to->stages[i];
        *stage = from->stages[i];
        matrix_scale(&from->stages[i].bytes, 1, &stage->bytes);
        stage->turns = turns_copy(from->stages[i].turns);
        if (!stage->pairs)
            continue;
        stage->pairs = mem_alloc(ranks, sizeof *stage->pairs);
        memcpy(stage->pairs, from->stages[i].pairs, ranks * sizeof *stage->pairs);
    }
}

void call_clear(struct call *call) {
    for (int i = 0; i < call->n_stages; i++) {
        matrix_clear(&call->stages[i].bytes);
        free(call->stages[i].pairs);
        turns_free(call->stages[i].turns);
    }
    free(call->stages);
    *call = (struct call){0};
}

void call_route(const struct call *call, int src, int dst, struct route *route) {
    topo_draw_route(call->topology, src, dst, (enum topo_path)call->implementation->intra_group_path,
                    call->path_seed, route);
}

double call_message_cost_s(const struct call *call, enum tier tier) {
    const struct tier_factors *own = &call->implementation->message_cost_s;
    const struct plat_tier *t = &call->platform->tier[tier];
    const struct quantity *q = t->counts_as == CLASS_FAST ? &own->fast : &own->slow;
    bool platforms = (t->x_half_bytes.set || t->message_cost_s.set) && !q->set;
    return q->given && !platforms ? q->value : plat_message_cost_s(call->platform, tier);
}

double call_bandwidth_Bps(const struct call *call, enum tier tier) {
    const struct plat_tier *t = &call->platform->tier[tier];
    return t->bandwidth_Bps.value * implementation_reached(call->implementation, t);
}

/* Sums of one link that message after message adds to: kept at hand. */
struct tally {
    int link;
    double bytes, busy_s;
};

static void tally_move(struct tally *at, int link, const struct call_load *load) {
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
                        struct tally *at, struct call_load *load) {
    tally_move(at, way->links[0], load);
    for (int k = 0; k < way->n; k++) {
        int l = way->links[k];
        double busy_s = bytes / links[l].capacity_Bps;
        if (links[l].role == LINK_EGRESS)
            load->tier_bytes[links[l].tier] += bytes;
        if (load->of_tier_s)
            load->of_tier_s[l * TIER_MAX + (int)way->tier] += busy_s + (l == way->cost_link ? cost_s : 0);
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

static void add_cost(const struct way *way, double cost_s, struct tally *at, struct call_load *load) {
    if (way->cost_link == at->link)
        at->busy_s += cost_s;
    else if (load->busy_s)
        load->busy_s[way->cost_link] += cost_s;
}

void call_load(const struct call *call, int stage, struct call_load *load) {
    const struct matrix *m = &call->stages[stage].bytes;
    double cost_s[TIER_MAX];
    struct route route;
    struct tally at = {.link = -1};
    for (int tier = 0; tier < TIER_MAX; tier++) {
        cost_s[tier] = call_message_cost_s(call, (enum tier)tier);
        load->tier_bytes[tier] = load->tier_messages[tier] = 0;
    }
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (m->dst[i] == src || m->value[i] <= 0)
                continue;
            struct way way = call_way(call, src, m->dst[i], &route);
            double units = call_message_units(call, stage, m->value[i]);
            double own_s = units * cost_s[way.tier];
            add_message(call->topology->links, &way, m->value[i] * way.share, own_s * way.share, &at, load);
            add_cost(&way, own_s, &at, load);
            load->tier_messages[way.tier] += units;
        }
    tally_move(&at, -1, load);
}

void call_tier_traffic(const struct call *call, int stage, double bytes[static TIER_MAX],
                       double messages[static TIER_MAX]) {
    struct call_load load = {.bytes = NULL};
    call_load(call, stage, &load);
    for (int tier = 0; tier < TIER_MAX; tier++) {
        bytes[tier] = load.tier_bytes[tier];
        messages[tier] = load.tier_messages[tier];
    }
}

void call_link_load(const struct call *call, int stage, double *bytes, double *busy_s) {
    struct call_load load = {.bytes = bytes, .busy_s = busy_s};
    call_load(call, stage, &load);
}
