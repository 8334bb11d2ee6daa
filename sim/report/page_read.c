/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "sim/report/page.h"
#include "sim/report/result_report.h"

/* One result is some 100 kB. */
#define ONE_RESULT_BYTES ((size_t)1 << 28)

const json_t *page_get(const json_t *node, const char *path) {
    while (node && *path) {
        char key[64];
        size_t n = strcspn(path, " ");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        node = json_is_array(node) ? json_array_get(node, strtoul(key, NULL, 10)) : json_object_get(node, key);
        path += n + (path[n] == ' ');
    }
    return node;
}

struct page_number page_number(const json_t *node, const char *path) {
    const json_t *value = page_get(node, path);
    if (!json_is_number(value))
        return (struct page_number){false, 0};
    return (struct page_number){true, json_number_value(value)};
}

const char *page_text(const json_t *node, const char *path) {
    const char *text = json_string_value(page_get(node, path));
    return text ? text : "";
}

char *page_call_name(const json_t *call) {
    bool per_rank = strcmp(page_text(call, "dedup"), "rank") == 0;
    return mem_printf("%s%s %s", page_text(call, "strategy"), per_rank ? " (dedup)" : "", page_text(call, "phase"));
}

/* Index of a text, added when it is new. */
static int intern(struct page_texts *t, const char *text) {
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->items[i], text) == 0) {
            t->counts[i]++;
            return (int)i;
        }
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->items = mem_resize(t->items, t->room, sizeof *t->items);
        t->counts = mem_resize(t->counts, t->room, sizeof *t->counts);
    }
    t->items[t->n] = mem_copy(text);
    t->counts[t->n] = 1;
    return (int)t->n++;
}

/* before: the object whose numbers they are, with a dot, or "". */
static void intern_all(struct page_texts *t, const char *before, const json_t *withdrawn) {
    const char *key;
    json_t *reason;
    json_object_foreach((json_t *)(uintptr_t)withdrawn, key, reason) {
        if (!json_is_string(reason))
            continue;
        char *text = mem_printf("%s%s|%s", before, key, json_string_value(reason));
        intern(t, text);
        free(text);
    }
}

static void read_call(struct page *page, const json_t *call, struct page_point *p) {
    intern_all(&page->withdrawn, "", page_get(call, "withdrawn"));
    intern_all(&page->withdrawn, "time_quantiles_s.", page_get(call, "time_quantiles_s withdrawn"));
    intern_all(&page->withdrawn, "sequence.", page_get(call, "sequence withdrawn"));
    page->conditional = page->conditional || !json_is_false(page_get(call, "conditional"));
    if (p->n_calls == PAGE_CALLS)
        return;
    struct page_call *c = &p->calls[p->n_calls++];
    char *name = page_call_name(call);
    c->name = intern(&page->names, name);
    free(name);
    struct page_number simulated = page_number(call, "time_s"), analytic = page_number(call, "analytic_s");
    c->wire = !simulated.known || !analytic.known;
    c->simulated_s = c->wire ? page_number(call, "wire_s") : simulated;
    c->slack = page_number(call, "slack");
    c->analytic_s = c->wire ? page_number(call, "analytic_wire_s") : analytic;
}

static void read_point(struct page *page, const json_t *record, struct page_point *p) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)page_get(record, "point"), key, value) {
        int axis = intern(&page->axes, key);
        if (axis >= PAGE_AXES)
            continue;
        p->numeric[axis] = json_is_number(value);
        p->x[axis] = json_number_value(value);
        char *text = json_is_string(value) ? mem_copy(json_string_value(value))
                                           : mem_printf("%.12g", json_number_value(value));
        p->text[axis] = intern(&page->texts, text);
        free(text);
    }
    p->number = json_integer_value(page_get(record, "number"));
    p->seed = json_integer_value(page_get(record, "seed"));
    p->failed = strcmp(page_text(record, "status"), "error") == 0;
}

/* The gain of the round trip if both phases were asked for, otherwise of the one that was. */
static const char *gain_key(const json_t *record) {
    static const char *const keys[] = {"round_trip", "dispatch", "combine"};
    for (size_t i = 0; i < 3; i++) {
        char *wire = mem_printf("gain wire %s", keys[i]), *closed = mem_printf("gain analytic_wire %s", keys[i]);
        bool there = page_number(record, wire).known || page_number(record, closed).known;
        free(wire);
        free(closed);
        if (there)
            return keys[i];
    }
    return keys[1];
}

static void read_gain(const json_t *record, struct page_point *p) {
    const char *key = gain_key(record);
    const struct {
        const char *format;
        struct page_number *into;
    } all[] = {{"gain %s", &p->gain},           {"gain band %s 0", &p->band[0]},
               {"gain band %s 1", &p->band[1]}, {"gain wire %s", &p->wire_gain},
               {"gain analytic %s", &p->analytic_gain}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *at = strstr(all[i].format, "%s");
        char *path = mem_printf("%.*s%s%s", (int)(at - all[i].format), all[i].format, key, at + 2);
        *all[i].into = page_number(record, path);
        free(path);
    }
    if (!p->analytic_gain.known) {
        char *path = mem_printf("gain analytic_wire %s", key);
        p->analytic_gain = page_number(record, path);
        free(path);
    }
}

/* Keeps the record that comes first in the order of the sweep. */
static void keep(json_t **into, json_t *record) {
    if (*into && json_integer_value(page_get(*into, "number")) <= json_integer_value(page_get(record, "number")))
        return;
    json_decref(*into);
    *into = json_incref(record);
}

static int by_number(const void *a, const void *b) {
    const struct page_point *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

static enum rc read_record(json_t *record, void *context, struct err *e) {
    struct page *page = context;
    (void)e;
    MEM_GROW(page->points, page->n, page->room);
    struct page_point *p = &page->points[page->n++];
    *p = (struct page_point){0};
    read_point(page, record, p);
    if (p->failed) {
        page->failed++;
        intern(&page->errors, page_text(record, "error message"));
        return RC_OK;
    }
    p->ratio = page_number(record, "platform hierarchy_ratio");
    p->rho = page_number(record, "workload rho_max one_hop_in");
    const json_t *calls = page_get(record, "calls");
    for (size_t i = 0; i < json_array_size(calls); i++) {
        read_call(page, json_array_get(calls, i), p);
        if (json_array_size(page_get(json_array_get(calls, i), "causes")))
            keep(&page->explained, record);
    }
    read_gain(record, p);
    intern_all(&page->withdrawn, "gain.", page_get(record, "gain withdrawn"));
    keep(&page->first, record);
    if (page_get(record, "calls 0 links") || page_get(record, "calls 0 traffic_map"))
        keep(&page->detail, record);
    return RC_OK;
}

/* --- files ------------------------------------------------------------------------------------------- */

static enum rc check_schema(json_t *record, const char *name, int line, struct err *e) {
    static const char *const known[] = {"moesim/sweep-record/1", "moesim/simulate/1", "moesim/compare/1"};
    const char *schema = page_text(record, "schema");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(schema, known[i]) == 0)
            return RC_OK;
    const struct place at = {name, line, 0};
    return err_at(e, RC_SCHEMA, &at,
                  "schema '%.60s' found, expected moesim/sweep-record/1, moesim/simulate/1 or moesim/compare/1",
                  schema);
}

static enum rc one_result(const char *text, size_t n, const char *name, page_record_f f, void *context,
                          struct err *e) {
    json_error_t why;
    json_t *record = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!record) {
        const struct place at = {name, why.line, why.column};
        return err_at(e, RC_SYNTAX, &at, "%s", why.text);
    }
    enum rc rc = check_schema(record, name, 1, e);
    if (!rc)
        rc = f(record, context, e);
    json_decref(record);
    return rc;
}

/* One page is of one sweep: its name is that of the first record. */
static enum rc check_sweep(const json_t *record, struct buf *sweep, const struct place *at, struct err *e) {
    const char *name = page_text(record, "sweep");
    if (!sweep->n)
        buf_text(sweep, name);
    return strcmp(name, sweep->n ? sweep->text : "") == 0
               ? RC_OK
               : err_at(e, RC_SCHEMA, at, "a record of sweep '%.60s' among those of '%.60s'; give each a "
                        "file of its own", name, sweep->text ? sweep->text : "");
}

static enum rc each_line(FILE *in, const char *path, page_record_f f, void *context, bool *truncated,
                         struct err *e) {
    char *text = NULL;
    size_t room = 0;
    enum rc rc = RC_OK;
    ssize_t n;
    bool *superseded = page_superseded(in);
    struct buf sweep = {0}; // of the first record
    for (int line = 1; !rc && (n = getline(&text, &room, in)) > 0; line++) {
        json_error_t why;
        if (superseded[line - 1])
            continue;
        const struct place at = {path, line, 0};
        json_t *record = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &why);
        if (record) {
            rc = check_schema(record, path, line, e);
            if (!rc)
                rc = check_sweep(record, &sweep, &at, e);
            if (!rc)
                rc = f(record, context, e);
            json_decref(record);
        } else if (text[n - 1] != '\n') {
            *truncated = true;
        } else {
            rc = err_at(e, RC_SYNTAX, &at, "%s", why.text);
        }
    }
    free(text);
    free(superseded);
    buf_clear(&sweep);
    if (!rc && ferror(in))
        rc = err_set(e, RC_IO, "%s: cannot read: %s", path, strerror(errno));
    return rc;
}

/* A pretty-printed result begins with a brace alone on its line. */
static bool is_one_result(FILE *in) {
    int first = getc(in), second = getc(in);
    rewind(in);
    return first == '{' && (second == '\n' || second == '\r');
}

enum rc page_each(const char *path, page_record_f f, void *context, bool *truncated, struct err *e) {
    FILE *in = file_open(path);
    if (!in)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    enum rc rc;
    if (is_one_result(in)) {
        char *text;
        size_t n;
        rc = file_read(path, ONE_RESULT_BYTES, &text, &n, e);
        if (!rc) {
            rc = one_result(text, n, path, f, context, e);
            free(text);
        }
    } else {
        rc = each_line(in, path, f, context, truncated, e);
    }
    fclose(in);
    return rc;
}

enum rc page_empty(const char *path, struct err *e) {
    return err_set(e, RC_SYNTAX, "%s: there are no records in it", path);
}

enum rc page_read(const char *path, struct page *page, struct err *e) {
    *page = (struct page){.source = path};
    enum rc rc = page_each(path, read_record, page, &page->truncated, e);
    if (!rc && page->n == 0)
        rc = page_empty(path, e);
    if (rc)
        page_clear(page);
    else
        qsort(page->points, page->n, sizeof *page->points, by_number);
    return rc;
}

enum rc page_write_result(const struct result *r, const char *name, struct buf *out, struct err *e) {
    struct page page = {.source = name};
    struct buf json = {0};
    result_write_json(r, &json);
    enum rc rc = one_result(json.text, json.n, name, read_record, &page, e);
    if (!rc)
        page_write(&page, out);
    buf_clear(&json);
    page_clear(&page);
    return rc;
}

static void clear_texts(struct page_texts *t) {
    for (size_t i = 0; i < t->n; i++)
        free(t->items[i]);
    free(t->items);
    free(t->counts);
}

void page_clear(struct page *page) {
    json_decref(page->first);
    json_decref(page->detail);
    json_decref(page->explained);
    struct page_texts *all[] = {&page->axes, &page->texts, &page->names, &page->withdrawn, &page->errors};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clear_texts(all[i]);
    free(page->points);
    *page = (struct page){0};
}
