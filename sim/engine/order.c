/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/order.h"

#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "workloads/turns.h"

static void group_shift(const struct platform *p, int src, int *peers) {
    const struct plat_domains *groups = &p->domains[TIER_FAST];
    int own = plat_group_of(p, src), index = plat_local_of(p, src), n = 0;
    for (int shift = 0; shift < groups->n; shift++) {
        int group = (own + shift) % groups->n, first = groups->first[group], size = groups->first[group + 1] - first;
        for (int k = 0; k < size; k++)
            peers[n++] = first + (index + k) % size;
    }
}

static void exclusive_or(int ranks, int src, int *peers) {
    int n = 0;
    for (int k = 0; n < ranks; k++)
        if ((src ^ k) < ranks)
            peers[n++] = src ^ k;
}

static void shuffled(int ranks, int src, uint64_t seed, int *peers) {
    struct rng r;
    rng_init(&r, seed, "order", (uint64_t)src);
    for (int k = 0; k < ranks; k++) {
        int other = (int)rng_below(&r, (uint64_t)k + 1);
        peers[k] = peers[other];
        peers[other] = k;
    }
}

/* Puts the destinations of a sender's turns before the others. */
static void turns_first(const struct turns *t, int ranks, int src, int *peers, int n) {
    bool *named = mem_alloc((size_t)ranks, sizeof *named);
    int *all = mem_alloc((size_t)n, sizeof *all), used = 0;
    for (size_t i = src < t->ranks ? t->start[src] : 0; src < t->ranks && i < t->start[src + 1]; i++) {
        named[t->dst[i]] = true;
        all[used++] = t->dst[i];
    }
    for (int k = 0; k < n; k++)
        if (!named[peers[k]])
            all[used++] = peers[k];
    for (int k = 0; k < n; k++)
        peers[k] = all[k];
    free(named);
    free(all);
}

/* Fills peers[] with the ranks of a platform, in the order of one of them. */
static void order_on(const struct call *call, const struct platform *p, int src, int *peers) {
    int ranks = plat_ranks(p);
    switch ((enum order)call->implementation->order) {
    case ORDER_FILE:
        group_shift(p, src, peers);
        turns_first(call->implementation->turns, ranks, src, peers, ranks);
        return;
    case ORDER_GROUP_SHIFT:
    case ORDER_FARTHEST: // sorted afterwards
    case ORDER_ROUNDS:   // what the rounds leave out
        group_shift(p, src, peers);
        return;
    case ORDER_SHIFT:
        for (int k = 0; k < ranks; k++)
            peers[k] = (src + k) % ranks;
        return;
    case ORDER_XOR:
        exclusive_or(ranks, src, peers);
        return;
    case ORDER_RANDOM:
        shuffled(ranks, src, call->order_seed, peers);
        return;
    }
    BUG_ON(true);
}

/* A destination with its distance and its place among those equally far. */
struct far {
    int peer, turn;
    double links; /* on its way, all paths together */
};

static int by_distance(const void *a, const void *b) {
    const struct far *x = a, *y = b;
    if (x->links != y->links)
        return x->links > y->links ? -1 : 1;
    return x->turn - y->turn;
}

/* Sorts destinations, the farthest first; of those equally far every second rank takes the last one first, so that both
 * ways round a ring are in use. */
static void farthest(const struct call *call, int src, int *peers, int n) {
    struct far *all = mem_alloc((size_t)n, sizeof *all);
    struct route route;
    for (int k = 0; k < n; k++) {
        struct way way = {.n = 0};
        if (peers[k] != src)
            way = call_way(call, src, peers[k], &route);
        all[k] = (struct far){peers[k], src % 2 ? -k : k, way.n ? way.n * way.share : 0};
    }
    qsort(all, (size_t)n, sizeof *all, by_distance);
    for (int k = 0; k < n; k++)
        peers[k] = all[k].peer;
    free(all);
}

static int base_order(const struct call *call, int src, int *peers) {
    const struct job *job = call->traffic ? call->traffic->job : NULL;
    if (!job) {
        order_on(call, call->platform, src, peers);
        return call->topology->ranks;
    }
    if (job->group_of[src] < 0)
        return 0;
    const struct ep_group *group = &job->groups[job->group_of[src]];
    order_on(call, group->platform, job->member[src], peers);
    for (int k = 0; k < job->ep; k++)
        peers[k] = group->machine_rank[peers[k]];
    return job->ep;
}

int order_peers(const struct call *call, int stage, int src, int *peers) {
    int n = base_order(call, src, peers);
    const struct turns *turns = stage < call->n_stages ? call->stages[stage].turns : NULL;
    if (turns && n)
        turns_first(turns, call->topology->ranks, src, peers, n);
    else if (call->implementation->order == ORDER_FARTHEST)
        farthest(call, src, peers, n);
    return n;
}
