/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct routes *routes_new(const struct routes_ask *ask) {
    struct routes *r = mem_alloc(1, sizeof *r);
    *r = (struct routes){.experts = ask->experts, .top_k = ask->top_k, .ask = *ask};
    return r;
}

void routes_free(struct routes *r) {
    if (!r)
        return;
    for (int l = 0; l < r->n_layers; l++) {
        free(r->layers[l].ids);
        free(r->layers[l].origin);
        free(r->layers[l].suspect);
    }
    free(r->layers);
    buf_clear(&r->notes);
    free(r);
}

/* -1: none. */
static int find_layer(const struct routes *r, int64_t layer) {
    for (int l = r->n_layers - 1; l >= 0; l--)
        if (r->layers[l].layer == layer)
            return l;
    return -1;
}

/* --- one row --------------------------------------------------------------------------------------- */

static enum rc check_length(struct routes *r, const struct routes_row *row, struct err *e) {
    if (r->top_k == 0 && row->n > 0) {
        r->top_k = row->n;
        buf_printf(&r->notes, "top_k %d taken from the first row\n", row->n);
    }
    if (row->n != r->top_k)
        return err_at(e, RC_SHAPE, &row->at, "row %lld has %d ids, expected top_k %d%s",
                      (long long)row->number, row->n, r->top_k,
                      row->n == r->experts ? "; all experts instead of the chosen ones?"
                      : row->n == r->top_k + 1
                          ? "; a shared expert fused into the table? then leave it out"
                          : "");
    if (r->experts <= 0)
        return err_at(
            e, RC_SHAPE, &row->at,
            "the record does not say how many experts there are; give --experts, the largest "
            "id need not be there");
    return r->top_k <= r->experts ? RC_OK
                                  : err_at(e, RC_RANGE, &row->at, "top_k %d is above experts %d",
                                           r->top_k, r->experts);
}

static enum rc bad_id(const struct routes *r, const struct routes_row *row, int64_t id,
                      struct err *e) {
    const char *hint =
        id == r->experts ? "; a fused shared expert? then leave it out"
        : id > r->experts && id < r->ask.slots
            ? "; physical ids? the placement has that many slots, expected logical ones"
        : id > r->experts && id < 2 * (int64_t)r->experts
            ? "; physical ids of a replicated placement, or zero-compute experts "
              "(routing.router_experts)?"
            : "";
    return err_at(e, RC_RANGE, &row->at, "row %lld: expert %lld, expected 0 to %d%s",
                  (long long)row->number, (long long)id, r->experts - 1, hint);
}

/* What of a row is sent; *sent is how many ids are. */
static enum rc take_ids(struct routes *r, const struct routes_row *row, uint16_t *into, int *sent,
                        struct err *e) {
    *sent = 0;
    for (int i = 0; i < row->n; i++) {
        int64_t id = row->ids[i];
        into[i] = ROUTES_NONE;
        if (id == -1) {
            r->padding_ids++;
        } else if (id >= r->experts && id < r->ask.router_experts) {
            r->zero_compute_ids++;
        } else if (id < 0 || id >= r->experts) {
            return bad_id(r, row, id, e);
        } else if (r->ask.drop_zero_weight && row->weights && row->weights[i] == 0) {
            r->zero_weight_ids++;
        } else {
            for (int k = 0; k < i; k++)
                if (into[k] == id)
                    return err_at(e, RC_RANGE, &row->at,
                                  "row %lld: expert %lld twice; a token chooses distinct experts%s",
                                  (long long)row->number, (long long)id,
                                  row->weights && !r->ask.drop_zero_weight &&
                                          (row->weights[i] == 0 || row->weights[k] == 0)
                                      ? "; one has weight 0, routing.zero_weight=drop leaves it out"
                                      : "");
            into[i] = (uint16_t)id;
            ++*sent;
        }
    }
    return RC_OK;
}

static bool all_are(const struct routes_row *row, int64_t id) {
    for (int i = 0; i < row->n; i++)
        if (row->ids[i] != id)
            return false;
    return true;
}

static struct routes_layer *layer_of(struct routes *r, int64_t layer) {
    int l = find_layer(r, layer);
    if (l < 0) {
        l = r->n_layers++;
        r->layers = mem_resize(r->layers, (size_t)r->n_layers, sizeof *r->layers);
        r->layers[l] = (struct routes_layer){.layer = layer};
    }
    return &r->layers[l];
}

static int32_t request_hash(const char *text) {
    uint64_t h = 0xCBF29CE484222325u; // FNV-1a
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001B3u;
    return (int32_t)((h ^ h >> 32) & 0x7FFFFFFF);
}

static enum rc take_origin(struct routes *r, struct routes_layer *l, const struct routes_row *row,
                           struct err *e) {
    bool source = row->source >= 0, request = !source && row->request;
    if (r->n_ids == 0) {
        r->has_source = source;
        r->has_request = request;
    }
    if (r->has_source != source || r->has_request != request)
        return err_at(
            e, RC_SCHEMA, &row->at, "row %lld %s, unlike the rows before", (long long)row->number,
            source != r->has_source ? (source ? "has a source rank" : "has no source rank")
                                    : (request ? "has a request" : "has no request"));
    if (!source && !request)
        return RC_OK;
    if (row->source > INT32_MAX - 1)
        return err_at(e, RC_RANGE, &row->at, "row %lld: source rank %lld", (long long)row->number,
                      (long long)row->source);
    MEM_GROW(l->origin, l->n, l->origin_room);
    l->origin[l->n] = source ? (int32_t)row->source : request_hash(row->request);
    if (source && row->source >= r->sources)
        r->sources = (int)row->source + 1;
    return RC_OK;
}

enum rc routes_add(struct routes *r, const struct routes_row *row, struct err *e) {
    enum rc rc = check_length(r, row, e);
    if (rc)
        return rc;
    if (find_layer(r, row->layer) < 0 && r->n_layers == ROUTES_LAYERS)
        return err_at(e, RC_RANGE, &row->at, "more than %d layers", ROUTES_LAYERS);
    if (r->n_ids + (size_t)row->n > ROUTES_IDS_MAX)
        return err_at(e, RC_RANGE, &row->at, "more than %d choices in all", ROUTES_IDS_MAX);
    struct routes_layer *l = layer_of(r, row->layer);
    int64_t in_batch = r->ask.batch_rows ? l->seen % r->ask.batch_rows : 0;
    bool invalid = r->ask.batch_rows && in_batch >= r->ask.batch_valid;
    bool padding = all_are(row, -1),
         zeros = row->n > 1 && all_are(row, 0) && !r->ask.drop_zero_weight;
    l->seen++;
    if (invalid || padding || zeros) {
        r->invalid_rows += invalid;
        r->padding_rows += !invalid && padding;
        r->zero_rows += !invalid && !padding;
        l->dropped++;
        return RC_OK;
    }
    if (l->n >= l->ids_room / (size_t)r->top_k) {
        l->ids_room = l->ids_room ? 2 * l->ids_room : 64 * (size_t)r->top_k;
        l->ids = mem_resize(l->ids, l->ids_room, sizeof *l->ids);
    }
    int sent;
    rc = take_ids(r, row, l->ids + l->n * (size_t)r->top_k, &sent, e);
    if (!rc)
        rc = take_origin(r, l, row, e);
    if (!rc) {
        l->n++;
        r->n_ids += (size_t)row->n;
    }
    return rc;
}

/* --- suspected rows -------------------------------------------------------------------------------- */

static const uint16_t *row_of(const struct routes *r, const struct routes_layer *l, size_t row) {
    return l->ids + row * (size_t)r->top_k;
}

/* Two rows are one and the same when they name the same experts in the same order; where source ranks are known, of one
 * rank: what every rank sends alike is no padding of one. */
static bool same_rows(const struct routes *r, const struct routes_layer *l, size_t a, size_t b) {
    if (r->has_source && l->origin[a] != l->origin[b])
        return false;
    return memcmp(row_of(r, l, a), row_of(r, l, b), (size_t)r->top_k * sizeof *l->ids) == 0;
}

static void mark(struct routes_layer *l, size_t row) {
    if (!l->suspect)
        l->suspect = mem_alloc(l->n, sizeof *l->suspect);
    l->suspected += !l->suspect[row];
    l->suspect[row] = true;
}

static void mark_runs(const struct routes *r, struct routes_layer *l) {
    for (size_t first = 0, end; first < l->n; first = end) {
        for (end = first + 1; end < l->n && same_rows(r, l, first, end);)
            end++;
        for (size_t row = first; row < end && end - first >= ROUTES_RUN; row++)
            mark(l, row);
    }
}

/* Heavy hitters after Misra and Gries: a row with more than 1 / (SLOTS + 1) of all survives in a slot. */
static void mark_frequent(const struct routes *r, struct routes_layer *l) {
    enum { SLOTS = 24 };
    size_t slot[SLOTS], count[SLOTS] = {0};
    double sets =
        exp(lgamma(r->experts + 1) - lgamma(r->top_k + 1) - lgamma(r->experts - r->top_k + 1));
    double least = fmax(ROUTES_SHARE, ROUTES_CHANCE / sets) * (double)l->n;
    for (size_t row = 0; row < l->n; row++) {
        int at = -1, empty = -1;
        for (int s = 0; s < SLOTS && at < 0; s++)
            if (count[s] == 0)
                empty = s;
            else if (same_rows(r, l, slot[s], row))
                at = s;
        if (at >= 0) {
            count[at]++;
        } else if (empty >= 0) {
            slot[empty] = row;
            count[empty] = 1;
        } else {
            for (int s = 0; s < SLOTS; s++)
                count[s]--;
        }
    }
    for (int s = 0; s < SLOTS; s++) {
        size_t n = 0;
        for (size_t row = 0; row < l->n && count[s]; row++)
            n += same_rows(r, l, slot[s], row);
        if (n < ROUTES_RUN || (double)n <= least)
            continue;
        for (size_t row = 0; row < l->n; row++)
            if (same_rows(r, l, slot[s], row))
                mark(l, row);
    }
}

/* --- the whole record ------------------------------------------------------------------------------ */

static int by_layer(const void *a, const void *b) {
    const struct routes_layer *x = a, *y = b;
    return (x->layer > y->layer) - (x->layer < y->layer);
}

int64_t routes_dropped(const struct routes *r) {
    return r->padding_rows + r->zero_rows + r->invalid_rows;
}

int64_t routes_suspected(const struct routes *r) {
    int64_t n = 0;
    for (int l = 0; l < r->n_layers; l++)
        n += (int64_t)r->layers[l].suspected;
    return n;
}

static void note(struct routes *r, int64_t n, const char *what) {
    if (n)
        buf_printf(&r->notes, "%lld %s\n", (long long)n, what);
}

enum rc routes_finish(struct routes *r, const char *name, struct err *e) {
    int kept = 0;
    for (int l = 0; l < r->n_layers; l++)
        if (r->layers[l].n)
            r->layers[kept++] = r->layers[l];
        else
            free(r->layers[l].ids);
    r->n_layers = kept;
    if (kept == 0)
        return err_set(e, RC_SHAPE, "%s: no row of a token is left (%lld rows of padding)", name,
                       (long long)routes_dropped(r));
    qsort(r->layers, (size_t)kept, sizeof *r->layers, by_layer);
    for (int l = 0; l < kept; l++) {
        mark_runs(r, &r->layers[l]);
        mark_frequent(r, &r->layers[l]);
    }
    note(r, r->padding_rows, "rows of -1 dropped (padding)");
    note(r, r->zero_rows,
         "rows of zeros alone dropped (padding: a token chooses distinct experts)");
    note(r, r->invalid_rows, "rows dropped as not valid in their batch");
    note(r, r->padding_ids, "single choices of -1 not sent");
    note(r, r->zero_compute_ids, "choices of zero-compute experts not sent");
    note(r, r->zero_weight_ids, "choices of weight 0 not sent");
    note(r, routes_suspected(r), "rows suspected of padding or warm-up: identical rows in number");
    return RC_OK;
}

void routes_count(const struct routes *r, int l, bool suspects, double *into) {
    const struct routes_layer *layer = &r->layers[l];
    memset(into, 0, (size_t)r->experts * sizeof *into);
    for (size_t row = 0; row < layer->n; row++) {
        if (!suspects && layer->suspect && layer->suspect[row])
            continue;
        for (int i = 0; i < r->top_k; i++)
            if (row_of(r, layer, row)[i] != ROUTES_NONE)
                into[row_of(r, layer, row)[i]]++;
    }
}
