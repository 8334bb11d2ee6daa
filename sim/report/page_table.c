/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_table.h"

#include "platforms/base/json.h"
#include "sim/report/svg.h"

/* A page shows this many rows; the CSV has all. */
enum { ROWS_SHOWN = 200 };

void page_section(struct buf *out, const char *title, const char *text) {
    buf_text(out, "<section>\n<h2>");
    svg_escape(out, title);
    buf_text(out, "</h2>\n<p>");
    svg_escape(out, text);
    buf_text(out, "</p>\n");
}

void page_cell(struct page_table *t, const char *text) {
    if (t->rows <= ROWS_SHOWN) {
        buf_printf(&t->html, "%s<%s>", t->column ? "" : "<tr>", t->rows ? "td" : "th");
        svg_escape(&t->html, text);
        buf_printf(&t->html, "</%s>", t->rows ? "td" : "th");
    }
    // percent-encoded for the link
    buf_text(&t->csv, t->column ? "," : "");
    for (const char *p = text; *p; p++) {
        bool plain = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     *p == '.' || *p == '-' || *p == '_';
        if (plain)
            buf_add(&t->csv, p, 1);
        else
            buf_printf(&t->csv, "%%%02X", *p == ',' ? ';' : (unsigned)(unsigned char)*p);
    }
    t->column++;
}

void page_value(struct page_table *t, struct page_number number) {
    char text[JSON_NUMBER];
    page_cell(t, number.known ? json_format(number.value, text) : "");
}

void page_row(struct page_table *t) {
    if (t->rows <= ROWS_SHOWN)
        buf_text(&t->html, "</tr>\n");
    buf_text(&t->csv, "%0A");
    t->rows++;
    t->column = 0;
}

void page_table_end(struct page_table *t, const char *name, struct buf *out) {
    size_t rows = t->rows ? t->rows - 1 : 0;
    buf_printf(out, "<details><summary>Table, %zu rows</summary>\n<div class=\"wide\"><table>\n", rows);
    if (t->html.text)
        buf_add(out, t->html.text, t->html.n);
    buf_text(out, "</table></div>\n");
    if (rows > ROWS_SHOWN)
        buf_printf(out, "<p>The first %d rows; the CSV has all.</p>\n", ROWS_SHOWN);
    buf_text(out, "</details>\n");
    buf_printf(out, "<p><a download=\"%s.csv\" href=\"data:text/csv;charset=utf-8,", name);
    if (t->csv.text)
        buf_add(out, t->csv.text, t->csv.n);
    buf_text(out, "\">CSV</a></p>\n</section>\n");
    buf_clear(&t->html);
    buf_clear(&t->csv);
    *t = (struct page_table){.rows = 0};
}
