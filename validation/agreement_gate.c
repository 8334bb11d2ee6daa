/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimand of engine-agreement: shipped machines and implementations, and random cases. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validation/agreement.h"
#include "validation/estimand.h"
#include "workloads/strategy.h"

/* Random cases, and how many of each kind there must be: every fabric inside with every one between 13 times. */
enum { SEED = 20261130, CASES_FULL = 520, CASES_QUICK = 40, OF_A_KIND_FULL = 50, OF_A_KIND_QUICK = 3 };

static const struct {
    const char *name, *shape; /* 8 to 36 ranks */
    bool quick;
} machines[] = {{"dgx-h100", "groups=4", true},
                {"tpu-v5p", "groups=1 ranks_per_group=8 fast.dims=2x2x2", false},
                {"terrace-a", "groups=4", false},
                {"synthetic-racks", "groups=8", true},
                {"aurora", "groups=3 slow.routers=1 slow.router_groups=1", false},
                {"frontier", "groups=4 slow.routers=1 slow.router_groups=1", true},
                {"perlmutter", "groups=8 slow.routers=1 slow.router_groups=1", false},
                {"alps", "groups=8 slow.routers=1 slow.router_groups=1", false},
                {"gb200-nvl72", "groups=2 ranks_per_group=8", false},
                {"cloudmatrix384", "groups=2 ranks_per_group=8", false},
                {"mi300x", "groups=4", false},
                {"gaudi3", "groups=4", false},
                {"deepseek-mpft", "groups=4", true},
                {"hgx-h200", "groups=4", false},
                {"aws-p5en", "groups=4", false},
                {"v100-edr", "groups=4", false},
                {"rtx-pro-6000", "groups=1", false}};
static const char *const implementations[] = {"nccl-p2p", "deepep-normal", "deepep-ll", "collective-eager"};
enum { N_MACHINES = sizeof machines / sizeof *machines,
       N_IMPLEMENTATIONS = sizeof implementations / sizeof *implementations };

/* What all cases have shown. */
struct tally {
    struct agreement_engines engines;
    struct gate_evidence *x;
    size_t cases, chaotic, messages, of_kind[AGREEMENT_KINDS];
    double difference, makespan; /* worst: of cases that are not chaotic; of those that are */
};

static enum rc take(struct tally *t, const struct agreement_case *c, struct err *e) {
    struct agreement_result r;
    enum rc rc = agreement_compare(&t->engines, c, &r, e);
    if (rc)
        return rc;
    t->cases++;
    t->messages += r.messages;
    t->chaotic += r.chaotic;
    if (r.chaotic)
        t->makespan = fmax(t->makespan, r.makespan);
    else
        t->difference = fmax(t->difference, r.difference);
    for (int k = 0; k < AGREEMENT_KINDS; k++)
        t->of_kind[k] += c->kinds[k];
    gate_add_point(t->x, true, r.times_s[1], r.times_s[0], "%s%s", c->label, r.chaotic ? ", chaotic" : "");
    return RC_OK;
}

static enum rc take_shipped(struct tally *t, int machine, int implementation, enum strategy strategy, struct err *e) {
    struct agreement_case c = {.n_calls = 0};
    const struct bench_ask ask = {.platform = machines[machine].name,
                                  .platform_set = machines[machine].shape,
                                  .workload = "olmoe-github",
                                  .workload_set = "tokens_per_rank=64 placement_remainder=pad",
                                  .implementation = implementations[implementation],
                                  .strategy = strategy,
                                  .seed = 1};
    enum rc rc = bench_open(&ask, &c.bench, e);
    if (rc)
        return rc;
    costs_wire(&c.bench.call, &c.costs[0]);
    snprintf(c.label, sizeof c.label, "%.14s %.14s %.8s", machines[machine].name, implementations[implementation],
             strategy_name(strategy));
    rc = take(t, &c, e);
    agreement_case_close(&c);
    return rc;
}

/* Every machine with every implementation; two hops where there are groups. */
static enum rc take_grid(struct tally *t, bool full, struct err *e) {
    enum rc rc = RC_OK;
    for (int i = 0; i < N_MACHINES * N_IMPLEMENTATIONS * 2 && !rc; i++) {
        int machine = i / 2 / N_IMPLEMENTATIONS, implementation = i / 2 % N_IMPLEMENTATIONS;
        bool two_hops = i % 2, one_group = strstr(machines[machine].shape, "groups=1") == machines[machine].shape;
        if ((two_hops && one_group) || (!full && !(machines[machine].quick && implementation < 2)))
            continue;
        rc = take_shipped(t, machine, implementation, two_hops ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP, e);
    }
    return rc;
}

static enum rc take_random(struct tally *t, int n, struct err *e) {
    enum rc rc = RC_OK;
    for (int i = 0; i < n && !rc; i++) {
        struct agreement_case c;
        rc = agreement_random(SEED, i, &c, e);
        if (rc)
            break;
        rc = take(t, &c, e);
        agreement_case_close(&c);
    }
    return rc;
}

enum rc estimand_engine_agreement(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    if (!in->tools.second)
        return err_set(e, RC_UNSUPPORTED, "the program has one engine; there is nothing to agree with");
    struct tally t = {.engines = {in->tools.simulator, in->tools.second, in->tools.sequence}, .x = x};
    const int random = in->tools.full ? CASES_FULL : CASES_QUICK;
    const size_t due = in->tools.full ? OF_A_KIND_FULL : OF_A_KIND_QUICK;
    enum rc rc = take_random(&t, random, e);
    size_t missing = 0;
    for (int k = 0; k < AGREEMENT_KINDS; k++) // the grid does not count
        missing += t.of_kind[k] < due ? due - t.of_kind[k] : 0;
    if (!rc)
        rc = take_grid(&t, in->tools.full, e);
    if (rc)
        return rc;
    gate_add_metric(x, "worst_difference", METRIC_NUMBER, t.difference);
    gate_add_metric(x, "chaotic", METRIC_SHARE, (double)t.chaotic / (double)t.cases);
    gate_add_metric(x, "worst_chaotic_makespan", METRIC_NUMBER, t.makespan);
    gate_add_metric(x, "missing_of_a_kind", METRIC_COUNT, (double)missing);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)t.cases);
    gate_add_metric(x, "random_cases", METRIC_COUNT, random);
    gate_add_metric(x, "messages", METRIC_COUNT, (double)t.messages);
    gate_add_metric(x, "seed", METRIC_COUNT, SEED);
    return RC_OK;
}
