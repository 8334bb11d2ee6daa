/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/table.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 4 };

void table_init(struct table *t, int columns) {
    BUG_ON(columns < 1 || columns > TABLE_COLUMNS);
    *t = (struct table){.columns = columns};
}

void table_cell(struct table *t, const char *format, ...) {
    struct buf text = {0};
    va_list ap;
    va_start(ap, format);
    buf_vprintf(&text, format, ap);
    va_end(ap);
    MEM_GROW(t->cells, t->n, t->room);
    t->cells[t->n++] = text.text;
}

void table_end_row(struct table *t) {
    while (t->n % (size_t)t->columns)
        table_cell(t, "%s", "");
}

/* Appends a text from column `from` on, broken at blanks at WIDTH; further lines begin at column `indent`. */
static void flow(struct buf *out, const char *text, size_t from, size_t indent) {
    size_t column = from;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column > indent && column + 1 + n > WIDTH) {
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (word > text) {
            buf_text(out, " ");
            column++;
        }
        buf_add(out, word, n);
        column += n;
        word += n + (word[n] == ' ');
    }
}

void table_write(const struct table *t, bool left, struct buf *out) {
    size_t columns = (size_t)t->columns, last = 0;
    int width[TABLE_COLUMNS] = {0};
    for (size_t i = 0; i < t->n; i++) {
        int w = (int)strlen(t->cells[i]);
        if (w > width[i % columns])
            width[i % columns] = w;
    }
    for (size_t c = 0; c + 1 < columns; c++)
        last += (size_t)width[c] + 2;
    for (size_t i = 0; i < t->n; i++) {
        size_t c = i % columns;
        if (c)
            buf_text(out, "  ");
        if (left && c + 1 == columns)
            flow(out, t->cells[i], last, last);
        else
            buf_printf(out, "%*s", c == 0 || left ? -width[c] : width[c], t->cells[i]);
        if (c + 1 < columns)
            continue;
        while (out->n && out->text[out->n - 1] == ' ')
            out->text[--out->n] = '\0';
        buf_text(out, "\n");
    }
}

void table_paragraph(struct buf *out, const char *format, ...) {
    struct buf text = {0};
    va_list ap;
    va_start(ap, format);
    buf_vprintf(&text, format, ap);
    va_end(ap);
    flow(out, text.text, 0, INDENT);
    buf_text(out, "\n");
    buf_clear(&text);
}

void table_lines(struct buf *out, const char *label, const char *lines) {
    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");
        table_paragraph(out, "%s: %.*s", label, (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

void table_labelled(struct buf *out, const char *lines) {
    const size_t label = 16;
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        char *rest = n > label ? mem_printf("%.*s", (int)(n - label), lines + label) : NULL;
        buf_add(out, lines, n < label ? n : label);
        if (rest)
            flow(out, rest, label, label);
        free(rest);
        buf_text(out, "\n");
        lines += n + (lines[n] == '\n');
    }
}

void table_clear(struct table *t) {
    for (size_t i = 0; i < t->n; i++)
        free(t->cells[i]);
    free(t->cells);
    *t = (struct table){0};
}
