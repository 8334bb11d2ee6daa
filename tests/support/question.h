/* SPDX-License-Identifier: BSD-3-Clause */
/* question.h - a call of up to 6 ranks filled in by hand, with dense byte matrices. */
#ifndef TESTS_SUPPORT_QUESTION_H
#define TESTS_SUPPORT_QUESTION_H

#include "tests/support/hand.h"

#include "workloads/call.h"

enum { RANKS = 6 };

/* A call on a small made-up platform. */
struct question {
    struct platform platform;
    struct implementation implementation;
    struct call call;
    struct topology *topology;
};

static inline void set_matrix(struct matrix *m, int ranks, double bytes[RANKS][RANKS]) {
    matrix_clear(m);
    matrix_init(m, ranks, (size_t)(ranks * ranks), false);
    for (int src = 0; src < ranks; src++) {
        m->start[src + 1] = m->start[src] + (size_t)ranks;
        for (int dst = 0; dst < ranks; dst++) {
            m->dst[src * ranks + dst] = dst;
            m->value[src * ranks + dst] = bytes[src][dst];
        }
    }
}

/* fast 100 B/s, slow 10 B/s */
static inline void ask_platform(struct question *q, int64_t groups, int64_t ranks_per_group) {
    *q = (struct question){0};
    make_platform(&q->platform, groups, ranks_per_group);
    q->platform.tier[TIER_FAST].bandwidth_Bps.value = 100;
    q->platform.tier[TIER_SLOW].bandwidth_Bps.value = 10;
}

static inline void ask(struct question *q, int n_stages) {
    q->topology = topo_build(&q->platform);
    q->call = (struct call){.platform = &q->platform,
                            .topology = q->topology,
                            .implementation = &q->implementation};
    double nothing[RANKS][RANKS] = {{0}};
    for (int i = 0; i < n_stages; i++)
        set_matrix(&call_add_stage(&q->call, NULL)->bytes, q->topology->ranks, nothing);
}

static inline void forget(struct question *q) {
    call_clear(&q->call);
    topo_free(q->topology);
}

#endif
