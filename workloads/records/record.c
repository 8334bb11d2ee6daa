/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/foreign.h"
#include "workloads/records/counts_csv.h"
#include "workloads/records/plausible.h"
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

static enum rc read_counts_csv(const char *data, size_t n, const char *name, const struct record_ask *ask,
                               struct record *r, struct err *e) {
    r->kind = RECORD_COUNTS;
    r->counts = mem_alloc(1, sizeof *r->counts);
    enum rc rc = counts_csv_read(data, n, name, &ask->counts, r->counts, e);
    if (!rc)
        rc = plausible_cells(r->counts, ask, name, e);
    return rc ? rc : counts_finish(r->counts, false, name, e);
}

static enum rc read_any(const char *data, size_t n, const char *name, const struct record_ask *ask,
                        struct record *r, struct err *e) {
    enum rc rc = foreign_refuse(data, n, name, FOREIGN_RECORD, e);
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
        return record_read_matrix(data, n, name, ask, r, e);
    if (record_is_tensor_text(data, n))
        return record_read_tensor_text(data, n, name, ask, r, e);
    if (record_is_wide(data, n))
        return record_read_wide(data, n, name, ask, r, e);
    if (record_is_grid(data, n))
        return record_read_grid(data, n, name, ask, r, e);
    return read_counts_csv(data, n, name, ask, r, e);
}

/* What was asked for must be what it is: a format that says itself what it holds cannot be told otherwise. */
static enum rc check_kind(const struct record *r, const char *name, const struct record_ask *ask, struct err *e) {
    static const char *const kinds[] = {"counts", "routes", "a matrix"};
    static const enum record_kind asked[] = {RECORD_COUNTS, RECORD_COUNTS, RECORD_MATRIX, RECORD_ROUTES};
    if (ask->as == RECORD_AS_AUTO || asked[ask->as] == r->kind)
        return RC_OK;
    return err_set(e, RC_SCHEMA, "%s: the record says itself that it holds %s; it cannot be read as %s "
                   "(--as, workload.routing.record)", name, kinds[r->kind], kinds[asked[ask->as]]);
}

enum rc record_parse(const char *data, size_t n, const char *name, const struct record_ask *ask,
                     struct record **record, struct err *e) {
    struct record *r = mem_alloc(1, sizeof *r);
    hash_bytes(data, n, r->sha256);
    enum rc rc = read_any(data, n, name, ask, r, e);
    if (!rc)
        rc = check_kind(r, name, ask, e);
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
    if (!rc)
        rc = check_kind(r, path, ask, e);
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
    FILE *f = file_open(path);
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
