/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/record_json_counts.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/records/plausible.h"
#include "workloads/records/take.h"

/* --- tables ------------------------------------------------------------------------------------------ */

static enum rc add_number(struct reader *r, struct tensor *t, struct err *e) {
    double value;
    enum rc rc = json_pull_number(r->j, &value, e);
    if (rc)
        return rc;
    if (t->n == COUNTS_CELLS_MAX)
        return err_at(e, RC_RANGE, &r->j->at, "more than %d numbers", COUNTS_CELLS_MAX);
    t->integers = t->integers && r->j->whole;
    MEM_GROW(t->items, t->n, t->room);
    t->items[t->n++] = value;
    return RC_OK;
}

/* After '[' of a list at this depth. All lists of a depth have one length, all numbers stand at one depth.
 * */
static enum rc read_level(struct reader *r, struct tensor *t, int depth, struct err *e) {
    enum { DIMS = 3 };
    struct json_pull *j = r->j;
    uint64_t n = 0;
    if (depth == DIMS)
        return err_at(e, RC_SHAPE, &j->at, "lists nested deeper than %d", DIMS);
    enum rc rc = json_pull_next(j, e);
    for (; !rc && j->token != JSON_LIST_END; n++) {
        bool number = j->token != JSON_LIST;
        if (number && t->dims == 0)
            t->dims = depth + 1;
        if (t->dims && number != (t->dims == depth + 1))
            return err_at(e, RC_SHAPE, &j->at, "%s, expected %s as before", json_pull_name(j),
                          number ? "a list" : "a number");
        rc = number ? add_number(r, t, e) : read_level(r, t, depth + 1, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    if (rc)
        return rc;
    if (t->shape[depth] && t->shape[depth] != n)
        return err_at(e, RC_SHAPE, &j->at, "a list of %llu items, the one before has %llu",
                      (unsigned long long)n, (unsigned long long)t->shape[depth]);
    if (n == 0)
        return err_at(e, RC_SHAPE, &j->at, "an empty list");
    t->shape[depth] = n;
    return RC_OK;
}

enum rc record_json_tensor(struct reader *r, struct err *e) {
    if (r->tensor.n || r->cells.n || r->record->routes)
        return err_at(e, RC_SCHEMA, &r->j->at, "a second table in one record");
    r->tensor.at = r->j->at;
    r->tensor.integers = true;
    return read_level(r, &r->tensor, 0, e);
}

static enum rc check_count(double value, int64_t layer, int64_t expert, const struct place *at,
                           struct err *e) {
    return value >= 0
               ? RC_OK
               : err_at(e, RC_RANGE, at,
                        "count %g of layer %lld, expert %lld is not a finite number of 0 or more",
                        value, (long long)layer, (long long)expert);
}

static enum rc cells_check_experts(const struct reader *r, int64_t experts, const struct place *at,
                             struct err *e) {
    int asked = r->ask.counts.experts;
    if (experts > COUNTS_EXPERT_MAX + 1)
        return err_at(e, RC_RANGE, at, "more than %d experts", COUNTS_EXPERT_MAX + 1);
    return asked == 0 || asked == experts
               ? RC_OK
               : err_at(e, RC_SHAPE, at,
                        "the record holds %lld experts, but there are %d (--set "
                        "workload.experts=%lld, or "
                        "--experts %lld)%s",
                        (long long)experts, asked, (long long)experts, (long long)experts,
                        experts == asked + 1 ? "; a fused shared expert? then leave it out" : "");
}

/* --- named layers and experts ------------------------------------------------------------------------ */

/* Digits of a key as a number up to max, or -1. */
static int64_t key_number(const char *text, int64_t max) {
    int64_t value = 0;
    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        value = value * 10 + (*text - '0');
        if (value > max)
            return -1;
    }
    return value;
}

static enum rc cells_add(struct reader *r, int64_t layer, int64_t expert, struct err *e) {
    double value = 0;
    const struct place *at = &r->j->at;
    enum rc rc = json_pull_number(r->j, &value, e);
    if (!rc)
        rc = check_count(value, layer, expert, at, e);
    if (!rc && (expert > COUNTS_EXPERT_MAX || r->cells.n == COUNTS_CELLS_MAX))
        rc = err_at(e, RC_RANGE, at, "more than %d experts or %d counts", COUNTS_EXPERT_MAX + 1,
                    COUNTS_CELLS_MAX);
    if (rc)
        return rc;
    MEM_GROW(r->cells.items, r->cells.n, r->cells.room);
    r->cells.items[r->cells.n++] = (struct cell){layer, (int)expert, at->line, value};
    return RC_OK;
}

/* After '[' of one layer: a count for each expert. */
static enum rc read_list(struct reader *r, int64_t layer, struct err *e) {
    int64_t expert = 0;
    enum rc rc = json_pull_next(r->j, e);
    for (; !rc && r->j->token != JSON_LIST_END; expert++) {
        rc = cells_add(r, layer, expert, e);
        if (!rc)
            rc = json_pull_next(r->j, e);
    }
    return rc;
}

/* Returns the number of the layer that a key names, or -1. */
static int64_t layer_of_key(const char *name) {
    static const char prefix[] = "layer_";
    size_t n = strncmp(name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    return key_number(name + n, COUNTS_LAYER_MAX);
}

bool record_json_is_layer(const char *name) {
    return layer_of_key(name) >= 0;
}

enum rc record_json_layer_list(struct reader *r, const char *name, struct err *e) {
    return read_list(r, layer_of_key(name), e);
}

/* After '{' of one layer: {"cnt": [..], ..} */
static enum rc read_cnt(struct reader *r, int64_t layer, struct err *e) {
    struct json_pull *j = r->j;
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        bool cnt = strcmp(j->text, "cnt") == 0;
        rc = json_pull_next(j, e);
        if (!rc && cnt && j->token != JSON_LIST)
            return err_at(e, RC_SCHEMA, &j->at, "cnt is %s, expected a list of counts", json_pull_name(j));
        if (!rc && cnt) {
            rc = read_list(r, layer, e);
        } else if (!rc) {
            rc = json_pull_skip(j, e);
        }
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

enum rc record_json_layers(struct reader *r, struct err *e) {
    struct json_pull *j = r->j;
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        int64_t layer = key_number(j->text, COUNTS_LAYER_MAX);
        if (layer < 0)
            return err_at(e, RC_SCHEMA, &j->at, "layer '%.40s' is not a whole number up to %d",
                          j->text, COUNTS_LAYER_MAX);
        rc = json_pull_next(j, e);
        if (!rc && j->token != JSON_MAP)
            return err_at(e, RC_SCHEMA, &j->at, "layer %lld is %s, expected {\"cnt\": [..]}", (long long)layer,
                          json_pull_name(j));
        if (!rc)
            rc = read_cnt(r, layer, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

/* The value of one expert: a number, or a map with count_frequency or count. */
static enum rc read_expert(struct reader *r, int64_t layer, int64_t expert, struct err *e) {
    struct json_pull *j = r->j;
    if (j->token == JSON_NUMBER)
        return cells_add(r, layer, expert, e);
    if (j->token != JSON_MAP)
        return err_at(e, RC_SCHEMA, &j->at, "layer %lld, expert %lld is %s, expected a number or a map with count",
                      (long long)layer, (long long)expert, json_pull_name(j));
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        bool count = strcmp(j->text, "count_frequency") == 0 || strcmp(j->text, "count") == 0;
        rc = json_pull_next(j, e);
        if (!rc)
            rc = count ? cells_add(r, layer, expert, e) : json_pull_skip(j, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

enum rc record_json_named(struct reader *r, const char *name, int depth, struct err *e) {
    enum { DEPTH = 4 };
    static const char prefix[] = "layer_";
    struct json_pull *j = r->j;
    bool named = strncmp(name, prefix, sizeof prefix - 1) == 0;
    int64_t layer = named ? key_number(name + sizeof prefix - 1, COUNTS_LAYER_MAX) : -1;
    if (layer < 0 && depth == DEPTH)
        return json_pull_skip(j, e);
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        char key[JSON_PULL_TEXT];
        memcpy(key, j->text, strlen(j->text) + 1);
        int64_t expert = layer >= 0 ? key_number(key, COUNTS_EXPERT_MAX) : -1;
        rc = json_pull_next(j, e);
        if (!rc && layer >= 0)
            rc = expert >= 0 ? read_expert(r, layer, expert, e) : json_pull_skip(j, e);
        else if (!rc)
            rc = j->token == JSON_MAP ? record_json_named(r, key, depth + 1, e)
                                      : json_pull_skip(j, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

/* --- together ----------------------------------------------------------------------------------------- */

static int cells_by_place(const void *a, const void *b) {
    const struct cell *x = a, *y = b;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->expert != y->expert)
        return x->expert < y->expert ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static enum rc cell_counts(struct reader *r, struct counts *c, struct err *e) {
    struct cell *x = r->cells.items;
    size_t n = r->cells.n, layers = 1;
    int largest = 0;
    qsort(x, n, sizeof *x, cells_by_place);
    for (size_t i = 0; i < n; i++) {
        largest = x[i].expert > largest ? x[i].expert : largest;
        layers += i && x[i].layer != x[i - 1].layer;
        if (i && x[i].layer == x[i - 1].layer && x[i].expert == x[i - 1].expert)
            return err_at(e, RC_SCHEMA, &(struct place){r->j->at.file, x[i].line, 0},
                          "second count of layer %lld, expert %d", (long long)x[i].layer,
                          x[i].expert);
    }
    int asked = r->ask.counts.experts;
    if (asked && largest >= asked)
        return cells_check_experts(r, largest + 1, &(struct place){r->j->at.file, 0, 0}, e);
    c->n_experts = c->n_named = asked ? asked : largest + 1;
    if (!asked)
        buf_printf(&c->notes, "number of experts taken from the largest id: %d\n", c->n_experts);
    if (layers > COUNTS_CELLS_MAX / (size_t)c->n_experts)
        return err_at(e, RC_RANGE, &r->j->at, "%zu layers of %d experts are more than %d counts",
                      layers, c->n_experts, COUNTS_CELLS_MAX);
    c->layer = mem_alloc(layers, sizeof *c->layer);
    c->counts = mem_alloc(layers * (size_t)c->n_experts, sizeof *c->counts);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i].layer != x[i - 1].layer)
            c->layer[c->n_layers++] = x[i].layer;
        c->counts[((size_t)c->n_layers - 1) * (size_t)c->n_experts + (size_t)x[i].expert] =
            x[i].count;
    }
    return RC_OK;
}

static enum rc take_tensor(struct reader *r, struct err *e) {
    const struct tensor *x = &r->tensor;
    struct record_table t = {
        .at = x->at, .dims = x->dims, .value = table_double, .from = x->items, .integers = x->integers};
    memcpy(t.shape, x->shape, sizeof t.shape);
    return record_take(&t, &r->ask, r->record, e);
}

enum rc record_json_counts(struct reader *r, struct err *e) {
    if (r->tensor.n)
        return take_tensor(r, e);
    if (r->cells.n == 0)
        return err_set(
            e, RC_SCHEMA,
            "%s: no routing found; known keys: topk_ids, topk_experts, logical_count, layers with "
            "cnt, layer_N; or plain lists",
            r->j->at.file);
    struct counts *c = r->record->counts = mem_alloc(1, sizeof *c);
    r->record->kind = RECORD_COUNTS;
    enum rc rc = cell_counts(r, c, e);
    if (!rc)
        rc = plausible_cells(c, &r->ask, r->j->at.file, e);
    return rc ? rc : counts_finish(c, false, r->j->at.file, e);
}
