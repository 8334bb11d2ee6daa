/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON records, as a stream of top-level values. What an object is shows in its keys, in any order:
 *   route rows   topk_ids of one token (vLLM route loggers), or topk_experts of many with origin_rows or
 * source_rank,
 *                count; a line of "type": "meta" may say top_k and num_experts
 *   counts       logical_count [L, E] or [S, L, E]; layers {"3": {"cnt": [..]}}; layer_N {"31": x or
 *                {"count_frequency": x}}, experts without a key have 0
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

/* After '[': only whether a weight is exactly 0 matters, not its value. */
static enum rc read_weights(struct json_pull *j, struct row *row, struct err *e) {
    row->weights_n = 0;
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token != JSON_LIST_END) {
        if (j->token == JSON_NUMBER) {
            MEM_GROW(row->weights, row->weights_n, row->weights_room);
            row->weights[row->weights_n++] = j->text[strcspn(j->text, "123456789e")] > '0' &&
                                             j->text[strcspn(j->text, "123456789e")] <= '9';
        } else if (j->token != JSON_LIST && j->token != JSON_LIST_END) {
            return err_at(e, RC_SCHEMA, &j->at, "%s, expected weights", json_pull_name(j));
        } else if (j->token == JSON_LIST) {
            rc = json_pull_skip(j, e); // of many tokens: not used
        }
        if (!rc)
            rc = json_pull_next(j, e);
    }
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

static enum rc check_lengths(const struct json_pull *j, const struct row *row, struct err *e) {
    if (row->sources.n && row->sources.n != row->ends.n)
        return err_at(e, RC_SHAPE, &j->at, "%zu source ranks for %zu tokens", row->sources.n,
                      row->ends.n);
    if (row->counts.n && row->counts.n != row->ends.n)
        return err_at(e, RC_SHAPE, &j->at, "%zu counts for %zu tokens", row->counts.n, row->ends.n);
    return RC_OK;
}

static enum rc flush_row(struct reader *r, struct err *e) {
    struct row *row = &r->row;
    struct json_pull *j = r->j;
    enum rc rc = check_lengths(j, row, e);
    if (rc || !row->has_ids)
        return rc;
    if (!r->record->routes) {
        if (r->record->counts || r->cells.n || r->tensor.n)
            return err_at(e, RC_SCHEMA, &j->at, "route rows after counts in one record");
        r->record->kind = RECORD_ROUTES;
        r->record->routes = routes_new(&r->ask.routes);
    }
    for (size_t t = 0; t < row->ends.n && !rc; t++) {
        size_t first = t ? (size_t)row->ends.items[t - 1] : 0,
               n = (size_t)row->ends.items[t] - first;
        struct routes_row one = {.layer = row->has_layer ? row->layer : 0,
                                 .ids = row->ids.items + first,
                                 .weights =
                                     !row->nested && row->weights_n == n ? row->weights : NULL,
                                 .n = n > COUNTS_EXPERT_MAX ? COUNTS_EXPERT_MAX : (int)n,
                                 .source = row->sources.n ? row->sources.items[t] : -1,
                                 .request = row->has_request ? row->request : NULL,
                                 .at = r->at,
                                 .number = ++r->rows};
        int64_t times = row->counts.n ? row->counts.items[t] : 1;
        if (times > ROUTES_IDS_MAX)
            return err_at(e, RC_RANGE, &r->at, "count %lld of token %zu is above %d", (long long)times, t + 1,
                          ROUTES_IDS_MAX);
        for (int64_t i = 0; i < times && !rc; i++)
            rc = routes_add(r->record->routes, &one, e);
    }
    return rc;
}

static void clear_row(struct row *row) {
    row->has_ids = row->has_layer = row->has_request = false;
    row->sources.n = row->counts.n = row->weights_n = row->ids.n = row->ends.n = 0;
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
              {"logical_count", FIELD_LOGICAL}, {"layers", FIELD_LAYERS}};

static enum field find_field(const char *name) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].field;
    return FIELD_OTHER;
}

static void take_request(struct reader *r) {
    r->row.has_request = r->j->token == JSON_TEXT || r->j->token == JSON_NUMBER;
    if (r->row.has_request)
        memcpy(r->row.request, r->j->text, strlen(r->j->text) + 1);
}

/* One key of an object at the top; the value's first token is read. */
static enum rc take_field(struct reader *r, const char *name, struct err *e) {
    struct json_pull *j = r->j;
    struct row *row = &r->row;
    bool list = j->token == JSON_LIST;
    switch (find_field(name)) {
    case FIELD_IDS:
        return list ? read_ids(j, row, e) : want(j, JSON_LIST, "a list of expert ids", e);
    case FIELD_WEIGHTS:
        return list ? read_weights(j, row, e) : json_pull_skip(j, e);
    case FIELD_LAYER:
        row->has_layer = j->token == JSON_NUMBER;
        return row->has_layer ? whole(j, 0, &row->layer, e) : json_pull_skip(j, e);
    case FIELD_REQUEST:
        take_request(r);
        return json_pull_skip(j, e);
    case FIELD_TOP_K:
        return j->token == JSON_NUMBER ? agree(j, &r->ask.routes.top_k, "top_k", e)
                                       : json_pull_skip(j, e);
    case FIELD_EXPERTS:
        r->ask.routes.experts =
            r->ask.counts.experts ? r->ask.counts.experts : r->ask.routes.experts;
        if (j->token != JSON_NUMBER)
            return json_pull_skip(j, e);
        enum rc rc = agree(j, &r->ask.routes.experts, "experts", e);
        r->ask.counts.experts = rc ? 0 : r->ask.routes.experts;
        return rc;
    case FIELD_SOURCES:
        return list ? read_numbers(j, &row->sources, 0, e) : json_pull_skip(j, e);
    case FIELD_COUNTS:
        return list ? read_numbers(j, &row->counts, 0, e) : json_pull_skip(j, e);
    case FIELD_LOGICAL:
        return list ? record_json_tensor(r, e) : want(j, JSON_LIST, "lists of counts", e);
    case FIELD_LAYERS:
        return j->token == JSON_MAP ? record_json_layers(r, e) : json_pull_skip(j, e);
    default:
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
    free(r.row.sources.items);
    free(r.row.counts.items);
    free(r.row.weights);
    free(r.tensor.items);
    free(r.cells.items);
    return rc;
}
