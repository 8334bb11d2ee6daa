/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/packet_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

static char *platform_set(const struct packet_case *c) {
    const double rate_Bps = packet_rate_Bps(c);
    bool leaves = c->topology == PACKET_LEAF_SPINE;
    return mem_printf("groups=%lld ranks_per_group=%lld fast.bandwidth=%.15gBps slow.bandwidth=%.15gBps "
                      "port_bandwidth=%.15gBps slow.oversubscription=%.15g fast.x_half=0B slow.x_half=0B",
                      (long long)(leaves ? c->ranks / c->leaf_ranks : 1),
                      (long long)(leaves ? c->leaf_ranks : c->ranks), rate_Bps, rate_Bps, rate_Bps,
                      leaves ? c->oversubscription.value : 1);
}

/* Returns the settings of the implementation. costs: each message costs one round trip, as a sender that waits for each
 * acknowledgement pays it. free() releases the text. */
static char *implementation_set(const struct packet_case *c, bool costs) {
    char window[24] = "all";
    if (c->window)
        snprintf(window, sizeof window, "%lld", (long long)c->window);
    return mem_printf("order=shift start=one-sided window=%s message_cost.fast=%.15gus message_cost.slow=%.15gus",
                      window, costs ? c->rtt_us.value : 0.0, costs ? c->rtt_long_us.value : 0.0);
}

enum rc packet_call_open(const struct packet_case *c, bool costs, struct bench *b, struct err *e) {
    char *machine = platform_set(c), *how = implementation_set(c, costs);
    char *routing =
        mem_printf("experts=%lld group_limit=none routing.mode=global_topk tokens_per_rank=1", (long long)c->ranks * 8);
    const struct bench_ask ask = {"dgx-h100", machine, "terrace-reference", routing,
                                  "nccl-p2p", how,     STRATEGY_ONE_HOP,    1};
    enum rc rc = bench_open(&ask, b, e);
    free(machine);
    free(how);
    free(routing);
    if (rc)
        return rc;
    matrix_clear(&b->call.stages[0].bytes);
    matrix_from_dense(c->bytes, (int)c->ranks, false, &b->call.stages[0].bytes);
    return RC_OK;
}
