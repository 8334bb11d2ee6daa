/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "workloads/build.h"

static const struct {
    const char *name;
    void (*build)(struct call *call);
    bool even; /* needs groups of one size */
} strategies[STRATEGY_COUNT] = {[STRATEGY_ONE_HOP] = {"one-hop", build_one_hop, false},
                                [STRATEGY_TWO_HOP] = {"two-hop", build_hops, false},
                                [STRATEGY_TWO_HOP_PIPELINED] = {"two-hop-pipelined", build_hops, false},
                                [STRATEGY_THREE_HOP] = {"three-hop", build_hops, true},
                                [STRATEGY_GATHER_FIRST] = {"gather-first", build_gather_first, false},
                                [STRATEGY_INSIDE_FIRST] = {"two-hop-inside-first", build_inside_first, false},
                                [STRATEGY_LEVELLED] = {"levelled", build_levelled, true},
                                [STRATEGY_ALL_GATHER] = {"all-gather", build_all_gather, false}};

const char *strategy_name(enum strategy s) {
    return strategies[s].name;
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
    if (m->order == ORDER_FILE && m->turns->barriers && strategy != STRATEGY_ONE_HOP)
        return err_set(e, RC_RANGE, "%s: rounds with barriers are those of one-hop, not of %s", m->order_file,
                       strategy_name(strategy));
    if (m->order == ORDER_FILE && m->turns->ranks > plat_ranks(p))
        return err_set(e, RC_RANGE, "%s: rank %d is named, but there are %d ranks", m->order_file, m->turns->ranks - 1,
                       plat_ranks(p));
    bool rings = strategy == STRATEGY_ALL_GATHER && m->all_gather == GATHER_TWO_RINGS;
    if ((strategies[strategy].even || rings) && !plat_is_even(p))
        return err_set(e, RC_RANGE, "%s%s needs groups of one size; %s has %s", strategy_name(strategy),
                       rings ? " by two rings" : "", p->name,
                       p->group_sizes ? "group_sizes" : "EP groups that reach into groups by unequal numbers of ranks");
    for (int t = 1; t < p->n_tiers && strategy == STRATEGY_THREE_HOP; t++)
        if (p->domains[t - 1].n != p->domains[t].n * p->domains[t].ends)
            return err_set(e, RC_RANGE,
                           "three-hop needs domains of one size; an EP group on %s reaches into unequal ones", p->name);
    return RC_OK;
}

/* A matrix of bytes has no tokens whose copies could be taken once. */
static enum rc check_bytes(const struct implementation *m, enum strategy strategy, struct err *e) {
    if (strategy == STRATEGY_ALL_GATHER)
        return err_set(e, RC_UNSUPPORTED,
                       "--strategy all-gather: the record is a matrix of bytes, which says nothing of tokens");
    bool folds = strategy == STRATEGY_TWO_HOP || strategy == STRATEGY_TWO_HOP_PIPELINED ||
                 strategy == STRATEGY_THREE_HOP || strategy == STRATEGY_GATHER_FIRST;
    if (folds && (m->dedup.hop_a == DEDUP_GROUP || m->reduce == REDUCE_FORWARDER))
        return err_set(e, RC_UNSUPPORTED,
                       "--strategy %s: the record is a matrix of bytes without tokens, none of which can be taken once "
                       "a group; use --set implementation.dedup.hop_a=none%s",
                       strategy_name(strategy),
                       m->reduce == REDUCE_FORWARDER ? " --set implementation.reduce=none" : "");
    return RC_OK;
}

enum rc call_check_traffic(const struct platform *p, const struct traffic *t, const struct implementation *m,
                           enum strategy strategy, struct err *e) {
    enum rc rc = call_check(p, m, strategy, e);
    if (!rc && t->unit == TRAFFIC_BYTES)
        rc = check_bytes(m, strategy, e);
    for (int g = 0; t->job && g < t->job->n_groups && !rc; g++)
        rc = call_check(t->job->groups[g].platform, m, strategy, e);
    return rc;
}

/* Charges one launch over all ranks, in the first stage, for all hops of a call; serial or pipelined. [S5] An
 * all-gather has no sizes to tell beforehand: its payload is the only collective. */
static void fuse_alpha(struct call *s) {
    const struct platform *p = s->platform;
    bool tells_sizes = s->phase == PHASE_DISPATCH && s->strategy != STRATEGY_ALL_GATHER;
    for (int i = 0; i < s->n_stages; i++) {
        struct stage *stage = &s->stages[i];
        stage->world = i == 0 ? plat_ranks(p) : 1;
        stage->span = i == 0 ? plat_widest(p) : TIER_FAST;
        stage->collectives = i == 0 && tells_sizes ? (int)s->implementation->collectives.one_hop : 1;
        stage->splits = false;
    }
}

/* Builds a call over the ranks of its platform. */
static void build(struct call *call) {
    call->cut = find_cut(call);
    call->row_bytes = row_bytes(call);
    strategies[call->strategy].build(call);
    if (call->n_launches > 1 && call->implementation->alpha_calls == ALPHA_FUSED)
        fuse_alpha(call);
}

/* Builds the call of each EP group as if alone, and unites them. */
static void build_job(struct call *call) {
    const struct job *job = call->traffic->job;
    struct call *parts = mem_alloc((size_t)job->n_groups, sizeof *parts);
    for (int g = 0; g < job->n_groups; g++) {
        parts[g] = *call;
        parts[g].platform = job->groups[g].platform;
        parts[g].traffic = call->traffic->parts[g];
        build(&parts[g]);
    }
    call->cut = find_cut(call);
    call->row_bytes = row_bytes(call);
    build_united(parts, call);
    for (int g = 0; g < job->n_groups; g++)
        call_clear(&parts[g]);
    free(parts);
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
    if (traffic->job)
        build_job(call);
    else
        build(call);
    build_orders(call);
}
