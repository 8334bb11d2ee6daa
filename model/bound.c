/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound.h"

#include <math.h>
#include <stdlib.h>

#include "model/bound_follow.h"
#include "model/bound_once.h"
#include "platforms/base/mem.h"

static double later(double a, double b) {
    return a > b ? a : b;
}

/* Port time that messages of one tier want from one link, and when the first of it can begin. */
struct item {
    double release_s;
    double load_s;
};
struct pile {
    struct item *items;
    size_t n;
    size_t room;
};

/* Adds a message to a pile; one released at the moment of the item before joins that item, so that a first stage takes
 * one item. */
static void pile_add(struct pile *p, double release_s, double load_s) {
    if (p->n && p->items[p->n - 1].release_s == release_s) {
        p->items[p->n - 1].load_s += load_s;
        return;
    }
    MEM_GROW(p->items, p->n, p->room);
    p->items[p->n++] = (struct item){release_s, load_s};
}

static int latest_first(const void *a, const void *b) {
    double x = ((const struct item *)a)->release_s, y = ((const struct item *)b)->release_s;
    return (x < y) - (x > y);
}

/* Returns the bound [B1] of one link: the maximum over sets of messages of first release + load + least latency. The
 * largest sets suffice: all messages released at or after some moment, of the tiers with at least some latency.
 * piles[TIER_MAX] */
static double piles_end_s(const struct pile *piles, const double *latency_s, struct pile *scratch) {
    double end_s = 0;
    for (int least = 0; least < TIER_MAX; least++) {
        if (!piles[least].n)
            continue; // the same set as that of the next longer latency
        scratch->n = 0;
        for (int tier = 0; tier < TIER_MAX; tier++)
            for (size_t i = 0; i < piles[tier].n && latency_s[tier] >= latency_s[least]; i++)
                pile_add(scratch, piles[tier].items[i].release_s, piles[tier].items[i].load_s);
        if (scratch->n > 1)
            qsort(scratch->items, scratch->n, sizeof *scratch->items, latest_first);
        double load_s = 0;
        for (size_t i = 0; i < scratch->n; i++) {
            load_s += scratch->items[i].load_s;
            end_s = later(end_s, scratch->items[i].release_s + load_s + latency_s[least]);
        }
    }
    return end_s;
}

/* The messages on one link, with what follows each of them. */
struct run {
    struct follow *items;
    size_t n, room;
    bool sorted; /* the longest after_s first */
};
struct follows {
    struct run *runs; /* [link] */
    int *links;       /* those with items */
    size_t n, room;
    struct follow_room room_of_link;
};

static void follows_add(struct follows *f, int link, struct follow item) {
    struct run *run = &f->runs[link];
    if (!run->n) {
        MEM_GROW(f->links, f->n, f->room);
        f->links[f->n++] = link;
        run->sorted = true;
    }
    run->sorted = run->sorted && !(run->n && run->items[run->n - 1].after_s < item.after_s);
    MEM_GROW(run->items, run->n, run->room);
    run->items[run->n++] = item;
}

static int longest_after_first(const void *a, const void *b) {
    double x = ((const struct follow *)a)->after_s, y = ((const struct follow *)b)->after_s;
    return (x < y) - (x > y);
}

/* Returns the largest bound [B4] over all links, and empties the lists of messages. */
static double follows_end_s(struct follows *f) {
    double end_s = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct run *run = &f->runs[f->links[i]];
        if (!run->sorted)
            qsort(run->items, run->n, sizeof *run->items, longest_after_first);
        end_s = later(end_s, follow_end_s(&f->room_of_link, run->items, run->n));
        run->n = 0;
    }
    f->n = 0;
    return end_s;
}

/* The state of the walk over the stages of a call. */
struct walk {
    const struct call *call;
    const struct costs *costs;
    int chunks;
    double message_cost_s[TIER_MAX];
    double *ready_s; /* per rank: has entered the stage and paid its fixed cost, for the first piece */
    double *last_s;  /* the same for the last piece; equal when messages are whole */
    struct pile *links; /* per link and tier, over all stages */
    struct pile *own; /* as links, for the messages to one rank in a stage that is not the last; empty between ranks */
    struct pile scratch;
    struct follows follows; /* of the stage that is walked */
    struct route route;     /* room for a way, and for the loads on it */
    double load_s[TOPO_ROUTE_MAX];
    double **tail_s; /* [stage], per rank: from its complete arrivals in the stage to the end of the call */
    double bound_s;
};

/* One message with its way and loads. */
struct message_load {
    struct way way;
    const double *load_s; /* port time on each entry of the way */
};

static void find_message_load(struct walk *w, int stage, const int pair[static 2], double bytes,
                              struct message_load *s) {
    const struct link *links = w->call->topology->links;
    s->way = call_way(w->call, pair[0], pair[1], &w->route);
    s->load_s = w->load_s;
    double cost_s = call_message_units(w->call, stage, bytes) * w->message_cost_s[s->way.tier];
    for (int k = 0; k < s->way.n; k++) {
        int link = s->way.links[k];
        double all_s = bytes / links[link].capacity_Bps + (link == s->way.cost_link ? cost_s : 0);
        w->load_s[k] = all_s * s->way.share;
    }
}

static void follow_message(struct walk *w, int stage, int dst, const struct message_load *s, double release_s) {
    double after_s = w->costs->latency_s[s->way.tier] + w->tail_s[stage][dst];
    for (int k = 0; k < s->way.n; k++)
        follows_add(&w->follows, s->way.links[k], (struct follow){release_s, s->load_s[k], after_s});
}

static double work_s(const struct walk *w, int stage, int rank) {
    return costs_splits_s(w->costs, w->call, stage) +
           costs_chain_s(w->costs, w->call, stage, rank) + costs_alpha_s(w->costs, w->call, stage);
}

/* Fills in the tails of a stage [B4]: tail_s(i) = work_{s+1}(i) + the larger of tail_{s+1}(i) and what i itself sends
 * there, tails included. */
static void fill_tails(struct walk *w, int stage) {
    const struct call *call = w->call;
    int ranks = call->topology->ranks, next = stage + 1;
    if (next == call->n_stages)
        return;
    const struct matrix *m = &call->stages[next].bytes;
    for (int rank = 0; rank < ranks; rank++) {
        for (size_t i = m->start[rank]; i < m->start[rank + 1]; i++) {
            if (m->dst[i] == rank || m->value[i] <= 0)
                continue;
            struct message_load s;
            find_message_load(w, next, (int[]){rank, m->dst[i]}, m->value[i], &s);
            follow_message(w, next, m->dst[i], &s, 0);
        }
        w->tail_s[stage][rank] =
            work_s(w, next, rank) + later(w->tail_s[next][rank], follows_end_s(&w->follows));
    }
}

static double raise(struct walk *w, double time_s) {
    w->bound_s = later(w->bound_s, time_s);
    return time_s;
}

/* Lets all ranks enter a stage [B2]: t += splits + chain + alpha. In a pipelined call the first piece needs its share
 * of the arrivals and of the chain, the last one all of the arrivals. */
static void enter(struct walk *w, int stage) {
    for (int rank = 0; rank < w->call->topology->ranks; rank++) {
        double chain_s = costs_chain_s(w->costs, w->call, stage, rank);
        double all_s = work_s(w, stage, rank);
        w->ready_s[rank] += all_s - chain_s * (1 - 1.0 / w->chunks);
        w->last_s[rank] += w->chunks == 1 ? all_s : chain_s / w->chunks;
        w->last_s[rank] = later(w->last_s[rank], w->ready_s[rank]);
        raise(w, w->last_s[rank]);
    }
}

static bool is_last(const struct walk *w, int stage) {
    return stage + 1 == w->call->n_stages;
}

static void add_share(struct walk *w, int stage, const struct message_load *s, double share, double release_s) {
    for (int k = 0; k < s->way.n; k++) {
        double load_s = s->load_s[k] * share;
        int pile = s->way.links[k] * TIER_MAX + (int)s->way.tier;
        pile_add(&w->links[pile], release_s, load_s);
        if (!is_last(w, stage))
            pile_add(&w->own[pile], release_s, load_s);
    }
}

static void add_message(struct walk *w, int stage, int src, int dst, double bytes) {
    bool both = w->call->implementation->start == START_RENDEZVOUS;
    double first_s = both ? later(w->ready_s[src], w->ready_s[dst]) : w->ready_s[src];
    struct message_load s;
    find_message_load(w, stage, (int[]){src, dst}, bytes, &s);
    if (w->chunks == 1) {
        add_share(w, stage, &s, 1, first_s);
        if (!is_last(w, stage))
            follow_message(w, stage, dst, &s, first_s);
        return;
    }
    add_share(w, stage, &s, 1.0 / w->chunks, later(first_s, w->last_s[src]));
    add_share(w, stage, &s, 1 - 1.0 / w->chunks, first_s);
}

/* Returns the earliest end of the arrivals at dst in a stage [B2]: its own messages alone take that long on each link.
 * Empties own. In the last stage nothing waits for the arrivals, and [B3] covers them. */
static double own_end_s(struct walk *w, int stage, const struct matrix *to, int dst) {
    double end_s = w->ready_s[dst];
    if (is_last(w, stage))
        return end_s;
    for (size_t i = to->start[dst]; i < to->start[dst + 1]; i++) {
        if (to->dst[i] == dst || to->value[i] <= 0)
            continue;
        struct way way = call_way(w->call, to->dst[i], dst, &w->route);
        for (int k = 0; k < way.n; k++) {
            struct pile *own = &w->own[way.links[k] * TIER_MAX];
            end_s = later(end_s, piles_end_s(own, w->costs->latency_s, &w->scratch));
            for (int tier = 0; tier < TIER_MAX; tier++)
                own[tier].n = 0;
        }
    }
    return end_s;
}

static void walk_stage(struct walk *w, int stage) {
    struct matrix to; // row = receiver, columns = its senders
    matrix_transpose(&w->call->stages[stage].bytes, &to);
    double *first_s = mem_alloc((size_t)to.ranks, sizeof *first_s);
    double *end_s = mem_alloc((size_t)to.ranks, sizeof *end_s);
    for (int dst = 0; dst < to.ranks; dst++) {
        for (size_t i = to.start[dst]; i < to.start[dst + 1]; i++)
            if (to.dst[i] != dst && to.value[i] > 0)
                add_message(w, stage, to.dst[i], dst, to.value[i]);
        end_s[dst] = raise(w, own_end_s(w, stage, &to, dst));
        first_s[dst] = end_s[dst] - (end_s[dst] - w->ready_s[dst]) * (1 - 1.0 / w->chunks);
    }
    raise(w, follows_end_s(&w->follows)); // [B4]
    free(w->ready_s);
    free(w->last_s);
    w->ready_s = first_s;
    w->last_s = end_s;
    matrix_clear(&to);
}

static void walk_clear(struct walk *w) {
    for (int i = 0; i < w->call->topology->n_links * TIER_MAX; i++) {
        free(w->links[i].items);
        free(w->own[i].items);
    }
    for (int l = 0; l < w->call->topology->n_links; l++)
        free(w->follows.runs[l].items);
    for (int i = 0; i < w->call->n_stages; i++)
        free(w->tail_s[i]);
    free(w->tail_s);
    free(w->links);
    free(w->own);
    free(w->scratch.items);
    free(w->follows.runs);
    free(w->follows.links);
    follow_clear(&w->follows.room_of_link);
    free(w->ready_s);
    free(w->last_s);
}

static void walk_init(struct walk *w, const struct call *call) {
    size_t ranks = (size_t)call->topology->ranks;
    size_t n_piles = (size_t)call->topology->n_links * TIER_MAX;
    *w = (struct walk){.call = call,
                       .chunks = call->chunks > 1 ? call->chunks : 1,
                       .ready_s = mem_alloc(ranks, sizeof *w->ready_s),
                       .last_s = mem_alloc(ranks, sizeof *w->last_s),
                       .tail_s = mem_alloc((size_t)call->n_stages + 1, sizeof *w->tail_s),
                       .links = mem_alloc(n_piles, sizeof *w->links),
                       .own = mem_alloc(n_piles, sizeof *w->own),
                       .follows.runs = mem_alloc(n_piles / TIER_MAX, sizeof *w->follows.runs)};
    for (int tier = 0; tier < TIER_MAX; tier++)
        w->message_cost_s[tier] = call_message_cost_s(call, (enum tier)tier);
    for (int stage = 0; stage < call->n_stages; stage++)
        w->tail_s[stage] = mem_alloc(ranks, sizeof **w->tail_s);
}

/* Walks all stages and raises the bound by what ranks wait for; link_end_s() adds the links over the whole call. */
static void walk_stages(struct walk *w, const struct costs *costs) {
    const struct call *call = w->call;
    w->costs = costs;
    w->bound_s = 0;
    for (int i = 0; i < call->topology->n_links * TIER_MAX; i++)
        w->links[i].n = 0;
    for (int rank = 0; rank < call->topology->ranks; rank++)
        w->ready_s[rank] = w->last_s[rank] = call->enter_s ? call->enter_s[rank] : 0;
    for (int stage = call->n_stages - 1; stage >= 0; stage--)
        fill_tails(w, stage);
    for (int stage = 0; stage < call->n_stages; stage++) {
        enter(w, stage);
        walk_stage(w, stage);
    }
}

static double link_end_s(struct walk *w, int link) {
    return piles_end_s(&w->links[link * TIER_MAX], w->costs->latency_s, &w->scratch); // [B3]
}

static void walk_cases(const struct call *call, const struct costs *cases, size_t n, double *bound_s) {
    struct walk w;
    walk_init(&w, call);
    for (size_t i = 0; i < n; i++) {
        walk_stages(&w, &cases[i]);
        for (int l = 0; l < call->topology->n_links; l++)
            raise(&w, link_end_s(&w, l));
        bound_s[i] = w.bound_s;
    }
    walk_clear(&w);
}

void bound_calls(const struct call *call, const struct costs *cases, size_t n, double *bound_s,
                 struct bound_link *busiest) {
    if (once_is_enough(call)) {
        once_bounds(call, cases, n, bound_s, busiest);
        return;
    }
    walk_cases(call, cases, n, bound_s);
    if (busiest)
        once_busiest(call, busiest, NULL);
}

double bound_call_s(const struct call *call, const struct costs *costs) {
    double bound_s;
    bound_calls(call, costs, 1, &bound_s, NULL);
    return bound_s;
}

const char *bound_side_name(enum bound_side side) {
    static const char *const names[BOUND_SIDES] = {"send", "receive", "shared link"};
    return names[side];
}

static enum bound_side side_of(enum link_role role) {
    if (role == LINK_EGRESS || role == LINK_PORT_OUT)
        return BOUND_SEND;
    return role == LINK_INGRESS || role == LINK_PORT_IN ? BOUND_RECEIVE : BOUND_SHARED;
}

/* Fills ends_s[n_links] with when the last message of each link arrives; 0 where there is none. [B5] */
static void fill_ends(const struct call *call, const struct costs *costs, double *ends_s) {
    struct walk w;
    if (once_is_enough(call)) {
        once_ends(call, costs, ends_s);
        return;
    }
    walk_init(&w, call);
    walk_stages(&w, costs);
    for (int l = 0; l < call->topology->n_links; l++)
        ends_s[l] = link_end_s(&w, l);
    walk_clear(&w);
}

void bound_ports(const struct call *call, const struct costs *costs, struct bound_rank *ranks,
                 struct bound_straggler *straggler) {
    const struct topology *t = call->topology;
    double *ends_s = mem_alloc((size_t)t->n_links + 1, sizeof *ends_s);
    fill_ends(call, costs, ends_s);
    struct bound_straggler last = {.rank = -1, .link = -1};
    for (int rank = 0; ranks && rank < t->ranks; rank++)
        ranks[rank] = (struct bound_rank){.link = {-1, -1, -1}};
    for (int l = 0; l < t->n_links; l++) {
        double end_s = ends_s[l];
        enum bound_side side = side_of(t->links[l].role);
        int first = t->links[l].first_rank, end = first + t->links[l].n_ranks;
        if (!(end_s > 0))
            continue;
        for (int rank = first; ranks && rank < end; rank++)
            if (end_s > ranks[rank].end_s[side] && topo_is_below(t, &t->links[l], rank)) {
                ranks[rank].end_s[side] = end_s;
                ranks[rank].link[side] = l;
            }
        if (end_s > last.end_s)
            last = (struct bound_straggler){first, side, l, end_s};
    }
    free(ends_s);
    *straggler = last;
}
