/* SPDX-License-Identifier: BSD-3-Clause */
/* workload check|show|list: looks at workload files and routing records. */
#include "sim/cli/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/popularity.h"
#include "workloads/draw/skew.h"

static const int world_sizes[] = {8, 16, 32, 64, 128};
enum { WORLD_SIZES = sizeof world_sizes / sizeof *world_sizes };

static enum rc list_one(const char *name, struct json *j, struct table *t, char **description, struct err *e) {
    struct workload *w;
    enum rc rc = workload_load(name, NULL, 0, &w, e);
    if (rc)
        return rc;
    if (j)
        json_key_text(j, "name", w->name);
    else
        table_cell(t, "%s", w->name);
    *description = w->description ? mem_copy(w->description) : NULL;
    workload_free(w);
    return RC_OK;
}

static const struct list listed = {FIND_WORKLOAD, "moesim/workload-list/1", "workloads", WORKLOAD_DEFAULT, 2,
                                   list_one};

/* What is shown: loads per layer, and what the record says of itself. */
struct shown {
    struct record *record; /* NULL: not from a record */
    struct counts *own;    /* loads that are no record's counts */
    const struct counts *counts;
    double *kept;          /* counts without suspected rows, laid out as counts; NULL: none are suspected */
    int64_t dropped, suspected;
    int64_t top_k;
    const char *notes;
    struct buf more;
};

static void shown_clear(struct shown *s) {
    record_free(s->record);
    counts_free(s->own);
    free(s->kept);
    buf_clear(&s->more);
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
static enum rc take_workload(const struct options *o, struct inputs *in, struct shown *s,
                             struct err *e) {
    const struct workload *w = in->workload;
    enum rc rc = inputs_load(o, INPUT_PLATFORM, in, e);
    if (rc)
        return rc;
    struct popularity p = {0};
    struct popularity_ask ask = {.platform = in->platform,
                                 .workload = w,
                                 .step = w->routing.batch,
                                 .seed = o->seed};
    rc = popularity_build(&ask, &p, &s->more, e);
    s->counts = s->own = counts_new(1, (int)w->experts);
    for (int i = 0; i < (int)w->experts && !rc; i++)
        s->own->counts[i] = // of one rank's tokens
            (double)w->tokens_per_rank * (double)w->top_k * p.load[i] / stat_sum(p.load, (size_t)w->experts);
    popularity_clear(&p);
    s->notes = s->more.text ? s->more.text : "";
    return rc;
}

static void take_routes(const struct routes *r, bool drop_suspected, struct shown *s) {
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
static void take_matrix(const struct matrix *m, struct shown *s) {
    s->counts = s->own = counts_new(1, m->ranks);
    matrix_sums(m, false, true, s->own->counts);
    buf_printf(&s->more, "%sa matrix of bytes: loads are bytes per receiving rank, local ones included\n",
               s->notes);
    s->notes = s->more.text;
    s->top_k = 0;
}

static bool is_set(const struct setting_list *list, const char *key) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].key, key) == 0)
            return true;
    return false;
}

/* What --set says about a record given with --trace. experts and top_k that nobody states stay open. */
static enum rc ask_for_trace(const struct options *o, struct inputs *in, struct record_ask *ask,
                             struct err *e) {
    const struct setting_list *given = &o->set_workload;
    struct setting *all = mem_alloc(given->n + 2, sizeof *all);
    char experts[24], top_k[24];
    bool has_experts = o->experts || is_set(given, "experts"), has_k = o->top_k || is_set(given, "top_k");
    size_t n = 0;
    // first, so that --set goes before; any number serves where none is stated
    snprintf(experts, sizeof experts, "%lld", o->experts ? (long long)o->experts : 65536LL);
    snprintf(top_k, sizeof top_k, "%lld", o->top_k ? (long long)o->top_k : 1LL);
    all[n++] = (struct setting){"experts", experts};
    all[n++] = (struct setting){"top_k", top_k};
    for (size_t i = 0; i < given->n; i++)
        all[n++] = given->items[i];
    enum rc rc = workload_load(WORKLOAD_DEFAULT, all, n, &in->workload, e);
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

static enum rc load_shown(const struct options *o, struct inputs *in, struct shown *s, struct err *e) {
    struct record_ask ask;
    const char *path = o->trace;
    enum rc rc = o->trace ? ask_for_trace(o, in, &ask, e) : inputs_load(o, INPUT_WORKLOAD, in, e);
    if (rc)
        return rc;
    const struct workload *w = in->workload;
    s->top_k = o->top_k ? o->top_k : w->top_k;
    if (!o->trace) {
        if (w->routing.source != SOURCE_TRACE)
            return take_workload(o, in, s, e);
        popularity_record_ask(w, &ask);
        path = w->trace_path;
    }
    s->top_k = o->top_k ? o->top_k : ask.routes.top_k;
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

static const double *layer_loads(const struct shown *s, int l) {
    return s->counts->counts + (size_t)l * (size_t)s->counts->n_experts;
}

/* The layer whose experts are loaded most unevenly. */
static int worst_layer(const struct shown *s) {
    size_t n = (size_t)s->counts->n_experts;
    int worst = 0;
    for (int l = 1; l < s->counts->n_layers; l++)
        if (stat_max_over_mean(layer_loads(s, l), n) > stat_max_over_mean(layer_loads(s, worst), n))
            worst = l;
    return worst;
}

static void rho_json(struct json *j, const char *key, const double *load, int experts) {
    json_key_open(j, key, '{');
    for (int i = 0; i < WORLD_SIZES; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", world_sizes[i]);
        if (experts % world_sizes[i] == 0 && stat_sum(load, (size_t)experts) > 0)
            json_key_number(j, name, skew_rho(load, experts, world_sizes[i]));
    }
    json_close(j);
}

static void show_json(const struct shown *s, struct buf *out) {
    const struct counts *c = s->counts;
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/workload-show/1");
    json_key_open(&j, "layers", '[');
    for (int l = 0; l < c->n_layers; l++) {
        size_t n = (size_t)c->n_experts;
        const double *x = layer_loads(s, l), rows = stat_sum(x, n);
        json_open(&j, '{');
        json_key_int(&j, "layer", c->layer[l]);
        json_key_int(&j, "experts", c->n_experts);
        json_key_number_if(&j, "tokens", s->top_k > 0, rows / (double)s->top_k);
        json_key_number_if(&j, "max_over_mean", rows > 0, stat_max_over_mean(x, n));
        json_key_number_if(&j, "gini", rows > 0, stat_gini(x, n));
        json_key_number_if(&j, "cv", rows > 0, stat_cv(x, n));
        rho_json(&j, "rho_max", x, c->n_experts);
        if (s->kept)
            rho_json(&j, "rho_max_without_suspected", s->kept + (size_t)l * n, c->n_experts);
        json_close(&j);
    }
    json_close(&j);
    json_key_int(&j, "worst_layer", c->layer[worst_layer(s)]);
    json_key_int(&j, "dropped_rows", s->dropped);
    json_key_int(&j, "suspected_rows", s->suspected);
    json_key_lines(&j, "warnings", s->notes);
    json_close(&j);
    buf_text(out, "\n");
}

static void rho_cells(struct table *t, const double *load, int experts) {
    for (int i = 0; i < WORLD_SIZES; i++)
        if (experts % world_sizes[i] == 0 && stat_sum(load, (size_t)experts) > 0)
            table_cell(t, "%.3f", skew_rho(load, experts, world_sizes[i]));
        else
            table_cell(t, "-");
}

static void stat_cell(struct table *t, double value) {
    if (value >= 0)
        table_cell(t, "%.3f", value);
    else
        table_cell(t, "-");
}

static void show_table(const struct shown *s, struct buf *out) {
    const struct counts *c = s->counts;
    size_t n = (size_t)c->n_experts;
    struct table t;
    table_init(&t, 6 + WORLD_SIZES);
    static const char *const head[] = {"layer", "experts", "tokens", "max/mean", "gini", "cv"};
    for (int i = 0; i < 6; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < WORLD_SIZES; i++)
        table_cell(&t, "rho@%d", world_sizes[i]);
    for (int l = 0; l < c->n_layers; l++)
        for (int kept = 0; kept <= (s->kept != NULL); kept++) {
            const double *x = kept ? s->kept + (size_t)l * n : layer_loads(s, l);
            table_cell(&t, kept ? "%lld*" : "%lld", (long long)c->layer[l]);
            table_cell(&t, "%d", c->n_experts);
            if (s->top_k)
                table_cell(&t, "%.10g", stat_sum(x, n) / (double)s->top_k);
            else
                table_cell(&t, "-");
            stat_cell(&t, stat_max_over_mean(x, n));
            stat_cell(&t, stat_gini(x, n));
            stat_cell(&t, stat_cv(x, n));
            rho_cells(&t, x, c->n_experts);
        }
    table_write(&t, false, out);
    table_clear(&t);
    buf_text(out, "rho@EP: busiest rank over mean rank, experts in contiguous blocks on EP ranks; 1/rho is a "
                  "balancer's \"balancedness\"\n");
    if (s->kept)
        buf_text(out, "*: without suspected rows\n");
}

/* How many of x[n] lie in each tenth of the way from 0 to the largest, in multiples of the mean. */
static void histogram(const char *what, const double *x, size_t n, struct buf *out) {
    enum { BINS = 10, WIDTH = 40 };
    double most = stat_max(x, n), mean = stat_sum(x, n) / (double)n;
    size_t count[BINS] = {0}, highest = 1;
    if (!(most > 0))
        return;
    for (size_t i = 0; i < n; i++) {
        int bin = (int)(x[i] / most * BINS);
        count[bin < BINS ? bin : BINS - 1]++;
    }
    for (int b = 0; b < BINS; b++)
        highest = count[b] > highest ? count[b] : highest;
    buf_printf(out, "%s by load over mean:\n", what);
    for (int b = 0; b < BINS; b++) {
        buf_printf(out, "  %7.2f .. %5.2f %5zu%s", most / mean * b / BINS, most / mean * (b + 1) / BINS,
                   count[b], count[b] ? " " : "");
        for (size_t i = 0; i < (count[b] * WIDTH + highest - 1) / highest; i++)
            buf_text(out, "#");
        buf_text(out, "\n");
    }
}

static void show_text(const struct shown *s, struct buf *out) {
    enum { EP = 8 };
    const struct counts *c = s->counts;
    size_t n = (size_t)c->n_experts;
    show_table(s, out);
    int worst = worst_layer(s);
    const double *x = layer_loads(s, worst);
    if (c->n_layers > 1)
        buf_printf(out, "worst layer: %lld (layers run one after the other: the mean over layers hides it)\n",
                   (long long)c->layer[worst]);
    histogram("experts", x, n, out);
    if (n % EP == 0 && n > EP) {
        double rank[EP] = {0};
        for (size_t i = 0; i < n; i++)
            rank[i / (n / EP)] += x[i];
        histogram("ranks at EP 8", rank, EP, out);
    }
    buf_printf(out, "dropped rows: %lld, suspected rows: %lld\n", (long long)s->dropped,
               (long long)s->suspected);
    buf_text(out, s->notes);
}

static void write_check(const struct shown *s, const char *file, enum format format, struct buf *out) {
    struct json j;
    if (format != FORMAT_JSON) {
        buf_printf(out, "%s: ok, %d layers of %d experts\n", file, s->counts->n_layers, s->counts->n_experts);
        return;
    }
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/workload-check/1");
    json_key_text(&j, "file", file);
    json_key_int(&j, "layers", s->counts->n_layers);
    json_key_int(&j, "experts", s->counts->n_experts);
    json_key_lines(&j, "warnings", s->notes);
    json_close(&j);
    buf_text(out, "\n");
}

enum rc cmd_workload(const struct options *o, struct buf *out, struct err *e) {
    enum { VERBS = 3 };
    static const char *const verbs[VERBS] = {"list", "check", "show"};
    const char *verb = o->n_words ? o->words[0] : "";
    size_t k = 0;
    while (k < VERBS && strcmp(verbs[k], verb) != 0)
        k++;
    if (k == VERBS || o->n_words > (k == 0 ? 1 : 2)) {
        return err_set(e, RC_USAGE, "workload: expected check, show or list, then a name or file%s",
                       err_hint("; ", verb, verbs, k == VERBS ? VERBS : 0).text);
    }
    if (k == 0)
        return list_files(&listed, o->format, out, e);
    struct options with_name = *o;
    if (o->n_words == 2)
        with_name.workload = o->words[1];
    struct inputs in = {0};
    struct shown shown = {.notes = ""};
    enum rc rc = load_shown(&with_name, &in, &shown, e);
    if (!rc && k == 1)
        write_check(&shown, o->trace ? o->trace : in.workload->doc->file, o->format, out);
    else if (!rc && o->format == FORMAT_JSON)
        show_json(&shown, out);
    else if (!rc)
        show_text(&shown, out);
    shown_clear(&shown);
    inputs_clear(&in);
    return rc;
}
