/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "workloads/records/record_read.h"

static bool is_npz(const char *data, size_t n) {
    return n >= 4 && memcmp(data, "PK\3\4", 4) == 0;
}

/* JSON starts with a bracket, after blanks. */
static bool is_json(const char *data, size_t n) {
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", data[i]) && data[i])
        i++;
    return i < n && (data[i] == '{' || data[i] == '[');
}

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

static enum rc read_npz(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e) {
    const char *array;
    size_t array_n;
    enum rc rc = record_find_npz(data, n, name, ask->counts.model, &array, &array_n, e);
    if (rc)
        return rc;
    struct record_ask own = *ask; // the model named a member
    own.counts.model = NULL;
    return record_read_npy(array, array_n, name, &own, r, e);
}

static enum rc read_any(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e) {
    enum rc rc = record_refuse(data, n, name, e);
    if (rc)
        return rc;
    if (npy_is(data, n))
        return record_read_npy(data, n, name, ask, r, e);
    if (is_npz(data, n))
        return read_npz(data, n, name, ask, r, e);
    if (is_json(data, n)) {
        struct json_pull j;
        json_pull_memory(&j, data, n, name);
        rc = record_read_json(&j, ask, r, e);
        json_pull_clear(&j);
        return rc;
    }
    if (record_is_dump(data, n))
        return record_read_dump(data, n, name, r, e);
    if (record_is_matrix(data, n))
        return record_read_matrix(data, n, name, r, e);
    r->kind = RECORD_COUNTS;
    return counts_parse(data, n, name, &ask->counts, &r->counts, e);
}

enum rc record_parse(const char *data, size_t n, const char *name, const struct record_ask *ask,
                     struct record **record, struct err *e) {
    struct record *r = mem_alloc(1, sizeof *r);
    hash_bytes(data, n, r->sha256);
    enum rc rc = read_any(data, n, name, ask, r, e);
    if (rc)
        record_free(r);
    else
        *record = r;
    return rc;
}

static void add_to_hash(void *context, const char *data, size_t n) {
    hash_add(context, data, n);
}

/* A JSON file block by block; f is at its start. */
static enum rc load_json(FILE *f, const char *path, const struct record_ask *ask,
                         struct record **record, struct err *e) {
    struct record *r = mem_alloc(1, sizeof *r);
    struct hash *hash = hash_start();
    struct json_pull j;
    json_pull_file(&j, f, path);
    j.seen = add_to_hash;
    j.context = hash;
    enum rc rc = record_read_json(&j, ask, r, e);
    json_pull_clear(&j);
    hash_end(hash, r->sha256);
    if (rc)
        record_free(r);
    else
        *record = r;
    return rc;
}

enum rc record_load(const char *path, const struct record_ask *ask, struct record **record,
                    struct err *e) {
    char head[256], *data;
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    size_t n = fread(head, 1, sizeof head, f);
    if (is_json(head, n) && fseek(f, 0, SEEK_SET) == 0) {
        enum rc rc = load_json(f, path, ask, record, e);
        fclose(f);
        return rc;
    }
    fclose(f);
    enum rc rc = file_read(path, COUNTS_FILE_BYTES, &data, &n, e);
    if (rc)
        return rc;
    rc = record_parse(data, n, path, ask, record, e);
    free(data);
    return rc;
}

void record_free(struct record *r) {
    if (!r)
        return;
    counts_free(r->counts);
    routes_free(r->routes);
    matrix_clear(&r->bytes);
    buf_clear(&r->notes);
    free(r);
}

int record_layers(const struct record *r) {
    return r->kind == RECORD_COUNTS   ? r->counts->n_layers
           : r->kind == RECORD_ROUTES ? r->routes->n_layers
                                      : 1;
}

int64_t record_layer(const struct record *r, int l) {
    return r->kind == RECORD_COUNTS   ? r->counts->layer[l]
           : r->kind == RECORD_ROUTES ? r->routes->layers[l].layer
                                      : 0;
}

const char *record_notes(const struct record *r) {
    const struct buf *notes = r->kind == RECORD_COUNTS   ? &r->counts->notes
                              : r->kind == RECORD_ROUTES ? &r->routes->notes
                                                         : &r->notes;
    return notes->text ? notes->text : "";
}
