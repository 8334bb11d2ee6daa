/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/order.h"

#include "platforms/base/rng.h"

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

/* Fills peers[] with the ranks of a platform, in the order in which rank src takes them. */
static void order_on(const struct call *call, const struct platform *p, int src, int *peers) {
    int ranks = plat_ranks(p);
    switch ((enum order)call->implementation->order) {
    case ORDER_GROUP_SHIFT:
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

int order_peers(const struct call *call, int src, int *peers) {
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
