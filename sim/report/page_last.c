/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_last.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/hash.h"
#include "sim/report/page_json.h"

/* A record of a sweep, by what it is about. */
struct last_record {
    char about[HASH_TEXT];
    size_t line;
};

static int last_order(const void *a, const void *b) {
    const struct last_record *x = a, *y = b;
    int order = strcmp(x->about, y->about);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Hashes the sweep, the coordinates and the seed; false where a line is no record of a sweep. */
static bool hash_point(const json_t *record, char about[static HASH_TEXT]) {
    const json_t *point = page_get(record, "point");
    char *place = point ? json_dumps(point, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (place) {
        char *all = mem_printf("%s %s %lld", page_text(record, "sweep"), place,
                               (long long)json_integer_value(page_get(record, "seed")));
        hash_bytes(all, strlen(all), about);
        free(all);
    }
    free(place);
    return point != NULL;
}

/* Takes the key of a record: what a sweep says is answered again under one key is one answer. */
static bool take_key(const json_t *record, char about[static HASH_TEXT]) {
    const char *key = page_text(record, "key");
    bool whole = strlen(key) == HASH_TEXT - 1;
    if (whole)
        memcpy(about, key, HASH_TEXT);
    return whole;
}

/* Records by what they are about, in two ways: one after the other. */
struct last_list {
    struct last_record *items;
    size_t n, room;
};

static void add_line(struct last_list *all, const char *text, size_t n, size_t line) {
    static bool (*const ways[])(const json_t *record, char about[static HASH_TEXT]) = {hash_point, take_key};
    json_t *record = json_loadb(text, n, 0, NULL);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        MEM_GROW(all->items, all->n, all->room);
        if (record && ways[i](record, all->items[all->n].about))
            all->items[all->n++].line = line;
    }
    json_decref(record);
}

bool *page_superseded(FILE *in) {
    struct last_list all = {0};
    size_t lines = 0, room = 0;
    char *text = NULL;
    for (ssize_t n; (n = getline(&text, &room, in)) > 0; lines++)
        add_line(&all, text, (size_t)n, lines);
    bool *superseded = mem_alloc(lines + 1, sizeof *superseded);
    if (all.n)
        qsort(all.items, all.n, sizeof *all.items, last_order);
    for (size_t i = 1; i < all.n; i++)
        if (strcmp(all.items[i - 1].about, all.items[i].about) == 0)
            superseded[all.items[i - 1].line] = true;
    free(text);
    free(all.items);
    rewind(in);
    return superseded;
}
