/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of one point: the first record that holds what they need. */
#include "sim/report/page_detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/page_table.h"
#include "sim/report/svg.h"

static const json_t *call_of(const json_t *record, size_t i) {
    return json_array_get(page_get(record, "calls"), i);
}

static size_t calls_of(const json_t *record) {
    return json_array_size(page_get(record, "calls"));
}

static char *point_of(const json_t *record) {
    const char *key;
    json_t *value;
    struct buf all = {0};
    json_object_foreach((json_t *)(uintptr_t)page_get(record, "point"), key, value) {
        if (json_is_string(value))
            buf_printf(&all, ", %s %s", key, json_string_value(value));
        else
            buf_printf(&all, ", %s %.6g", key, json_number_value(value));
    }
    if (!all.n)
        buf_printf(&all, "  %s, %s", page_text(record, "platform name"), page_text(record, "workload name"));
    char *text = mem_copy(all.text + 2);
    buf_clear(&all);
    return text;
}

static void section_of(struct buf *out, const char *title, const char *what, const json_t *record) {
    char *point = point_of(record), *text = mem_printf("%s Point: %s.", what, point);
    page_section(out, title, text);
    free(text);
    free(point);
}

static void head(struct page_table *t, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        page_cell(t, names[i]);
    page_row(t);
}

/* What a section shows that has a plot of each call of a record. */
struct per_call {
    const char *title, *what, *csv;
    const char *const *columns; /* of the table */
    int n_columns;
    void (*draw)(const json_t *call, const char *name, size_t index, struct buf *out, struct page_table *t);
};

static void write_per_call(const struct per_call *p, const json_t *record, struct buf *out) {
    struct page_table t = {.rows = 0};
    section_of(out, p->title, p->what, record);
    head(&t, p->columns, p->n_columns);
    for (size_t i = 0; i < calls_of(record); i++) {
        char *name = page_call_name(call_of(record, i));
        svg_wrap(out, "<h3>", name, "</h3>\n");
        p->draw(call_of(record, i), name, i, out, &t);
        free(name);
    }
    page_table_end(&t, p->csv, out);
}

/* --- waterfall ------------------------------------------------------------------------------------- */

struct call_of_causes {
    const char *name;
    double from, to;
    bool end; /* a whole time, not a difference */
};
enum { STEPS = 12 };

static int fill_steps(const json_t *call, struct call_of_causes steps[STEPS]) {
    struct page_number start = page_number(call, "analytic_s"), end = page_number(call, "simulated_s");
    const json_t *causes = page_get(call, "causes");
    if (!start.known || !end.known) {
        start = page_number(call, "analytic_wire_s");
        end = page_number(call, "simulated_wire_s");
    }
    if (!start.known || !end.known || json_array_size(causes) == 0)
        return 0;
    int n = 0;
    double at = start.value;
    steps[n++] = (struct call_of_causes){"closed form", 0, at, true};
    for (size_t i = 0; i < json_array_size(causes) && n < STEPS - 1; i++) {
        struct page_number seconds = page_number(json_array_get(causes, i), "seconds");
        if (!seconds.known)
            continue;
        steps[n++] = (struct call_of_causes){page_text(json_array_get(causes, i), "name"), at,
                                             at + seconds.value, false};
        at += seconds.value;
    }
    steps[n++] = (struct call_of_causes){"simulated", 0, end.value, true};
    return n;
}

static void draw_waterfall(const struct call_of_causes *steps, int n, const char *call, struct buf *out) {
    struct svg s;
    double most_s = 0;
    for (int i = 0; i < n; i++)
        most_s = fmax(most_s, steps[i].to);
    const struct svg_unit unit = svg_time_unit(most_s);
    char id[64], tip[160];
    snprintf(id, sizeof id, "causes-%.40s", call);
    for (char *p = id; *p; p++)
        if (*p == ' ')
            *p = '-';
    svg_open(&s, out, id, call, 28.0 * n + 50);
    enum { NAMES = 172 }; // room for the longest name of a cause
    s.left = NAMES;
    s.width = SVG_WIDTH - NAMES - 16;
    for (int i = 0; i < n; i++) {
        svg_hold(&s.x, steps[i].to * unit.per_s);
        if (!steps[i].end)
            svg_hold(&s.x, steps[i].from * unit.per_s);
    }
    double room = fmax(s.x.high - s.x.low, 0.05 * s.x.high);
    s.x.low = fmax(0, s.x.low - room);
    s.x.high += 0.05 * room;
    char *label = mem_printf("%s (the axis need not begin at 0)", unit.label);
    s.x.label = label;
    s.y = (struct svg_axis){NULL, 0, n, false};
    s.height = 28.0 * n - 12;
    svg_axes_x(&s);
    for (int i = 0; i < n; i++) {
        double a = svg_x(&s, steps[i].end ? s.x.low : unit.per_s * fmin(steps[i].from, steps[i].to));
        double b = svg_x(&s, unit.per_s * (steps[i].end ? steps[i].to : fmax(steps[i].from, steps[i].to)));
        double y = s.top + s.height * i / n, h = s.height / n;
        snprintf(tip, sizeof tip, "%s: %+.4g %s", steps[i].name,
                 (steps[i].to - steps[i].from) * unit.per_s, unit.name);
        svg_text(&s, s.left - 6, y + h / 2 + 4, "end", steps[i].name);
        svg_bar(&s, (struct svg_box){a, y + 0.15 * h, fmax(b - a, 0.7), 0.7 * h},
                steps[i].end                     ? "class=\"whole\""
                : steps[i].to < steps[i].from ? "class=\"win\""
                                              : "class=\"lose\"",
                tip);
    }
    svg_close(&s);
    free(label);
}

void page_waterfall(const struct page *page, struct buf *out) {
    static const char *const names[] = {"call", "step", "seconds"};
    struct page_table t = {.rows = 0};
    if (!page->explained)
        return;
    section_of(out, "Causes of the difference", "From the closed form's time to the simulated one.",
               page->explained);
    head(&t, names, 3);
    for (size_t i = 0; i < calls_of(page->explained); i++) {
        struct call_of_causes steps[STEPS];
        int n = fill_steps(call_of(page->explained, i), steps);
        if (n == 0)
            continue;
        char *name = page_call_name(call_of(page->explained, i));
        svg_wrap(out, "<h3>", name, "</h3>\n");
        draw_waterfall(steps, n, name, out);
        for (int k = 0; k < n; k++) {
            page_cell(&t, name);
            page_cell(&t, steps[k].name);
            page_value(&t, (struct page_number){true, steps[k].to - steps[k].from});
            page_row(&t);
        }
        free(name);
    }
    page_table_end(&t, "causes", out);
}

/* --- ranks ----------------------------------------------------------------------------------------- */

static void draw_ranks(const json_t *call, const char *name, size_t index, struct buf *out, struct page_table *t) {
    const json_t *ranks = page_get(call, "ranks");
    size_t n = json_array_size(ranks);
    struct page_number straggler = page_number(call, "straggler rank");
    struct svg s;
    char id[32], tip[160];
    double most_s = 0;
    for (size_t i = 0; i < n; i++)
        most_s = fmax(most_s, page_number(json_array_get(ranks, i), "recv_end_s").value);
    const struct svg_unit unit = svg_time_unit(most_s);
    char *label = mem_printf("last byte in, %s", unit.name);
    snprintf(id, sizeof id, "ranks-%zu", index);
    svg_open(&s, out, id, name, SVG_HEIGHT);
    s.x = (struct svg_axis){"rank", 0, (double)n, false};
    s.y = (struct svg_axis){label, 0, 0, false};
    for (size_t i = 0; i < n; i++) {
        const json_t *rank = json_array_get(ranks, i);
        struct page_number in = page_number(rank, "recv_end_s"), bound = page_number(rank, "recv_bound_s");
        if (in.known)
            svg_hold(&s.y, in.value * unit.per_s);
        page_cell(t, name);
        page_value(t, (struct page_number){true, (double)i});
        page_value(t, page_number(rank, "send_end_s"));
        page_value(t, in);
        page_value(t, bound);
        page_row(t);
    }
    svg_axes(&s);
    for (size_t i = 0; i < n; i++) {
        const json_t *rank = json_array_get(ranks, i);
        struct page_number in = page_number(rank, "recv_end_s"), bound = page_number(rank, "recv_bound_s");
        if (!in.known)
            continue;
        bool last = straggler.known && (size_t)straggler.value == i;
        double x = svg_x(&s, (double)i), y = svg_y(&s, in.value * unit.per_s), w = s.width / (double)n;
        snprintf(tip, sizeof tip, "rank %zu: last byte in at %.4g %s%s%s", i, in.value * unit.per_s, unit.name,
                 last ? "; straggler, side " : "", last ? page_text(call, "straggler side") : "");
        svg_bar(&s, (struct svg_box){x, y, fmax(0.8 * w, 0.4), s.top + s.height - y},
                last ? "class=\"lose\"" : "class=\"whole\"", tip);
        if (bound.known)
            buf_printf(out, "<path class=\"border\" d=\"M%.1f %.1fh%.2f\"/>", x,
                       svg_y(&s, bound.value * unit.per_s), 0.8 * w);
    }
    svg_close(&s);
    free(label);
    if (!straggler.known)
        return;
    buf_printf(out, "<p>Straggler (last at best, by its port's load): rank %.0f", straggler.value);
    svg_wrap(out, ", ", page_text(call, "straggler side"), ".</p>\n");
}

void page_ranks(const struct page *page, struct buf *out) {
    static const char *const names[] = {"call", "rank", "send_end_s", "recv_end_s", "recv_bound_s"};
    static const struct per_call section = {"Load per rank",
                                            "When the last byte has come in; the mark: the earliest possible by the "
                                            "port's load; orange: the straggler.",
                                            "ranks", names, 5, draw_ranks};
    if (page_get(page->detail, "calls 0 ranks"))
        write_per_call(&section, page->detail, out);
}

/* --- links ----------------------------------------------------------------------------------------- */

enum { LINKS = 6, BINS = 60 };

/* Returns the end of the last interval in which a link carried anything. */
static double last_use_s(const json_t *link) {
    const json_t *bins = page_get(link, "utilisation_over_time");
    size_t n = json_array_size(bins);
    while (n && json_number_value(json_array_get(bins, n - 1)) <= 0)
        n--;
    return page_number(link, "bin_s").value * (double)n;
}

static void draw_links(const json_t *call, const char *name, size_t index, struct buf *out, struct page_table *t) {
    const json_t *links = page_get(call, "links");
    const char *names[LINKS];
    struct svg s;
    char id[32], style[8];
    size_t n = 0;
    snprintf(id, sizeof id, "links-%zu", index);
    svg_open(&s, out, id, name, SVG_HEIGHT);
    double end_s = 0;
    for (size_t i = 0; i < json_array_size(links) && i < LINKS; i++)
        end_s = fmax(end_s, last_use_s(json_array_get(links, i)));
    const struct svg_unit unit = svg_time_unit(end_s);
    s.x = (struct svg_axis){unit.label, 0, end_s * unit.per_s, false};
    s.y = (struct svg_axis){"share of capacity", 0, 1.05, false};
    svg_axes(&s);
    for (size_t i = 0; i < json_array_size(links) && i < LINKS; i++) {
        const json_t *link = json_array_get(links, i), *bins = page_get(link, "utilisation_over_time");
        struct page_number bin = page_number(link, "bin_s");
        double x[BINS], y[BINS];
        size_t k = 0;
        for (; bin.known && k < json_array_size(bins) && k < BINS && ((double)k + 0.5) * bin.value <= end_s; k++) {
            x[k] = ((double)k + 0.5) * bin.value * unit.per_s;
            double used = json_number_value(json_array_get(bins, k));
            y[k] = fmin(used, 1.05); // to the top of the plot
            page_cell(t, name);
            page_cell(t, page_text(link, "name"));
            page_value(t, (struct page_number){true, x[k] / unit.per_s});
            page_value(t, (struct page_number){true, used});
            page_row(t);
        }
        snprintf(style, sizeof style, "c%zu", i);
        if (k)
            svg_line(&s, x, y, k, style);
        names[n++] = page_text(link, "name");
    }
    svg_close(&s);
    svg_legend(out, names, n);
}

void page_links(const struct page *page, struct buf *out) {
    static const char *const names[] = {"call", "link", "time_s", "utilisation_frac"};
    static const struct per_call section = {"Use of the busiest links over time",
                                            "Payload over capacity.",
                                            "links", names, 4, draw_links};
    if (page_get(page->detail, "calls 0 links"))
        write_per_call(&section, page->detail, out);
}

/* --- matrix ---------------------------------------------------------------------------------------- */

static void draw_traffic(const json_t *call, const char *name, size_t index, struct buf *out, struct page_table *t) {
    const json_t *rows = page_get(call, "traffic_map bytes");
    size_t n = json_array_size(rows);
    double most = 0;
    struct svg s;
    char id[32], tip[120], style[80];
    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, json_number_value(json_array_get(json_array_get(rows, i / n), i % n)));
    snprintf(id, sizeof id, "traffic-%zu", index);
    svg_open(&s, out, id, name, SVG_HEIGHT);
    s.width = s.height = SVG_HEIGHT - 50;
    s.left = (SVG_WIDTH - s.width) / 2;
    for (size_t i = 0; i < n * n; i++) {
        double bytes = json_number_value(json_array_get(json_array_get(rows, i / n), i % n));
        double cell = s.width / (double)n;
        snprintf(tip, sizeof tip, "block %zu to %zu: %.4g bytes", i / n, i % n, bytes);
        snprintf(style, sizeof style, "class=\"%s\" fill-opacity=\"%.3f\"", bytes > 0 ? "heat" : "none",
                 bytes > 0 ? 0.05 + 0.95 * bytes / most : 1.0);
        svg_bar(&s, (struct svg_box){s.left + cell * (double)(i % n), s.top + cell * (double)(i / n), cell, cell},
                style, tip);
        page_cell(t, name);
        page_value(t, (struct page_number){true, (double)(i / n)});
        page_value(t, (struct page_number){true, (double)(i % n)});
        page_value(t, (struct page_number){true, bytes});
        page_row(t);
    }
    svg_text(&s, SVG_WIDTH / 2.0, s.top + s.height + 18, "middle", "to block");
    svg_text(&s, s.left - 6, s.top + s.height / 2, "end", "from block");
    svg_close(&s);
    buf_printf(out, "<p>%.0f ranks a block; darkest: %.4g bytes.</p>\n",
               page_number(call, "traffic_map ranks_per_block").value, most);
}

void page_traffic(const struct page *page, struct buf *out) {
    static const char *const names[] = {"call", "from_block", "to_block", "bytes"};
    static const struct per_call section = {"Who sends to whom",
                                            "Bytes between blocks of ranks, all stages together.",
                                            "traffic", names, 4, draw_traffic};
    if (page_get(page->detail, "calls 0 traffic_map"))
        write_per_call(&section, page->detail, out);
}
