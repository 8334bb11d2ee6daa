/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/traffic_routes.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"

/* Fills rows[] with the numbers of a layer's rows that count, in order, and returns how many there are. */
static size_t usable(const struct routes_layer *l, bool drop_suspected, size_t *rows) {
    size_t n = 0;
    for (size_t row = 0; row < l->n; row++)
        if (!drop_suspected || !l->suspect || !l->suspect[row]) {
            if (rows)
                rows[n] = row;
            n++;
        }
    return n;
}

int64_t traffic_routes_batches(const struct routes *r, int layer, const struct workload *w,
                               int ranks) {
    int64_t each = w->tokens_per_rank * ranks;
    int64_t n = (int64_t)usable(&r->layers[layer], w->routing.suspected != 0, NULL);
    if (r->has_source)
        return 1;
    return w->routing.fill == FILL_REPEAT || each == 0 ? 0 : (n + each - 1) / each;
}

/* The rows of one batch, and the rank that each belongs to. */
struct batch {
    size_t *row;
    int *rank;
    size_t n;
};

static int rank_of(const struct routes *r, const struct routes_layer *l, size_t row, int assign,
                   size_t i, size_t n, int ranks) {
    if (r->has_source)
        return l->origin[row];
    if (assign == ASSIGN_REQUEST && r->has_request)
        return l->origin[row] % ranks;
    // blocks: sizes differ by at most one
    return (int)(assign == ASSIGN_ROUND_ROBIN ? i % (size_t)ranks : i * (size_t)ranks / n);
}

static enum rc choose_rows(const struct routes *r, const struct routes_layer *l,
                           const struct workload *w, int64_t number, const struct rows *rows,
                           struct batch *b, struct err *e) {
    size_t *all = mem_alloc(l->n, sizeof *all);
    size_t have = usable(l, w->routing.suspected != 0, all);
    size_t each = (size_t)w->tokens_per_rank * (size_t)rows->ranks, first = 0;
    bool repeat = w->routing.fill == FILL_REPEAT && !r->has_source;
    b->n = have;
    if (!r->has_source) {
        first = each * (size_t)number;
        b->n = repeat ? each : have > first ? (have - first < each ? have - first : each) : 0;
    }
    enum rc rc =
        have == 0 || (b->n == 0 && each > 0) || (r->has_source && number > 0)
            ? err_set(e, RC_RANGE,
                      "batch %lld: layer %lld has %zu rows that count, %lld batches of "
                      "%lld tokens a rank",
                      (long long)number, (long long)l->layer, have,
                      (long long)traffic_routes_batches(r, (int)(l - r->layers), w, rows->ranks),
                      (long long)w->tokens_per_rank)
            : RC_OK;
    if (!rc) {
        b->row = mem_alloc(b->n, sizeof *b->row);
        b->rank = mem_alloc(b->n, sizeof *b->rank);
        for (size_t i = 0; i < b->n; i++) {
            b->row[i] = all[(first + i) % have];
            b->rank[i] = rank_of(r, l, b->row[i], w->routing.assign, i, b->n, rows->ranks);
        }
    }
    free(all);
    return rc;
}

/* Adds the rows of a batch to the matrices rank after rank, each rank's rows in their order. */
static void play(const struct routes *r, const struct routes_layer *l, const struct batch *b,
                 struct rows *rows) {
    int64_t *tokens = rows->traffic->tokens;
    size_t *start = mem_alloc((size_t)rows->ranks + 1, sizeof *start);
    size_t *sorted = mem_alloc(b->n, sizeof *sorted);
    int *ids = mem_alloc((size_t)r->top_k, sizeof *ids);
    memset(tokens, 0, (size_t)rows->ranks * sizeof *tokens);
    for (size_t i = 0; i < b->n; i++)
        tokens[b->rank[i]]++;
    for (int src = 0; src < rows->ranks; src++)
        start[src + 1] = start[src] + (size_t)tokens[src];
    size_t *next = mem_alloc((size_t)rows->ranks + 1, sizeof *next);
    memcpy(next, start, ((size_t)rows->ranks + 1) * sizeof *next);
    for (size_t i = 0; i < b->n; i++)
        sorted[next[b->rank[i]]++] = b->row[i];
    for (int src = 0; src < rows->ranks; src++) {
        rows_source(rows, src);
        for (size_t i = start[src]; i < start[src + 1]; i++) {
            const uint16_t *row = l->ids + sorted[i] * (size_t)r->top_k;
            int n = 0;
            for (int k = 0; k < r->top_k; k++)
                if (row[k] != ROUTES_NONE)
                    ids[n++] = row[k];
            rows_token(rows, ids, n);
        }
        rows_source_end(rows);
    }
    free(next);
    free(start);
    free(sorted);
    free(ids);
}

static double rho_kept(const struct routes *r, int layer, const struct placement *p) {
    double *load = mem_alloc((size_t)r->experts, sizeof *load);
    double *rank = mem_alloc((size_t)p->ranks, sizeof *rank);
    routes_count(r, layer, false, load);
    placement_load(p, load, rank);
    double rho = stat_max_over_mean(rank, (size_t)p->ranks);
    free(load);
    free(rank);
    return rho;
}

enum rc traffic_routes_fill(const struct routes *r, int layer, const struct workload *w,
                            struct rows *rows, struct err *e) {
    static const char *const ways[] = {"in blocks", "round-robin",
                                       "by request (a hash of its name)"};
    const struct routes_layer *l = &r->layers[layer];
    struct traffic *t = rows->traffic;
    struct batch b = {0};
    enum rc rc = choose_rows(r, l, w, t->batch, rows, &b, e);
    if (!rc) {
        play(r, l, &b, rows);
        t->dropped_rows = l->dropped;
        t->suspected_rows = (int64_t)l->suspected;
        if (w->routing.suspected) {
            t->dropped_rows += t->suspected_rows;
            t->suspected_rows = 0;
        }
        int assign = w->routing.assign == ASSIGN_REQUEST && !r->has_request ? ASSIGN_BLOCKS
                                                                            : w->routing.assign;
        buf_printf(&t->notes, "token-level record: %zu of %lld rows used, tokens onto ranks %s\n",
                   b.n, (long long)l->seen, r->has_source ? "as recorded" : ways[assign]);
        if (l->suspected)
            t->rho_kept = rho_kept(r, layer, rows->placement);
        if (l->suspected) {
            buf_printf(&t->notes, "%zu suspected rows %s; ", l->suspected,
                       w->routing.suspected ? "left out" : "kept (routing.suspected=drop leaves them out)");
            if (t->rho_kept >= 0)
                buf_printf(&t->notes, "rank rho_max without them %.4g\n", t->rho_kept);
            else
                buf_text(&t->notes, "no row is left without them\n");
        }
    }
    free(b.row);
    free(b.rank);
    return rc;
}
