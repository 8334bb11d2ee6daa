/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/calibrate_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "validation/bench.h"
#include "validation/gate_run.h"
#include "workloads/records/record.h"

/* --- files -------------------------------------------------------------------------------------- */

static enum rc put(const char *folder, const char *name, const struct buf *text, struct err *e) {
    char *path = mem_printf("%s/%s", folder, name);
    enum rc rc = file_write(path, text->text, text->n, e);
    free(path);
    return rc;
}

static enum rc put_platform(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                            const char *verdict, struct err *e) {
    struct buf text = {0};
    calibration_platform(c, skeleton, verdict, &text);
    enum rc rc = put(folder, "platform.yaml", &text, e);
    buf_clear(&text);
    return rc;
}

/* The corpus and its gate; *any: something was held back. */
static enum rc put_gate(const struct calibration *c, const char *folder, bool *any, struct err *e) {
    struct buf corpus = {0}, gate = {0};
    char sha256[HASH_TEXT];
    enum rc rc = RC_OK;
    *any = calibration_corpus(c, &corpus);
    if (*any) {
        hash_bytes(corpus.text, corpus.n, sha256);
        calibration_gate(c, sha256, "platform.yaml", &gate);
        rc = put(folder, "held_back.yaml", &corpus, e);
        if (!rc)
            rc = put(folder, "held_back_gate.yaml", &gate, e);
    }
    buf_clear(&corpus);
    buf_clear(&gate);
    return rc;
}

static void say(const struct gate_result *r, struct buf *verdict) {
    bool passed = r->state == GATE_PASSED;
    buf_printf(verdict, "gate %s: %s%s%s\n", r->gate->id, gate_state_name(r->state), passed ? "" : ": ", r->reason);
    for (size_t i = 0; i < r->evidence.n_metrics; i++)
        buf_printf(verdict, "  %s %.3g\n", r->evidence.metrics[i].name, r->evidence.metrics[i].value);
    const struct gate_scope *s = &r->gate->scope;
    buf_printf(verdict, "%s: call_time, absolute_time (one hop of %s, %.0f to %.0f ranks, %.4g to %.4g B a rank)\n",
               passed ? "earned" : "not earned", s->implementation, s->world[0], s->world[1], s->bytes[0], s->bytes[1]);
}

static enum rc evaluate(const char *folder, struct buf *verdict, struct err *e) {
    struct gate_files files = {0};
    const struct estimand_tools none = {0};
    enum rc rc = gate_files_load(folder, &files, e);
    for (size_t i = 0; i < files.n && !rc; i++) {
        struct gate_result r = {0};
        gate_evaluate(&files.gates[i], folder, &none, &r);
        say(&r, verdict);
        gate_result_clear(&r);
    }
    gate_files_clear(&files);
    return rc;
}

enum rc calibrate_write(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                        struct buf *verdict, struct err *e) {
    bool any = false;
    enum rc rc = put_platform(c, skeleton, folder, NULL, e);
    if (!rc)
        rc = put_gate(c, folder, &any, e);
    if (!rc && any)
        rc = evaluate(folder, verdict, e);
    else if (!rc)
        buf_text(verdict, "no size of calls that run ahead was held back: there is no gate, and nothing is earned\n");
    return rc ? rc : put_platform(c, skeleton, folder, verdict->text, e);
}

/* --- against the simulator ------------------------------------------------------------------------ */

static enum rc open_bench(const struct calibration *c, const char *platform, struct bench *b, struct err *e) {
    char *routing = mem_printf("experts=%lld group_limit=none routing.mode=global_topk tokens_per_rank=1",
                               (long long)(8 * c->samples->groups * c->samples->ranks_per_group));
    const struct bench_ask ask = {.platform = platform, .workload = "terrace-reference", .workload_set = routing,
                                  .implementation = c->samples->implementation, .strategy = STRATEGY_ONE_HOP};
    enum rc rc = bench_open(&ask, b, e);
    free(routing);
    return rc;
}

/* A matrix of no more ranks than the machine has, the others neither sending nor receiving. */
static void widen(const struct matrix *m, int ranks, struct matrix *into) {
    double *dense = matrix_dense(m), *wide = mem_alloc((size_t)ranks * (size_t)ranks, sizeof *wide);
    for (int src = 0; src < m->ranks; src++)
        for (int dst = 0; dst < m->ranks; dst++)
            wide[src * ranks + dst] = dense[src * m->ranks + dst];
    matrix_from_dense(wide, ranks, m->whole, into);
    free(dense);
    free(wide);
}

static enum rc put_matrix(const char *folder, const char *name, struct bench *b, struct err *e) {
    const struct record_ask ask = {0};
    struct record *r = NULL;
    char *path = mem_printf("%s/%s", folder, name);
    enum rc rc = record_load(path, &ask, &r, e);
    if (!rc && (r->kind != RECORD_MATRIX || r->bytes.ranks > b->topology->ranks))
        rc = err_set(e, RC_SHAPE, "%s is no matrix of up to %d ranks", path, b->topology->ranks);
    if (!rc) {
        matrix_clear(&b->call.stages[0].bytes);
        widen(&r->bytes, b->topology->ranks, &b->call.stages[0].bytes);
    }
    record_free(r);
    free(path);
    return rc;
}

static enum rc simulate(const struct sample_point *p, const char *matrices, const struct simulator *simulator,
                        struct bench *b, struct held_back *row, struct err *e) {
    const struct sample *s = p->of;
    struct costs costs;
    enum rc rc = RC_OK;
    *row = (struct held_back){.measured_s = p->median_s, .low_s = p->low_s, .high_s = p->high_s};
    if (s->quantity == SAMPLED_REPLAY) {
        snprintf(row->label, sizeof row->label, "matrix %.60s", s->part);
        rc = put_matrix(matrices, s->part, b, e);
    } else {
        snprintf(row->label, sizeof row->label, "%s, %.0f B a rank", sampled_name(s->quantity), s->send_bytes);
        bench_all_to_all(b, s->send_bytes);
    }
    if (rc || !costs_known(&b->call, REGIME_OBSERVED, &costs, NULL, row->reason))
        return rc;
    costs.splits_s = costs.chain_s_per_pair = costs.chain_floor_s = 0;
    return simulate_time(simulator, &b->call, &costs, &row->simulated_s, e);
}

enum rc calibrate_compare(const struct calibration *c, const char *platform, const char *matrices,
                          const struct simulator *simulator, struct held_back **rows, size_t *n, struct err *e) {
    struct bench b = {0};
    struct held_back *made = mem_alloc(c->points.n + 1, sizeof *made);
    size_t n_made = 0;
    int64_t ranks = c->samples->groups * c->samples->ranks_per_group;
    enum rc rc = open_bench(c, platform, &b, e);
    for (size_t i = 0; i < c->points.n && !rc; i++) {
        const struct sample *s = c->points.items[i].of;
        bool wanted = c->held[i] && s->world == ranks && s->regime == REGIME_OBSERVED && s->calls == 1;
        if (wanted && (s->quantity != SAMPLED_REPLAY || matrices))
            rc = simulate(&c->points.items[i], matrices, simulator, &b, &made[n_made++], e);
    }
    bench_close(&b);
    if (rc) {
        free(made);
        return rc;
    }
    *rows = made;
    *n = n_made;
    return RC_OK;
}
