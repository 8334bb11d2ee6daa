/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/plausible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table as rows of experts: layers, or layers of several recordings one after the other. */
struct rows {
    size_t n, width;
    double *items, *sorted; /* each row in rising order */
    double low, high;       /* of all items */
    bool whole;
    const struct record_table *table;
    const struct record_ask *ask;
};

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Fills rows of a table; false when an item is no count anyhow. */
static bool rows_fill(const struct record_table *t, const struct record_ask *ask, struct rows *r) {
    size_t n = (size_t)table_items(t);
    *r = (struct rows){.width = (size_t)t->shape[t->dims - 1], .low = INFINITY, .high = -INFINITY, .whole = true,
                       .table = t, .ask = ask};
    r->n = n / r->width;
    r->items = mem_alloc(n, sizeof *r->items);
    r->sorted = mem_alloc(n, sizeof *r->sorted);
    for (size_t i = 0; i < n; i++) {
        double value = r->items[i] = r->sorted[i] = t->value(t->from, i);
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
        r->whole = r->whole && value == floor(value);
        if (!isfinite(value) || value < 0)
            return false;
    }
    for (size_t row = 0; row < r->n; row++)
        qsort(r->sorted + row * r->width, r->width, sizeof *r->sorted, by_value);
    return true;
}

static void rows_clear(struct rows *r) {
    free(r->items);
    free(r->sorted);
}

/* Returns whether the layers hold 0 and 1 alone, and both. */
static bool are_flags(const struct rows *r) {
    return r->whole && r->low == 0 && r->high == 1;
}

/* Returns whether every layer holds the values of the first in some order, and not one value alone. Of two experts that
 * is no wonder. */
static bool are_permutations(const struct rows *r) {
    if (r->width < 3 || r->sorted[0] == r->sorted[r->width - 1])
        return false;
    for (size_t row = 1; row < r->n; row++)
        if (memcmp(r->sorted, r->sorted + row * r->width, r->width * sizeof *r->sorted) != 0)
            return false;
    return true;
}

/* Returns how many distinct values a sorted row has when they are 0, 1, 2 and so on without a gap; 0: they are not. */
static size_t counted_up(const double *sorted, size_t width) {
    size_t distinct = 0;
    for (size_t i = 0; i < width; i++) {
        if (sorted[i] != (double)distinct && (distinct == 0 || sorted[i] != (double)distinct - 1))
            return 0;
        distinct += sorted[i] == (double)distinct;
    }
    return distinct;
}

/* Returns whether every layer names the same experts 0, 1, .. without a gap, each twice at most on average. */
static bool are_slots(const struct rows *r) {
    enum { FEWEST = 4 };
    size_t experts = r->whole ? counted_up(r->sorted, r->width) : 0;
    if (experts < FEWEST || 2 * experts < r->width)
        return false;
    for (size_t row = 1; row < r->n; row++)
        if (counted_up(r->sorted + row * r->width, r->width) != experts)
            return false;
    return true;
}

/* Returns whether all rows hold distinct small numbers that come back many times: experts that tokens chose. */
static bool are_ids(const struct rows *r) {
    enum { FEWEST = 16, REPEATS = 4 };
    if (!r->whole || r->n < FEWEST || r->width < 2 || r->high >= COUNTS_EXPERT_MAX ||
        (double)(r->n * r->width) < REPEATS * (r->high + 1))
        return false;
    for (size_t row = 0; row < r->n; row++)
        for (size_t i = 1; i < r->width; i++)
            if (r->sorted[row * r->width + i] == r->sorted[row * r->width + i - 1])
                return false;
    return true;
}

/* Returns whether these are more fractions that sum to 1 than a model has layers. */
static bool are_scores(const struct rows *r) {
    enum { LAYERS = 256 };
    for (size_t row = 0; row < r->n; row++) {
        double sum = 0;
        for (size_t i = 0; i < r->width; i++)
            sum += r->items[row * r->width + i];
        if (fabs(sum - 1) > 1e-2)
            return false;
    }
    return !r->whole && r->n > LAYERS;
}

/* --- sums of two dimensions -------------------------------------------------------------------------- */

/* Returns whether sums are equal, of rows or of columns. */
static bool sums_are_equal(const struct rows *r, bool of_rows) {
    size_t n = of_rows ? r->n : r->width, of = of_rows ? r->width : r->n;
    double first = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < of; k++)
            sum += r->items[of_rows ? i * r->width + k : k * r->width + i];
        if (i && fabs(sum - first) > 1e-9 * first)
            return false;
        first = sum;
    }
    return true;
}

/* Returns whether layers stand in columns: every token counts equally often in each layer, so sums of layers are
 * equal, sums of experts are not. */
static bool are_transposed(const struct rows *r) {
    enum { FEWEST = 4 };
    return r->table->dims == 2 && r->whole && r->n >= FEWEST && r->width >= 2 && r->high > 0 &&
           sums_are_equal(r, false) && !sums_are_equal(r, true);
}

/* Returns whether the rows are draws of one size from one distribution, as senders of a rank-one matrix are: chi-square
 * over its degrees of freedom is about 1. */
static bool rows_are_alike(const struct rows *r) {
    double square = 0;
    if (!sums_are_equal(r, true))
        return false;
    for (size_t i = 0; i < r->width; i++) {
        double mean = 0;
        for (size_t row = 0; row < r->n; row++)
            mean += r->items[row * r->width + i] / (double)r->n;
        for (size_t row = 0; row < r->n && mean > 0; row++)
            square += (r->items[row * r->width + i] - mean) * (r->items[row * r->width + i] - mean) / mean;
    }
    return square <= 2 * (double)((r->n - 1) * (r->width - 1));
}

static bool diagonal_is_empty(const struct rows *r) {
    size_t others = 0;
    for (size_t i = 0; i < r->n * r->width; i++)
        if (i % (r->width + 1) == 0 && r->items[i] > 0)
            return false;
        else
            others += r->items[i] > 0;
    return 2 * others > r->n * (r->width - 1);
}

/* Returns whether a square table fits traffic between ranks. ranks 0: how many there are is not known. */
static bool is_matrix(const struct rows *r) {
    int ranks = r->ask->ranks;
    if (r->table->dims != 2 || r->n != r->width || (ranks && (size_t)ranks != r->n))
        return false;
    return diagonal_is_empty(r) || (ranks && rows_are_alike(r));
}

/* --- what it looks like ------------------------------------------------------------------------------ */

/* The first that fits counts. */
static const struct sign {
    bool (*fits)(const struct rows *r);
    const char *what, *takes;
} signs[] = {
    {is_matrix, "a matrix of ranks: square, and its rows fit traffic from one rank to the others",
     "--as matrix (workload.routing.record) reads it as bytes between ranks"},
    {are_flags, "flags: 0 and 1 alone in several layers, experts that are present on a rank or chosen by a token",
     "workload.placement_file takes a placement"},
    {are_slots, "a slot map: every layer has all numbers from 0 up, as physical experts name logical ones",
     "workload.placement_file takes it"},
    {are_permutations, "permutations: every layer holds the same values in another order, as maps of experts do",
     "workload.placement_file takes a map of slots to experts"},
    {are_scores, "scores of tokens: many rows of fractions that sum to 1", "count how often each expert was chosen"},
    {are_ids, "ids of experts that tokens chose: rows of distinct small numbers",
     "--as routes (workload.routing.record), or top_k and experts, read it as ids"},
    {are_transposed, "experts first and layers last: columns have equal sums, rows have not", "save it transposed"},
};

enum rc plausible_counts(const struct record_table *t, const struct record_ask *ask, struct err *e) {
    struct rows r = {0};
    enum rc rc = RC_OK;
    if (ask->as == RECORD_AS_AUTO && t->shape[t->dims - 1] > 1 && rows_fill(t, ask, &r) && r.n > 1)
        for (size_t i = 0; i < sizeof signs / sizeof *signs && !rc; i++)
            if (signs[i].fits(&r))
                rc = err_at(e, RC_SCHEMA, &t->at, "no counts: looks like %s; %s, --as counts reads it as counts all "
                            "the same", signs[i].what, signs[i].takes);
    rows_clear(&r);
    return rc;
}

enum rc plausible_cells(const struct counts *c, const struct record_ask *ask, const char *name, struct err *e) {
    const struct record_table t = {.at = {name, 0, 0},
                                   .dims = 2,
                                   .shape = {(uint64_t)c->n_layers, (uint64_t)c->n_experts},
                                   .value = table_double,
                                   .from = c->counts};
    return plausible_counts(&t, ask, e);
}
