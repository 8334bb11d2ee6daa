/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/causes.h"

#include <math.h>
#include <string.h>

#include "model/bound.h"
#include "model/model.h"
#include "platforms/base/mem.h"

static const char *const names[CAUSE_COUNT] = {
#define CAUSE_NAME(id, name) name,
    CAUSE_LIST(CAUSE_NAME)
#undef CAUSE_NAME
};

/* Most messages a run for which Shapley values are worked out, which takes 2^n runs; above it 2 n runs are made. */
static const double shapley_messages_default = 30000;

static bool has(unsigned on, enum cause c) {
    return on >> c & 1u;
}

/* --- a call with some effects switched off ------------------------------------------------- */

struct variant {
    struct platform platform;
    struct implementation how;
    struct topology *topology;
    struct call call;
    struct costs costs;
    double added_s; /* latency and message costs where they are added by hand */
};

/* Returns what the EP group of a rank sees of the machine, and turns the rank into its number there; NULL: none. */
static const struct platform *seen_from(const struct call *s, int *rank) {
    const struct job *job = s->traffic ? s->traffic->job : NULL;
    if (!job)
        return s->platform;
    int group = job->group_of[*rank];
    *rank = job->member[*rank];
    return group < 0 ? NULL : job->groups[group].platform;
}

static bool are_peers(const struct call *s, const struct stage *stage, int src, int dst) {
    const struct platform *p = seen_from(s, &src), *other = seen_from(s, &dst);
    const int *domain_of = p ? p->domains[stage->inside].of_rank : NULL;
    enum tier index = (enum tier)stage->index;
    return p && p == other && domain_of[src] == domain_of[dst] &&
           (stage->index < 0 || plat_index(p, index, src) == plat_index(p, index, dst));
}

/* Fills a stage with a uniform load: every rank sends the same to every member of its collective, itself included. */
static void uniform(const struct call *s, const struct stage *stage, double bytes,
                    struct matrix *m) {
    int ranks = s->topology->ranks;
    size_t n = 0;
    matrix_init(m, ranks, (size_t)ranks * (size_t)stage->peers, false);
    for (int src = 0; src < ranks; src++) {
        for (int dst = 0; dst < ranks; dst++) {
            if (!are_peers(s, stage, src, dst))
                continue;
            m->dst[n] = dst;
            m->value[n++] = bytes;
        }
        m->start[src + 1] = n;
    }
}

static void switch_skew_off(const struct call *s, const struct model_geometry *g, struct stage *stage) {
    const struct job *job = s->traffic ? s->traffic->job : NULL;
    double each = matrix_total(&stage->bytes, true) / (job ? job->ranks : plat_ranks(s->platform));
    if (stage->permutation) {
        for (size_t i = 0; i < stage->bytes.start[stage->bytes.ranks]; i++)
            stage->bytes.value[i] = each;
    } else {
        matrix_clear(&stage->bytes);
        uniform(s, stage, each / stage->peers, &stage->bytes);
    }
    for (int rank = 0; stage->pairs && rank < plat_ranks(s->platform); rank++)
        if (!job || job->group_of[rank] >= 0)
            stage->pairs[rank] = g->tokens * (double)s->workload->top_k;
}

/* Returns whether a pair stays on a tier inside the one that the closed form charges. */
static bool is_near(const struct call *s, const struct stage *stage, int src, int dst) {
    return src != dst && !stage->permutation && topo_tier(s->topology, src, dst) < stage->inside;
}

/* Moves what a rank sends to near ranks to its other destinations, in proportion. */
static void switch_intra_off(const struct call *s, struct stage *stage) {
    struct matrix *m = &stage->bytes;
    for (int src = 0; src < m->ranks; src++) {
        double near = 0, far = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
                bool is_far = !is_near(s, stage, src, m->dst[i]);
                if (m->dst[i] == src)
                    continue;
                if (pass == 0)
                    *(is_far ? &far : &near) += m->value[i];
                else if (far > 0)
                    m->value[i] = is_far ? m->value[i] * (1 + near / far) : 0;
            }
    }
}

static bool has_near(const struct call *s) {
    for (int k = 0; k < s->n_stages; k++) {
        const struct matrix *m = &s->stages[k].bytes;
        for (int src = 0; src < m->ranks; src++)
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                if (m->value[i] > 0 && is_near(s, &s->stages[k], src, m->dst[i]))
                    return true;
    }
    return false;
}

/* Returns what the closed form adds for latency and messages, one stage after the other. [F2] */
static double added_by_hand_s(const struct call *s, const struct costs *c) {
    double sum_s = 0;
    for (int i = 0; i < s->n_stages; i++) {
        const struct stage *stage = &s->stages[i];
        const struct beta level = model_stage_level(s, stage);
        double o_s = level.kind == BETA_FLAT ? 0 : level.x_half_bytes / level.beta_Bps;
        if (stage->peers > 1)
            sum_s += (stage->peers - 1) * o_s + c->latency_s[stage->span];
    }
    return sum_s;
}

static void switch_messages_off(struct variant *v) {
    for (int tier = 0; tier < TIER_MAX; tier++) {
        v->platform.tier[tier].x_half_bytes = (struct quantity){0};
        v->platform.tier[tier].message_cost_s = (struct quantity){0};
        v->costs.latency_s[tier] = 0;
    }
    v->costs.cables = false;
    v->how.message_cost_s = (struct tier_factors){0};
}

static void switch_shared_off(struct variant *v) {
    v->platform.port_bandwidth_Bps.given = v->platform.copy_bandwidth_Bps.given = false;
    for (int tier = 0; tier < TIER_MAX; tier++) {
        v->platform.tier[tier].oversubscription.value = 1;
        v->platform.tier[tier].fabric = (struct plat_fabric){.kind = FABRIC_SWITCH};
    }
    v->platform.degraded = v->platform.background = (struct key_list){0};
    v->how.intra_group_path = TOPO_PATH_FAST;
}

static void switch_stages(const struct causes_question *q, unsigned on,
                          const struct model_geometry *g, struct variant *v) {
    const struct call *s = q->call;
    for (int i = 0; i < s->n_stages; i++) {
        if (!has(on, CAUSE_SKEW))
            switch_skew_off(s, g, &v->call.stages[i]);
        if (!has(on, CAUSE_INTRA))
            switch_intra_off(s, &v->call.stages[i]);
    }
}

static enum rc variant_build(const struct causes_question *q, unsigned on, struct variant *v,
                             struct err *e) {
    const struct call *s = q->call;
    struct model_machine m;
    struct model_geometry g;
    model_from_call(s, q->costs, &m, &g);
    *v = (struct variant){.platform = *s->platform, .how = *s->implementation, .costs = *q->costs};
    call_copy(s, &v->call);
    if (!has(on, CAUSE_SHARED))
        switch_shared_off(v);
    if (!has(on, CAUSE_INTRA) && s->n_stages == 1) {
        enum tier widest = plat_widest(s->platform);
        v->platform.tier[widest].bandwidth_Bps.value = plat_collective_bandwidth_Bps(s->platform);
    }
    if (!has(on, CAUSE_MESSAGES)) {
        v->added_s = added_by_hand_s(s, q->costs);
        switch_messages_off(v);
    }
    v->topology = topo_build(&v->platform);
    v->call.platform = &v->platform;
    v->call.implementation = &v->how;
    v->call.topology = v->topology;
    switch_stages(q, on, &g, v);
    return implementation_apply(&v->how, v->topology, e);
}

static void variant_clear(struct variant *v) {
    call_clear(&v->call);
    topo_free(v->topology);
}

static enum rc time_of(const struct causes_question *q, unsigned on, const struct call *call,
                       const struct costs *costs, double *time_s, struct err *e) {
    if (has(on, CAUSE_SCHEDULE))
        return simulate_time(&q->simulator, call, costs, time_s, e);
    *time_s = bound_call_s(call, costs);
    return RC_OK;
}

/* Finds the time of the stages one after the other, each entered by all ranks at once. */
static enum rc serial_time(const struct causes_question *q, unsigned on, const struct variant *v,
                           double *time_s, struct err *e) {
    enum rc rc = RC_OK;
    double sum_s = 0;
    for (int i = 0; i < v->call.n_stages && !rc; i++) {
        struct stage only = v->call.stages[i]; // borrows the matrix
        struct call one = v->call;
        struct costs costs = v->costs;
        double work_s = 0, exchange_s = 0;
        for (int rank = 0; rank < v->topology->ranks; rank++)
            work_s = fmax(work_s, costs_splits_s(&costs, &v->call, i) +
                                      costs_chain_s(&costs, &v->call, i, rank));
        one.n_stages = one.chunks = 1;
        one.stages = &only;
        only.pairs = NULL;
        only.splits = false;
        rc = time_of(q, on, &one, &costs, &exchange_s, e);
        sum_s += work_s + exchange_s;
    }
    *time_s = sum_s;
    return rc;
}

enum rc causes_value(const struct causes_question *q, unsigned on, double *time_s, struct err *e) {
    struct variant v;
    double value_s = 0;
    enum rc rc = variant_build(q, on, &v, e);
    if (!rc)
        rc = has(on, CAUSE_OVERLAP) || v.call.n_stages == 1
                 ? time_of(q, on, &v.call, &v.costs, &value_s, e)
                 : serial_time(q, on, &v, &value_s, e);
    if (!rc)
        *time_s = value_s + v.added_s;
    variant_clear(&v);
    return rc;
}

/* --- shares ------------------------------------------------------------------------------------ */

static bool is_oversubscribed(const struct platform *p) {
    for (int tier = 0; tier < p->n_tiers; tier++)
        if (p->tier[tier].oversubscription.value > 1)
            return true;
    return false;
}

/* Fills in the effects that this call can have at all, and returns their number. */
static int applicable(const struct call *s, enum cause found[CAUSE_COUNT]) {
    const struct platform *p = s->platform;
    const bool can[CAUSE_COUNT] = {
        [CAUSE_INTRA] = has_near(s),
        [CAUSE_SKEW] = true,
        [CAUSE_SHARED] = !s->topology->plain || p->port_bandwidth_Bps.given || p->degraded.n ||
                         p->background.n || is_oversubscribed(p) ||
                         s->implementation->intra_group_path != TOPO_PATH_FAST,
        [CAUSE_MESSAGES] = true,
        [CAUSE_SCHEDULE] = true,
        [CAUSE_OVERLAP] = s->n_stages > 1};
    int n = 0;
    for (int i = 0; i < CAUSE_COUNT; i++)
        if (can[i])
            found[n++] = (enum cause)i;
    return n;
}

struct values {
    const struct causes_question *q;
    enum cause effects[CAUSE_COUNT];
    int n;
    unsigned never; /* effects that cannot act count as on */
    double value_s[1 << CAUSE_COUNT];
    bool known[1 << CAUSE_COUNT];
    int evaluations;
};

/* Finds the time with a set of effects switched on, by simulation where it is not known yet. set: bits of positions in
 * effects. */
static enum rc value(struct values *v, unsigned set, double *time_s, struct err *e) {
    unsigned on = v->never;
    for (int i = 0; i < v->n; i++)
        on |= (set >> i & 1u) << v->effects[i];
    if (!v->known[set]) {
        enum rc rc = causes_value(v->q, on, &v->value_s[set], e);
        if (rc)
            return rc;
        v->known[set] = true;
        v->evaluations++;
    }
    *time_s = v->value_s[set];
    return RC_OK;
}

/* Finds what effect i adds to a set that lacks it. */
static enum rc added(struct values *v, unsigned set, int i, double *seconds, struct err *e) {
    double before_s, after_s;
    enum rc rc = value(v, set, &before_s, e);
    if (!rc)
        rc = value(v, set | 1u << i, &after_s, e);
    if (!rc)
        *seconds = after_s - before_s;
    return rc;
}

static int bits(unsigned set) {
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Returns the Shapley weight of a set of `size` effects: |S|! (n - |S| - 1)! / n! = 1 / (n C(n - 1, |S|)). */
static double weight(int n, int size) {
    double ways = 1;
    for (int i = 0; i < size; i++)
        ways = ways * (n - 1 - i) / (i + 1);
    return 1 / (n * ways);
}

static enum rc share(struct values *v, int i, bool shapley, struct cause_part *part,
                     struct err *e) {
    unsigned all = (1u << v->n) - 1, rest = all & ~(1u << i);
    enum rc rc = added(v, 0, i, &part->first, e);
    if (!rc)
        rc = added(v, rest, i, &part->last, e);
    part->name = names[v->effects[i]];
    part->seconds = (part->first + part->last) / 2;
    if (rc || !shapley)
        return rc;
    double sum_s = 0;
    for (unsigned set = 0; set <= rest && !rc; set++) {
        double seconds;
        if (set & ~rest)
            continue;
        rc = added(v, set, i, &seconds, e);
        if (!rc)
            sum_s += weight(v->n, bits(set)) * seconds;
    }
    part->seconds = sum_s;
    return rc;
}

static bool explained(const struct call *s) {
    return model_covers(s) && !s->enter_s;
}

static double messages(const struct call *s) {
    double sum = 0;
    for (int i = 0; i < s->n_stages; i++) {
        double bytes[TIER_MAX], n[TIER_MAX];
        call_tier_traffic(s, i, bytes, n);
        for (int tier = 0; tier < s->platform->n_tiers; tier++)
            sum += n[tier];
    }
    return sum;
}

enum rc causes_find(const struct causes_question *q, struct causes *causes, struct err *e) {
    struct causes c = {0};
    if (!explained(q->call)) {
        *causes = c;
        return RC_OK;
    }
    struct values v = {.q = q};
    v.n = c.n = applicable(q->call, v.effects);
    v.never = (1u << CAUSE_COUNT) - 1;
    for (int i = 0; i < v.n; i++)
        v.never &= ~(1u << v.effects[i]);
    unsigned all = (1u << v.n) - 1;
    v.value_s[0] = q->analytic_s; // both ends are given
    v.value_s[all] = q->simulated_s;
    v.known[0] = v.known[all] = true;
    double most = q->shapley_messages > 0 ? q->shapley_messages : shapley_messages_default;
    c.shapley = messages(q->call) <= most;
    enum rc rc = RC_OK;
    double sum_s = 0;
    for (int i = 0; i < v.n && !rc; i++) {
        rc = share(&v, i, c.shapley, &c.parts[i], e);
        sum_s += c.parts[i].seconds;
    }
    if (!c.shapley)
        c.parts[c.n++] = (struct cause_part){.name = "interaction",
                                             .seconds = q->simulated_s - q->analytic_s - sum_s};
    c.evaluations = v.evaluations;
    if (!rc)
        *causes = c;
    return rc;
}
