/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/stat.h"

static const double *row(const struct counts *c, int l) {
    return c->counts + (size_t)l * (size_t)c->n_experts;
}

static enum rc drop_empty_layers(struct counts *c, const char *name, struct err *e) {
    enum { NAMED = 8 };
    int kept = 0, dropped = 0;
    struct buf list = {0};
    for (int l = 0; l < c->n_layers; l++) {
        if (stat_max(row(c, l), (size_t)c->n_experts) > 0) {
            c->layer[kept] = c->layer[l];
            memmove(c->counts + (size_t)kept * (size_t)c->n_experts, row(c, l),
                    (size_t)c->n_experts * sizeof *c->counts);
            kept++;
        } else if (++dropped <= NAMED) {
            buf_printf(&list, "%s%lld", dropped > 1 ? ", " : "", (long long)c->layer[l]);
        }
    }
    if (dropped && kept)
        buf_printf(&c->notes, "layers without any count (dense) left out: %s%s\n", list.text,
                   dropped > NAMED ? ", .." : "");
    c->n_layers = kept;
    buf_clear(&list);
    return kept ? RC_OK : err_at(e, RC_RANGE, &(struct place){name, 0, 0}, "all counts are zero");
}

struct sums {
    double low, high; /* of the layers */
    bool whole; /* every count is a whole number */
};

static struct sums sum_layers(const struct counts *c) {
    struct sums s = {INFINITY, 0, true};
    for (int l = 0; l < c->n_layers; l++) {
        double sum = stat_sum(row(c, l), (size_t)c->n_experts);
        s.low = fmin(s.low, sum);
        s.high = fmax(s.high, sum);
        for (int e = 0; e < c->n_experts; e++)
            s.whole = s.whole && row(c, l)[e] == floor(row(c, l)[e]);
    }
    return s;
}

/* Each token counts k times in every layer, so the layers of one recording have equal sums. */
static enum rc check_sums(struct counts *c, bool one_byte, const char *name, struct err *e) {
    const double fraction_tolerance = 1e-3; // fractions are often written with few digits
    struct sums s = sum_layers(c);
    struct place at = {name, 0, 0};
    if (!(s.high <= COUNTS_SUM_MAX) || s.low < COUNTS_SUM_MIN)
        return err_at(e, RC_RANGE, &at, "the counts of a layer sum to %g, expected %g to %g",
                      s.low < COUNTS_SUM_MIN ? s.low : s.high, COUNTS_SUM_MIN, COUNTS_SUM_MAX);
    if (one_byte && s.low != s.high)
        return err_at(
            e, RC_RANGE, &at,
            "8-bit counts whose layers sum to %.10g .. %.10g: equal sums are expected, the "
            "counts probably overflowed; save them with more bits",
            s.low, s.high);
    if (one_byte)
        buf_text(&c->notes, "8-bit counts: an overflow above 255 would not show\n");
    double nearest = round(s.high);
    if (!s.whole && nearest >= 1 && fabs(s.high - nearest) <= fraction_tolerance * nearest &&
        fabs(s.low - nearest) <= fraction_tolerance * nearest)
        buf_printf(&c->notes, "values are fractions: each layer sums to %g\n", nearest);
    else if (!s.whole)
        buf_printf(&c->notes, "values are fractions: layers sum to %.6g .. %.6g\n", s.low, s.high);
    else if (s.low != s.high)
        buf_printf(&c->notes, "layers sum to different totals, %.10g .. %.10g\n", s.low, s.high);
    return RC_OK;
}

enum rc counts_finish(struct counts *c, bool one_byte, const char *name, struct err *e) {
    enum rc rc = drop_empty_layers(c, name, e);
    return rc ? rc : check_sums(c, one_byte, name, e);
}

void counts_free(struct counts *c) {
    if (!c)
        return;
    free(c->layer);
    free(c->counts);
    buf_clear(&c->notes);
    free(c);
}
