/* SPDX-License-Identifier: BSD-3-Clause */
/* routes.h - token-level routing records: which experts every token chose, per layer.
 *
 * Shapes: layers[l].ids[row * top_k + i] is an expert, or ROUTES_NONE where nothing is sent; rows in the
 * order of the record, which is batch order. origin[row] is the source rank (has_source), a hash of the
 * request (has_request), or absent.
 * What is checked of every row: top_k ids, each in 0 .. experts - 1, no expert twice. What is not sent: -1
 * (padding; a row of nothing else is dropped), a row of zeros alone (padding that no router writes), ids
 * of zero-compute experts (experts .. router_experts - 1), on request choices of weight 0. All of it is
 * counted.
 * Suspected rows: ROUTES_RUN or more identical rows one after the other, or one row that makes up more than
 * ROUTES_SHARE of a layer (and more than ROUTES_CHANCE times its share if all sets of experts were alike). Where source
 * ranks are known, only rows of one source are identical.
 * Units: none, numbers of experts and ranks.
 * Errors: RC_SHAPE, RC_RANGE, RC_SCHEMA with the row's place.  Ownership: routes_free() releases. */
#ifndef WORKLOADS_RECORDS_ROUTES_H
#define WORKLOADS_RECORDS_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/hash.h"
#include "platforms/base/mem.h"

enum { ROUTES_NONE = 65535, ROUTES_RUN = 16, ROUTES_IDS_MAX = 1 << 29, ROUTES_LAYERS = 4096 };
#define ROUTES_SHARE 0.05
#define ROUTES_CHANCE 8

struct routes_layer {
    int64_t layer; /* as the record numbers it */
    uint16_t *ids;
    int32_t *origin; /* NULL: unknown */
    size_t n, ids_room, origin_room; /* rows */
    bool *suspect; /* per row, after routes_finish(); NULL: none is */
    size_t suspected;
    int64_t seen; /* rows of the record, dropped ones too */
    int64_t dropped;
};

/* What the file cannot say itself. */
struct routes_ask {
    int experts; /* E, 0 = from a meta line, else refused */
    int top_k; /* k, 0 = from a meta line or the first row */
    int router_experts; /* 0 = experts */
    int slots; /* physical experts of the placement, for the hint; 0 = unknown */
    bool drop_zero_weight;
    int64_t batch_rows, batch_valid; /* 0 = all rows are real */
};

struct routes {
    int experts, top_k;
    struct routes_layer *layers; /* by rising layer number after routes_finish() */
    int n_layers;
    bool has_source, has_request;
    int sources; /* highest source rank + 1 */
    int64_t padding_rows, zero_rows, invalid_rows; /* dropped */
    int64_t padding_ids, zero_compute_ids, zero_weight_ids;
    size_t n_ids; /* stored, all layers */
    struct routes_ask ask;
    struct buf notes;
};

struct routes_row {
    int64_t layer;
    const int64_t *ids;
    const double *weights; /* NULL: unknown */
    int n;
    int64_t source; /* -1: unknown */
    const char *request; /* NULL: unknown */
    struct place at;
    int64_t number; /* of the row in the record, from 1 */
};

struct routes *routes_new(const struct routes_ask *ask);
enum rc routes_add(struct routes *r, const struct routes_row *row, struct err *e);

/* Sorts layers, finds suspected rows, writes the notes. RC_SHAPE when nothing was added. */
enum rc routes_finish(struct routes *r, const char *name, struct err *e);
void routes_free(struct routes *r); /* NULL is allowed */

int64_t routes_dropped(const struct routes *r);
int64_t routes_suspected(const struct routes *r);

/* Rows per expert of a layer, with or without suspected rows; into[experts]. */
void routes_count(const struct routes *r, int l, bool suspects, double *into);

#endif
