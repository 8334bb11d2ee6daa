/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "workloads/build.h"
#include "workloads/hops.h"
#include "workloads/rows.h"

static const char *const strategy_names[STRATEGY_COUNT] = {
    "one-hop", "two-hop", "two-hop-pipelined", "three-hop", "gather-first",
    "two-hop-inside-first", "levelled", "all-gather"};
static const char *const phase_names[PHASE_COUNT] = {"dispatch", "combine"};

/* Pieces of a pipelined message where the implementation states none: assumed. */
enum { CHUNKS_ASSUMED = 8, CHUNKS_MOST = 64 };

enum { HOPS_MOST = 3 };

const char *strategy_name(enum strategy s) {
    return strategy_names[s];
}

const char *phase_name(enum phase p) {
    return phase_names[p];
}

/* Bytes of one row. FORMULAS.md [M6] */
static double row_bytes(const struct call *s) {
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
static int choose_chunks(const struct call *s) {
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

static struct stage *fill_stage(struct call *s, struct stage *stage, struct matrix *rows) {
    const struct implementation *m = s->implementation;
    bool rows_known = s->traffic->unit == TRAFFIC_ROWS; // in a matrix of bytes a pair is one message
    stage->unit_bytes = m->message == UNIT_ROW     ? (rows_known ? s->row_bytes : 0)
                        : m->message == UNIT_CHUNK ? m->chunk_bytes.value
                                                   : 0;
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

struct stage *build_stage(struct call *s, const char *name, struct matrix *rows) {
    return fill_stage(s, call_add_stage(s, name), rows);
}

struct stage *build_round(struct call *s, const char *name, struct matrix *rows) {
    return fill_stage(s, call_add_round(s, name), rows);
}

void build_chain(struct call *s, struct stage *stage, struct matrix *pairs) {
    if (s->phase == PHASE_DISPATCH) {
        stage->splits = s->implementation->alpha_calls == ALPHA_PER_HOP;
        stage->pairs = mem_alloc((size_t)plat_ranks(s->platform), sizeof *stage->pairs);
        matrix_sums(pairs, true, true, stage->pairs);
    }
    matrix_clear(pairs);
}

void build_collective(const struct call *s, struct stage *stage, int world, enum tier span,
                           int64_t collectives) {
    stage->world = stage->peers = world;
    stage->span = span;
    stage->collectives = s->phase == PHASE_DISPATCH ? (int)collectives : 1;
}

void build_reach(struct stage *stage, enum tier inside, int index) {
    stage->inside = inside;
    stage->index = index;
}

enum dedup build_dedup(const struct call *s, enum dedup on_the_way_out, enum dedup at_forwarder) {
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

static void build_one_hop(struct call *s) {
    const struct platform *p = s->platform;
    enum dedup dedup = (enum dedup)s->implementation->dedup.one_hop;
    s->one_hop_dedup = build_dedup(s, dedup, dedup); // nobody forwards, hence nobody reduces
    struct matrix rows;
    hops_direct(s->traffic, s->one_hop_dedup, &rows);
    struct stage *stage = build_stage(s, "one_hop", &rows);
    build_collective(s, stage, plat_ranks(p), plat_widest(p), s->implementation->collectives.one_hop);
    build_reach(stage, plat_widest(p), -1);
}

/* Rows from a forwarder in each domain of a tier: what its members' counterparts in all domains of the next cut sent
 * there. */
static void rows_inside(const struct call *s, enum tier cut, enum dedup dedup, struct matrix *rows) {
    if (cut == TIER_FAST)
        hops_forward(s->traffic, dedup, rows);
    else
        rows_relay(s->platform, cut, hops_direct_of(s->traffic, dedup), rows);
}

/* (row, slot) pairs that pass the forwarders of a cut, per rank. */
static void charge_chain(struct call *s, struct stage *stage, enum tier cut) {
    struct matrix pairs;
    rows_inside(s, cut, DEDUP_NONE, &pairs);
    build_chain(s, stage, &pairs);
}

/* Two hops, or three: between the domains of the cut, inside one of them between the groups, inside a group. */
static void build_hops(struct call *s) {
    static const char *const names[] = {"hop_a", "hop_b", "hop_c"};
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    bool three = s->strategy == STRATEGY_THREE_HOP;
    int n = three ? 3 : 2, domains = p->domains[s->cut].n;
    enum dedup between = build_dedup(s, (enum dedup)m->dedup.hop_a, DEDUP_GROUP),
               inside = build_dedup(s, (enum dedup)m->dedup.hop_b, (enum dedup)m->dedup.hop_b);
    struct matrix rows[HOPS_MOST];
    hops_fold(p, s->cut, s->traffic, between, &rows[0]);
    if (three) {
        struct matrix groups;
        hops_fold(p, TIER_FAST, s->traffic, between, &groups);
        rows_relay(p, s->cut, &groups, &rows[1]);
        matrix_clear(&groups);
    }
    rows_inside(s, three ? TIER_FAST : s->cut, inside, &rows[n - 1]);
    for (int i = 0; i < n; i++) {
        int hop = s->phase == PHASE_DISPATCH ? i : n - 1 - i;
        bool last = hop == n - 1;
        struct stage *stage = build_stage(s, names[hop], &rows[hop]);
        enum tier span = plat_widest_in(p, last && three ? TIER_FAST : s->cut);
        int members = hop == 0 ? domains : last ? plat_span(p, span) : p->domains[TIER_FAST].n / domains;
        build_collective(s, stage, members, hop == 0 ? plat_widest(p) : span,
                       last ? m->collectives.hop_b : m->collectives.hop_a);
        build_reach(stage, hop == 0 ? plat_widest(p) : span, last ? -1 : hop == 0 ? (int)s->cut : TIER_FAST);
        if (hop == 0 && domains > 1 && m->collectives.hop_a_communicator == COMMUNICATOR_EP)
            stage->world = plat_ranks(p);
        if (hop > 0 && s->phase == PHASE_DISPATCH)
            charge_chain(s, stage, last ? span : s->cut);
    }
    s->pipelined = s->strategy == STRATEGY_TWO_HOP_PIPELINED || m->hops == HOPS_PIPELINED;
    s->chunks = choose_chunks(s);
}

static void build_gather_first(struct call *s) {
    const struct platform *p = s->platform;
    const struct implementation *m = s->implementation;
    struct matrix rows[HOPS_MOST], pairs;
    static const char *const names[HOPS_MOST] = {"gather", "exchange", "scatter"};
    enum dedup between = build_dedup(s, (enum dedup)m->dedup.hop_a, DEDUP_GROUP);
    hops_gather(p, s->cut, s->traffic, between, build_dedup(s, (enum dedup)m->dedup.hop_b, (enum dedup)m->dedup.hop_b),
                rows);
    bool out = s->phase == PHASE_DISPATCH;
    for (int i = 0; i < HOPS_MOST; i++) {
        int which = out ? i : HOPS_MOST - 1 - i;
        struct stage *stage = build_stage(s, names[which], &rows[which]);
        if (which == 1)
            build_collective(s, stage, p->domains[s->cut].n, plat_widest(p), m->collectives.hop_a);
        else
            build_collective(s, stage, plat_span(p, s->cut), plat_widest_in(p, s->cut), m->collectives.hop_b);
    }
    if (!out)
        return;
    hops_scatter(p, s->cut, s->traffic, DEDUP_NONE, &pairs);
    build_chain(s, &s->stages[HOPS_MOST - 1], &pairs);
}

/* The tier whose domains are the groups of the strategy. */
static enum tier find_cut(const struct call *s) {
    const struct platform *p = s->platform;
    const char *name = s->implementation->cut;
    enum tier cut = name ? (enum tier)plat_find_tier(p, name) : TIER_FAST;
    // three hops cut at the fast tier anyway, and once more outside of it
    return s->strategy == STRATEGY_THREE_HOP && cut == TIER_FAST ? (enum tier)(plat_slow(p) - 1) : cut;
}

enum rc call_check(const struct platform *p, const struct implementation *m, enum strategy strategy,
                   struct err *e) {
    int cut = m->cut ? plat_find_tier(p, m->cut) : TIER_FAST;
    const char *names[TIER_MAX];
    for (int t = 0; t < p->n_tiers; t++)
        names[t] = p->tier[t].name;
    if (cut < 0)
        return err_set(e, RC_RANGE, "implementation.cut: %s has no tier '%.40s'%s", p->name, m->cut,
                       err_hint(", ", m->cut, names, (size_t)p->n_tiers).text);
    if (cut == (int)plat_slow(p))
        return err_set(e, RC_RANGE, "implementation.cut: '%s' is the outermost tier, it has one domain", m->cut);
    if (strategy == STRATEGY_THREE_HOP && p->n_tiers < 3)
        return err_set(e, RC_RANGE, "three-hop cuts at a tier between fast and slow; %s has %d tiers", p->name,
                       p->n_tiers);
    bool rings = strategy == STRATEGY_ALL_GATHER && m->all_gather == GATHER_TWO_RINGS;
    if ((strategy == STRATEGY_THREE_HOP || strategy == STRATEGY_LEVELLED || rings) && !plat_is_even(p))
        return err_set(e, RC_RANGE, "%s%s needs groups of one size; %s has group_sizes", strategy_name(strategy),
                       rings ? " by two rings" : "", p->name);
    return RC_OK;
}

/* Charges one launch over all ranks, in the first stage, for all hops of a call; serial or pipelined. [S5] */
static void fuse_alpha(struct call *s) {
    const struct platform *p = s->platform;
    for (int i = 0; i < s->n_stages; i++) {
        struct stage *stage = &s->stages[i];
        stage->world = i == 0 ? plat_ranks(p) : 1;
        stage->span = i == 0 ? plat_widest(p) : TIER_FAST;
        stage->collectives =
            i == 0 && s->phase == PHASE_DISPATCH ? (int)s->implementation->collectives.one_hop : 1;
        stage->splits = false;
    }
}

void call_build(const struct topology *topology, const struct workload *w,
                const struct implementation *implementation, const struct traffic *traffic,
                enum strategy strategy, enum phase phase, struct call *call) {
    *call = (struct call){.platform = topology->platform,
                          .topology = topology,
                          .workload = w,
                          .implementation = implementation,
                          .traffic = traffic,
                          .strategy = strategy,
                          .phase = phase,
                          .chunks = 1};
    call->cut = find_cut(call);
    call->row_bytes = row_bytes(call);
    if (strategy == STRATEGY_ONE_HOP)
        build_one_hop(call);
    else if (strategy == STRATEGY_GATHER_FIRST)
        build_gather_first(call);
    else if (strategy == STRATEGY_INSIDE_FIRST)
        build_inside_first(call);
    else if (strategy == STRATEGY_LEVELLED)
        build_levelled(call);
    else if (strategy == STRATEGY_ALL_GATHER)
        build_all_gather(call);
    else
        build_hops(call);
    if (call->n_launches > 1 && implementation->alpha_calls == ALPHA_FUSED)
        fuse_alpha(call);
}

void call_copy(const struct call *from, struct call *to) {
    size_t ranks = (size_t)from->topology->ranks;
    *to = *from;
    to->stages = mem_alloc((size_t)from->n_stages + 1, sizeof *to->stages);
    for (int i = 0; i < from->n_stages; i++) {
        struct stage *stage = &to->stages[i];
        *stage = from->stages[i];
        matrix_scale(&from->stages[i].bytes, 1, &stage->bytes);
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
