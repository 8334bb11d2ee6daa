/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_init(struct table *t, int columns) {
    BUG_ON(columns < 1 || columns > TABLE_COLUMNS);
    *t = (struct table){.columns = columns};
}

void table_cell(struct table *t, const char *format, ...) {
    char text[200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    MEM_GROW(t->cells, t->n, t->room);
    t->cells[t->n++] = mem_copy(text);
}

void table_end_row(struct table *t) {
    while (t->n % (size_t)t->columns)
        table_cell(t, "%s", "");
}

void table_write(const struct table *t, bool left, struct buf *out) {
    size_t columns = (size_t)t->columns;
    int width[TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        int w = (int)strlen(t->cells[i]);
        if (w > width[i % columns])
            width[i % columns] = w;
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t c = i % columns;
        if (c)
            buf_text(out, "  ");
        buf_printf(out, "%*s", c == 0 || left ? -width[c] : width[c], t->cells[i]);
        if (c + 1 < columns)
            continue;
        while (out->n && out->text[out->n - 1] == ' ')
            out->text[--out->n] = '\0';
        buf_text(out, "\n");
    }
}

void table_paragraph(struct buf *out, const char *format, ...) {
    enum { WIDTH = 100, INDENT = 4 };
    char text[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    size_t column = 0;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column > INDENT && column + 1 + n > WIDTH) {
            buf_printf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (word > text) {
            buf_text(out, " ");
            column++;
        }
        buf_add(out, word, n);
        column += n;
        word += n + (word[n] == ' ');
    }
    buf_text(out, "\n");
}

void table_clear(struct table *t) {
    for (size_t i = 0; i < t->n; i++)
        free(t->cells[i]);
    free(t->cells);
    *t = (struct table){0};
}
