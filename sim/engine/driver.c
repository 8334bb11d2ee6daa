/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/driver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "sim/engine/flow.h"
#include "sim/engine/messages.h"

#define NOBODY SIZE_MAX

/* A rank in a stage: what it waits for, and who waits for it. */
struct part {
    int waits_for; /* arrivals of the stage before that are missing, plus its own entry there */
    double ready_s; /* latest of those so far */
    size_t first_waiter; /* messages posted to it before it entered, in order of posting */
    size_t last_waiter;
};

struct sender {
    size_t head; /* next message to post */
    int in_flight;
    int entered; /* number of stages entered */
};

struct driver {
    const struct step *step;
    const struct costs *costs; /* of this run, as is all below */
    struct play *play;
    struct messages messages;
    int time_scale; /* SimGrid's clock = seconds x 2^time_scale */
    struct part *parts; /* [stage * ranks + rank] */
    struct sender *senders; /* [rank] */
    size_t *next_waiter; /* [message] */
    bool *delivered; /* [message] */
    size_t n_delivered;
};

/* --- bookkeeping ------------------------------------------------------------------------------ */

size_t play_parts(const struct step *step) {
    return (size_t)step->n_stages * (size_t)step->topology->ranks;
}

size_t play_events(const struct step *step) {
    return play_parts(step) * TIER_COUNT;
}

static double *never(size_t n) {
    double *times = mem_alloc(n, sizeof *times);
    for (size_t i = 0; i < n; i++)
        times[i] = -1;
    return times;
}

void play_init(struct play *play, const struct step *step) {
    *play = (struct play){.ready_s = never(play_parts(step)),
                          .sent_s = never(play_events(step)),
                          .received_s = never(play_events(step)),
                          .link_bytes =
                              mem_alloc((size_t)step->topology->n_links, sizeof *play->link_bytes)};
}

void play_clear(struct play *play) {
    free(play->ready_s);
    free(play->sent_s);
    free(play->received_s);
    free(play->link_bytes);
    *play = (struct play){0};
}

static size_t part_index(const struct driver *d, int stage, int rank) {
    return (size_t)stage * (size_t)d->step->topology->ranks + (size_t)rank;
}

static size_t event_index(const struct driver *d, int stage, enum tier tier, int rank) {
    return part_index(d, stage * TIER_COUNT + (int)tier, rank);
}

/* --- messages --------------------------------------------------------------------------------- */

static double now_s(const struct driver *d) {
    return ldexp(flow_now(), -d->time_scale);
}

enum { TAG_COST, TAG_PAYLOAD, TAG_KINDS };

static void start_flow(struct driver *d, size_t message, int kind) {
    const struct message *m = &d->messages.items[message];
    int links[TOPO_ROUTE_MAX], n = topo_route(d->step->topology, m->src, m->dst, links);
    int64_t cost = d->messages.port_cost[links[0]];
    if (kind == TAG_COST && cost == 0)
        kind = TAG_PAYLOAD;
    d->play->flows++;
    if (kind == TAG_COST)
        flow_start(links, 1, cost, (int64_t)message * TAG_KINDS + TAG_COST);
    else
        flow_start(links, n, m->payload, (int64_t)message * TAG_KINDS + TAG_PAYLOAD);
}

static void wait_for_peer(struct driver *d, size_t message) {
    const struct message *m = &d->messages.items[message];
    struct part *peer = &d->parts[part_index(d, m->stage, m->dst)];
    d->next_waiter[message] = NOBODY;
    if (peer->first_waiter == NOBODY)
        peer->first_waiter = message;
    else
        d->next_waiter[peer->last_waiter] = message;
    peer->last_waiter = message;
}

static bool has_slot(const struct driver *d, const struct sender *s) {
    int64_t window = d->step->implementation->window;
    return window == 0 || s->in_flight < window;
}

/* Posts what the window and the stages entered allow, at most `most` messages. */
static void post(struct driver *d, int rank, size_t most) {
    struct sender *s = &d->senders[rank];
    size_t end = d->messages.start[rank * d->step->n_stages + s->entered];
    bool rendezvous = d->step->implementation->start == START_RENDEZVOUS;
    for (; most > 0 && s->head < end && has_slot(d, s); most--) {
        size_t message = s->head++;
        const struct message *m = &d->messages.items[message];
        s->in_flight++;
        if (rendezvous && d->senders[m->dst].entered <= m->stage)
            wait_for_peer(d, message);
        else
            start_flow(d, message, TAG_COST);
    }
}

/* --- stages ----------------------------------------------------------------------------------- */

static double work_s(const struct driver *d, int stage, int rank) {
    return costs_splits_s(d->costs, d->step, stage) + costs_chain_s(d->costs, d->step, stage, rank);
}

static void satisfy(struct driver *d, int stage, int rank, double at_s);

static void mark_entered(struct driver *d, int stage, int rank) {
    d->senders[rank].entered = stage + 1;
    if (stage + 1 < d->step->n_stages)
        satisfy(d, stage + 1, rank, now_s(d));
}

static void enter(struct driver *d, int stage, int rank) {
    mark_entered(d, stage, rank);
    size_t message = d->parts[part_index(d, stage, rank)].first_waiter;
    for (; message != NOBODY; message = d->next_waiter[message])
        start_flow(d, message, TAG_COST);
    post(d, rank, SIZE_MAX);
}

/* One of the things that a rank waits for before a stage has come at at_s, which may lie ahead. */
static void satisfy(struct driver *d, int stage, int rank, double at_s) {
    size_t index = part_index(d, stage, rank);
    struct part *p = &d->parts[index];
    p->ready_s = fmax(p->ready_s, at_s);
    if (--p->waits_for > 0)
        return;
    d->play->ready_s[index] = p->ready_s;
    double delay_s = p->ready_s - now_s(d) + work_s(d, stage, rank) + d->costs->alpha_s[stage];
    flow_timer(ldexp(fmax(delay_s, 0), d->time_scale), (int64_t)index);
}

static void on_timer(void *context, int64_t tag) {
    struct driver *d = context;
    int ranks = d->step->topology->ranks;
    enter(d, (int)(tag / ranks), (int)(tag % ranks));
}

static void deliver(struct driver *d, size_t message) {
    const struct message *m = &d->messages.items[message];
    enum tier tier = topo_tier(d->step->topology, m->src, m->dst);
    double at_s = now_s(d);
    d->delivered[message] = true;
    d->n_delivered++;
    d->senders[m->src].in_flight--;
    d->play->sent_s[event_index(d, m->stage, tier, m->src)] = at_s;
    d->play->received_s[event_index(d, m->stage, tier, m->dst)] = at_s;
    if (m->stage + 1 < d->step->n_stages)
        satisfy(d, m->stage + 1, m->dst, at_s + d->costs->latency_s[tier]);
    post(d, m->src, SIZE_MAX);
}

static void on_flow_done(void *context, int64_t tag) {
    struct driver *d = context;
    size_t message = (size_t)(tag / TAG_KINDS);
    if (tag % TAG_KINDS == TAG_COST)
        start_flow(d, message, TAG_PAYLOAD);
    else
        deliver(d, message);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* SimGrid merges events that lie closer than 1e-12 of its seconds. On a clock where the busiest
 * link works for 16 to 32 of them that is far below the accuracy asked for, whatever the sizes. */
static int choose_time_scale(const struct step *step) {
    size_t n_links = (size_t)step->topology->n_links;
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    for (int stage = 0; stage < step->n_stages; stage++)
        step_link_load(step, stage, NULL, busy_s);
    double most_s = stat_max(busy_s, n_links);
    free(busy_s);
    int exponent = 0;
    enum { BITS = 5 };
    if (!(most_s > 0 && isfinite(most_s)))
        return 0;
    frexp(most_s, &exponent);
    return BITS - exponent;
}

/* Whether SimGrid's lazy updates are the faster ones; measured, see flow_open(). With at most two
 * messages in flight per sender, and no link that is common to many senders, few flows hang
 * together at any one time. */
static bool lazy_is_faster(const struct step *step, const struct messages *m) {
    bool common_links = false;
    for (int l = 0; l < step->topology->n_links; l++)
        common_links = common_links || step->topology->links[l].role == LINK_UP;
    int64_t window = step->implementation->window;
    bool few_in_flight = window == 1 || window == 2;
    return (few_in_flight && !common_links) || messages_largest_share(step, m) < 0.5;
}

enum rc driver_open(const struct step *step, struct driver **driver, struct err *e) {
    struct driver d = {.step = step, .time_scale = choose_time_scale(step)};
    enum rc rc = messages_build(step, &d.messages, e);
    if (rc)
        return rc;
    const struct topology *t = step->topology;
    flow_open(lazy_is_faster(step, &d.messages));
    for (int l = 0; l < t->n_links; l++)
        flow_link(ldexp(t->links[l].capacity_Bps, d.messages.scale - d.time_scale));
    flow_seal();
    d.parts = mem_alloc(play_parts(step), sizeof *d.parts);
    d.senders = mem_alloc((size_t)t->ranks, sizeof *d.senders);
    d.next_waiter = mem_alloc(d.messages.n, sizeof *d.next_waiter);
    d.delivered = mem_alloc(d.messages.n, sizeof *d.delivered);
    *driver = mem_alloc(1, sizeof **driver);
    **driver = d;
    return RC_OK;
}

void driver_close(struct driver *d) {
    if (!d)
        return;
    messages_clear(&d->messages);
    free(d->parts);
    free(d->senders);
    free(d->next_waiter);
    free(d->delivered);
    free(d);
}

static void reset(struct driver *d) {
    const struct messages *m = &d->messages;
    for (size_t i = 0; i < play_parts(d->step); i++)
        d->parts[i] = (struct part){.waits_for = 1, .first_waiter = NOBODY, .last_waiter = NOBODY};
    for (size_t i = 0; i < m->n; i++)
        if (m->items[i].stage + 1 < d->step->n_stages)
            d->parts[part_index(d, m->items[i].stage + 1, m->items[i].dst)].waits_for++;
    for (int rank = 0; rank < d->step->topology->ranks; rank++)
        d->senders[rank] = (struct sender){.head = m->start[rank * d->step->n_stages]};
    memset(d->delivered, 0, m->n * sizeof *d->delivered);
    d->n_delivered = 0;
}

/* All ranks enter the first stage together, so that no message waits for its peer; then they post
 * in turns. */
static void begin(struct driver *d) {
    int ranks = d->step->topology->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        d->play->ready_s[rank] = 0;
        mark_entered(d, 0, rank);
    }
    for (bool more = true; more;) {
        more = false;
        for (int rank = 0; rank < ranks; rank++) {
            size_t before = d->senders[rank].head;
            post(d, rank, 1);
            more = more || d->senders[rank].head != before;
        }
    }
}

static enum rc check_delivered(const struct driver *d, struct err *e) {
    if (d->n_delivered == d->messages.n)
        return RC_OK;
    enum { SHOWN = 3 };
    struct buf list = {0};
    int shown = 0;
    for (size_t i = 0; i < d->messages.n && shown < SHOWN; i++) {
        const struct message *m = &d->messages.items[i];
        if (!d->delivered[i])
            buf_printf(&list, "%s%d -> %d in %s", shown++ ? ", " : "", m->src, m->dst,
                       d->step->stages[m->stage].name);
    }
    size_t missing = d->messages.n - d->n_delivered;
    err_set(e, RC_ENGINE, "%zu of %zu messages never arrive: %s%s", missing, d->messages.n,
            list.text, missing > SHOWN ? ", .." : "");
    buf_clear(&list);
    return RC_ENGINE;
}

/* What the links carried, without the per-message costs; counts the flows that each one carried. */
static void measure_links(const struct driver *d, double *bytes, double *flows) {
    const struct messages *m = &d->messages;
    int n_links = d->step->topology->n_links;
    for (int l = 0; l < n_links; l++)
        bytes[l] = flow_carried(l);
    for (size_t i = 0; i < m->n; i++) {
        int links[TOPO_ROUTE_MAX];
        int n = topo_route(d->step->topology, m->items[i].src, m->items[i].dst, links);
        bytes[links[0]] -= (double)m->port_cost[links[0]];
        flows[links[0]]++;
        for (int k = 0; k < n; k++)
            flows[links[k]]++;
    }
    for (int l = 0; l < n_links; l++)
        bytes[l] = ldexp(bytes[l], -m->scale);
}

/* Conservation: each link carried what step_link_load() puts on it, to 1e-9 of its work and to the
 * resolution of SimGrid's clock, which may cut each flow short by that much. */
static enum rc check_links(struct driver *d, struct err *e) {
    const struct topology *t = d->step->topology;
    size_t n_links = (size_t)t->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes), *busy_s = mem_alloc(n_links, sizeof *busy_s);
    double *flows = mem_alloc(n_links, sizeof *flows), *carried = d->play->link_bytes;
    for (int stage = 0; stage < d->step->n_stages; stage++)
        step_link_load(d->step, stage, bytes, busy_s);
    measure_links(d, carried, flows);
    double resolution_s = ldexp(FLOW_RESOLUTION, -d->time_scale) + 4 * DBL_EPSILON * now_s(d);
    enum rc rc = RC_OK;
    for (int l = 0; l < t->n_links && rc == RC_OK; l++) {
        double allowed = t->links[l].capacity_Bps * (1e-9 * busy_s[l] + flows[l] * resolution_s);
        if (!(fabs(carried[l] - bytes[l]) <= allowed))
            rc = err_set(e, RC_ENGINE, "link %s carried %.17g bytes, expected %.17g",
                         t->links[l].name, carried[l], bytes[l]);
    }
    free(bytes);
    free(busy_s);
    free(flows);
    return rc;
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum rc driver_play(struct driver *d, const struct costs *costs, struct play *play, struct err *e) {
    double wall_s = seconds(CLOCK_MONOTONIC), cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
    d->costs = costs;
    d->play = play;
    reset(d);
    flow_reset(&(struct flow_hooks){.flow_done = on_flow_done, .timer = on_timer, .context = d});
    begin(d);
    flow_run();
    enum rc rc = check_delivered(d, e);
    if (rc)
        return rc;
    rc = check_links(d, e);
    if (rc)
        return rc;
    play->events = flow_steps();
    play->wall_s = seconds(CLOCK_MONOTONIC) - wall_s;
    play->cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    play->peak_rss_bytes = (double)usage.ru_maxrss * 1024; // Linux counts KiB
    return RC_OK;
}

bool driver_same_run(const struct step *step, const struct costs *a, const struct costs *b) {
    for (int stage = 1; stage < step->n_stages; stage++) {
        if (a->alpha_s[stage] != b->alpha_s[stage] ||
            costs_splits_s(a, step, stage) != costs_splits_s(b, step, stage))
            return false;
        for (int rank = 0; rank < step->topology->ranks; rank++)
            if (costs_chain_s(a, step, stage, rank) != costs_chain_s(b, step, stage, rank))
                return false;
        for (int tier = 0; tier < TIER_COUNT; tier++)
            if (a->latency_s[tier] != b->latency_s[tier])
                return false;
    }
    return true;
}
