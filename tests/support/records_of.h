/* SPDX-License-Identifier: BSD-3-Clause */
/* records_of.h - the records that a sweep wrote, in an order of their own. */
#ifndef TESTS_SUPPORT_RECORDS_OF_H
#define TESTS_SUPPORT_RECORDS_OF_H

#include "tests/support/folder.h"
#include "tests/support/program.h"

static inline int records_by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Records in the order of their text, the cost of the runs taken out; n receives their number. */
static inline char *records_of(const char *path, size_t *n) {
    enum { MOST = 512 };
    char *text = get_file(path), *lines[MOST], *rest = text;
    struct buf all = {0};
    buf_text(&all, "");
    *n = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        char *engine = strstr(line, ", \"engine\": {");
        if (engine)
            *engine = '\0';
        assert_true(*n < MOST);
        lines[(*n)++] = line;
    }
    qsort(lines, *n, sizeof *lines, records_by_text);
    for (size_t i = 0; i < *n; i++)
        buf_printf(&all, "%s\n", lines[i]);
    free(text);
    return all.text;
}

#endif
