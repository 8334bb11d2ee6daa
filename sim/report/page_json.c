/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/json_parts.h"

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

/* --- a result as a record ------------------------------------------------------------------------------ */

/* The maps and lists that are open, the outermost first, and the key of the next value. */
struct tree {
    json_t *open[JSON_DEPTH];
    int depth;
    char *key;
    json_t *root;
};

static void tree_add(struct tree *t, json_t *value) {
    json_t *into = t->depth ? t->open[t->depth - 1] : NULL;
    BUG_ON(!value);
    if (!into) {
        t->root = value;
    } else if (json_is_array(into)) {
        BUG_ON(json_array_append_new(into, value) != 0);
    } else {
        BUG_ON(json_object_get(into, t->key) || json_object_set_new(into, t->key, value) != 0);
    }
}

static void tree_open(void *context, char kind) {
    struct tree *t = context;
    json_t *value = kind == '{' ? json_object() : json_array();
    tree_add(t, value);
    t->open[t->depth++] = value;
}

static void tree_close(void *context) {
    struct tree *t = context;
    t->depth--;
}

static void tree_key(void *context, const char *key) {
    struct tree *t = context;
    free(t->key);
    t->key = mem_copy(key);
}

static void tree_text(void *context, const char *text) {
    tree_add(context, text ? json_string(text) : json_null());
}

static void tree_number(void *context, double value) {
    tree_add(context, json_real(value));
}

static void tree_integer(void *context, int64_t value) {
    tree_add(context, json_integer(value));
}

static void tree_boolean(void *context, bool value) {
    tree_add(context, json_boolean(value));
}

json_t *page_record(const struct result *r) {
    static const struct json_sink sink = {tree_open,   tree_close,   tree_key,    tree_text,
                                          tree_number, tree_integer, tree_boolean};
    struct tree t = {.depth = 0};
    struct json j;
    json_init_sink(&j, &sink, &t);
    json_result(&j, r);
    free(t.key);
    return t.root;
}
