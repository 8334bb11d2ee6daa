/* SPDX-License-Identifier: BSD-3-Clause */
/* record_json_counts.h - reads tables of counts in JSON, and holds the state that record_json.c (objects, route rows)
 * shares with it.
 *
 * Units: counts and ids as written.
 * Errors: RC_SYNTAX, RC_SCHEMA, RC_SHAPE, RC_RANGE, with file and line.
 * Ownership: record_json.c makes a reader and frees its arrays; the record belongs to its caller also on failure. */
#ifndef WORKLOADS_RECORDS_RECORD_JSON_COUNTS_H
#define WORKLOADS_RECORDS_RECORD_JSON_COUNTS_H

#include "workloads/records/record_read.h"

struct numbers {
    int64_t *items;
    size_t n, room;
};

/* A number for each token of an object, or one for all of them. */
struct per_token {
    struct numbers list;
    bool one;
};

/* The route fields of one object. ends[t] is where token t's ids end. */
struct row {
    bool has_ids, nested, has_layer, has_request;
    int64_t layer;
    struct numbers ids, ends;
    struct per_token sources, counts;
    double *weights; /* 0 or 1: zero or not */
    size_t weights_n, weights_room;
    char request[JSON_PULL_TEXT];
};

/* A nested list of numbers, C order. */
struct tensor {
    double *items;
    size_t n, room;
    uint64_t shape[3];
    int dims;
    bool integers;
    struct place at;
};

/* Counts with their place named. */
struct cell {
    int64_t layer;
    int expert;
    int line;
    double count;
};

struct cells {
    struct cell *items;
    size_t n, room;
};

struct reader {
    struct json_pull *j;
    struct record_ask ask; /* with what the record says itself */
    struct record *record;
    struct row row;
    struct place at; /* of the object */
    int64_t rows;
    struct tensor tensor;
    struct cells cells;
};

/* Reads a table of 1 to 3 dimensions, whose '[' is read. */
enum rc record_json_tensor(struct reader *r, struct err *e);

/* Reads layers as {"3": {"cnt": [..]}}, whose '{' is read. */
enum rc record_json_layers(struct reader *r, struct err *e);

/* Reads the map of key `name`, whose '{' is read: layer_N is a layer of named experts, any other map is searched for
 * such keys. */
enum rc record_json_named(struct reader *r, const char *name, int depth, struct err *e);

/* Tells whether a key names a layer, as "layer_3" or "3"; reads its list of counts, whose '[' is read. */
bool record_json_is_layer(const char *name);
enum rc record_json_layer_list(struct reader *r, const char *name, struct err *e);

/* Makes the record's counts, or routes, of what was read. */
enum rc record_json_counts(struct reader *r, struct err *e);

#endif
