/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/unit.h"
#include "sim/report/page_table.h"
#include "sim/report/svg.h"

/* Times of one call, as far as they are known. */
struct call_times {
    struct page_number time, wire, low, high, bound;
};

static struct call_times times_of(const json_t *call) {
    struct call_times t = {page_number(call, "time_s"), page_number(call, "wire_s"),
                           page_number(call, "time_band_s 0"), page_number(call, "time_band_s 1"),
                           page_number(call, "bound_s")};
    return t;
}

static void hold(struct svg_axis *axis, struct page_number number, double scale) {
    if (number.known)
        svg_hold(axis, number.value * scale);
}

/* A bar for the time that is known best, a line for the band, a mark for the bound. */
static void draw_call(struct svg *s, const json_t *call, double y, double scale, const char *unit) {
    const double height = 16;
    struct call_times t = times_of(call);
    struct page_number shown = t.time.known ? t.time : t.wire;
    char tip[160];
    if (shown.known) {
        double x = svg_x(s, shown.value * scale);
        snprintf(tip, sizeof tip, "%s %.4g %s", t.time.known ? "call time" : "wire time", shown.value * scale, unit);
        svg_bar(s, (struct svg_box){s->left, y - height / 2, fmax(x - s->left, 0.5), height},
                t.time.known ? "class=\"heat\"" : "class=\"whole\"", tip);
    }
    if (t.low.known && t.high.known && t.high.value > t.low.value)
        buf_printf(s->out, "<path class=\"border\" d=\"M%.1f %.1fv8m0 -4H%.1fm0 -4v8\"/>",
                   svg_x(s, t.low.value * scale), y - 4, svg_x(s, t.high.value * scale));
    if (t.bound.known)
        buf_printf(s->out, "<path class=\"border\" d=\"M%.1f %.1fv%g\"/>", svg_x(s, t.bound.value * scale),
                   y - height / 2 - 3, height + 6);
}

static void draw_calls(const json_t *calls, struct buf *out) {
    enum { ROW = 30, NAMES = 178 }; // room for "two-hop-inside-first dispatch"
    struct svg s;
    size_t n = json_array_size(calls);
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        struct call_times t = times_of(json_array_get(calls, i));
        const struct page_number all[] = {t.time, t.wire, t.high, t.bound};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            most = all[k].known ? fmax(most, all[k].value) : most;
    }
    const struct svg_unit unit = svg_time_unit(most);
    svg_open(&s, out, "calls", "Times of the calls", ROW * (double)n + 60);
    s.left = NAMES;
    s.width = SVG_WIDTH - NAMES - 16;
    s.x = (struct svg_axis){unit.label, 0, 0, false};
    for (size_t i = 0; i < n; i++) {
        struct call_times t = times_of(json_array_get(calls, i));
        const struct page_number all[] = {t.time, t.wire, t.high, t.bound};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            hold(&s.x, all[k], unit.per_s);
    }
    s.y = (struct svg_axis){NULL, 0, (double)n, false};
    svg_axes_x(&s);
    for (size_t i = 0; i < n; i++) {
        double y = s.top + s.height * ((double)i + 0.5) / (double)n;
        char *name = page_call_name(json_array_get(calls, i));
        svg_text(&s, s.left - 6, y + 4, "end", name);
        draw_call(&s, json_array_get(calls, i), y, unit.per_s, unit.name);
        free(name);
    }
    svg_close(&s);
}

/* --- the table under it --------------------------------------------------------------------------------- */

static void put_time(struct buf *out, struct page_number time) {
    char text[UNIT_TEXT];
    buf_printf(out, "<td>%s</td>", time.known ? unit_format(time.value, UNIT_TIME, text) : "-");
}

static void put_bytes(struct buf *out, const json_t *call) {
    const json_t *tiers = page_get(call, "tiers");
    buf_text(out, "<td>");
    for (size_t i = 0; i < json_array_size(tiers); i++) {
        const json_t *tier = json_array_get(tiers, i);
        char text[UNIT_TEXT];
        struct page_number bytes = page_number(tier, "bytes");
        svg_wrap(out, i ? ", " : "", page_text(tier, "name"), " ");
        buf_text(out, bytes.known ? unit_format(bytes.value, UNIT_SIZE, text) : "-");
    }
    buf_text(out, "</td>");
}

static void put_row(struct buf *out, const json_t *call) {
    struct call_times t = times_of(call);
    struct page_number use = page_number(call, "busiest_link utilisation");
    char low[UNIT_TEXT], high[UNIT_TEXT], *name = page_call_name(call);
    svg_wrap(out, "<tr><td>", name, "</td>");
    free(name);
    if (t.low.known && t.high.known && t.high.value > t.low.value)
        buf_printf(out, "<td>%s to %s</td>", unit_format(t.low.value, UNIT_TIME, low),
                   unit_format(t.high.value, UNIT_TIME, high));
    else
        put_time(out, t.time);
    put_time(out, t.wire);
    put_time(out, t.bound);
    svg_wrap(out, "<td>", page_text(call, "busiest_link name"), "");
    if (use.known)
        buf_printf(out, ", busy %.0f %%", 100 * use.value);
    buf_text(out, "</td>");
    put_bytes(out, call);
    buf_text(out, "</tr>\n");
}

void page_calls(const struct page *page, struct buf *out) {
    const json_t *calls = page_get(page->first, "calls");
    if (page->n != 1 || !json_array_size(calls))
        return;
    page_section(out, "Times of the calls", "Bars: call time, or wire time (grey) where that is not known; line: the "
                                            "call time's band; mark: the lower bound.");
    draw_calls(calls, out);
    buf_text(out, "<div class=\"wide\"><table>\n<tr><th>call</th><th>call time</th><th>wire time</th><th>lower bound"
                  "</th><th>busiest link</th><th>bytes</th></tr>\n");
    for (size_t i = 0; i < json_array_size(calls); i++)
        put_row(out, json_array_get(calls, i));
    buf_text(out, "</table></div>\n</section>\n");
}
