/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.h - plots as inline SVG: axes, lines, bands, dots, bars, labels, tooltips.
 *
 * Colours are classes (c0 .. c7, axis, grid, mark), which the page's style sheet fills for light, dark and print.
 * Units: the caller's; an axis may be logarithmic. Drawing outside the axes is clipped by the caller's choice of
 * range.  Ownership: text goes to the buffer; nothing is kept.
 * Errors: none. */
#ifndef SIM_REPORT_SVG_H
#define SIM_REPORT_SVG_H

#include "platforms/base/mem.h"

enum { SVG_WIDTH = 460, SVG_HEIGHT = 300, SVG_COLOURS = 8 };

struct svg_axis {
    const char *label;
    double low, high;
    bool log;
};

struct svg {
    struct buf *out;
    struct svg_axis x, y;
    double left, top, width, height; /* of the plot area */
    double bottom;                   /* of the drawing */
};

/* Text with & < > " escaped. */
void svg_escape(struct buf *out, const char *text);
/* Markup, a text that is escaped, markup. */
void svg_wrap(struct buf *out, const char *before, const char *text, const char *after);
/* The name of the upright axis, left of the plot. */
void svg_upright(struct svg *s, const char *text);

/* Numbers for labels: 3 significant digits with k, M, G or m, u, n. */
enum { SVG_NUMBER = 32 };
const char *svg_number(double value, char text[static SVG_NUMBER]);

/* The unit in which times up to so many seconds are read best: "ms", the label of an axis, and a second in it. */
struct svg_unit {
    const char *name, *label;
    double per_s;
};
struct svg_unit svg_time_unit(double most_s);

/* Widens an axis so that it holds the value. An axis with low > high holds nothing yet. */
void svg_hold(struct svg_axis *axis, double value);

/* height: of the whole drawing; usually SVG_HEIGHT. */
void svg_open(struct svg *s, struct buf *out, const char *id, const char *title, double height);
/* Frame, grid, ticks and labels; x ticks only with x.label. */
void svg_axes(struct svg *s);
/* The same of x alone, where y has names. */
void svg_axes_x(struct svg *s);
void svg_close(struct svg *s);

double svg_x(const struct svg *s, double x);
double svg_y(const struct svg *s, double y);

void svg_line(struct svg *s, const double *x, const double *y, size_t n, const char *style);
/* Between low and high. */
void svg_band(struct svg *s, const double *x, const double *low, const double *high, size_t n,
              const char *style);
/* What a pointer over a dot or a bar is told. */
void svg_dot(struct svg *s, double x, double y, const char *style, const char *tip);
struct svg_box {
    double x, y, width, height; /* drawing units */
};
void svg_bar(struct svg *s, struct svg_box box, const char *style, const char *tip);
void svg_text(struct svg *s, double x, double y, const char *style, const char *text);

/* Names of the colours c0, c1, .. in HTML under the plot. */
void svg_legend(struct buf *out, const char *const *names, size_t n);

#endif
