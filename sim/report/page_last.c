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
static bool hash_point(const char *text, size_t n, char about[static HASH_TEXT]) {
    json_t *record = json_loadb(text, n, 0, NULL);
    const json_t *point = page_get(record, "point");
    char *place = point ? json_dumps(point, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (place) {
        char *all = mem_printf("%s %s %lld", page_text(record, "sweep"), place,
                               (long long)json_integer_value(page_get(record, "seed")));
        hash_bytes(all, strlen(all), about);
        free(all);
    }
    free(place);
    json_decref(record);
    return point != NULL;
}

bool *page_superseded(FILE *in) {
    struct last_record *all = NULL;
    size_t n_all = 0, room_all = 0, lines = 0, room = 0;
    char *text = NULL;
    for (ssize_t n; (n = getline(&text, &room, in)) > 0; lines++) {
        MEM_GROW(all, n_all, room_all);
        if (hash_point(text, (size_t)n, all[n_all].about))
            all[n_all++].line = lines;
    }
    bool *superseded = mem_alloc(lines + 1, sizeof *superseded);
    if (n_all)
        qsort(all, n_all, sizeof *all, last_order);
    for (size_t i = 1; i < n_all; i++)
        superseded[all[i - 1].line] = strcmp(all[i - 1].about, all[i].about) == 0;
    free(text);
    free(all);
    rewind(in);
    return superseded;
}
