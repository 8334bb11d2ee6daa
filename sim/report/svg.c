/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 64, RIGHT = 12, TOP = 10, BOTTOM = 44 };

void svg_escape(struct buf *out, const char *text) {
    for (const char *p = text; *p; p++) {
        static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
        const char *special = strchr("&<>\"", *p);
        if (special)
            buf_text(out, names[special - strchr("&<>\"", '&')]);
        else
            buf_add(out, p, 1);
    }
}

void svg_wrap(struct buf *out, const char *before, const char *text, const char *after) {
    buf_text(out, before);
    svg_escape(out, text);
    buf_text(out, after);
}

const char *svg_number(double value, char text[static SVG_NUMBER]) {
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    double size = fabs(value);
    value = size > 0 ? value : 0; // no minus zero
    size_t i = 3;
    if (size >= 1e4 || (size < 1e-2 && size > 0))
        for (i = 0; i < 6 && size < units[i].unit * 0.9995;)
            i++;
    snprintf(text, SVG_NUMBER, "%.3g%s", value / units[i].unit, units[i].name);
    return text;
}

void svg_hold(struct svg_axis *axis, double value) {
    if (!isfinite(value) || (axis->log && value <= 0))
        return;
    if (axis->low > axis->high) {
        axis->low = axis->high = value;
        return;
    }
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static double place(const struct svg_axis *a, double value) {
    if (a->log)
        return log(value / a->low) / log(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

struct svg_unit svg_time_unit(double most_s) {
    static const struct svg_unit units[] = {{"s", "time, s", 1}, {"ms", "time, ms", 1e3}, {"us", "time, us", 1e6}};
    return most_s >= 1 || most_s <= 0 ? units[0] : most_s >= 1e-3 ? units[1] : units[2];
}

double svg_x(const struct svg *s, double x) {
    return s->left + s->width * place(&s->x, x);
}

double svg_y(const struct svg *s, double y) {
    return s->top + s->height * (1 - place(&s->y, y));
}

void svg_open(struct svg *s, struct buf *out, const char *id, const char *title, double height) {
    *s = (struct svg){.out = out,
                      .x = {NULL, 1, 0, false},
                      .y = {NULL, 1, 0, false},
                      .left = LEFT,
                      .top = TOP,
                      .width = SVG_WIDTH - LEFT - RIGHT,
                      .height = height - TOP - BOTTOM,
                      .bottom = height};
    svg_wrap(out, "<svg id=\"plot-", id, "\"");
    buf_printf(out, " class=\"plot\" role=\"img\" viewBox=\"0 0 %d %g\"", SVG_WIDTH, height);
    svg_wrap(out, " aria-label=\"", title, "\">\n");
}

void svg_close(struct svg *s) {
    buf_text(s->out, "</svg>\n");
}

/* An axis that holds one value or none gets some room. */
static void widen(struct svg_axis *a) {
    if (a->low > a->high)
        *a = (struct svg_axis){a->label, a->log ? 1 : 0, a->log ? 10 : 1, a->log};
    if (a->high > a->low * (1 + 1e-9) || (!a->log && a->high > a->low))
        return;
    double by = a->log ? 2 : a->low == 0 ? 1 : fabs(a->low) / 2;
    a->low = a->log ? a->low / by : a->low - by;
    a->high = a->log ? a->high * by : a->high + by;
}

enum { TICKS = 16 };

/* Round values between the ends: at most `most`. */
static int find_ticks(const struct svg_axis *a, int most, double ticks[TICKS]) {
    int n = 0;
    if (a->log && a->high / a->low > 8) {
        static const double mantissas[] = {1, 2, 5};
        double decades = log10(a->high / a->low), every = ceil(decades / most);
        int each = decades <= 2 ? 3 : 1; // 1, 2, 5 or 1 only
        for (double d = floor(log10(a->low)); d <= ceil(log10(a->high)); d += every)
            for (int i = 0; i < each; i++) {
                double t = mantissas[i] * pow(10, d);
                if (t >= a->low * (1 - 1e-9) && t <= a->high * (1 + 1e-9) && n < TICKS)
                    ticks[n++] = t;
            }
        return n;
    }
    double raw = (a->high - a->low) / most, unit = pow(10, floor(log10(raw)));
    double step = raw / unit <= 1 ? unit : raw / unit <= 2 ? 2 * unit : raw / unit <= 5 ? 5 * unit : 10 * unit;
    for (double i = ceil(a->low / step - 1e-9); i * step <= a->high + 1e-9 * step && n < TICKS; i++)
        ticks[n++] = i * step;
    return n;
}

void svg_upright(struct svg *s, const char *text) {
    buf_printf(s->out, "<text class=\"middle\" transform=\"translate(12 %.1f) rotate(-90)\">",
               s->top + s->height / 2);
    svg_escape(s->out, text);
    buf_text(s->out, "</text>\n");
}

void svg_axes_x(struct svg *s) {
    double ticks[TICKS];
    char text[SVG_NUMBER];
    widen(&s->x);
    int n = s->x.label ? find_ticks(&s->x, 6, ticks) : 0;
    for (int i = 0; i < n; i++) {
        double x = svg_x(s, ticks[i]);
        buf_printf(s->out, "<path class=\"grid\" d=\"M%.1f %gv%g\"/>", x, s->top, s->height);
        svg_text(s, x, s->top + s->height + 19, "middle", svg_number(ticks[i], text));
    }
    if (s->x.label)
        svg_text(s, s->left + s->width / 2, s->bottom - 6, "middle", s->x.label);
}

void svg_axes(struct svg *s) {
    double ticks[TICKS];
    char text[SVG_NUMBER];
    widen(&s->y);
    int n = find_ticks(&s->y, 6, ticks);
    for (int i = 0; i < n; i++) {
        double y = svg_y(s, ticks[i]);
        buf_printf(s->out, "<path class=\"grid\" d=\"M%g %.1fh%g\"/>", s->left, y, s->width);
        svg_text(s, s->left - 5, y + 4, "end", svg_number(ticks[i], text));
    }
    svg_axes_x(s);
    if (s->y.label)
        svg_upright(s, s->y.label);
}

void svg_line(struct svg *s, const double *x, const double *y, size_t n, const char *style) {
    buf_printf(s->out, "<path class=\"line %s\" d=\"", style);
    for (size_t i = 0; i < n; i++)
        buf_printf(s->out, "%c%.1f %.1f", i ? 'L' : 'M', svg_x(s, x[i]), svg_y(s, y[i]));
    buf_text(s->out, "\"/>\n");
}

void svg_band(struct svg *s, const double *x, const double *low, const double *high, size_t n,
              const char *style) {
    buf_printf(s->out, "<path class=\"band %s\" d=\"", style);
    for (size_t i = 0; i < n; i++)
        buf_printf(s->out, "%c%.1f %.1f", i ? 'L' : 'M', svg_x(s, x[i]), svg_y(s, low[i]));
    for (size_t i = n; i-- > 0;)
        buf_printf(s->out, "L%.1f %.1f", svg_x(s, x[i]), svg_y(s, high[i]));
    buf_text(s->out, "Z\"/>\n");
}

static void tip_and_end(struct svg *s, const char *tip, const char *end) {
    buf_text(s->out, "><title>");
    svg_escape(s->out, tip);
    buf_printf(s->out, "</title></%s>\n", end);
}

void svg_dot(struct svg *s, double x, double y, const char *style, const char *tip) {
    buf_printf(s->out, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"", style, svg_x(s, x),
               svg_y(s, y));
    tip_and_end(s, tip, "circle");
}

void svg_bar(struct svg *s, struct svg_box b, const char *style, const char *tip) {
    buf_printf(s->out, "<rect %s x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\"", style, b.x, b.y,
               b.width, b.height);
    tip_and_end(s, tip, "rect");
}

void svg_text(struct svg *s, double x, double y, const char *style, const char *text) {
    buf_printf(s->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x, y);
    svg_escape(s->out, text);
    buf_text(s->out, "</text>\n");
}

void svg_legend(struct buf *out, const char *const *names, size_t n) {
    buf_text(out, "<p class=\"legend\">");
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "<span><i class=\"c%zu\"></i>", i % SVG_COLOURS);
        svg_escape(out, names[i]);
        buf_text(out, "</span> ");
    }
    buf_text(out, "</p>\n");
}
