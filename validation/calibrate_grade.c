/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/calibrate_grade.h"

#include <stdlib.h>

#include "platforms/base/file.h"
#include "validation/bench.h"
#include "workloads/records/record.h"

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

/* What is asked of a whole machine whose host waits. */
struct grader {
    const struct calibration *c;
    const struct grade_ask *ask;
    struct bench bench;
};

static bool is_graded(const struct grader *g, size_t i) {
    const struct sample *s = g->c->points.items[i].of;
    int64_t ranks = g->c->samples->groups * g->c->samples->ranks_per_group;
    return g->c->held[i] && s->world == ranks && s->regime == REGIME_OBSERVED && s->calls == 1 &&
           (s->quantity != SAMPLED_REPLAY || g->ask->matrices);
}

/* Sets the call up and simulates it; without its fixed cost there is a reason instead of a time. */
static enum rc predict(struct grader *g, const struct sample *s, struct prediction *p, char reason[static 200],
                       struct err *e) {
    struct costs costs;
    struct call *call = &g->bench.call;
    enum rc rc = RC_OK;
    if (s->quantity == SAMPLED_REPLAY)
        rc = put_matrix(g->ask->matrices, s->part, &g->bench, e);
    else
        bench_all_to_all(&g->bench, s->send_bytes);
    if (rc || !costs_known(call, REGIME_OBSERVED, &costs, NULL, reason))
        return rc;
    costs.splits_s = costs.chain_s_per_pair = costs.chain_floor_s = 0;
    p->time_s.given = true;
    return simulate_time(g->ask->simulator, call, &costs, &p->time_s.value, e);
}

static enum rc put_prediction(struct grader *g, const struct sample *s, struct freeze_writer *w, struct err *e) {
    char reason[200] = "";
    char *id = s->quantity == SAMPLED_REPLAY
                   ? mem_printf("matrix %s, %.0f B a rank", s->part, s->send_bytes)
                   : mem_printf("%s, %.0f B a rank", sampled_name(s->quantity), s->send_bytes);
    struct prediction p = {.id = id, .part = s->part, .reason = reason, .quantity = s->quantity, .regime = s->regime,
                           .world = s->world, .send_bytes = {.value = s->send_bytes, .given = true}};
    enum rc rc = predict(g, s, &p, reason, e);
    if (!rc)
        freeze_put(w, &p);
    free(id);
    return rc;
}

/* Writes the freeze file of all that was held back; *any: there is something. */
static enum rc freeze_held(struct grader *g, struct buf *out, bool *any, struct err *e) {
    struct freeze_writer w;
    struct freeze_head head = g->ask->head;
    enum rc rc = RC_OK;
    *any = false;
    head.files = &g->bench.platform->doc->files;
    freeze_begin(&w, &head, out);
    for (size_t i = 0; i < g->c->points.n && !rc; i++)
        if (is_graded(g, i)) {
            rc = put_prediction(g, g->c->points.items[i].of, &w, e);
            *any = true;
        }
    freeze_end(&w);
    return rc;
}

/* Reads what was written as anybody else would, and grades it by the held-back points. */
static enum rc grade_text(const struct calibration *c, const struct buf *text, const char *path, struct grade *grade,
                          struct err *e) {
    enum rc rc = file_write(path, text->text, text->n, e);
    if (!rc)
        rc = freeze_load(path, &grade->freeze, e);
    return rc ? rc : score_points(grade->freeze, &c->points, c->held, &grade->score, e);
}

enum rc calibrate_grade(const struct calibration *c, const struct grade_ask *ask, struct grade *grade, struct err *e) {
    struct grader g = {.c = c, .ask = ask};
    struct grade made = {0};
    struct buf text = {0};
    bool any = false;
    enum rc rc = open_bench(c, ask->platform, &g.bench, e);
    if (!rc)
        rc = freeze_held(&g, &text, &any, e);
    bench_close(&g.bench);
    if (!rc && any)
        rc = grade_text(c, &text, ask->freeze, &made, e);
    buf_clear(&text);
    if (rc)
        grade_clear(&made);
    else
        *grade = made;
    return rc;
}

void grade_clear(struct grade *grade) {
    score_clear(&grade->score);
    freeze_free(grade->freeze);
    *grade = (struct grade){0};
}
