/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"
#include "workloads/records/counts_csv.h"
#include "workloads/records/npy.h"

/* --- .npy --------------------------------------------------------------------------------------- */

static enum rc check_npy(const struct npy *a, const char *name, const struct counts_ask *ask,
                         struct err *e) {
    struct place at = {name, 0, 0};
    char shape[NPY_TEXT];
    npy_shape_text(a, shape);
    if (a->kind == 'b')
        return err_at(e, RC_UNSUPPORTED, &at, "array of booleans, expected counts");
    if (a->n_dims < 1 || a->n_dims > 3 || a->n_items == 0)
        return err_at(e, RC_SHAPE, &at, "shape %s, expected (E,), (L, E) or (steps, L, E)", shape);
    uint64_t experts = a->shape[a->n_dims - 1];
    if (experts > COUNTS_EXPERT_MAX + 1 || a->n_items > COUNTS_CELLS_MAX)
        return err_at(e, RC_RANGE, &at, "shape %s is above %d experts or %d counts", shape,
                      COUNTS_EXPERT_MAX + 1, COUNTS_CELLS_MAX);
    if (ask->experts > 0 && experts != (uint64_t)ask->experts)
        return err_at(
            e, RC_SHAPE, &at,
            "shape %s holds %d experts, but there are %d (--set workload.experts=%d, or "
            "--experts %d)%s",
            shape, (int)experts, ask->experts, (int)experts, (int)experts,
            (int)experts == ask->experts + 1 ? "; a fused shared expert? then leave it out" : "");
    return RC_OK;
}

static enum rc read_npy(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                        struct counts *c, bool *one_byte, struct err *e) {
    struct npy a;
    enum rc rc = npy_parse(data, n, name, &a, e);
    if (!rc)
        rc = check_npy(&a, name, ask, e);
    if (rc)
        return rc;
    c->n_experts = c->n_named = (int)a.shape[a.n_dims - 1];
    c->n_layers = a.n_dims == 1 ? 1 : (int)a.shape[a.n_dims - 2];
    size_t cells = (size_t)c->n_layers * (size_t)c->n_experts;
    c->layer = mem_alloc((size_t)c->n_layers, sizeof *c->layer);
    c->counts = mem_alloc(cells, sizeof *c->counts);
    if (a.n_dims == 3)
        buf_printf(&c->notes, "%llu steps summed\n", (unsigned long long)a.shape[0]);
    for (int l = 0; l < c->n_layers; l++)
        c->layer[l] = l;
    for (uint64_t i = 0; i < a.n_items; i++) {
        double value = npy_value(&a, i);
        if (!isfinite(value) || value < 0)
            return err_at(e, RC_RANGE, &(struct place){name, 0, 0},
                          "count %g of layer %llu, expert %llu is not a finite number of 0 or more",
                          value, (unsigned long long)(i % cells / (uint64_t)c->n_experts),
                          (unsigned long long)(i % (uint64_t)c->n_experts));
        c->counts[i % cells] += value;
    }
    if (ask->model || ask->corpus)
        buf_text(&c->notes,
                 "an array holds one set of counts: model and corpus were not looked for\n");
    *one_byte = a.item_bytes == 1;
    return RC_OK;
}

/* --- what all formats share ----------------------------------------------------------------- */

static const double *row(const struct counts *c, int l) {
    return c->counts + (size_t)l * (size_t)c->n_experts;
}

static enum rc drop_empty_layers(struct counts *c, const char *name, struct err *e) {
    enum { NAMED = 8 };
    int kept = 0, dropped = 0;
    struct buf list = {0};
    for (int l = 0; l < c->n_layers; l++) {
        if (stat_max(row(c, l), (size_t)c->n_experts) > 0) {
            c->layer[kept] = c->layer[l];
            memmove(c->counts + (size_t)kept * (size_t)c->n_experts, row(c, l),
                    (size_t)c->n_experts * sizeof *c->counts);
            kept++;
        } else if (++dropped <= NAMED) {
            buf_printf(&list, "%s%lld", dropped > 1 ? ", " : "", (long long)c->layer[l]);
        }
    }
    if (dropped && kept)
        buf_printf(&c->notes, "layers without any count (dense) left out: %s%s\n", list.text,
                   dropped > NAMED ? ", .." : "");
    c->n_layers = kept;
    buf_clear(&list);
    return kept ? RC_OK : err_at(e, RC_RANGE, &(struct place){name, 0, 0}, "all counts are zero");
}

struct sums {
    double low, high; /* of the layers */
    bool whole; /* every count is a whole number */
};

static struct sums sum_layers(const struct counts *c) {
    struct sums s = {INFINITY, 0, true};
    for (int l = 0; l < c->n_layers; l++) {
        double sum = stat_sum(row(c, l), (size_t)c->n_experts);
        s.low = fmin(s.low, sum);
        s.high = fmax(s.high, sum);
        for (int e = 0; e < c->n_experts; e++)
            s.whole = s.whole && row(c, l)[e] == floor(row(c, l)[e]);
    }
    return s;
}

/* Each token counts k times in every layer, so the layers of one recording have equal sums. */
static enum rc check_sums(struct counts *c, bool one_byte, const char *name, struct err *e) {
    const double fraction_tolerance = 1e-3; // fractions are often written with few digits
    struct sums s = sum_layers(c);
    struct place at = {name, 0, 0};
    if (!isfinite(s.high))
        return err_at(e, RC_RANGE, &at, "the counts of a layer sum to more than a double holds");
    if (one_byte && s.low != s.high)
        return err_at(
            e, RC_RANGE, &at,
            "8-bit counts whose layers sum to %.10g .. %.10g: equal sums are expected, the "
            "counts probably overflowed; save them with more bits",
            s.low, s.high);
    if (one_byte)
        buf_text(&c->notes, "8-bit counts: an overflow above 255 would not show\n");
    double nearest = round(s.high);
    if (!s.whole && nearest >= 1 && fabs(s.high - nearest) <= fraction_tolerance * nearest &&
        fabs(s.low - nearest) <= fraction_tolerance * nearest)
        buf_printf(&c->notes, "values are fractions: each layer sums to %g\n", nearest);
    else if (!s.whole)
        buf_printf(&c->notes, "values are fractions: layers sum to %.6g .. %.6g\n", s.low, s.high);
    else if (s.low != s.high)
        buf_printf(&c->notes, "layers sum to different totals, %.10g .. %.10g\n", s.low, s.high);
    return RC_OK;
}

enum rc counts_finish(struct counts *c, bool one_byte, const char *name, struct err *e) {
    enum rc rc = drop_empty_layers(c, name, e);
    return rc ? rc : check_sums(c, one_byte, name, e);
}

enum rc counts_parse(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                     struct counts **counts, struct err *e) {
    bool one_byte = false;
    struct counts *c = mem_alloc(1, sizeof *c);
    enum rc rc = npy_is(data, n) ? read_npy(data, n, name, ask, c, &one_byte, e)
                                 : counts_csv_read(data, n, name, ask, c, e);
    if (!rc)
        rc = counts_finish(c, one_byte, name, e);
    if (rc)
        counts_free(c);
    else
        *counts = c;
    return rc;
}

void counts_free(struct counts *c) {
    if (!c)
        return;
    free(c->layer);
    free(c->counts);
    buf_clear(&c->notes);
    free(c);
}
