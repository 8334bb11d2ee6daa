/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON records, as a stream of top-level values. What an object is shows in its keys, in any order:
 *   route rows   topk_ids of one token (vLLM route loggers), or topk_experts of many with origin_rows or
 * source_rank,
 *                count; a line of "type": "meta" may say top_k and num_experts
 *   counts       logical_count or expert_counts, [L, E] or [S, L, E]; layer_N or N [..]; layers {"3": {"cnt": [..]}};
 *                layer_N {"31": x or {"count_frequency": x}}, experts without a key have 0
 *   plain lists  [[..]] of counts or ids */
#include "workloads/records/record_read.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/records/record_json_counts.h"

static enum rc want(const struct json_pull *j, enum json_token token, const char *what,
                    struct err *e) {
    return j->token == token
               ? RC_OK
               : err_at(e, RC_SCHEMA, &j->at, "%s, expected %s", json_pull_name(j), what);
}

static enum rc whole(const struct json_pull *j, int64_t low, int64_t *value, struct err *e) {
    if (j->token != JSON_NUMBER || !j->whole || j->integer < low)
        return err_at(e, RC_SCHEMA, &j->at, "%s '%.40s', expected a whole number of %lld or more",
                      json_pull_name(j),
                      j->token == JSON_NUMBER || j->token == JSON_TEXT ? j->text : "",
                      (long long)low);
    *value = j->integer;
    return RC_OK;
}

/* --- lists of numbers ------------------------------------------------------------------------------- */

static void push(struct numbers *x, int64_t value) {
    MEM_GROW(x->items, x->n, x->room);
    x->items[x->n++] = value;
}

/* After '[': whole numbers into x. */
static enum rc read_numbers(struct json_pull *j, struct numbers *x, int64_t low, struct err *e) {
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token != JSON_LIST_END) {
        int64_t value = 0;
        rc = whole(j, low, &value, e);
        if (!rc && x->n == ROUTES_IDS_MAX)
            rc = err_at(e, RC_RANGE, &j->at, "more than %d numbers in one list", ROUTES_IDS_MAX);
        if (!rc) {
            push(x, value);
            rc = json_pull_next(j, e);
        }
    }
    return rc;
}

/* After '[': one token's ids, or a list of such lists. */
static enum rc read_ids(struct json_pull *j, struct row *row, struct err *e) {
    row->ids.n = row->ends.n = 0;
    row->has_ids = true;
    enum rc rc = json_pull_next(j, e);
    row->nested = !rc && j->token == JSON_LIST;
    while (!rc && j->token != JSON_LIST_END) {
        int64_t value = 0;
        if (row->nested) {
            rc = want(j, JSON_LIST, "a list of expert ids", e);
            if (!rc)
                rc = read_numbers(j, &row->ids, INT64_MIN, e);
            push(&row->ends, (int64_t)row->ids.n);
        } else {
            rc = whole(j, INT64_MIN, &value, e);
            push(&row->ids, value);
        }
        if (!rc)
            rc = json_pull_next(j, e);
    }
    if (!rc && !row->nested)
        push(&row->ends, (int64_t)row->ids.n);
    return rc;
}

/* After '[': of one token, or a list for each token. Only whether a weight is exactly 0 matters, not its value. */
static enum rc read_weights(struct json_pull *j, struct row *row, bool inner, struct err *e) {
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token != JSON_LIST_END) {
        if (j->token == JSON_NUMBER) {
            const char digit = j->text[strcspn(j->text, "123456789e")];
            MEM_GROW(row->weights, row->weights_n, row->weights_room);
            row->weights[row->weights_n++] = digit > '0' && digit <= '9';
        } else {
            rc = inner ? want(j, JSON_LIST, "weights", e) : want(j, JSON_NUMBER, "a weight", e);
            if (!rc)
                rc = read_weights(j, row, false, e);
        }
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

/* One number for the whole object, or a list with one for each token. */
static enum rc read_per_token(struct json_pull *j, struct per_token *x, struct err *e) {
    int64_t value = 0;
    x->list.n = 0;
    x->one = j->token == JSON_NUMBER;
    if (j->token == JSON_LIST)
        return read_numbers(j, &x->list, 0, e);
    enum rc rc = whole(j, 0, &value, e);
    if (!rc)
        push(&x->list, value);
    return rc;
}

/* --- route rows -------------------------------------------------------------------------------------- */

/* The reader's own value, or the asked one that it must equal. */
static enum rc agree(const struct json_pull *j, int *asked, const char *what, struct err *e) {
    int64_t value = 0;
    enum rc rc = whole(j, 1, &value, e);
    if (rc)
        return rc;
    if (value > COUNTS_EXPERT_MAX || (*asked && *asked != value))
        return err_at(e, RC_SHAPE, &j->at, "the record has %s %lld, but the workload has %d", what,
                      (long long)value, *asked);
    *asked = (int)value;
    return RC_OK;
}

static enum rc check_per_token(const struct json_pull *j, const struct row *row, const struct per_token *x,
                               const char *what, struct err *e) {
    return x->list.n == 0 || x->one || x->list.n == row->ends.n
               ? RC_OK
               : err_at(e, RC_SHAPE, &j->at, "%zu %s for %zu tokens", x->list.n, what, row->ends.n);
}

static enum rc check_lengths(const struct json_pull *j, const struct row *row, struct err *e) {
    enum rc rc = check_per_token(j, row, &row->sources, "source ranks", e);
    if (!rc)
        rc = check_per_token(j, row, &row->counts, "counts", e);
    if (!rc && row->weights_n && row->weights_n != row->ids.n)
        rc = err_at(e, RC_SHAPE, &j->at, "%zu weights for %zu ids", row->weights_n, row->ids.n);
    return rc;
}

/* Returns the number of token t, or what stands for none. */
static int64_t of_token(const struct per_token *x, size_t t, int64_t otherwise) {
    return x->list.n == 0 ? otherwise : x->list.items[x->one ? 0 : t];
}

/* Adds token t as often as the object counts it. */
static enum rc add_token(struct reader *r, size_t t, struct err *e) {
    const struct row *row = &r->row;
    size_t first = t ? (size_t)row->ends.items[t - 1] : 0, n = (size_t)row->ends.items[t] - first;
    struct routes_row one = {.layer = row->has_layer ? row->layer : 0,
                             .ids = row->ids.items + first,
                             .weights = row->weights_n ? row->weights + first : NULL,
                             .n = n > COUNTS_EXPERT_MAX ? COUNTS_EXPERT_MAX : (int)n,
                             .source = of_token(&row->sources, t, -1),
                             .request = row->has_request ? row->request : NULL,
                             .at = r->at,
                             .number = ++r->rows};
    int64_t times = of_token(&row->counts, t, 1);
    if (times > ROUTES_IDS_MAX)
        return err_at(e, RC_RANGE, &r->at, "count %lld of token %zu is above %d", (long long)times, t + 1,
                      ROUTES_IDS_MAX);
    enum rc rc = RC_OK;
    for (int64_t i = 0; i < times && !rc; i++)
        rc = routes_add(r->record->routes, &one, e);
    return rc;
}

static enum rc flush_row(struct reader *r, struct err *e) {
    struct row *row = &r->row;
    struct json_pull *j = r->j;
    if (!row->has_ids && (row->sources.list.n || row->counts.list.n || row->weights_n))
        return err_at(e, RC_SCHEMA, &r->at, "an object with %s and without topk_ids or topk_experts",
                      row->sources.list.n  ? "source ranks"
                      : row->counts.list.n ? "a count"
                                           : "weights");
    enum rc rc = check_lengths(j, row, e);
    if (rc || !row->has_ids)
        return rc;
    if (!r->record->routes) {
        if (r->record->counts || r->cells.n || r->tensor.n)
            return err_at(e, RC_SCHEMA, &j->at, "route rows after counts in one record");
        r->record->kind = RECORD_ROUTES;
        r->record->routes = routes_new(&r->ask.routes);
    }
    for (size_t t = 0; t < row->ends.n && !rc; t++)
        rc = add_token(r, t, e);
    return rc;
}

static void clear_row(struct row *row) {
    row->has_ids = row->has_layer = row->has_request = false;
    row->sources.list.n = row->counts.list.n = row->weights_n = row->ids.n = row->ends.n = 0;
}

enum field {
    FIELD_IDS,
    FIELD_WEIGHTS,
    FIELD_LAYER,
    FIELD_REQUEST,
    FIELD_TOP_K,
    FIELD_EXPERTS,
    FIELD_SOURCES,
    FIELD_COUNTS,
    FIELD_LOGICAL,
    FIELD_LAYERS,
    FIELD_OTHER
};

static const struct {
    const char *name;
    enum field field;
} fields[] = {{"topk_ids", FIELD_IDS},          {"topk_experts", FIELD_IDS},
              {"topk_weights", FIELD_WEIGHTS},  {"layer", FIELD_LAYER},
              {"layer_id", FIELD_LAYER},        {"req_id", FIELD_REQUEST},
              {"top_k", FIELD_TOP_K},           {"num_experts", FIELD_EXPERTS},
              {"n_expert", FIELD_EXPERTS},      {"origin_rows", FIELD_SOURCES},
              {"source_rank", FIELD_SOURCES},   {"count", FIELD_COUNTS},
              {"logical_count", FIELD_LOGICAL}, {"expert_counts", FIELD_LOGICAL},
              {"layers", FIELD_LAYERS}};

static enum field find_field(const char *name) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].field;
    return FIELD_OTHER;
}

static enum rc take_request(struct reader *r, struct err *e) {
    const struct json_pull *j = r->j;
    if (j->token != JSON_TEXT && j->token != JSON_NUMBER)
        return want(j, JSON_TEXT, "a text or a number that names the request", e);
    r->row.has_request = true;
    memcpy(r->row.request, j->text, strlen(j->text) + 1);
    return RC_OK;
}

static enum rc take_experts(struct reader *r, struct err *e) {
    r->ask.routes.experts = r->ask.counts.experts ? r->ask.counts.experts : r->ask.routes.experts;
    enum rc rc = agree(r->j, &r->ask.routes.experts, "experts", e);
    r->ask.counts.experts = rc ? 0 : r->ask.routes.experts;
    return rc;
}

static enum rc take_weights(struct reader *r, struct err *e) {
    r->row.weights_n = 0;
    enum rc rc = want(r->j, JSON_LIST, "a list of weights", e);
    return rc ? rc : read_weights(r->j, &r->row, true, e);
}

/* One key of an object at the top; the value's first token is read. Every known key is used or is an error; null is as
 * if the key were not there. */
static enum rc take_field(struct reader *r, const char *name, struct err *e) {
    struct json_pull *j = r->j;
    struct row *row = &r->row;
    enum field field = find_field(name);
    enum rc rc = RC_OK;
    if (field != FIELD_OTHER && j->token == JSON_WORD && strcmp(j->text, "null") == 0)
        return RC_OK;
    switch (field) {
    case FIELD_IDS:
        rc = want(j, JSON_LIST, "a list of expert ids", e);
        return rc ? rc : read_ids(j, row, e);
    case FIELD_WEIGHTS:
        return take_weights(r, e);
    case FIELD_LAYER:
        row->has_layer = true;
        return whole(j, 0, &row->layer, e);
    case FIELD_REQUEST:
        return take_request(r, e);
    case FIELD_TOP_K:
        return agree(j, &r->ask.routes.top_k, "top_k", e);
    case FIELD_EXPERTS:
        return take_experts(r, e);
    case FIELD_SOURCES:
        return read_per_token(j, &row->sources, e);
    case FIELD_COUNTS:
        return read_per_token(j, &row->counts, e);
    case FIELD_LOGICAL:
        rc = want(j, JSON_LIST, "lists of counts", e);
        return rc ? rc : record_json_tensor(r, e);
    case FIELD_LAYERS:
        rc = want(j, JSON_MAP, "layers as {\"3\": {\"cnt\": [..]}}", e);
        return rc ? rc : record_json_layers(r, e);
    default:
        if (j->token == JSON_LIST && record_json_is_layer(name))
            return record_json_layer_list(r, name, e);
        return j->token == JSON_MAP ? record_json_named(r, name, 0, e) : json_pull_skip(j, e);
    }
}

static enum rc read_object(struct reader *r, struct err *e) {
    struct json_pull *j = r->j;
    char name[JSON_PULL_TEXT];
    clear_row(&r->row);
    r->at = j->at;
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        memcpy(name, j->text, strlen(j->text) + 1);
        if (strcmp(name, "physical_to_logical_map") == 0 || strcmp(name, "layer_list") == 0)
            return err_at(
                e, RC_SCHEMA, &j->at,
                "this is a placement, not a routing record; use --set workload.placement=file and "
                "--set workload.placement_file=");
        rc = json_pull_next(j, e);
        if (!rc)
            rc = take_field(r, name, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc ? rc : flush_row(r, e);
}

enum rc record_read_json(struct json_pull *j, const struct record_ask *ask, struct record *record,
                         struct err *e) {
    struct reader r = {.j = j, .ask = *ask, .record = record};
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token != JSON_END) {
        rc = j->token == JSON_MAP    ? read_object(&r, e)
             : j->token == JSON_LIST ? record_json_tensor(&r, e)
                                     : want(j, JSON_MAP, "an object or a list", e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    if (!rc)
        rc = record->routes ? routes_finish(record->routes, j->at.file, e)
                            : record_json_counts(&r, e);
    free(r.row.ids.items);
    free(r.row.ends.items);
    free(r.row.sources.list.items);
    free(r.row.counts.list.items);
    free(r.row.weights);
    free(r.tensor.items);
    free(r.cells.items);
    return rc;
}
