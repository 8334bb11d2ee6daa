/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/counts_read.h"

#include <math.h>

#include "workloads/records/counts_csv.h"
#include "workloads/records/npy.h"

static enum rc counts_check_npy(const struct npy *a, const char *name, const struct counts_ask *ask,
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

static enum rc counts_read_npy(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                               struct counts *c, bool *one_byte, struct err *e) {
    struct npy a;
    enum rc rc = npy_parse(data, n, name, &a, e);
    if (!rc)
        rc = counts_check_npy(&a, name, ask, e);
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

enum rc counts_parse(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                     struct counts **counts, struct err *e) {
    bool one_byte = false;
    struct counts *c = mem_alloc(1, sizeof *c);
    enum rc rc = npy_is(data, n) ? counts_read_npy(data, n, name, ask, c, &one_byte, e)
                                 : counts_csv_read(data, n, name, ask, c, e);
    if (!rc)
        rc = counts_finish(c, one_byte, name, e);
    if (rc)
        counts_free(c);
    else
        *counts = c;
    return rc;
}
