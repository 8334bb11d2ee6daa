/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_read.h"

#include <stdlib.h>
#include <string.h>

#include "sim/report/page_records.h"

/* Returns the index of a text, which is added when it is new. */
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

/* Adds the reasons of all numbers that are withheld; before: the object whose numbers they are, with a dot, or "". */
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
    c->bound_is_near = *page_text(call, "bound_note");
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

/* Returns the key of the gain of the round trip if both phases were asked for, otherwise of the one that was. */
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

static void add_record(struct page *page, json_t *record) {
    MEM_GROW(page->points, page->n, page->room);
    struct page_point *p = &page->points[page->n++];
    *p = (struct page_point){0};
    read_point(page, record, p);
    if (p->failed) {
        page->failed++;
        intern(&page->errors, page_text(record, "error message"));
        return;
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
}

static enum rc read_record(json_t *record, void *context, struct err *e) {
    (void)e;
    add_record(context, record);
    return RC_OK;
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

void page_of_result(const struct result *r, const char *name, struct page *page) {
    json_t *record = page_record(r);
    *page = (struct page){.source = name};
    add_record(page, record);
    json_decref(record);
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
