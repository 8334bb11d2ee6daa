/* SPDX-License-Identifier: BSD-3-Clause */
/* record_json.h - what the two files that read JSON records share: record_json.c (objects, route rows) and
 * record_json_counts.c (tables of counts). */
#ifndef WORKLOADS_RECORDS_RECORD_JSON_H
#define WORKLOADS_RECORDS_RECORD_JSON_H

#include "workloads/records/record_read.h"

struct numbers {
    int64_t *items;
    size_t n, room;
};

/* The route fields of one object. ends[t] is where token t's ids end. */
struct row {
    bool has_ids, nested, has_layer, has_request;
    int64_t layer;
    struct numbers ids, ends, sources, counts;
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

/* After '[': a table of 1 to 3 dimensions. */
enum rc record_json_tensor(struct reader *r, struct err *e);

/* After '{': {"3": {"cnt": [..]}}. */
enum rc record_json_layers(struct reader *r, struct err *e);

/* After '{' of key `name`: layer_N is a layer of named experts; any other map is searched for such keys. */
enum rc record_json_named(struct reader *r, const char *name, int depth, struct err *e);

/* Makes the record's counts of what was read. */
enum rc record_json_counts(struct reader *r, struct err *e);

#endif
