/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "workloads/records/counts_read.h"
#include "workloads/records/record_read.h"

enum rc record_tell(const struct record_ask *ask, int dims, uint64_t last, bool integers,
                    const char *name, bool *ids, struct err *e) {
    uint64_t k = (uint64_t)ask->routes.top_k, experts = (uint64_t)ask->counts.experts;
    *ids = k > 0 && last == k && dims >= 2 && integers;
    return *ids && last == experts ? err_set(e, RC_SCHEMA,
                                             "%s: last dimension %llu is both top_k and experts: "
                                             "counts or ids? save counts as CSV "
                                             "or ids as JSON Lines",
                                             name, (unsigned long long)last)
                                   : RC_OK;
}

enum rc record_read_npy(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e) {
    struct npy a;
    bool ids = false;
    enum rc rc = npy_parse(data, n, name, &a, e);
    if (!rc && a.n_dims > 0 && a.n_dims <= 3)
        rc = record_tell(ask, a.n_dims, a.shape[a.n_dims - 1], a.kind == 'i' || a.kind == 'u', name,
                         &ids, e);
    if (rc)
        return rc;
    if (!ids) {
        r->kind = RECORD_COUNTS;
        return counts_parse(data, n, name, &ask->counts, &r->counts, e);
    }
    uint64_t k = a.shape[a.n_dims - 1], layers = a.n_dims == 3 ? a.shape[1] : 1;
    if (a.item_bytes == 1 && ask->routes.experts > 256)
        return err_set(e, RC_RANGE, "%s: 8-bit ids cannot name %d experts", name,
                       ask->routes.experts);
    if (k > COUNTS_EXPERT_MAX || a.n_items > ROUTES_IDS_MAX)
        return err_set(e, RC_RANGE, "%s: more than %d ids", name, ROUTES_IDS_MAX);
    int64_t *row = mem_alloc((size_t)k, sizeof *row);
    r->kind = RECORD_ROUTES;
    r->routes = routes_new(&ask->routes);
    for (uint64_t i = 0; i < a.n_items / k && !rc; i++) {
        for (uint64_t x = 0; x < k; x++) {
            double value = npy_value(&a, i * k + x);
            row[x] = value >= -1 && value <= INT32_MAX ? (int64_t)value : INT32_MAX;
        }
        struct routes_row one = {.layer = (int64_t)(i % layers),
                                 .ids = row,
                                 .n = (int)k,
                                 .source = -1,
                                 .at = {name, 0, 0},
                                 .number = (int64_t)i + 1};
        rc = routes_add(r->routes, &one, e);
    }
    free(row);
    return rc ? rc : routes_finish(r->routes, name, e);
}
