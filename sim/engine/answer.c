/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

/* The earliest start and the latest end of something that all ranks do. */
struct interval {
    double start_s, end_s;
};

static void interval_add(struct interval *x, double start_s, double end_s) {
    x->start_s = fmin(x->start_s, start_s);
    x->end_s = fmax(x->end_s, end_s);
}

/* What the making of one call's outcome works on. */
struct answer {
    const struct plan *plan;
    const struct costs *costs; /* of the call */
    const struct play *play;
    double shift_s; /* the moment at which the clock of a run starts: the first rank has paid alpha */
    struct outcome *o;
};

static void add_stage(struct outcome *o, const char *name, const struct interval *when) {
    BUG_ON(o->n_stages == OUTCOME_STAGES);
    o->stages[o->n_stages++] = (struct outcome_stage){
        .name = name, .start_s = when->start_s - o->begin_s, .end_s = when->end_s - o->begin_s};
    o->time_s = fmax(o->time_s, when->end_s - o->begin_s);
}

/* Extends the last stage of the outcome by another round. */
static void extend_stage(struct outcome *o, const struct interval *when) {
    struct outcome_stage *last = &o->stages[o->n_stages - 1];
    last->start_s = fmin(last->start_s, when->start_s - o->begin_s);
    last->end_s = fmax(last->end_s, when->end_s - o->begin_s);
    o->time_s = fmax(o->time_s, last->end_s);
}

/* Returns when last bytes were off the last link, with the latencies of cables where these count. */
static const double *received_s(const struct answer *a) {
    return a->costs->cables ? a->play->arrived_s : a->play->received_s;
}

/* Returns the latest event of a rank in an exchange, with `latency` that of the tiers included; -1 when there is
 * none. */
static double latest_s(const struct answer *a, const double *events_s, int exchange, int rank,
                       bool latency) {
    double latest = -1;
    for (int trip = 0; trip < a->plan->trips; trip++) {
        double at_s = events_s[plan_event(a->plan, exchange, trip, rank)];
        if (at_s >= 0)
            latest =
                fmax(latest, a->shift_s + at_s + (latency ? plan_latency_s(a->costs, trip) : 0));
    }
    return latest;
}

/* Returns the moment at which all is there that a rank waits for before an exchange; before the first exchange that is
 * the rank's entry. */
static double ready_s(const struct answer *a, int exchange, int rank) {
    double shift_s = exchange > 0 ? a->shift_s : a->plan->first_entry_s;
    return shift_s + a->play->ready_s[plan_at(a->plan, exchange, rank)];
}

/* Returns the skew of what ranks send, or receive, in all rounds of the hop that ends with a stage. */
static double rho_of_rounds(const struct call *call, int stage, bool out) {
    if (!call_is_round(call, stage))
        return matrix_rho_max(&call->stages[stage].bytes, out);
    size_t ranks = (size_t)call->topology->ranks;
    double *all = mem_alloc(ranks, sizeof *all), *sums = mem_alloc(ranks, sizeof *sums);
    for (bool more = true; more; stage--) {
        matrix_sums(&call->stages[stage].bytes, out, false, sums);
        for (size_t rank = 0; rank < ranks; rank++)
            all[rank] += sums[rank];
        more = call_is_round(call, stage);
    }
    double rho = stat_max_over_mean(all, ranks);
    free(all);
    free(sums);
    return rho;
}

/* Returns the share of the machine's ranks that the job has: idle ranks do not count in a skew. */
static double share_of_job(const struct call *call) {
    const struct job *job = call->traffic ? call->traffic->job : NULL;
    return job ? (double)job->ranks / job->machine_ranks : 1;
}

static void add_traffic(const struct answer *a, const struct exchange *x) {
    struct outcome_stage *last = &a->o->stages[a->o->n_stages - 1];
    double bytes[TIER_MAX], messages[TIER_MAX];
    call_tier_traffic(x->call, x->stage, bytes, messages);
    for (int tier = 0; tier < TIER_MAX; tier++) {
        last->bytes += bytes[tier];
        last->messages += messages[tier];
    }
    if (!call_is_round(x->call, x->stage + 1)) {
        last->rho_out = rho_of_rounds(x->call, x->stage, true) * share_of_job(x->call);
        last->rho_in = rho_of_rounds(x->call, x->stage, false) * share_of_job(x->call);
    }
}

/* Adds an exchange to the outcome: splits, chain and hop. Local work that costs nothing at any rank is no stage of the
 * outcome. */
static void answer_exchange(const struct answer *a, int exchange) {
    const struct exchange *x = &a->plan->exchanges[exchange];
    struct outcome *o = a->o;
    struct interval splits = {INFINITY, 0}, chain = {INFINITY, 0}, hop = {INFINITY, 0};
    double splits_s = costs_splits_s(a->costs, x->call, x->stage), most_chain_s = 0;
    for (int rank = 0; rank < a->plan->ranks; rank++) {
        size_t at = plan_at(a->plan, exchange, rank);
        double read_s = ready_s(a, exchange, rank) + splits_s;
        double chain_s = costs_chain_s(a->costs, x->call, x->stage, rank) / x->chunks;
        double entered_s = a->shift_s + a->play->entered_s[at];
        interval_add(&splits, read_s - splits_s, read_s);
        interval_add(&chain, read_s,
                     x->chunks > 1 ? a->shift_s + a->play->released_s[at] : read_s + chain_s);
        interval_add(&hop, read_s + chain_s, fmax(entered_s, read_s + chain_s));
        most_chain_s = fmax(most_chain_s, chain_s);
        double sent_s = latest_s(a, a->play->sent_s, exchange, rank, false) - o->begin_s;
        double arrived_s = latest_s(a, received_s(a), exchange, rank, true) - o->begin_s;
        o->send_end_s[rank] = fmax(o->send_end_s[rank], sent_s);
        o->recv_end_s[rank] = fmax(o->recv_end_s[rank], arrived_s);
        hop.end_s = fmax(hop.end_s, arrived_s + o->begin_s);
    }
    if (splits_s > 0)
        add_stage(o, "splits", &splits);
    if (most_chain_s > 0)
        add_stage(o, "chain", &chain);
    if (call_is_round(x->call, x->stage))
        extend_stage(o, &hop);
    else
        add_stage(o, x->call->stages[x->stage].name, &hop);
    add_traffic(a, x);
}

/* Copies the words for the event that ended the call under these costs. */
static void choose_path(const struct answer *a, int nth) {
    const struct plan *p = a->plan;
    double end_s[ENDS];
    for (int end = 0; end < ENDS; end++)
        end_s[end] = -1;
    int last = p->first[nth] + p->calls[nth].n_stages - 1;
    for (int rank = 0; rank < p->ranks; rank++) {
        for (int exchange = p->first[nth]; exchange <= last; exchange++)
            for (int trip = 0; trip < p->trips; trip++) {
                double at_s = received_s(a)[plan_event(p, exchange, trip, rank)];
                if (at_s >= 0)
                    end_s[trip] = fmax(end_s[trip], at_s + plan_latency_s(a->costs, trip));
            }
        end_s[END_ENTRY] = fmax(end_s[END_ENTRY], a->play->entered_s[plan_at(p, last, rank)]);
    }
    int latest = END_ENTRY;
    for (int end = 0; end < ENDS; end++)
        if (end_s[end] > end_s[latest] || (end_s[end] >= end_s[latest] && latest == END_ENTRY))
            latest = end;
    memcpy(a->o->critical_path, a->play->paths[nth * ENDS + latest], OUTCOME_PATH);
}

static double jain(const double *x, int n) {
    double sum = 0, squares = 0, members = 0;
    for (int i = 0; i < n; i++) {
        if (!(x[i] > 0))
            continue;
        sum += x[i];
        squares += x[i] * x[i];
        members++;
    }
    return members > 0 ? sum * sum / (members * squares) : 1;
}

/* Fills in the bytes on links of one call of several; check_links() has measured the sum over all calls. */
static void fill_links(const struct answer *a, int nth) {
    const struct plan *p = a->plan;
    size_t n_links = (size_t)p->topology->n_links;
    struct outcome *o = a->o;
    if (p->times_only)
        return;
    o->link_bytes = mem_alloc(n_links, sizeof(double));
    if (p->n_calls == 1)
        memcpy(o->link_bytes, a->play->link_bytes, n_links * sizeof(double));
    for (int stage = 0; stage < p->calls[nth].n_stages && p->n_calls > 1; stage++)
        call_link_load(&p->calls[nth], stage, o->link_bytes, NULL);
    if (p->link_bins == 0)
        return;
    o->link_bins = p->link_bins;
    o->link_bin_s = a->play->bin_s;
    o->link_bins_start_s = a->shift_s;
    o->link_bin_bytes = mem_alloc(n_links * (size_t)p->link_bins, sizeof(double));
    memcpy(o->link_bin_bytes, a->play->link_bins, n_links * (size_t)p->link_bins * sizeof(double));
}

static void fill_messages(const struct answer *a, int nth) {
    const struct play *play = a->play;
    struct outcome *o = a->o;
    o->messages = mem_alloc((size_t)play->n_messages, sizeof *o->messages);
    o->left_messages = play->left_messages;
    o->left_bytes = play->left_bytes;
    for (size_t i = 0; i < play->n_messages; i++) {
        const struct play_message *m = &play->messages[i];
        const struct exchange *x = &a->plan->exchanges[m->exchange];
        if (x->nth != nth)
            continue;
        struct route route;
        call_route(x->call, m->src, m->dst, &route);
        double shift_s = a->shift_s - o->begin_s, latency_s = plan_latency_s(a->costs, m->trip);
        o->messages[o->n_messages++] = (struct outcome_message){.stage = x->call->stages[x->stage].name,
                                                                .src = m->src,
                                                                .dst = m->dst,
                                                                .tier = (int)route.tier,
                                                                .bytes = m->bytes,
                                                                .start_s = shift_s + m->begin_s,
                                                                .end_s = shift_s + m->end_s + latency_s};
    }
}

/* Returns when the first rank is free for a call, and when the last one enters it. */
static struct interval entries(const struct answer *a, int nth) {
    struct interval x = {INFINITY, 0};
    for (int rank = 0; rank < a->plan->ranks; rank++) {
        double at_s = ready_s(a, a->plan->first[nth], rank);
        interval_add(&x, at_s, at_s);
    }
    return x;
}

void answer_from_play(const struct plan *plan, int nth, const struct costs *costs,
                      const struct play *play, struct outcome *outcome) {
    size_t ranks = (size_t)plan->ranks;
    *outcome = (struct outcome){.send_end_s = mem_alloc(ranks, sizeof(double)),
                                .recv_end_s = mem_alloc(ranks, sizeof(double)),
                                .flows = play->flows,
                                .events = play->events,
                                .levels = play->levels,
                                .engine = plan->engine->name,
                                .wall_s = play->wall_s,
                                .cpu_s = play->cpu_s,
                                .peak_rss_bytes = play->peak_rss_bytes};
    struct answer a = {.plan = plan,
                       .costs = &costs[nth],
                       .play = play,
                       .shift_s = plan->first_entry_s + costs_alpha_s(&costs[0], &plan->calls[0], 0),
                       .o = outcome};
    struct interval entered = entries(&a, nth);
    outcome->begin_s = nth > 0 ? entered.start_s : 0;
    for (int stage = 0; stage < plan->calls[nth].n_stages; stage++)
        answer_exchange(&a, plan->first[nth] + stage);
    outcome->from_last_s = outcome->begin_s + outcome->time_s - entered.end_s;
    outcome->fairness = jain(outcome->recv_end_s, plan->ranks);
    fill_links(&a, nth);
    if (plan->most_messages)
        fill_messages(&a, nth);
    choose_path(&a, nth);
}

double answer_total_s(const struct plan *plan, const struct outcome *outcomes) {
    double total_s = 0;
    for (int nth = 0; nth < plan->n_calls; nth++)
        total_s = fmax(total_s, outcomes[nth].begin_s + outcomes[nth].time_s);
    return total_s;
}
