/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/popularity.h"

void loads_clear(struct loads *s) {
    record_free(s->record);
    counts_free(s->own);
    free(s->kept);
    buf_clear(&s->more);
    inputs_clear(&s->in);
}

static struct counts *counts_new(int layers, int experts) {
    struct counts *c = mem_alloc(1, sizeof *c);
    c->n_layers = layers;
    c->n_experts = c->n_named = experts;
    c->layer = mem_alloc((size_t)layers, sizeof *c->layer);
    c->counts = mem_alloc((size_t)layers * (size_t)experts, sizeof *c->counts);
    return c;
}

/* Loads of a workload without a record: uniform or synthetic, on the default platform. */
static enum rc take_workload(const struct loads_question *question, struct inputs *in, struct loads *s,
                             struct err *e) {
    const struct workload *w = in->workload;
    enum rc rc = inputs_load(&question->q, INPUT_PLATFORM, in, e);
    if (rc)
        return rc;
    struct popularity p = {0};
    struct popularity_ask ask = {.platform = in->platform,
                                 .workload = w,
                                 .step = w->routing.batch,
                                 .seed = (uint64_t)question->q.seed};
    rc = popularity_build(&ask, &p, &s->more, e);
    s->counts = s->own = counts_new(1, (int)w->experts);
    for (int i = 0; i < (int)w->experts && !rc; i++)
        s->own->counts[i] = // of one rank's tokens
            (double)w->tokens_per_rank * (double)w->top_k * p.load[i] / stat_sum(p.load, (size_t)w->experts);
    popularity_clear(&p);
    s->notes = s->more.text ? s->more.text : "";
    return rc;
}

static void take_routes(const struct routes *r, bool drop_suspected, struct loads *s) {
    size_t n = (size_t)r->experts;
    s->counts = s->own = counts_new(r->n_layers, r->experts);
    s->dropped = routes_dropped(r);
    s->suspected = routes_suspected(r);
    if (drop_suspected) {
        s->dropped += s->suspected;
        s->suspected = 0;
    }
    if (s->suspected)
        s->kept = mem_alloc((size_t)r->n_layers * n, sizeof *s->kept);
    for (int l = 0; l < r->n_layers; l++) {
        s->own->layer[l] = r->layers[l].layer;
        routes_count(r, l, !drop_suspected, s->own->counts + (size_t)l * n);
        if (s->kept)
            routes_count(r, l, false, s->kept + (size_t)l * n);
    }
    if (!s->top_k)
        s->top_k = r->top_k;
}

/* A matrix has no experts: its receiving ranks take their place. */
static void take_matrix(const struct matrix *m, struct loads *s) {
    s->counts = s->own = counts_new(1, m->ranks);
    matrix_sums(m, false, true, s->own->counts);
    buf_printf(&s->more, "%sa matrix of bytes: loads are bytes per receiving rank, local ones included\n",
               s->notes);
    s->notes = s->more.text;
    s->top_k = 0;
}

static bool is_set(const struct question_input *input, const char *key) {
    for (size_t i = 0; i < input->n; i++)
        if (strcmp(input->settings[i].key, key) == 0)
            return true;
    return false;
}

/* What --set says about a record given with --trace. experts and top_k that nobody states stay open. */
static enum rc ask_for_trace(const struct loads_question *question, struct inputs *in, struct record_ask *ask,
                             struct err *e) {
    const struct question_input *given = &question->q.workload;
    struct setting *all = mem_alloc(given->n + 4, sizeof *all);
    char experts[24], top_k[24];
    bool has_experts = question->experts || is_set(given, "experts"), has_k = question->top_k || is_set(given, "top_k");
    size_t n = 0;
    // first, so that --set goes before; any number serves where none is stated
    snprintf(experts, sizeof experts, "%lld", question->experts ? (long long)question->experts : 65536LL);
    snprintf(top_k, sizeof top_k, "%lld", question->top_k ? (long long)question->top_k : 1LL);
    all[n++] = (struct setting){"experts", experts};
    all[n++] = (struct setting){"top_k", top_k};
    for (size_t i = 0; i < given->n; i++)
        all[n++] = given->settings[i];
    all[n++] = (struct setting){"routing.trace", question->trace};
    all[n++] = (struct setting){"routing.source", "trace"};
    const struct question q = {.workload = {.settings = all, .n = n}};
    enum rc rc = inputs_load(&q, INPUT_WORKLOAD, in, e);
    if (!rc) {
        popularity_record_ask(in->workload, ask);
        if (!has_experts)
            ask->counts.experts = ask->routes.experts = 0;
        if (!has_k)
            ask->routes.top_k = 0;
    }
    free(all);
    return rc;
}

enum rc loads_load(const struct loads_question *question, struct loads *s, struct err *e) {
    struct inputs *in = &s->in;
    s->notes = "";
    struct record_ask ask;
    const char *path = question->trace;
    enum rc rc = question->trace ? ask_for_trace(question, in, &ask, e)
                                 : inputs_load(&question->q, INPUT_WORKLOAD, in, e);
    if (rc)
        return rc;
    const struct workload *w = in->workload;
    s->top_k = question->top_k ? question->top_k : w->top_k;
    if (!question->trace) {
        if (w->routing.source != SOURCE_TRACE)
            return take_workload(question, in, s, e);
        popularity_record_ask(w, &ask);
        path = w->trace_path;
    }
    s->top_k = question->top_k ? question->top_k : ask.routes.top_k;
    rc = record_load(path, &ask, &s->record, e);
    if (rc)
        return rc;
    s->notes = record_notes(s->record);
    if (s->record->kind == RECORD_COUNTS)
        s->counts = s->record->counts;
    else if (s->record->kind == RECORD_ROUTES)
        take_routes(s->record->routes, w->routing.suspected != 0, s);
    else
        take_matrix(&s->record->bytes, s);
    return RC_OK;
}

const double *loads_of_layer(const struct loads *s, int l) {
    return s->counts->counts + (size_t)l * (size_t)s->counts->n_experts;
}

int loads_worst_layer(const struct loads *s) {
    size_t n = (size_t)s->counts->n_experts;
    int worst = 0;
    for (int l = 1; l < s->counts->n_layers; l++)
        if (stat_max_over_mean(loads_of_layer(s, l), n) > stat_max_over_mean(loads_of_layer(s, worst), n))
            worst = l;
    return worst;
}
