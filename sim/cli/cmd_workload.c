/* SPDX-License-Identifier: BSD-3-Clause */
/* workload check|show|list: looks at workload files and routing records. */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "platforms/base/json.h"
#include "platforms/base/stat.h"
#include "platforms/find.h"
#include "sim/report/table.h"
#include "workloads/counts.h"

static const int world_sizes[] = {8, 16, 32, 64, 128};
enum { WORLD_SIZES = sizeof world_sizes / sizeof *world_sizes };

static enum rc list(const struct options *o, struct buf *out, struct err *e) {
    struct find_names names;
    find_names(FIND_WORKLOAD, &names);
    struct table t;
    table_init(&t, 2);
    struct json j;
    json_init(&j, out, true);
    if (o->format == FORMAT_JSON) {
        json_open(&j, '{');
        json_key_text(&j, "schema", "moesim/workload-list/1");
        json_key_open(&j, "workloads", '[');
    }
    enum rc rc = RC_OK;
    for (size_t i = 0; i < names.n && !rc; i++) {
        struct workload *w;
        rc = workload_load(names.names[i], NULL, 0, &w, e);
        if (rc)
            break;
        if (o->format == FORMAT_JSON) {
            json_open(&j, '{');
            json_key_text(&j, "name", w->name);
            json_key_text(&j, "description", w->description);
            json_close(&j);
        } else {
            table_cell(&t, "%s", w->name);
            table_cell(&t, "%s%s", w->description ? w->description : "",
                       strcmp(w->name, WORKLOAD_DEFAULT) == 0 ? " (default)" : "");
        }
        workload_free(w);
    }
    if (o->format == FORMAT_JSON) {
        json_close(&j);
        json_close(&j);
        buf_text(out, "\n");
    }
    table_write(&t, true, out);
    table_clear(&t);
    find_names_free(&names);
    return rc;
}

/* The counts of a uniform workload: every expert the same. */
static struct counts *uniform_counts(const struct workload *w) {
    struct counts *c = mem_alloc(1, sizeof *c);
    c->n_layers = 1;
    c->n_experts = (int)w->experts;
    c->layer = mem_alloc(1, sizeof *c->layer);
    c->counts = mem_alloc((size_t)w->experts, sizeof *c->counts);
    for (int i = 0; i < c->n_experts; i++)
        c->counts[i] = (double)(w->tokens_per_rank * w->top_k) / (double)w->experts;
    return c;
}

static enum rc load_counts(const struct options *o, struct inputs *in, struct counts **counts,
                           int64_t *top_k, struct err *e) {
    *top_k = o->top_k;
    if (o->trace) {
        struct counts_ask ask = {.experts = (int)o->experts};
        return counts_load(o->trace, &ask, counts, e);
    }
    enum rc rc = inputs_load(o, INPUT_WORKLOAD, in, e);
    if (rc)
        return rc;
    const struct workload *w = in->workload;
    if (!*top_k)
        *top_k = w->top_k;
    if (w->routing.source == SOURCE_UNIFORM) {
        *counts = uniform_counts(w);
        return RC_OK;
    }
    struct counts_ask ask = {(int)w->experts, w->routing.model, w->routing.corpus};
    return counts_load(w->trace_path, &ask, counts, e);
}

static void show_json(const struct counts *c, int64_t top_k, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/workload-show/1");
    json_key_open(&j, "layers", '[');
    for (int l = 0; l < c->n_layers; l++) {
        size_t n = (size_t)c->n_experts;
        const double *x = c->counts + (size_t)l * n;
        json_open(&j, '{');
        json_key_int(&j, "layer", c->layer[l]);
        json_key_int(&j, "experts", c->n_experts);
        json_key(&j, "tokens");
        top_k ? json_number(&j, stat_sum(x, n) / (double)top_k) : json_null(&j);
        json_key_number(&j, "max_over_mean", stat_max_over_mean(x, n));
        json_key_number(&j, "gini", stat_gini(x, n));
        json_key_number(&j, "cv", stat_cv(x, n));
        json_key_open(&j, "rho_max", '{');
        for (int i = 0; i < WORLD_SIZES; i++) {
            double rho = counts_rank_rho(c, l, world_sizes[i]);
            char key[8];
            snprintf(key, sizeof key, "%d", world_sizes[i]);
            if (rho > 0)
                json_key_number(&j, key, rho);
        }
        json_close(&j);
        json_close(&j);
    }
    json_close(&j);
    json_key_int(&j, "dropped_rows", 0);
    json_key_int(&j, "suspected_rows", 0);
    json_key_open(&j, "warnings", '[');
    for (const char *p = c->notes.text; p && *p;) {
        size_t n = strcspn(p, "\n");
        char line[400];
        snprintf(line, sizeof line, "%.*s", (int)n, p);
        json_text(&j, line);
        p += n + (p[n] == '\n');
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

static void show_text(const struct counts *c, int64_t top_k, struct buf *out) {
    struct table t;
    table_init(&t, 6 + WORLD_SIZES);
    static const char *const head[] = {"layer", "experts", "tokens", "max/mean", "gini", "cv"};
    for (int i = 0; i < 6; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < WORLD_SIZES; i++)
        table_cell(&t, "rho@%d", world_sizes[i]);
    for (int l = 0; l < c->n_layers; l++) {
        size_t n = (size_t)c->n_experts;
        const double *x = c->counts + (size_t)l * n;
        table_cell(&t, "%lld", (long long)c->layer[l]);
        table_cell(&t, "%d", c->n_experts);
        if (top_k)
            table_cell(&t, "%.10g", stat_sum(x, n) / (double)top_k);
        else
            table_cell(&t, "-");
        table_cell(&t, "%.3f", stat_max_over_mean(x, n));
        table_cell(&t, "%.3f", stat_gini(x, n));
        table_cell(&t, "%.3f", stat_cv(x, n));
        for (int i = 0; i < WORLD_SIZES; i++) {
            double rho = counts_rank_rho(c, l, world_sizes[i]);
            if (rho > 0)
                table_cell(&t, "%.3f", rho);
            else
                table_cell(&t, "-");
        }
    }
    table_write(&t, false, out);
    table_clear(&t);
    buf_text(out, "rho@EP: busiest rank over mean rank, experts in contiguous blocks on EP ranks\n");
    if (c->notes.n)
        buf_printf(out, "%s", c->notes.text);
}

enum rc cmd_workload(const struct options *o, struct buf *out, struct err *e) {
    enum { VERBS = 3 };
    static const char *const verbs[VERBS] = {"list", "check", "show"};
    const char *verb = o->n_words ? o->words[0] : "";
    size_t k = 0;
    while (k < VERBS && strcmp(verbs[k], verb) != 0)
        k++;
    if (k == VERBS || o->n_words > (k == 0 ? 1 : 2)) {
        const char *near = k == VERBS ? err_nearest(verb, verbs, VERBS) : NULL;
        return err_set(e, RC_USAGE,
                       "workload: expected check, show or list, then a name or file%s%s%s",
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (k == 0)
        return list(o, out, e);
    struct options with_name = *o;
    if (o->n_words == 2)
        with_name.workload = o->words[1];
    struct inputs in = {0};
    struct counts *counts = NULL;
    int64_t top_k;
    enum rc rc = load_counts(&with_name, &in, &counts, &top_k, e);
    if (!rc && k == 1)
        buf_printf(out, "%s: ok, %d layers of %d experts\n",
                   o->trace ? o->trace : in.workload->doc->file, counts->n_layers,
                   counts->n_experts);
    else if (!rc && o->format == FORMAT_JSON)
        show_json(counts, top_k, out);
    else if (!rc)
        show_text(counts, top_k, out);
    counts_free(counts);
    inputs_clear(&in);
    return rc;
}
