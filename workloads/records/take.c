/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/take.h"

#include <math.h>
#include <stdlib.h>

#include "workloads/records/plausible.h"
#include "workloads/records/record_read.h"

static uint64_t last_of(const struct record_table *t) {
    return t->shape[t->dims - 1];
}

/* --- counts ------------------------------------------------------------------------------------------ */

/* Whether these are counts, and of as many experts as there are. */
static enum rc table_check_experts(const struct record_table *t, const struct record_ask *ask, struct err *e) {
    char shape[TABLE_TEXT];
    uint64_t experts = last_of(t), asked = (uint64_t)ask->counts.experts;
    table_shape_text(t, shape);
    if (experts > COUNTS_EXPERT_MAX + 1 || table_items(t) > COUNTS_CELLS_MAX)
        return err_at(e, RC_RANGE, &t->at, "shape %s is above %d experts or %d counts", shape,
                      COUNTS_EXPERT_MAX + 1, COUNTS_CELLS_MAX);
    enum rc rc = plausible_counts(t, ask, e);
    if (rc || asked == 0 || asked == experts)
        return rc;
    if (t->dims > 1 && t->shape[t->dims - 2] == asked)
        return err_at(e, RC_SHAPE, &t->at,
                      "shape %s has the %d experts last but one, expected them last, (L, E): save it transposed",
                      shape, (int)asked);
    return err_at(e, RC_SHAPE, &t->at,
                  "shape %s holds %d experts, but there are %d (--set workload.experts=%d, or --experts %d)%s", shape,
                  (int)experts, (int)asked, (int)experts, (int)experts,
                  experts == asked + 1 ? "; a fused shared expert? then leave it out" : "");
}

/* Says what a value that is no count may be. */
static const char *hint_of(const struct record_table *t, double value) {
    return value == -1 ? "; -1 fills lists of ids (--as routes) and maps of slots (workload.placement_file)"
           : value < 0 && !t->integers ? "; scores of a router? counts say how often an expert was chosen"
                                       : "";
}

static enum rc table_add_counts(const struct record_table *t, struct counts *c, struct err *e) {
    uint64_t cells = (uint64_t)c->n_layers * (uint64_t)c->n_experts, n = table_items(t);
    for (uint64_t i = 0; i < n; i++) {
        double value = t->value(t->from, i);
        if (!isfinite(value) || value < 0)
            return err_at(e, RC_RANGE, &t->at,
                          "count %g of layer %llu, expert %llu is not a finite number of 0 or more%s", value,
                          (unsigned long long)(i % cells / (uint64_t)c->n_experts),
                          (unsigned long long)(i % (uint64_t)c->n_experts),
                          hint_of(t, value));
        c->counts[i % cells] += value;
    }
    return RC_OK;
}

static enum rc table_take_counts(const struct record_table *t, const struct record_ask *ask, struct record *r,
                           struct err *e) {
    enum rc rc = table_check_experts(t, ask, e);
    if (rc)
        return rc;
    struct counts *c = r->counts = mem_alloc(1, sizeof *c);
    r->kind = RECORD_COUNTS;
    c->n_experts = c->n_named = (int)last_of(t);
    c->n_layers = t->dims == 1 ? 1 : (int)t->shape[t->dims - 2];
    c->layer = mem_alloc((size_t)c->n_layers, sizeof *c->layer);
    c->counts = mem_alloc((size_t)c->n_layers * (size_t)c->n_experts, sizeof *c->counts);
    for (int l = 0; l < c->n_layers; l++)
        c->layer[l] = l;
    if (t->dims == 3)
        buf_printf(&c->notes, "%llu steps summed\n", (unsigned long long)t->shape[0]);
    if (ask->counts.model || ask->counts.corpus)
        buf_text(&c->notes, "an array holds one set of counts: model and corpus were not looked for\n");
    rc = table_add_counts(t, c, e);
    return rc ? rc : counts_finish(c, t->one_byte, t->at.file, e);
}

/* --- ids --------------------------------------------------------------------------------------------- */

static enum rc check_ids(const struct record_table *t, const struct record_ask *ask, struct err *e) {
    if (!t->integers || t->dims < 2)
        return err_at(e, RC_SCHEMA, &t->at, "%s, but ids are integers of shape (T, k) or (T, L, k)",
                      t->integers ? "one dimension" : "fractions");
    if (t->one_byte && ask->routes.experts > 256)
        return err_at(e, RC_RANGE, &t->at, "8-bit ids cannot name %d experts", ask->routes.experts);
    if (last_of(t) > COUNTS_EXPERT_MAX || table_items(t) > ROUTES_IDS_MAX)
        return err_at(e, RC_RANGE, &t->at, "more than %d ids", ROUTES_IDS_MAX);
    return RC_OK;
}

static enum rc table_take_ids(const struct record_table *t, const struct record_ask *ask, struct record *r,
                              struct err *e) {
    enum rc rc = check_ids(t, ask, e);
    if (rc)
        return rc;
    uint64_t k = last_of(t), layers = t->dims == 3 ? t->shape[1] : 1, n = table_items(t);
    int64_t *row = mem_alloc((size_t)k, sizeof *row);
    r->kind = RECORD_ROUTES;
    r->routes = routes_new(&ask->routes);
    for (uint64_t i = 0; i < n / k && !rc; i++) {
        for (uint64_t x = 0; x < k; x++) {
            double value = t->value(t->from, i * k + x);
            row[x] = value >= -1 && value <= INT32_MAX ? (int64_t)value : INT32_MAX;
        }
        struct routes_row one = {.layer = (int64_t)(i % layers),
                                 .ids = row,
                                 .n = (int)k,
                                 .source = -1,
                                 .at = t->at,
                                 .number = (int64_t)i + 1};
        rc = routes_add(r->routes, &one, e);
    }
    free(row);
    return rc ? rc : routes_finish(r->routes, t->at.file, e);
}

/* --- a matrix ---------------------------------------------------------------------------------------- */

static enum rc check_matrix(const struct record_table *t, struct err *e) {
    char shape[TABLE_TEXT];
    if (t->dims != 2 || t->shape[0] != t->shape[1] || t->shape[0] > MATRIX_RANKS_MAX)
        return err_at(e, RC_SHAPE, &t->at, "shape %s, expected a matrix (ranks, ranks) of up to %d ranks",
                      table_shape_text(t, shape), MATRIX_RANKS_MAX);
    double total = 0;
    for (uint64_t i = 0; i < table_items(t); i++) {
        double value = t->value(t->from, i);
        if (!isfinite(value) || value < 0)
            return err_at(e, RC_RANGE, &t->at, "%g from rank %llu to rank %llu is not a finite number of 0 or more",
                          value, (unsigned long long)(i / t->shape[1]), (unsigned long long)(i % t->shape[1]));
        total += value;
    }
    if (!isfinite(total))
        return err_at(e, RC_RANGE, &t->at, "what the ranks send is more than a number can hold in all");
    return RC_OK;
}

static enum rc table_take_matrix(const struct record_table *t, const struct record_ask *ask, struct record *r,
                           struct err *e) {
    enum rc rc = check_matrix(t, e);
    if (rc)
        return rc;
    int ranks = (int)t->shape[0];
    size_t room = 0;
    r->kind = RECORD_MATRIX;
    matrix_init(&r->bytes, ranks, 0, true);
    for (int src = 0; src < ranks; src++) {
        r->bytes.start[src + 1] = r->bytes.start[src];
        for (int dst = 0; dst < ranks; dst++)
            matrix_append(&r->bytes, &room, src, dst, t->value(t->from, (uint64_t)src * t->shape[1] + (uint64_t)dst));
    }
    if (t->unit == TABLE_PLAIN)
        buf_text(&r->notes, "the record does not say its unit: taken as bytes (a CSV src,dst,rows says rows)\n");
    return t->unit == TABLE_ROWS ? record_matrix_of_rows(r, ask, &t->at, e) : record_matrix_check(r, &t->at, e);
}

/* --- which ------------------------------------------------------------------------------------------- */

/* Tells by the last dimension whether a table holds ids rather than counts. */
static enum rc tell(const struct record_table *t, const struct record_ask *ask, bool *ids, struct err *e) {
    uint64_t k = (uint64_t)ask->routes.top_k, experts = (uint64_t)ask->counts.experts, last = last_of(t);
    *ids = k > 0 && last == k && t->dims >= 2 && t->integers;
    return *ids && last == experts
               ? err_at(e, RC_SCHEMA, &t->at,
                        "last dimension %llu is both top_k and experts: layers of counts, or tokens of ids? say which "
                        "with --as counts or --as routes (workload.routing.record)",
                        (unsigned long long)last)
               : RC_OK;
}

enum rc record_take(const struct record_table *t, const struct record_ask *ask, struct record *r, struct err *e) {
    bool ids = false;
    char shape[TABLE_TEXT];
    if (table_items(t) == 0)
        return err_at(e, RC_SHAPE, &t->at, "shape %s, expected (E,), (L, E) or (steps, L, E)",
                      table_shape_text(t, shape));
    if (ask->as == RECORD_AS_MATRIX || (ask->as == RECORD_AS_AUTO && t->unit != TABLE_PLAIN))
        return table_take_matrix(t, ask, r, e);
    if (ask->as == RECORD_AS_ROUTES)
        return table_take_ids(t, ask, r, e);
    enum rc rc = ask->as == RECORD_AS_AUTO ? tell(t, ask, &ids, e) : RC_OK;
    if (rc)
        return rc;
    return ids ? table_take_ids(t, ask, r, e) : table_take_counts(t, ask, r, e);
}
