/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "workloads/records/npy.h"
#include "workloads/records/record_read.h"
#include "workloads/records/take.h"

static double item(const void *from, uint64_t i) {
    return npy_value(from, i);
}

/* What the header of a matrix that we wrote says of its unit. */
static enum table_unit unit_of(const struct npy *a) {
    return strcmp(a->comment, MATRIX_MARK "rows") == 0    ? TABLE_ROWS
           : strcmp(a->comment, MATRIX_MARK "bytes") == 0 ? TABLE_BYTES
                                                          : TABLE_PLAIN;
}

enum rc record_read_npy(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e) {
    struct npy a;
    char shape[NPY_TEXT];
    enum rc rc = npy_parse(data, n, name, &a, e);
    if (rc)
        return rc;
    struct record_table t = {.at = {name, 0, 0},
                             .dims = a.n_dims,
                             .value = item,
                             .from = &a,
                             .integers = a.kind == 'i' || a.kind == 'u',
                             .one_byte = a.item_bytes == 1,
                             .unit = unit_of(&a)};
    if (a.kind == 'b')
        return err_at(e, RC_UNSUPPORTED, &t.at, "array of booleans, expected counts");
    if (a.n_dims < 1 || a.n_dims > TABLE_DIMS || a.n_items == 0)
        return err_at(e, RC_SHAPE, &t.at, "shape %s, expected (E,), (L, E) or (steps, L, E)",
                      npy_shape_text(&a, shape));
    memcpy(t.shape, a.shape, sizeof t.shape);
    return record_take(&t, ask, r, e);
}
