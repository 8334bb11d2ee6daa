/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots over all points of a sweep. */
#include "sim/report/page_plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/page_table.h"
#include "sim/report/svg.h"

/* Which gain the plots show: the strongest that any point has. */
enum basis { BASIS_TIME, BASIS_WIRE, BASIS_CLOSED, BASIS_NONE };
static const char *const basis_names[] = {"gain on call time", "gain on wire time", "gain by the closed form",
                                          "no gain"};

static struct page_number gain_of(const struct page_point *p, enum basis basis) {
    const struct page_number none = {false, 0};
    return basis == BASIS_TIME ? p->gain : basis == BASIS_WIRE ? p->wire_gain
           : basis == BASIS_CLOSED ? p->analytic_gain : none;
}

static enum basis find_basis(const struct page *page) {
    for (int basis = 0; basis < BASIS_NONE; basis++)
        for (size_t i = 0; i < page->n; i++)
            if (gain_of(&page->points[i], (enum basis)basis).known)
                return (enum basis)basis;
    return BASIS_NONE;
}

static bool varies(const struct page *page, int axis) {
    for (size_t i = 1; i < page->n; i++)
        if (page->points[i].text[axis] != page->points[0].text[axis])
            return true;
    return false;
}

static bool is_numeric(const struct page *page, int axis) {
    for (size_t i = 0; i < page->n; i++)
        if (!page->points[i].numeric[axis])
            return false;
    return true;
}

/* A varying axis: the one of this name if there is one, otherwise the first; -1: none. */
static int pick(const struct page *page, const char *name, bool numeric, int except) {
    int found = -1;
    for (int i = 0; i < (int)page->axes.n && i < PAGE_AXES; i++) {
        if (i == except || !varies(page, i) || (numeric && !is_numeric(page, i)))
            continue;
        if (strcmp(page->axes.items[i], name) == 0)
            return i;
        if (found < 0)
            found = i;
    }
    return found;
}

/* --- map ------------------------------------------------------------------------------------------- */

enum { MAP_CELLS = 40 };

struct scale {
    int axis;
    int texts[MAP_CELLS];
    double values[MAP_CELLS];
    int n;
    bool more;
};

static void fill_scale(const struct page *page, int axis, struct scale *s) {
    *s = (struct scale){.axis = axis, .n = axis < 0};
    for (size_t i = 0; i < page->n && axis >= 0; i++) {
        const struct page_point *p = &page->points[i];
        int k = 0;
        while (k < s->n && s->texts[k] != p->text[axis])
            k++;
        if (k < s->n)
            continue;
        if (s->n == MAP_CELLS) {
            s->more = true;
            continue;
        }
        for (k = s->n++; k > 0 && p->numeric[axis] && s->values[k - 1] > p->x[axis]; k--) {
            s->texts[k] = s->texts[k - 1];
            s->values[k] = s->values[k - 1];
        }
        s->texts[k] = p->text[axis];
        s->values[k] = p->x[axis];
    }
}

static int find_cell(const struct scale *s, const struct page_point *p) {
    for (int k = 0; k < s->n; k++)
        if (s->axis < 0 || s->texts[k] == p->text[s->axis])
            return k;
    return -1;
}

struct cell {
    double sum;
    int n;
};

static void draw_cell(struct svg *s, struct svg_box box, const struct cell *c, const char *tip, bool label) {
    char style[80], text[16];
    if (c->n == 0) {
        svg_bar(s, box, "class=\"none\"", tip);
        return;
    }
    double gain = c->sum / c->n;
    snprintf(style, sizeof style, "class=\"%s\" fill-opacity=\"%.2f\"", gain < 1 ? "lose" : "win",
             fmin(0.9, 0.12 + 0.7 * fabs(log2(gain))));
    svg_bar(s, box, style, tip);
    snprintf(text, sizeof text, "%.2f", gain);
    if (label)
        svg_text(s, box.x + box.width / 2, box.y + box.height / 2 + 4, "middle", text);
}

/* Where the gain crosses 1 between neighbours in a row. */
static void draw_border(struct svg *s, struct svg_box box, const struct cell *a, const struct cell *b) {
    if (a->n && b->n && (a->sum / a->n < 1) != (b->sum / b->n < 1))
        buf_printf(s->out, "<path class=\"border\" d=\"M%.1f %.1fv%.1f\"/>", box.x + box.width, box.y,
                   box.height);
}

static void draw_map(const struct page *page, const struct scale *x, const struct scale *y,
                     const struct cell *cells, struct svg *s, struct page_table *t) {
    enum { LONG_LABELS = 96 };
    s->left = y->axis < 0 ? 12 : LONG_LABELS;
    s->width = SVG_WIDTH - 12 - s->left;
    double w = s->width / x->n, h = s->height / y->n;
    int every_x = 1 + (x->n - 1) / (int)(s->width / 44), every_y = 1 + (y->n - 1) / 16;
    for (int k = 0; k < y->n; k++) {
        char name[16];
        const char *row = y->axis < 0 ? "" : page->texts.items[y->texts[k]];
        snprintf(name, sizeof name, strlen(row) > 11 ? "%.9s.." : "%.11s", row);
        if (k % every_y == 0)
            svg_text(s, s->left - 6, s->top + (y->n - 1 - k + 0.5) * h + 4, "end", name);
        for (int i = 0; i < x->n; i++) {
            const struct cell *c = &cells[k * x->n + i];
            const char *column = page->texts.items[x->texts[i]];
            struct svg_box box = {s->left + i * w, s->top + (y->n - 1 - k) * h, w, h};
            char *tip = c->n ? mem_printf("%s, %s: %.4g (%d points)", column, row, c->sum / c->n, c->n)
                             : mem_printf("%s, %s: withheld, or no point", column, row);
            draw_cell(s, box, c, tip, w >= 30 && h >= 14);
            if (i + 1 < x->n)
                draw_border(s, box, c, c + 1);
            free(tip);
            page_cell(t, column);
            page_cell(t, row);
            page_value(t, (struct page_number){c->n > 0, c->n ? c->sum / c->n : 0});
            page_row(t);
        }
    }
    for (int i = 0; i < x->n; i += every_x)
        svg_text(s, s->left + (i + 0.5) * w, s->top + s->height + 15, "middle", page->texts.items[x->texts[i]]);
}

void page_map(const struct page *page, struct buf *out) {
    enum basis basis = find_basis(page);
    struct scale x, y;
    int axis = pick(page, "platform.ratio", false, -1);
    if (axis < 0 || basis == BASIS_NONE)
        return;
    fill_scale(page, axis, &x);
    fill_scale(page, pick(page, "workload.routing.rho_max", false, axis), &y);
    struct cell *cells = mem_alloc((size_t)x.n * (size_t)y.n, sizeof *cells);
    for (size_t i = 0; i < page->n; i++) {
        int a = find_cell(&x, &page->points[i]), b = find_cell(&y, &page->points[i]);
        struct page_number gain = gain_of(&page->points[i], basis);
        if (a >= 0 && b >= 0 && gain.known) {
            cells[b * x.n + a].sum += gain.value;
            cells[b * x.n + a].n++;
        }
    }
    const char *y_name = y.axis < 0 ? "" : page->axes.items[y.axis];
    char *text = mem_printf("Mean %s over %s%s%s. Blue: two hops win; orange: one hop wins; the line: breakeven.%s",
                            basis_names[basis], page->axes.items[axis], *y_name ? " x " : "", y_name,
                            x.more || y.more ? " Only the first 40 values of an axis are shown." : "");
    page_section(out, "Breakeven map", text);
    free(text);
    struct svg s;
    struct page_table t = {.rows = 0};
    svg_open(&s, out, "map", "gain over two axes", SVG_HEIGHT);
    page_cell(&t, page->axes.items[axis]);
    page_cell(&t, y_name);
    page_cell(&t, basis_names[basis]);
    page_row(&t);
    draw_map(page, &x, &y, cells, &s, &t);
    if (*y_name)
        svg_upright(&s, y_name);
    svg_text(&s, s.left + s.width / 2, s.bottom - 6, "middle", page->axes.items[axis]);
    svg_close(&s);
    page_table_end(&t, "map", out);
    free(cells);
}

/* --- curves ---------------------------------------------------------------------------------------- */

/* Points that share their series and x, over repeats. */
struct stop {
    int series;
    double x, sum, low, high;
    int n;
};

static int by_series_and_x(const void *a, const void *b) {
    const struct stop *p = a, *q = b;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

enum { SERIES = 6 };

static int find_series(const struct page *page, const struct page_point *p, int x, char *names[SERIES], int *n) {
    struct buf name = {0};
    for (int i = 0; i < (int)page->axes.n && i < PAGE_AXES; i++)
        if (i != x && varies(page, i)) {
            const char *key = page->axes.items[i], *dot = strrchr(key, '.');
            buf_printf(&name, "%s%s %s", name.n ? ", " : "", dot ? dot + 1 : key, page->texts.items[p->text[i]]);
        }
    if (!name.text)
        buf_text(&name, "all points");
    for (int i = 0; i < *n; i++)
        if (strcmp(names[i], name.text) == 0) {
            buf_clear(&name);
            return i;
        }
    if (*n == SERIES) {
        buf_clear(&name);
        return -1;
    }
    names[*n] = name.text;
    return (*n)++;
}

static void add_stop(struct stop *s, const struct page_point *p, double gain) {
    double low = p->band[0].known ? p->band[0].value : gain, high = p->band[1].known ? p->band[1].value : gain;
    s->low = s->n ? fmin(s->low, fmin(low, gain)) : fmin(low, gain);
    s->high = s->n ? fmax(s->high, fmax(high, gain)) : fmax(high, gain);
    s->sum += gain;
    s->n++;
}

/* Sorted by series and x, one stop each; returns how many. */
static size_t fill_stops(const struct page *page, int x, enum basis basis, char *names[SERIES], int *n_names,
                         struct stop *stops, size_t *left_out) {
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < page->n; i++) {
        const struct page_point *p = &page->points[i];
        struct page_number gain = gain_of(p, basis);
        if (p->failed || !gain.known)
            continue;
        int series = find_series(page, p, x, names, n_names);
        if (series < 0) {
            ++*left_out;
            continue;
        }
        stops[n] = (struct stop){.series = series, .x = p->x[x]};
        add_stop(&stops[n++], p, gain.value);
    }
    if (n)
        qsort(stops, n, sizeof *stops, by_series_and_x);
    for (size_t i = 0; i < n; i++) {
        if (kept && by_series_and_x(&stops[kept - 1], &stops[i]) == 0) {
            struct stop *s = &stops[kept - 1];
            s->low = fmin(s->low, stops[i].low);
            s->high = fmax(s->high, stops[i].high);
            s->sum += stops[i].sum;
            s->n += stops[i].n;
        } else {
            stops[kept++] = stops[i];
        }
    }
    return kept;
}

static void draw_series(struct svg *s, const struct stop *stops, size_t n) {
    double *v = mem_alloc(4 * n, sizeof *v);
    char style[16], tip[120];
    for (size_t i = 0; i < n; i++) {
        v[i] = stops[i].x;
        v[n + i] = stops[i].sum / stops[i].n;
        v[2 * n + i] = stops[i].low;
        v[3 * n + i] = stops[i].high;
    }
    snprintf(style, sizeof style, "c%d", stops[0].series % SVG_COLOURS);
    svg_band(s, v, v + 2 * n, v + 3 * n, n, style);
    svg_line(s, v, v + n, n, style);
    for (size_t i = 0; i < n && n <= 60; i++) {
        snprintf(tip, sizeof tip, "x = %.4g: %.4g (%.4g to %.4g)", v[i], v[n + i], v[2 * n + i], v[3 * n + i]);
        svg_dot(s, v[i], v[n + i], style, tip);
    }
    free(v);
}

static void draw_curves(const char *x_name, enum basis basis, const struct stop *stops, size_t n, char *const *names,
                        struct buf *out) {
    struct svg s;
    struct page_table t = {.rows = 0};
    static const char *const head[] = {"series", "x", "mean", "low", "high"};
    svg_open(&s, out, "curves", "gain over one axis", SVG_HEIGHT);
    for (int i = 0; i < 5; i++)
        page_cell(&t, head[i]);
    page_row(&t);
    for (size_t i = 0; i < n; i++) {
        svg_hold(&s.x, stops[i].x);
        svg_hold(&s.y, stops[i].low);
        svg_hold(&s.y, stops[i].high);
        page_cell(&t, names[stops[i].series]);
        const double values[] = {stops[i].x, stops[i].sum / stops[i].n, stops[i].low, stops[i].high};
        for (int k = 0; k < 4; k++)
            page_value(&t, (struct page_number){true, values[k]});
        page_row(&t);
    }
    svg_hold(&s.y, 1);
    s.x.log = s.x.low > 0 && s.x.high / s.x.low >= 8;
    s.x.label = x_name;
    s.y.label = basis_names[basis];
    svg_axes(&s);
    const double ends[] = {s.x.low, s.x.high}, one[] = {1, 1};
    svg_line(&s, ends, one, 2, "mark");
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i; k < n && stops[k].series == stops[i].series;)
            k++;
        draw_series(&s, &stops[i], k - i);
    }
    svg_close(&s);
    svg_legend(out, (const char *const *)names, (size_t)stops[n - 1].series + 1);
    page_table_end(&t, "curves", out);
}

void page_curves(const struct page *page, struct buf *out) {
    enum basis basis = find_basis(page);
    int x = pick(page, "platform.ratio", true, -1);
    if (x < 0 || basis == BASIS_NONE)
        return;
    char *names[SERIES] = {NULL};
    int n_names = 0;
    size_t left_out = 0;
    struct stop *stops = mem_alloc(page->n, sizeof *stops);
    size_t n = fill_stops(page, x, basis, names, &n_names, stops, &left_out);
    char *text = mem_printf("%s over %s; above 1 two hops win. Bands: over alpha treatments and repeats.",
                            basis_names[basis], page->axes.items[x]);
    page_section(out, "Curves", text);
    free(text);
    if (left_out)
        buf_printf(out, "<p>The first %d combinations of the other axes; %zu points belong to others.</p>\n", SERIES,
                   left_out);
    draw_curves(page->axes.items[x], basis, stops, n, names, out);
    for (int i = 0; i < n_names; i++)
        free(names[i]);
    free(stops);
}

/* --- scatter --------------------------------------------------------------------------------------- */

/* A page draws this many dots; more would not be told apart. */
enum { DOTS = 1500 };

/* Both axes are logarithmic: a call that moves nothing has no place. */
static bool is_pair(const struct page_call *c) {
    return c->simulated_s.known && c->analytic_s.known && c->simulated_s.value > 0 && c->analytic_s.value > 0;
}

static size_t count_pairs(const struct page *page) {
    size_t n = 0;
    for (size_t i = 0; i < page->n; i++)
        for (int k = 0; k < page->points[i].n_calls; k++)
            n += is_pair(&page->points[i].calls[k]);
    return n;
}

static void draw_dot(struct svg *s, const struct page *page, const struct page_point *p, const struct page_call *c) {
    char style[16];
    char *tip = mem_printf("point %lld, %s%s: analytic %.4g s, simulated %.4g s (%+.1f %%)", (long long)p->number,
                           page->names.items[c->name], c->wire ? ", wire" : "", c->analytic_s.value,
                           c->simulated_s.value, 100 * (c->analytic_s.value / c->simulated_s.value - 1));
    snprintf(style, sizeof style, "c%d", c->name % SVG_COLOURS);
    svg_dot(s, c->analytic_s.value, c->simulated_s.value, style, tip);
    free(tip);
}

static void each_pair(struct svg *s, const struct page *page, size_t stride, struct page_table *t) {
    size_t n = 0;
    for (size_t i = 0; i < page->n; i++)
        for (int k = 0; k < page->points[i].n_calls; k++) {
            const struct page_call *c = &page->points[i].calls[k];
            if (!is_pair(c))
                continue;
            if (t) {
                page_value(t, (struct page_number){true, (double)page->points[i].number});
                page_cell(t, page->names.items[c->name]);
                page_cell(t, c->wire ? "wire" : "time");
                page_value(t, c->analytic_s);
                page_value(t, c->simulated_s);
                page_row(t);
                svg_hold(&s->x, c->analytic_s.value);
                svg_hold(&s->x, c->simulated_s.value);
            } else if (n % stride == 0) {
                draw_dot(s, page, &page->points[i], c);
            }
            n++;
        }
}

void page_scatter(const struct page *page, struct buf *out) {
    size_t n = count_pairs(page), stride = n / DOTS + 1;
    static const char *const head[] = {"point", "call", "basis", "analytic_s", "simulated_s"};
    struct svg s;
    struct page_table t = {.rows = 0};
    if (n == 0)
        return;
    page_section(out, "Closed form against simulation",
                 "Seconds, one dot a call: call times, or wire times where the fixed cost is not known. "
                 "Line: equal; band: 10 %.");
    if (stride > 1)
        buf_printf(out, "<p>One dot of %zu is drawn.</p>\n", stride);
    svg_open(&s, out, "scatter", "analytic against simulated time", SVG_HEIGHT);
    for (int i = 0; i < 5; i++)
        page_cell(&t, head[i]);
    page_row(&t);
    s.x.log = s.y.log = true;
    each_pair(&s, page, stride, &t);
    s.x.label = "closed form, s";
    s.y.label = "simulated, s";
    s.x.low *= 0.9;
    s.x.high *= 1.1;
    s.y.low = s.x.low;
    s.y.high = s.x.high;
    svg_axes(&s);
    const double ends[] = {s.x.low / 0.9, s.x.high / 1.1}, low[] = {ends[0] * 0.9, ends[1] * 0.9},
                 high[] = {ends[0] * 1.1, ends[1] * 1.1};
    svg_band(&s, ends, low, high, 2, "mark");
    svg_line(&s, ends, ends, 2, "mark");
    each_pair(&s, page, stride, NULL);
    svg_close(&s);
    svg_legend(out, (const char *const *)page->names.items,
               page->names.n < SVG_COLOURS ? page->names.n : SVG_COLOURS);
    page_table_end(&t, "scatter", out);
}
