/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/trace.h"

#include "workloads/popularity.h"

static enum rc find_layer(const struct workload *w, const struct record *r, int *layer, struct err *e) {
    struct buf list = {0};
    *layer = -1;
    if (r->kind == RECORD_MATRIX || !w->routing.layer_given)
        return RC_OK;
    for (int l = 0; l < record_layers(r); l++) {
        if (record_layer(r, l) == w->routing.layer)
            *layer = l;
        buf_printf(&list, "%s%lld", l ? ", " : "", (long long)record_layer(r, l));
    }
    enum rc rc = *layer >= 0 ? RC_OK
                             : err_set(e, RC_RANGE,
                                       "%s: no counts of layer %lld; --set workload.routing.layer= one of %.300s",
                                       w->trace_path, (long long)w->routing.layer, list.text);
    buf_clear(&list);
    return rc;
}

static enum rc check_record(const struct platform *p, const struct workload *w, const struct record *r,
                            struct err *e) {
    if (r->kind == RECORD_COUNTS)
        return RC_OK;
    const char *kind = r->kind == RECORD_ROUTES ? "token-level records are exact" : "a matrix is exact";
    if (w->routing.mode != MODE_GLOBAL_TOPK)
        return err_set(e, RC_SCHEMA, "%s: %s, no routing.mode can be imposed on one", w->trace_path, kind);
    if (w->routing.n_group > 0 && w->routing.n_group > w->routing.topk_group)
        return err_set(e, RC_SCHEMA, "%s: %s, no router (routing.n_group) can be imposed on one", w->trace_path, kind);
    if (w->routing.draw == DRAW_EXPECTED)
        return err_set(e, RC_SCHEMA, "%s: %s, routing.draw 'expected' needs counts", w->trace_path, kind);
    if (w->routing.pair_sigma.value > 0)
        return err_set(e, RC_SCHEMA, "%s: %s, routing.pair_sigma needs counts", w->trace_path, kind);
    if (r->kind == RECORD_MATRIX && r->bytes.ranks != plat_ranks(p))
        return err_set(e, RC_SHAPE, "%s: a matrix of %d ranks, but the platform has %d", w->trace_path,
                       r->bytes.ranks, plat_ranks(p));
    if (r->kind == RECORD_ROUTES && r->routes->sources > plat_ranks(p))
        return err_set(e, RC_SHAPE, "%s: tokens of source rank %d, but the platform has %d ranks",
                       w->trace_path, r->routes->sources - 1, plat_ranks(p));
    return RC_OK;
}

enum rc trace_load(const struct platform *p, const struct workload *w, struct record **record, int *layer,
                   struct err *e) {
    struct record_ask ask;
    struct record *r;
    popularity_record_ask(w, &ask);
    ask.ranks = plat_ranks(p);
    enum rc rc = record_load(w->trace_path, &ask, &r, e);
    if (rc)
        return rc;
    rc = check_record(p, w, r, e);
    if (!rc)
        rc = find_layer(w, r, layer, e);
    if (rc)
        record_free(r);
    else
        *record = r;
    return rc;
}
