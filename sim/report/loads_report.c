/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/loads_report.h"

#include <stdio.h>
#include <string.h>

#include "platforms/base/json.h"
#include "platforms/base/stat.h"
#include "sim/report/table.h"
#include "workloads/draw/skew.h"

static const int world_sizes[] = {8, 16, 32, 64, 128};
enum { WORLD_SIZES = sizeof world_sizes / sizeof *world_sizes };

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

void loads_write_json(const struct loads *s, struct buf *out) {
    const struct counts *c = s->counts;
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/workload-show/1");
    json_key_open(&j, "layers", '[');
    for (int l = 0; l < c->n_layers; l++) {
        size_t n = (size_t)c->n_experts;
        const double *x = loads_of_layer(s, l), rows = stat_sum(x, n);
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
    json_key_int(&j, "worst_layer", c->layer[loads_worst_layer(s)]);
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

static void show_table(const struct loads *s, struct buf *out) {
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
            const double *x = kept ? s->kept + (size_t)l * n : loads_of_layer(s, l);
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

/* Appends a histogram: how many of x[n] lie in each tenth of the way from 0 to the largest, in multiples of the
 * mean. */
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

void loads_write_text(const struct loads *s, struct buf *out) {
    enum { EP = 8 };
    const struct counts *c = s->counts;
    size_t n = (size_t)c->n_experts;
    show_table(s, out);
    int worst = loads_worst_layer(s);
    const double *x = loads_of_layer(s, worst);
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

void loads_write_check(const struct loads *s, const char *file, bool json, struct buf *out) {
    struct json j;
    if (!json) {
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
