/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimand of contention: node pairs that cross a supernode boundary together, simulated; each pair runs an all-to-all
 * of its own. */
#include <math.h>

#include "validation/bench.h"
#include "validation/estimand.h"

enum { NODE = 8 }; /* dies; pair i = node i of the first supernode with node i of the second */

/* Fills in what each die sends: equal shares to the dies of both nodes of its pair, itself included. */
static void set_pairs(struct bench *b, int pairs, double total_bytes) {
    int ranks = b->topology->ranks, half = ranks / 2;
    struct matrix m;
    matrix_init(&m, ranks, (size_t)pairs * 4 * NODE * NODE, false);
    size_t n = 0;
    for (int src = 0; src < ranks; src++) {
        int pair = src % half / NODE;
        m.start[src] = n;
        for (int k = 0; k < 2 * NODE && pair < pairs; k++) {
            m.dst[n] = k / NODE * half + pair * NODE + k % NODE;
            m.value[n++] = total_bytes / (2 * NODE);
        }
    }
    m.start[ranks] = n;
    matrix_clear(&b->call.stages[0].bytes);
    b->call.stages[0].bytes = m;
}

static enum rc open_boundary(const struct estimand_input *in, struct bench *b, struct err *e) {
    const struct bench_ask ask = {.platform = in->gate->platform,
                                  .workload = "terrace-reference",
                                  .workload_set = "experts=1024 group_limit=none "
                                                  "routing.mode=global_topk tokens_per_rank=1",
                                  .implementation = in->implementation->name,
                                  .strategy = STRATEGY_ONE_HOP};
    enum rc rc = bench_open(&ask, b, e);
    if (rc)
        return rc;
    // the measured rates are slopes over the size: they contain no cost of a message, and all is posted at once
    b->implementation->message_cost_s.fast.given = b->implementation->message_cost_s.slow.given = true;
    b->implementation->window = 0;
    return RC_OK;
}

enum rc estimand_contention(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    static const struct corpus_need needs[] = {{"pairs", CORPUS_COUNT}, {"rate", CORPUS_RATE}};
    enum { TOTAL_BYTES = 64 << 20 };
    const struct corpus *c = in->corpus;
    size_t column[2];
    struct bench b;
    double worst = 0;
    enum rc rc = corpus_columns(c, needs, 2, column, e);
    if (!rc)
        rc = open_boundary(in, &b, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < c->n_rows && !rc; i++) {
        int pairs = (int)corpus_value(c, i, column[0]);
        double measured_Bps = corpus_value(c, i, column[1]), time_s = 0;
        struct costs wire;
        if (pairs < 1 || 2 * NODE * pairs > b.topology->ranks) {
            rc = err_set(e, RC_RANGE, "%d pairs of nodes are more than %s has", pairs, b.platform->name);
            break;
        }
        set_pairs(&b, pairs, TOTAL_BYTES);
        costs_wire(&b.call, &wire);
        rc = simulate_time(in->tools.simulator, &b.call, &wire, &time_s, e);
        if (rc)
            break;
        double rate_Bps = TOTAL_BYTES * (2.0 * NODE - 1) / (2 * NODE) / time_s;
        worst = fmax(worst, fabs(rate_Bps / measured_Bps - 1));
        gate_add_point(x, true, rate_Bps, measured_Bps, "%d node pair%s", pairs, pairs > 1 ? "s" : "");
    }
    bench_close(&b);
    if (!rc)
        gate_add_metric(x, "worst_abs_error", METRIC_SHARE, worst);
    return rc;
}
