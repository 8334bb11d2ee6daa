/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimand of bound-agreement: the lower bound against simulated wire times, in its scope and under skew. */
#include <math.h>
#include <stdlib.h>

#include "model/bound.h"
#include "model/bound_near.h"
#include "platforms/base/mem.h"
#include "validation/bench.h"
#include "validation/estimand.h"
#include "workloads/strategy.h"

/* Shapes and numbers of tokens that the scope was not found on; machines may be those it was found on. Two machines
 * and a fat tree that turned out to lie outside of the scope were replaced. */
static const struct {
    const char *name, *shape, *workload;
    bool quick;
} machines[] = {{"dgx-h100", "groups=5 ranks_per_group=8", "tokens_per_rank=96 experts=160", true},
                {"synthetic", "groups=12 ranks_per_group=4", "tokens_per_rank=700 experts=192", true},
                {"terrace-a", "groups=8", "tokens_per_rank=33 experts=256", true},
                {"dgx-h100", "groups=9 ranks_per_group=4", "tokens_per_rank=2048 experts=144", false},
                {"synthetic", "groups=33 ranks_per_group=1", "tokens_per_rank=3 experts=132", false},
                {"aws-p5en", "groups=12", "tokens_per_rank=512 experts=384", false},
                {"gb200-nvl72", "groups=1", "tokens_per_rank=128 experts=288", false},
                {"dgx-h100", "groups=3 ranks_per_group=16 port_bandwidth=450GBps",
                 "tokens_per_rank=1000 experts=192", false}};
static const char *const implementations[] = {"collective-eager", "nccl-p2p"};
enum { N_MACHINES = sizeof machines / sizeof *machines, OF_A_MACHINE = 8 };

#define UNIFORM "routing.draw=expected"
#define SKEWED "routing.source=synthetic routing.rho_max=1.5 routing.pair_sigma=1"

struct worst {
    double off;                      /* in the scope: largest distance of time and bound, a share of the bound */
    double skew_least, skew_most;    /* under skew: how far times lie above the bound */
    size_t cases, outside;           /* in the scope; that should be and are not */
};

/* Makes the call the way back. */
static void turn(struct bench *b, enum strategy strategy) {
    call_clear(&b->call);
    call_build(b->topology, b->workload, b->implementation, b->traffic, strategy, PHASE_COMBINE, &b->call);
}

/* Takes down how far a simulated time lies from the bound of its call. */
static void take_down(const struct call *call, bool skewed, double off, struct worst *w) {
    if (skewed) {
        w->skew_least = fmin(w->skew_least, off);
        w->skew_most = fmax(w->skew_most, off);
        return;
    }
    w->off = fmax(w->off, fabs(off));
    w->outside += bound_far(call) != NULL;
    w->cases++;
}

/* Tries one call: bits of `which` say library, strategy and phase. */
static enum rc try_call(const struct estimand_input *in, int machine, int which, bool skewed, struct worst *w,
                        struct gate_evidence *x, struct err *e) {
    char *workload = mem_printf("%s top_k=8 group_limit=none routing.mode=global_topk %s",
                                machines[machine].workload, skewed ? SKEWED : UNIFORM);
    const struct bench_ask ask = {machines[machine].name, machines[machine].shape, "terrace-reference", workload,
                                  implementations[which & 1], "window=all",
                                  which & 2 ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP, 1};
    struct bench b;
    struct costs wire;
    double time_s = 0;
    enum rc rc = bench_open(&ask, &b, e);
    free(workload);
    if (rc)
        return rc;
    if (which & 4)
        turn(&b, ask.strategy);
    costs_wire(&b.call, &wire);
    const struct simulator *second = in->tools.second; // the quicker one under skew
    rc = simulate_time(skewed && second ? second : in->tools.simulator, &b.call, &wire, &time_s, e);
    double bound_s = bound_call_s(&b.call, &wire);
    if (!rc && bound_s > 0) {
        take_down(&b.call, skewed, time_s / bound_s - 1, w);
        gate_add_point(x, !skewed, time_s, bound_s, "%.11s %d %.7s %.8s%s", ask.platform, b.topology->ranks,
                       strategy_name(ask.strategy), phase_name(b.call.phase), skewed ? ", skewed" : "");
    }
    bench_close(&b);
    return rc;
}

enum rc estimand_bound_agreement(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    struct worst w = {.skew_least = INFINITY};
    enum rc rc = RC_OK;
    for (int machine = 0; machine < N_MACHINES; machine++)
        for (int which = 0; which < OF_A_MACHINE && !rc; which++) {
            bool one_group = machines[machine].shape[7] == '1' && machines[machine].shape[8] == '\0';
            if ((!in->tools.full && !machines[machine].quick) || (one_group && which & 2))
                continue;
            rc = try_call(in, machine, which, false, &w, x, e);
            if (!rc && machine == 0 && !(which & 4))
                rc = try_call(in, machine, which, true, &w, x, e);
        }
    if (rc)
        return rc;
    gate_add_metric(x, "worst_difference", METRIC_SHARE, w.off);
    gate_add_metric(x, "outside_of_scope", METRIC_COUNT, (double)w.outside);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)w.cases);
    gate_add_metric(x, "skewed_least_above", METRIC_SHARE, w.skew_least);
    gate_add_metric(x, "skewed_most_above", METRIC_SHARE, w.skew_most);
    return RC_OK;
}
