/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/model.h"

#include <math.h>
#include <string.h>

/* The artifact's table: 48 points, geometric on [1e3, 1e9] bytes (sim/calibrate.py, saturating_beta). [F2] */
enum { TABLE_POINTS = 48 };
static const double table_low_bytes = 1e3, table_high_bytes = 1e9;

static double closed_Bps(const struct beta *b, double x_bytes) {
    return b->beta_Bps * x_bytes / (x_bytes + b->x_half_bytes);
}

/* Linear in log x between two neighbouring points, clamped outside. */
static double table_Bps(const struct beta *b, double x_bytes) {
    const double step = log(table_high_bytes / table_low_bytes) / (TABLE_POINTS - 1);
    double place = log(x_bytes / table_low_bytes) / step;
    if (place <= 0)
        return closed_Bps(b, table_low_bytes);
    if (place >= TABLE_POINTS - 1)
        return closed_Bps(b, table_high_bytes);
    double below = floor(place);
    double low_Bps = closed_Bps(b, table_low_bytes * exp(step * below));
    double high_Bps = closed_Bps(b, table_low_bytes * exp(step * (below + 1)));
    return low_Bps + (place - below) * (high_Bps - low_Bps);
}

double model_beta_Bps(const struct beta *b, double message_bytes) {
    switch (b->kind) {
    case BETA_CLOSED:
        return closed_Bps(b, message_bytes);
    case BETA_TABLE:
        return table_Bps(b, message_bytes);
    case BETA_FLAT:
        break;
    }
    return b->beta_Bps;
}

double model_all_to_all_s(const struct beta *b, double alpha_s, int world, double rows,
                          double local_frac, double row_bytes) {
    if (world < 2)
        return 0;
    // [F1] wire = rows (1 - f) B, x = wire / (w - 1), t = alpha + wire / beta(x)
    double wire_bytes = rows * (1 - local_frac) * row_bytes;
    if (wire_bytes <= 0)
        return alpha_s;
    return alpha_s + wire_bytes / model_beta_Bps(b, wire_bytes / (world - 1));
}

/* One of the three exchanges that the strategies are made of. */
struct exchange {
    int world;
    double rows;
    double local_frac; /* 0: 1 / world */
};
static double factor(double skew) {
    return skew > 0 ? skew : 1;
}
static struct exchange one_hop(const struct model_geometry *g) {
    return (struct exchange){g->groups * g->ranks_per_group,
                             g->tokens * g->top_k * factor(g->skew.one_hop), 0}; // [F4]
}
static struct exchange hop_a(const struct model_geometry *g) {
    return (struct exchange){g->groups, g->tokens * g->fan_out * factor(g->skew.hop_a),
                             g->hop_a_local_frac}; // [F5]
}
static struct exchange hop_b(const struct model_geometry *g) {
    return (struct exchange){g->ranks_per_group, g->tokens * g->top_k * factor(g->skew.hop_b),
                             0}; // [F5]
}
static double local_frac(struct exchange x) {
    return x.local_frac > 0 ? x.local_frac : 1.0 / x.world;
}

static double exchange_s(const struct beta *b, double alpha_s, struct exchange x,
                         double row_bytes) {
    return model_all_to_all_s(b, alpha_s, x.world, x.rows, local_frac(x), row_bytes);
}

static double chain_s(const struct model_machine *m, const struct model_geometry *g) {
    double time_s = m->chain_s_per_pair * g->tokens * g->top_k; // [F6] max(floor, c T k)
    return time_s > 0 ? fmax(time_s, m->chain_floor_s) : 0;
}

void model_predict(const struct model_machine *m, const struct model_geometry *g,
                   struct model_terms *terms) {
    struct model_terms t = {
        .one_hop_s = exchange_s(&m->flat, m->alpha_one_hop_s, one_hop(g), g->row_bytes),
        .hop_a_s = exchange_s(&m->slow, m->alpha_hop_a_s, hop_a(g), g->row_bytes),
        .hop_b_s = exchange_s(&m->fast, m->alpha_hop_b_s, hop_b(g), g->row_bytes),
        .chain_s = chain_s(m, g),
        .splits_s = m->splits_s};
    t.two_hop_s = t.hop_a_s + t.hop_b_s + t.splits_s + t.chain_s;
    t.gain = t.two_hop_s > 0 ? t.one_hop_s / t.two_hop_s : -1; // [F7]
    *terms = t;
}

/* A tier's saturation at a stated bandwidth, as the library reaches it (NULL: all of it): x_half is stated in
 * bytes at the stated bandwidth, or follows from a per-message cost. [F2] */
static struct beta tier_beta(const struct platform *p, const struct implementation *how, enum tier tier,
                             double stated_Bps) {
    const struct plat_tier *t = &p->tier[tier];
    bool fast = t->counts_as == CLASS_FAST;
    double reached = implementation_reached(how, t);
    const struct quantity *cost_s = &t->message_cost_s;
    if (how && (fast ? how->message_cost_s.fast : how->message_cost_s.slow).given)
        cost_s = fast ? &how->message_cost_s.fast : &how->message_cost_s.slow;
    double beta_Bps = stated_Bps * reached;
    double x_half_bytes =
        cost_s->given ? cost_s->value * beta_Bps : t->x_half_bytes.value * reached;
    return (struct beta){x_half_bytes > 0 ? BETA_CLOSED : BETA_FLAT, beta_Bps, x_half_bytes};
}

void model_levels(const struct platform *p, const struct implementation *how, enum tier cut, struct model_machine *m) {
    enum tier widest = plat_widest(p), slow = widest > cut ? widest : plat_slow(p), fast = plat_widest_in(p, cut);
    m->flat = tier_beta(p, how, widest, plat_collective_bandwidth_Bps(p));
    m->slow = tier_beta(p, how, slow, p->tier[slow].bandwidth_Bps.value);
    m->fast = tier_beta(p, how, fast, p->tier[fast].bandwidth_Bps.value);
}

const char *model_no_form(const struct call *call) {
    if (call->strategy == STRATEGY_GATHER_FIRST)
        return "gather-first";
    if (call->strategy == STRATEGY_LEVELLED)
        return "levelled";
    if (call->implementation->order == ORDER_FILE && call->implementation->turns->barriers)
        return "rounds with barriers";
    const struct job *job = call->traffic ? call->traffic->job : NULL;
    struct platform seen;
    call_seen(call, &seen);
    if (job && !job->same_shape)
        return "EP groups that lie differently on the machine";
    return plat_is_even(&seen) ? NULL : "groups that differ in size";
}

bool model_covers(const struct call *call) {
    return !model_no_form(call);
}

static const struct stage *find_stage(const struct call *call, const char *name) {
    for (int i = 0; i < call->n_stages; i++)
        if (strcmp(call->stages[i].name, name) == 0)
            return &call->stages[i];
    return NULL;
}

/* Returns the number of ranks of the job. */
static int ranks_of(const struct call *call) {
    return call->traffic && call->traffic->job ? call->traffic->job->ranks : call->topology->ranks;
}

/* Mean rows per token of the workload that a stage moves, local ones included. */
static double rows_per_token(const struct call *call, const struct stage *stage) {
    double tokens = (double)call->workload->tokens_per_rank * ranks_of(call);
    return tokens > 0 ? matrix_total(&stage->bytes, true) / call->row_bytes / tokens : 0;
}

static double alpha_of(const struct call *call, const struct costs *costs, const struct stage *stage) {
    return costs_alpha_s(costs, call, (int)(stage - call->stages)) + costs->latency_s[stage->span];
}

void model_from_call(const struct call *call, const struct costs *costs, struct model_machine *m,
                     struct model_geometry *g) {
    struct platform seen;
    const struct platform *p = &seen;
    const struct workload *w = call->workload;
    call_seen(call, &seen);
    bool reads_splits = call->phase == PHASE_DISPATCH && call->implementation->alpha_calls == ALPHA_PER_HOP;
    *m = (struct model_machine){
        .splits_s = reads_splits ? costs->splits_s : 0,
        .chain_s_per_pair = call->phase == PHASE_DISPATCH ? costs->chain_s_per_pair : 0,
        .chain_floor_s = costs->chain_floor_s};
    model_levels(p, call->implementation, call->cut, m);
    *g = (struct model_geometry){.groups = p->domains[call->cut].n,
                                 .ranks_per_group = plat_span(p, call->cut),
                                 .tokens = (double)w->tokens_per_rank,
                                 .top_k = (double)workload_slots(w),
                                 .fan_out = w->group_limit && workload_slots(w) == w->top_k ? (double)w->group_limit
                                                           : call->traffic->fan_out,
                                 .row_bytes = call->row_bytes};
    const struct stage *one = find_stage(call, "one_hop"), *a = find_stage(call, "hop_a"),
                       *b = find_stage(call, "hop_b");
    if (call->strategy != STRATEGY_ONE_HOP && call->strategy != STRATEGY_TWO_HOP &&
        call->strategy != STRATEGY_TWO_HOP_PIPELINED)
        return;
    if (one) {
        m->alpha_one_hop_s = alpha_of(call, costs, one);
        g->top_k = rows_per_token(call, one);
    }
    if (a && b) {
        m->alpha_hop_a_s = alpha_of(call, costs, a);
        m->alpha_hop_b_s = alpha_of(call, costs, b);
        g->fan_out = rows_per_token(call, a);
        g->top_k = rows_per_token(call, b);
        // the chain works on pairs, also where rows are de-duplicated
        if (g->top_k > 0)
            m->chain_s_per_pair *= (double)workload_slots(w) / g->top_k;
    }
}

static void add_stage(struct outcome *o, const char *name, double time_s) {
    o->stages[o->n_stages++] =
        (struct outcome_stage){.name = name, .start_s = o->time_s, .end_s = o->time_s + time_s};
    o->time_s += time_s;
}

/* Appends an exchange that is the same on every rank: bytes leave all of them, to each of the others. */
static void add_exchange(struct outcome *o, const char *name, double time_s, struct exchange x,
                         const struct model_geometry *g) {
    add_stage(o, name, time_s);
    struct outcome_stage *stage = &o->stages[o->n_stages - 1];
    double ranks = (double)g->groups * g->ranks_per_group;
    stage->bytes = ranks * x.rows * (1 - local_frac(x)) * g->row_bytes;
    stage->messages = ranks * (x.world - 1);
}

struct beta model_stage_level(const struct call *call, const struct stage *stage) {
    struct platform seen;
    const struct platform *p = &seen;
    call_seen(call, &seen);
    if (call->strategy == STRATEGY_ONE_HOP)
        return tier_beta(p, call->implementation, plat_widest(p), plat_collective_bandwidth_Bps(p));
    return tier_beta(p, call->implementation, stage->inside, p->tier[stage->inside].bandwidth_Bps.value);
}

/* [F14] [F15] Hops one after the other; the chain on the mean pairs of the forwarders before each. */
static void stage_by_stage(const struct call *call, const struct costs *costs, const struct model_geometry *g,
                       struct outcome *o) {
    for (int i = 0; i < call->n_stages; i++) {
        const struct stage *stage = &call->stages[i];
        struct beta level = model_stage_level(call, stage);
        struct exchange x = {stage->peers, rows_per_token(call, stage) * g->tokens, 0};
        if (stage->pairs) {
            double pairs = g->tokens * g->top_k, chain = costs->chain_s_per_pair * pairs;
            if (stage->splits)
                add_stage(o, "splits", costs->splits_s);
            add_stage(o, "chain", chain > 0 ? fmax(chain, costs->chain_floor_s) : 0);
        }
        add_exchange(o, stage->name, exchange_s(&level, alpha_of(call, costs, stage), x, g->row_bytes), x, g);
    }
}

/* [F16] An exchange of rounds: each rank sends one message a round, and arrivals let the next round begin. */
static void rounds(const struct call *call, const struct costs *costs, int first, int n, struct outcome *o) {
    const struct stage *stage = &call->stages[first];
    struct beta level = model_stage_level(call, stage);
    double ranks = ranks_of(call), bytes = 0;
    double time_s = alpha_of(call, costs, stage) + (n - 1) * costs->latency_s[stage->inside];
    for (int i = first; i < first + n; i++) {
        double mean = matrix_total(&call->stages[i].bytes, false) / ranks;
        time_s += mean > 0 ? mean / model_beta_Bps(&level, mean) : 0;
        bytes += mean * ranks;
    }
    add_stage(o, stage->name, time_s);
    o->stages[o->n_stages - 1].bytes = bytes;
    o->stages[o->n_stages - 1].messages = ranks * n;
}

static void all_gather(const struct call *call, const struct costs *costs, const struct model_geometry *g,
                       struct outcome *o) {
    if (call->implementation->all_gather == GATHER_DIRECT) {
        stage_by_stage(call, costs, g, o);
        return;
    }
    for (int first = 0, n = 1; first < call->n_stages; first += n, n = 1) {
        while (call_is_round(call, first + n))
            n++;
        rounds(call, costs, first, n, o);
    }
}

void model_call(const struct call *call, const struct costs *costs, struct outcome *outcome) {
    struct model_machine m;
    struct model_geometry g;
    struct model_terms t;
    struct outcome o = {0};
    model_from_call(call, costs, &m, &g);
    model_predict(&m, &g, &t);
    if (call->strategy == STRATEGY_THREE_HOP || call->strategy == STRATEGY_INSIDE_FIRST) {
        stage_by_stage(call, costs, &g, &o);
    } else if (call->strategy == STRATEGY_ALL_GATHER) {
        all_gather(call, costs, &g, &o);
    } else if (call->strategy == STRATEGY_ONE_HOP) {
        add_exchange(&o, "one_hop", t.one_hop_s, one_hop(&g), &g);
    } else if (call->phase == PHASE_DISPATCH) {
        add_exchange(&o, "hop_a", t.hop_a_s, hop_a(&g), &g);
        add_stage(&o, "splits", t.splits_s);
        add_stage(&o, "chain", t.chain_s);
        add_exchange(&o, "hop_b", t.hop_b_s, hop_b(&g), &g);
    } else {
        add_exchange(&o, "hop_b", t.hop_b_s, hop_b(&g), &g);
        add_exchange(&o, "hop_a", t.hop_a_s, hop_a(&g), &g);
    }
    *outcome = o;
}
