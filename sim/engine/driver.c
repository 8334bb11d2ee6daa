/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "platforms/base/clock.h"
#include "platforms/base/mem.h"
#include "sim/engine/check.h"
#include "sim/engine/driver_parts.h"
#include "sim/engine/tell.h"

static double now_s(const struct driver *d) {
    return network_now_s(&d->net);
}

/* --- pieces ----------------------------------------------------------------------------------- */

enum { TAG_COST, TAG_PAYLOAD, TAG_KINDS };

/* One flow a path, with equal shares of the payload. */
static void start_payload(struct driver *d, int exchange, const struct route *route, int64_t payload, int64_t tag) {
    d->flying[tag / TAG_KINDS] = route->paths;
    for (int i = 0, first = 0; i < route->paths; first = route->end[i++]) {
        const int *links = route->links + first;
        int n = route->end[i] - first;
        int64_t share = payload / route->paths + (i < payload % route->paths);
        d->play->flows++;
        trail_begin(&d->trail, exchange, links, n, share, now_s(d));
        d->net.engine->start(d->net.flows, links, n, share, tag);
    }
}

static void start_flow(struct driver *d, size_t piece, int kind) {
    const struct message *m = message_of(&d->messages, d->plan, piece);
    struct route route;
    messages_route(d->plan, m, &route);
    if (d->begin_s && kind == TAG_COST && piece % (size_t)d->plan->most_chunks == 0)
        d->begin_s[m - d->messages.items] = now_s(d);
    if (kind == TAG_COST && m->cost == 0)
        kind = TAG_PAYLOAD;
    int64_t tag = (int64_t)piece * TAG_KINDS + kind;
    if (kind == TAG_COST) {
        int links[] = {route.cost_link, d->net.meters[route.cost_link]};
        d->play->flows++;
        trail_begin(&d->trail, m->exchange, links, 1, m->cost, now_s(d));
        d->net.engine->start(d->net.flows, links, links[1] >= 0 ? 2 : 1, m->cost, tag);
    } else {
        start_payload(d, m->exchange, &route, m->payload, tag);
    }
}

static bool can_take(const struct driver *d, const struct message *m, const struct end *peer) {
    const struct implementation *i = how(d, m->exchange);
    return (i->start != START_RENDEZVOUS || peer->released > 0) &&
           (i->receive_window == 0 || peer->receiving < i->receive_window);
}

static void wait_for_peer(struct driver *d, size_t piece, struct end *peer) {
    d->next_waiter[piece] = NOBODY;
    if (peer->first_waiter == NOBODY)
        peer->first_waiter = piece;
    else
        d->next_waiter[peer->last_waiter] = piece;
    peer->last_waiter = piece;
}

/* Starts what waits for a receiver, as far as it can take it. */
static void serve_waiters(struct driver *d, int exchange, int rank, int64_t cause) {
    struct end *peer = end_of(d, exchange, rank);
    while (peer->first_waiter != NOBODY) {
        size_t piece = peer->first_waiter;
        if (!can_take(d, message_of(&d->messages, d->plan, piece), peer))
            return;
        peer->first_waiter = d->next_waiter[piece];
        peer->receiving++;
        d->trail.piece_cause[piece] = cause;
        start_flow(d, piece, TAG_COST);
    }
}

/* Starts a posted piece, or lets it wait for its receiver. */
static void launch(struct driver *d, size_t piece, int64_t cause) {
    const struct message *m = message_of(&d->messages, d->plan, piece);
    struct end *peer = end_of(d, m->exchange, m->dst);
    if (can_take(d, m, peer)) {
        peer->receiving++;
        d->trail.piece_cause[piece] = cause;
        start_flow(d, piece, TAG_COST);
    } else {
        wait_for_peer(d, piece, peer);
    }
}

/* Pieces of a message leave one after the other: whether all before this one have left. */
static bool is_next_of_message(const struct driver *d, size_t piece, int chunk) {
    const struct message *m = message_of(&d->messages, d->plan, piece);
    return d->missing[m - d->messages.items] == exchange_of(d, m->exchange)->chunks - chunk;
}

/* Posts what the windows and the released pieces allow, at most `most` of them, and returns their number. */
static size_t post(struct driver *d, int exchange, int rank, size_t most, int64_t cause) {
    struct end *self = end_of(d, exchange, rank);
    size_t first = messages_first(&d->messages, d->plan, exchange, rank);
    size_t n = messages_count(&d->messages, d->plan, exchange, rank);
    size_t limit = n * (size_t)self->released, chunks = (size_t)d->plan->most_chunks, posted = 0;
    int64_t window = how(d, exchange)->window;
    for (size_t i = self->head; posted < most && i < limit; i++) {
        size_t piece = (first + i % n) * chunks + i / n;
        int64_t *sending = sending_of(d, message_of(&d->messages, d->plan, piece));
        if (window != 0 && *sending >= window && d->messages.ports == 1)
            break;
        if (d->posted[piece]) {
            self->head += i == self->head;
            continue;
        }
        if (window != 0 && *sending >= window)
            continue;
        ++*sending;
        posted++;
        d->posted[piece] = true;
        self->head += i == self->head;
        if (is_next_of_message(d, piece, (int)(i / n)))
            launch(d, piece, cause);
    }
    return posted;
}

/* Starts the next piece of a message of which one has left, if it is posted already. */
static void follow(struct driver *d, size_t piece, int64_t cause) {
    const struct message *m = message_of(&d->messages, d->plan, piece);
    if ((int)(piece % (size_t)d->plan->most_chunks) + 1 < exchange_of(d, m->exchange)->chunks && d->posted[piece + 1])
        launch(d, piece + 1, cause);
}

/* --- exchanges -------------------------------------------------------------------------------- */

/* When a part is released for which all is there at ready_s: after its local work and the issue of its exchange. A host
 * that runs ahead has begun to issue when it was through with the exchange before, or, when it reads the splits, once
 * they are there. */
static double release_s(struct driver *d, int exchange, int chunk, int rank, double ready_s) {
    const struct exchange *x = exchange_of(d, exchange);
    const struct costs *costs = &d->costs[x->nth];
    double chain_s = costs_chain_s(costs, x->call, x->stage, rank) / x->chunks;
    if (chunk > 0)
        return ready_s + chain_s;
    double splits_s = costs_splits_s(costs, x->call, x->stage), alpha_s = costs_alpha_s(costs, x->call, x->stage);
    double worked_s = ready_s + splits_s + chain_s;
    if (d->plan->host == REGIME_OBSERVED)
        return worked_s + alpha_s;
    double *issued_s = &d->issued_s[rank];
    if (x->call->stages[x->stage].splits)
        *issued_s = fmax(*issued_s, ready_s + splits_s);
    *issued_s += alpha_s;
    return fmax(*issued_s, worked_s);
}

/* One of the things that a part waits for has come at at_s, which may lie ahead. */
static void satisfy(struct driver *d, int exchange, int chunk, int rank, double at_s, int64_t cause) {
    size_t index = plan_part(d->plan, exchange, chunk, rank);
    struct part *p = &d->parts[index];
    if (at_s > p->ready_s || (at_s == p->ready_s && cause >= 0)) {
        p->ready_s = at_s;
        d->trail.part_cause[index] = cause;
    }
    if (--p->waits_for > 0)
        return;
    if (chunk == 0)
        d->play->ready_s[plan_at(d->plan, exchange, rank)] = p->ready_s;
    network_timer(&d->net, release_s(d, exchange, chunk, rank, p->ready_s) - now_s(d), (int64_t)index);
}

/* Marks a piece as released: one of the things that later parts wait for. */
static void mark_released(struct driver *d, int exchange, int chunk, int rank) {
    const struct exchange *x = exchange_of(d, exchange);
    struct end *self = end_of(d, exchange, rank);
    double at_s = now_s(d);
    self->released = chunk + 1;
    if (chunk == 0)
        d->play->entered_s[plan_at(d->plan, exchange, rank)] = at_s;
    d->play->released_s[plan_at(d->plan, exchange, rank)] = at_s;
    if (chunk == 0 && x->stage + 1 == x->call->n_stages)
        d->last_entry[x->nth] = rank;
    if (x->next >= 0)
        satisfy(d, x->next, chunk, rank, at_s, CAUSE_OWN);
    if (x->gate >= 0 && chunk + 1 == x->chunks)
        satisfy(d, x->gate, 0, rank, at_s, CAUSE_OWN);
    if (x->stage > 0 && chunk + 1 < x->chunks)
        satisfy(d, exchange, chunk + 1, rank, at_s, CAUSE_OWN);
}

/* The first stage of a call waits for nothing but the entry: all its pieces are released together. */
static void enter_call(struct driver *d, int exchange, int rank) {
    for (int chunk = 0; chunk < exchange_of(d, exchange)->chunks; chunk++)
        mark_released(d, exchange, chunk, rank);
}

static void on_timer(void *context, int64_t tag) {
    struct driver *d = context;
    int exchange = d->parts[tag].exchange;
    const struct exchange *x = exchange_of(d, exchange);
    int index = (int)((size_t)tag - x->first_part);
    int chunk = index / d->plan->ranks, rank = index % d->plan->ranks;
    if (x->stage == 0)
        enter_call(d, exchange, rank);
    else
        mark_released(d, exchange, chunk, rank);
    if (chunk == 0)
        serve_waiters(d, exchange, rank, CAUSE_RECEIVER);
    post(d, exchange, rank, SIZE_MAX, CAUSE_SENDER);
}

/* Counts a message of an exchange with a barrier behind it as arrived: the last one lets all ranks on. */
static void pass_barrier(struct driver *d, int exchange, double arrival_s, int64_t piece) {
    const struct exchange *x = exchange_of(d, exchange);
    d->over_s[exchange] = fmax(d->over_s[exchange], arrival_s);
    if (--d->undelivered[exchange] > 0)
        return;
    for (int rank = 0; rank < d->plan->ranks; rank++)
        satisfy(d, x->next >= 0 ? x->next : x->gate, 0, rank, d->over_s[exchange], piece);
}

/* Tells the parts that wait for a piece that it is there. */
static void tell_waiting(struct driver *d, const struct message *m, size_t piece, double arrival_s) {
    const struct exchange *x = exchange_of(d, m->exchange);
    if (x->barrier) {
        pass_barrier(d, m->exchange, arrival_s, (int64_t)piece);
        return;
    }
    if (x->next >= 0)
        satisfy(d, x->next, (int)(piece % (size_t)d->plan->most_chunks), m->dst, arrival_s, (int64_t)piece);
    if (x->gate >= 0) {
        satisfy(d, x->gate, 0, m->dst, arrival_s, (int64_t)piece);
        satisfy(d, x->gate, 0, m->src, now_s(d), (int64_t)piece);
    }
}

static void deliver(struct driver *d, size_t piece) {
    const struct message *m = message_of(&d->messages, d->plan, piece);
    const struct exchange *x = exchange_of(d, m->exchange);
    struct route route;
    messages_route(d->plan, m, &route);
    const struct costs *costs = &d->costs[x->nth];
    double at_s = now_s(d), cables_s = costs->cables ? route.latency_s : 0;
    double arrival_s = at_s + cables_s + plan_latency_s(costs, m->way);
    size_t event = plan_event(d->plan, m->exchange, m->way, m->dst), end = (size_t)(x->nth * WAYS + m->way);
    d->missing[m - d->messages.items]--;
    if (d->end_s)
        d->end_s[m - d->messages.items] = at_s;
    --*sending_of(d, m);
    end_of(d, m->exchange, m->dst)->receiving--;
    d->play->sent_s[plan_event(d->plan, m->exchange, m->way, m->src)] = at_s;
    d->play->received_s[event] = at_s;
    d->play->arrived_s[event] = fmax(d->play->arrived_s[event], at_s + route.latency_s);
    if (at_s + cables_s >= d->last_s[end]) {
        d->last_s[end] = at_s + cables_s;
        d->last_piece[end] = (int64_t)piece;
    }
    trail_end(&d->trail, m->exchange, &route, at_s);
    tell_waiting(d, m, piece, arrival_s);
    serve_waiters(d, m->exchange, m->dst, (int64_t)piece);
    if (x->chunks > 1)
        follow(d, piece, (int64_t)piece);
    post(d, m->exchange, m->src, SIZE_MAX, (int64_t)piece);
}

static void on_flow_done(void *context, int64_t tag) {
    struct driver *d = context;
    size_t piece = (size_t)(tag / TAG_KINDS);
    if (tag % TAG_KINDS == TAG_COST)
        start_flow(d, piece, TAG_PAYLOAD);
    else if (--d->flying[piece] == 0)
        deliver(d, piece);
}

/* --- runs ------------------------------------------------------------------------------------- */

enum rc driver_open(const struct plan *plan, struct driver **driver, struct err *e) {
    struct messages messages;
    enum rc rc = messages_build(plan, &messages, e);
    if (rc)
        return rc;
    struct driver *d = mem_alloc(1, sizeof *d);
    size_t pieces = messages.n * (size_t)plan->most_chunks, calls = (size_t)plan->n_calls;
    *d = (struct driver){.plan = plan,
                         .messages = messages,
                         .parts = mem_alloc(plan->n_parts, sizeof *d->parts),
                         .ends = mem_alloc(plan_at(plan, plan->n, 0), sizeof *d->ends),
                         .sending = mem_alloc(plan_at(plan, plan->n, 0) * (size_t)messages.ports, sizeof *d->sending),
                         .posted = mem_alloc(pieces, sizeof *d->posted),
                         .issued_s = mem_alloc((size_t)plan->ranks, sizeof *d->issued_s),
                         .next_waiter = mem_alloc(pieces, sizeof *d->next_waiter),
                         .missing = mem_alloc(messages.n, sizeof *d->missing),
                         .flying = mem_alloc(pieces, sizeof *d->flying),
                         .last_piece = mem_alloc(calls * WAYS, sizeof *d->last_piece),
                         .last_s = mem_alloc(calls * WAYS, sizeof *d->last_s),
                         .last_entry = mem_alloc(calls, sizeof *d->last_entry),
                         .undelivered = mem_alloc((size_t)plan->n, sizeof *d->undelivered),
                         .over_s = mem_alloc((size_t)plan->n, sizeof *d->over_s)};
    d->begin_s = plan->most_messages ? mem_alloc(messages.n, sizeof *d->begin_s) : NULL;
    d->end_s = plan->most_messages ? mem_alloc(messages.n, sizeof *d->end_s) : NULL;
    trail_init(&d->trail, plan, &d->messages);
    network_open(plan, &d->messages, &d->net);
    *driver = d;
    return RC_OK;
}

void driver_close(struct driver *d) {
    if (!d)
        return;
    messages_clear(&d->messages);
    trail_clear(&d->trail);
    network_close(&d->net);
    free(d->parts);
    free(d->ends);
    free(d->sending);
    free(d->posted);
    free(d->issued_s);
    free(d->next_waiter);
    free(d->missing);
    free(d->flying);
    free(d->begin_s);
    free(d->end_s);
    free(d->last_piece);
    free(d->last_s);
    free(d->last_entry);
    free(d->undelivered);
    free(d->over_s);
    free(d);
}

/* Counts the messages of each exchange with a barrier behind it; what follows waits once, at every rank, for all. */
static void count_barriers(struct driver *d) {
    const struct plan *p = d->plan;
    memset(d->undelivered, 0, (size_t)p->n * sizeof *d->undelivered);
    memset(d->over_s, 0, (size_t)p->n * sizeof *d->over_s);
    for (size_t i = 0; i < d->messages.n; i++)
        d->undelivered[d->messages.items[i].exchange]++;
    for (int i = 0; i < p->n; i++) {
        const struct exchange *x = &p->exchanges[i];
        for (int rank = 0; rank < p->ranks && x->barrier && d->undelivered[i]; rank++)
            d->parts[plan_part(p, x->next >= 0 ? x->next : x->gate, 0, rank)].waits_for++;
    }
}

/* Counts the arrivals that parts wait for, one by one. */
static void count_arrivals(struct driver *d) {
    for (size_t i = 0; i < d->messages.n; i++) {
        const struct message *m = &d->messages.items[i];
        const struct exchange *x = exchange_of(d, m->exchange);
        d->missing[i] = x->chunks;
        if (x->barrier)
            continue;
        for (int chunk = 0; chunk < x->chunks && x->next >= 0; chunk++)
            d->parts[plan_part(d->plan, x->next, chunk, m->dst)].waits_for++;
        if (x->gate >= 0) {
            d->parts[plan_part(d->plan, x->gate, 0, m->dst)].waits_for += x->chunks;
            d->parts[plan_part(d->plan, x->gate, 0, m->src)].waits_for += x->chunks;
        }
    }
}

/* Counts what each part waits for: the releases and arrivals that plan.h names. */
static void count_waits(struct driver *d) {
    const struct plan *p = d->plan;
    for (int i = 0; i < p->n; i++) {
        const struct exchange *x = &p->exchanges[i];
        for (int chunk = 0; chunk < x->chunks; chunk++)
            for (int rank = 0; rank < p->ranks; rank++) {
                d->parts[plan_part(d->plan, i, chunk, rank)].waits_for += x->stage > 0 && chunk > 0;
                if (x->next >= 0)
                    d->parts[plan_part(d->plan, x->next, chunk, rank)].waits_for++;
                if (x->gate >= 0 && chunk == 0)
                    d->parts[plan_part(d->plan, x->gate, 0, rank)].waits_for++;
            }
    }
    count_barriers(d);
    count_arrivals(d);
}

static void reset(struct driver *d) {
    const struct plan *p = d->plan;
    for (int i = 0; i < p->n; i++)
        for (size_t k = 0; k < (size_t)p->exchanges[i].chunks * (size_t)p->ranks; k++)
            d->parts[p->exchanges[i].first_part + k] = (struct part){.exchange = i};
    for (size_t i = 0; i < plan_at(p, p->n, 0); i++)
        d->ends[i] = (struct end){.first_waiter = NOBODY, .last_waiter = NOBODY};
    for (int i = 0; i < p->n_calls * WAYS; i++) {
        d->last_piece[i] = -1;
        d->last_s[i] = 0;
    }
    memset(d->sending, 0, plan_at(p, p->n, 0) * (size_t)d->messages.ports * sizeof *d->sending);
    memset(d->posted, 0, d->messages.n * (size_t)p->most_chunks * sizeof *d->posted);
    memset(d->issued_s, 0, (size_t)p->ranks * sizeof *d->issued_s);
    trail_reset(&d->trail);
    count_waits(d);
}

/* Ranks that enter the first call together do so before any of them posts; then they post in turns, so that no message
 * waits for its peer. The others follow by timers. */
static void begin(struct driver *d) {
    const double *enter_s = d->plan->calls[0].enter_s;
    for (int rank = 0; rank < d->plan->ranks; rank++) {
        double at_s = enter_s ? enter_s[rank] - d->plan->first_entry_s : 0;
        d->play->ready_s[rank] = at_s;
        d->issued_s[rank] = at_s;
        if (at_s > 0)
            network_timer(&d->net, at_s, (int64_t)plan_part(d->plan, 0, 0, rank));
        else
            enter_call(d, 0, rank);
    }
    for (bool more = true; more;) {
        more = false;
        for (int rank = 0; rank < d->plan->ranks; rank++) {
            bool posted = post(d, 0, rank, 1, CAUSE_SENDER) > 0;
            more = more || posted;
        }
    }
}

/* In words, what led to each end that a call can have. */
static void find_paths(struct driver *d) {
    const struct plan *p = d->plan;
    for (int nth = 0; nth < p->n_calls; nth++) {
        char(*paths)[OUTCOME_PATH] = d->play->paths + (size_t)nth * ENDS;
        int last = p->first[nth] + p->calls[nth].n_stages - 1;
        for (int way = 0; way < WAYS; way++)
            if (d->last_piece[nth * WAYS + way] >= 0)
                trail_from_piece(&d->trail, d->last_piece[nth * WAYS + way], paths[way]);
        trail_from_entry(&d->trail, last, d->last_entry[nth], paths[END_ENTRY]);
    }
}

enum rc driver_play(struct driver *d, const struct costs *costs, struct play *play, struct err *e) {
    double wall_s = clock_wall_s(), cpu_s = clock_cpu_s();
    d->costs = costs;
    d->play = play;
    reset(d);
    network_reset(&d->net, d->plan, &(struct flow_hooks){.flow_done = on_flow_done, .timer = on_timer, .context = d});
    begin(d);
    d->net.engine->run(d->net.flows);
    enum rc rc = check_delivered(d->plan, &d->messages, d->missing, e);
    const struct network *n = &d->net;
    if (!rc && !d->plan->times_only)
        rc = check_links(d->plan, &d->messages, n, play->link_bytes, play->link_bins, e);
    if (rc)
        return rc;
    find_paths(d);
    if (d->plan->most_messages)
        messages_tell(d->plan, &d->messages, d->begin_s, d->end_s, play);
    play->bin_s = d->plan->link_bins > 0 ? ldexp(n->engine->bin_width(n->flows), -n->time_scale) : 0;
    play->events = n->engine->cost(n->flows).steps;
    play->levels = n->engine->cost(n->flows).levels;
    play->wall_s = clock_wall_s() - wall_s;
    play->cpu_s = clock_cpu_s() - cpu_s;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    play->peak_rss_bytes = (double)usage.ru_maxrss * 1024; // Linux counts KiB
    return RC_OK;
}
