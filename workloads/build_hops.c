/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds one-hop, two-hop, three-hop and gather-first. */
#include "workloads/build.h"

#include <math.h>

#include "workloads/hops.h"
#include "workloads/rows.h"

/* Pieces of a pipelined message where the implementation states none: assumed. */
enum { CHUNKS_ASSUMED = 8, CHUNKS_MOST = 64 };

enum { HOPS_MOST = 3 };

int build_chunks(const struct call *s) {
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

void build_one_hop(struct call *s) {
    const struct platform *p = s->platform;
    enum dedup dedup = (enum dedup)s->implementation->dedup.one_hop;
    s->one_hop_dedup = build_dedup(s, dedup, dedup); // nobody forwards, hence nobody reduces
    struct matrix rows;
    hops_direct(s->traffic, s->one_hop_dedup, &rows);
    struct stage *stage = build_stage(s, "one_hop", &rows);
    build_collective(s, stage, plat_ranks(p), plat_widest(p), s->implementation->collectives.one_hop);
    build_reach(stage, plat_widest(p), -1);
}

/* Makes the rows that forwarders send on inside the domains of a tier: what their counterparts in all domains sent to
 * each. */
static void rows_inside(const struct call *s, enum tier cut, enum dedup dedup, struct matrix *rows) {
    if (cut == TIER_FAST)
        hops_forward(s->traffic, dedup, rows);
    else
        rows_relay(s->platform, cut, hops_direct_of(s->traffic, dedup), rows);
}

/* Charges the chain before a stage with the (row, slot) pairs that pass each forwarder of a cut. */
static void charge_chain(struct call *s, struct stage *stage, enum tier cut) {
    struct matrix pairs;
    rows_inside(s, cut, DEDUP_NONE, &pairs);
    build_chain(s, stage, &pairs);
}

void build_hops(struct call *s) {
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
    s->chunks = build_chunks(s);
}

void build_gather_first(struct call *s) {
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
