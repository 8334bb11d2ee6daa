/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands with simulated times: the paper's corpora and the closed form on balanced cases. */
#include "validation/estimand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/bench.h"
#include "validation/calls.h"
#include "validation/closed.h"
#include "workloads/strategy.h"

/* Finds the simulated time under the platform's own fixed costs, without splits and chain where the corpus has none. */
static enum rc known_time_s(const struct estimand_input *in, const struct bench *b, double *time_s,
                            struct err *e) {
    struct costs costs;
    char reason[200] = "";
    if (!costs_known(&b->call, REGIME_AHEAD, &costs, NULL, reason))
        return err_set(e, RC_UNSUPPORTED, "%s", reason);
    costs.splits_s = costs.chain_s_per_pair = costs.chain_floor_s = 0;
    return simulate_time(in->tools.simulator, &b->call, &costs, time_s, e);
}

/* Opens one world of the corpus' machine: whole groups, or a part of one. */
static enum rc open_world(const struct estimand_input *in, int world, struct bench *b, struct err *e) {
    int local = (int)in->platform->ranks_per_group;
    if (world > local && world % local)
        return err_set(e, RC_UNSUPPORTED, "world %d is not made of whole groups of %d", world, local);
    char shape[80], experts[40];
    snprintf(shape, sizeof shape, "groups=%d ranks_per_group=%d", world > local ? world / local : 1,
             world > local ? local : world);
    // the routing is replaced by the sweep's equal parts
    snprintf(experts, sizeof experts, "experts=%d", world * 8);
    char *routing = mem_printf("%s group_limit=none routing.mode=global_topk tokens_per_rank=1", experts);
    const struct bench_ask ask = {.platform = in->gate->platform,
                                  .platform_set = shape,
                                  .workload = "terrace-reference",
                                  .workload_set = routing,
                                  .implementation = in->implementation->name,
                                  .strategy = STRATEGY_ONE_HOP};
    enum rc rc = bench_open(&ask, b, e);
    free(routing);
    return rc;
}

enum rc estimand_simulated_all_to_all(const struct estimand_input *in, struct gate_evidence *x,
                                      struct err *e) {
    const struct corpus *c = in->corpus;
    size_t column[SWEEP_COLUMNS];
    struct bench b = {0};
    int open = 0; // world that the bench holds
    enum rc rc = corpus_columns(c, sweep_needs, SWEEP_COLUMNS, column, e);
    for (size_t i = 0; i < c->n_rows && !rc; i++) {
        int world = (int)corpus_value(c, i, column[0]);
        double bytes = corpus_value(c, i, column[1]), time_s = 0;
        if (world != open) {
            bench_close(&b);
            rc = open_world(in, world, &b, e);
            open = world;
        }
        if (rc)
            break;
        bench_all_to_all(&b, bytes);
        rc = known_time_s(in, &b, &time_s, e);
        if (!rc)
            gate_add_point(x, true, time_s, corpus_value(c, i, column[2]), "world %d, %.0f KiB", world,
                           bytes / 1024);
    }
    bench_close(&b);
    if (!rc)
        closed_sweep_metrics(x);
    return rc;
}

static enum rc strategy_time_s(const struct estimand_input *in, const char *shape, const char *routing,
                               enum strategy strategy, double *time_s, struct err *e) {
    const struct bench_ask ask = {.platform = in->gate->platform,
                                  .platform_set = shape,
                                  .workload = "terrace-reference",
                                  .workload_set = routing,
                                  .implementation = in->implementation->name,
                                  .strategy = strategy};
    struct bench b;
    enum rc rc = bench_open(&ask, &b, e);
    if (rc)
        return rc;
    rc = known_time_s(in, &b, time_s, e);
    bench_close(&b);
    return rc;
}

enum rc estimand_simulated_strategies(const struct estimand_input *in, struct gate_evidence *x,
                                      struct err *e) {
    const struct corpus *c = in->corpus;
    double k[GEOMETRY_CONSTANTS];
    size_t column[STRATEGY_COLUMNS];
    enum rc rc = corpus_constants(c, geometry_needs, GEOMETRY_CONSTANTS, k, e);
    if (!rc)
        rc = corpus_columns(c, strategy_needs, STRATEGY_COLUMNS, column, e);
    if (rc)
        return rc;
    struct crossing *crossing = mem_alloc(c->n_rows, sizeof *crossing);
    char *shape = mem_printf("groups=%.0f ranks_per_group=%.0f", k[0], k[1]);
    for (size_t i = 0; i < c->n_rows && !rc; i++) {
        double tokens = corpus_value(c, i, column[0]), time_s[2] = {0, 0}, measured_s[2];
        char *routing = mem_printf("tokens_per_rank=%.0f top_k=%.0f group_limit=%.0f hidden=%.0f",
                                   tokens, k[2], k[3], k[4] * k[5] / 2); // bf16, two bytes
        for (int hops = 0; hops < 2 && !rc; hops++) {
            measured_s[hops] = corpus_value(c, i, column[1 + hops]);
            rc = strategy_time_s(in, shape, routing, hops ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP,
                                 &time_s[hops], e);
            if (!rc)
                gate_add_point(x, true, time_s[hops], measured_s[hops], "%s, %.0f tokens",
                               hops ? "two hops" : "one hop", tokens);
        }
        free(routing);
        if (!rc)
            crossing[i] = (struct crossing){tokens, time_s[0] / time_s[1], measured_s[0] / measured_s[1]};
    }
    if (!rc)
        calls_strategy_metrics(x, crossing, c->n_rows);
    free(shape);
    free(crossing);
    return rc;
}

/* --- balanced cases -------------------------------------------------------------------------- */

struct balanced {
    int groups, ranks;
    enum strategy strategy;
    int tokens;
    const char *window; /* "1", "8", "all" */
    const char *latency;
};

static enum rc open_balanced(const struct balanced *c, struct bench *b, struct err *e) {
    char *shape = mem_printf("groups=%d ranks_per_group=%d fast.latency=%s slow.latency=%s", c->groups,
                             c->ranks, c->latency, c->latency);
    char *routing = mem_printf("tokens_per_rank=%d %s", c->tokens,
                               c->strategy == STRATEGY_ONE_HOP
                                   ? "group_limit=none routing.mode=global_topk"
                                   : "group_limit=2 routing.mode=full");
    char *how = mem_printf("window=%s", c->window);
    const struct bench_ask ask = {"synthetic", shape, "terrace-reference", routing, "collective-eager",
                                  how,         c->strategy, 1};
    enum rc rc = bench_open(&ask, b, e);
    free(shape);
    free(routing);
    free(how);
    return rc;
}

typedef enum rc (*balanced_f)(const struct estimand_input *in, const struct bench *b,
                              const struct costs *costs, double answers_s[2], struct err *e);

static enum rc one_balanced(const struct estimand_input *in, const struct balanced *c, balanced_f both,
                            struct gate_evidence *x, struct err *e) {
    struct bench b;
    struct costs costs;
    char reason[200] = "";
    double answers_s[2] = {0, 0};
    enum rc rc = open_balanced(c, &b, e);
    if (rc)
        return rc;
    if (!costs_known(&b.call, REGIME_AHEAD, &costs, NULL, reason))
        rc = err_set(e, RC_UNSUPPORTED, "%s", reason);
    if (!rc)
        rc = both(in, &b, &costs, answers_s, e);
    if (!rc)
        gate_add_point(x, true, answers_s[0], answers_s[1], "%s %dx%d T %d w %s lat %s",
                       strategy_name(c->strategy), c->groups, c->ranks, c->tokens, c->window, c->latency);
    bench_close(&b);
    return rc;
}

/* Tries the grid of balanced cases, one hop on one switch and two hops on two tiers: where the closed form's picture is
 * exact. */
static enum rc balanced_grid(const struct estimand_input *in, balanced_f both, struct gate_evidence *x,
                             struct err *e) {
    static const struct {
        int groups, ranks;
        enum strategy strategy;
        bool quick;
    } shapes[] = {{1, 2, STRATEGY_ONE_HOP, true},  {1, 8, STRATEGY_ONE_HOP, true},
                  {8, 1, STRATEGY_ONE_HOP, true},  {1, 16, STRATEGY_ONE_HOP, true},
                  {1, 64, STRATEGY_ONE_HOP, false}, {2, 2, STRATEGY_TWO_HOP, true},
                  {4, 2, STRATEGY_TWO_HOP, true},  {2, 8, STRATEGY_TWO_HOP, true},
                  {4, 8, STRATEGY_TWO_HOP, false}, {8, 8, STRATEGY_TWO_HOP, false},
                  {16, 8, STRATEGY_TWO_HOP, false}};
    static const int tokens[] = {1, 64, 4096};
    static const char *const windows[] = {"1", "8", "all"}, *const latencies[] = {"0s", "2us"};
    enum rc rc = RC_OK;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int i = 0; i < 18 && !rc; i++) {
            if (!in->tools.full && !shapes[s].quick)
                continue;
            const struct balanced c = {shapes[s].groups,       shapes[s].ranks, shapes[s].strategy,
                                       tokens[i % 3],          windows[i / 3 % 3],
                                       latencies[i / 9]};
            rc = one_balanced(in, &c, both, x, e);
        }
    if (rc)
        return rc;
    double worst = 0;
    size_t n;
    double *errors = closed_errors(x, &n);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(errors[i]));
    free(errors);
    gate_add_metric(x, "worst_difference", METRIC_NUMBER, worst);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)n);
    return RC_OK;
}

static enum rc simulated_and_closed(const struct estimand_input *in, const struct bench *b,
                                    const struct costs *costs, double answers_s[2], struct err *e) {
    struct outcome closed = {0};
    enum rc rc = simulate_time(in->tools.simulator, &b->call, costs, &answers_s[0], e);
    model_call(&b->call, costs, &closed);
    answers_s[1] = closed.time_s;
    outcome_clear(&closed);
    return rc;
}

enum rc estimand_cross_check(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    return balanced_grid(in, simulated_and_closed, x, e);
}
