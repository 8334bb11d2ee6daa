/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that are the matrix: CSV src,dst,bytes or src,dst,rows, and dumps of all-to-all-v counts as
 * collective_profiler writes them:
 *     Number of ranks: 4
 *     Datatype size: 2
 *     BEGINNING DATA
 *     Rank(s) 0-1, 3: 5 0 1 2      elements that these ranks send to rank 0, 1, ..
 *     END DATA
 * One count alone is that of an all-to-all: the same for each rank.
 * Sums are checked: a double holds whole numbers up to 2^53. */
#include "workloads/records/record_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/records/csv.h"

enum { CELLS_MAX = 1 << 26 };
static const double matrix_most = 9007199254740992.; /* 2^53: whole numbers that a double holds */

/* Rows of a dense matrix until all is read. */
struct cell {
    int src, dst, line;
    double value;
};

struct cells {
    struct cell *items;
    size_t n, room;
};

static int by_pair(const void *a, const void *b) {
    const struct cell *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

static enum rc too_much(const struct place *at, int src, int dst, struct err *e) {
    return err_at(e, RC_RANGE, at, "the sum of all bytes passes 2^53 with rank %d to rank %d", src, dst);
}

/* Fills the matrix with sorted cells; a pair twice is an error. */
static enum rc record_matrix_fill(struct cells *c, int ranks, const char *name, struct record *r, struct err *e) {
    double total = 0;
    if (c->n)
        qsort(c->items, c->n, sizeof *c->items, by_pair);
    for (size_t i = 0; i < c->n; i++) {
        const struct cell *x = &c->items[i];
        struct place at = {name, x->line, 0};
        if (i && by_pair(x - 1, x) == 0)
            return err_at(e, RC_SCHEMA, &at,
                          "second value for rank %d to rank %d; the first is in line %d", x->src,
                          x->dst, x[-1].line);
        if (x->value > matrix_most - total)
            return too_much(&at, x->src, x->dst, e);
        total += x->value;
    }
    r->kind = RECORD_MATRIX;
    matrix_init(&r->bytes, ranks, c->n, true);
    size_t n = 0;
    for (int src = 0; src < ranks; src++) {
        for (; n < c->n && c->items[n].src == src; n++) {
            r->bytes.dst[n] = c->items[n].dst;
            r->bytes.value[n] = c->items[n].value;
        }
        r->bytes.start[src + 1] = n;
    }
    return RC_OK;
}

enum rc record_matrix_check(struct record *r, const struct place *at, struct err *e) {
    double total = 0;
    r->bytes.whole = true;
    for (int src = 0; src < r->bytes.ranks; src++)
        for (size_t i = r->bytes.start[src]; i < r->bytes.start[src + 1]; i++) {
            r->bytes.whole = r->bytes.whole && r->bytes.value[i] == floor(r->bytes.value[i]);
            if (r->bytes.value[i] > matrix_most - total)
                return too_much(at, src, r->bytes.dst[i], e);
            total += r->bytes.value[i];
        }
    return RC_OK;
}

enum rc record_matrix_of_rows(struct record *r, const struct record_ask *ask, const struct place *at, struct err *e) {
    double row_bytes = ask->row_bytes > 0 ? ask->row_bytes : 1;
    for (size_t i = 0; i < r->bytes.start[r->bytes.ranks]; i++)
        r->bytes.value[i] *= row_bytes;
    if (ask->row_bytes > 0)
        buf_printf(&r->notes, "a matrix of rows, %.10g bytes each (hidden elements of the workload)\n", row_bytes);
    else
        buf_text(&r->notes, "a matrix of rows\n");
    return record_matrix_check(r, at, e);
}

static void matrix_add_cell(struct cells *c, struct cell cell) {
    if (cell.value == 0)
        return;
    MEM_GROW(c->items, c->n, c->room);
    c->items[c->n++] = cell;
}

/* Digits only; false when there are none, or more than 64 bits. */
static bool read_whole(const char **p, const char *end, uint64_t *value) {
    const char *first = *p;
    *value = 0;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        if (!mem_mul_u64(*value, 10, value) || !mem_add_u64(*value, (uint64_t)(**p - '0'), value))
            return false;
    return *p > first;
}

/* --- CSV ------------------------------------------------------------------------------------------- */

/* What the third column may be called, and whether it holds rows. */
static const struct {
    const char *name;
    bool rows;
} units[] = {{"bytes", false}, {"rows", true}, {"count", true}};
enum { UNITS = sizeof units / sizeof *units };

bool record_is_matrix(const char *data, size_t n) {
    static const char bom[] = "\xEF\xBB\xBF", header[] = "src,dst,";
    size_t skip = n >= 3 && memcmp(data, bom, 3) == 0 ? 3 : 0, length = sizeof header - 1;
    return n >= skip + length && memcmp(data + skip, header, length) == 0;
}

static enum rc matrix_read_rank(const struct csv_field *f, int *rank, struct err *e) {
    const char *p = f->text;
    uint64_t value;
    if (!read_whole(&p, f->text + f->n, &value) || *p || value >= MATRIX_RANKS_MAX)
        return err_at(e, RC_SCHEMA, &f->at, "'%.40s', expected a whole number from 0 to %d", f->text,
                      MATRIX_RANKS_MAX - 1);
    *rank = (int)value;
    return RC_OK;
}

/* Reads bytes as a whole number, rows as any number of 0 or more: expected values are fractions. */
static enum rc matrix_read_value(const struct csv_field *f, bool rows, double *value, struct err *e) {
    if (!csv_number(f, value) || *value < 0 || *value > matrix_most || (!rows && *value != floor(*value)))
        return err_at(e, RC_SCHEMA, &f->at, "'%.40s', expected a %snumber from 0 to %.0f", f->text,
                      rows ? "" : "whole ", matrix_most);
    return RC_OK;
}

static enum rc matrix_read_header(struct csv *c, bool *rows, struct err *e) {
    static const char *const header[] = {"src", "dst"};
    size_t unit = 0;
    enum rc rc = csv_next(c, e);
    if (rc)
        return rc;
    bool good = c->n_fields == 3;
    for (size_t i = 0; i < 2 && good; i++)
        good = strcmp(c->fields[i].text, header[i]) == 0;
    while (good && unit < UNITS && strcmp(c->fields[2].text, units[unit].name) != 0)
        unit++;
    if (!good || unit == UNITS)
        return err_at(e, RC_SCHEMA, &c->fields[0].at, "expected the header src,dst,bytes or src,dst,rows");
    *rows = units[unit].rows;
    return RC_OK;
}

static enum rc matrix_read_cell(const struct csv *c, bool rows, struct cell *cell, struct err *e) {
    *cell = (struct cell){.line = c->fields[0].at.line};
    if (c->n_fields != 3)
        return err_at(e, RC_SYNTAX, &c->fields[0].at, "%zu fields, expected 3", c->n_fields);
    enum rc rc = matrix_read_rank(&c->fields[0], &cell->src, e);
    if (!rc)
        rc = matrix_read_rank(&c->fields[1], &cell->dst, e);
    return rc ? rc : matrix_read_value(&c->fields[2], rows, &cell->value, e);
}

enum rc record_read_matrix(const char *data, size_t n, const char *name, const struct record_ask *ask,
                           struct record *r, struct err *e) {
    struct cells cells = {0};
    struct csv c;
    int ranks = 0;
    bool rows = false;
    csv_init(&c, data, n, name);
    enum rc rc = matrix_read_header(&c, &rows, e);
    for (rc = rc ? rc : csv_next(&c, e); !rc && c.n_fields; rc = rc ? rc : csv_next(&c, e)) {
        struct cell cell;
        rc = matrix_read_cell(&c, rows, &cell, e);
        if (rc)
            break;
        int last = cell.src > cell.dst ? cell.src : cell.dst;
        ranks = last >= ranks ? last + 1 : ranks;
        matrix_add_cell(&cells, cell);
        if (cells.n > CELLS_MAX)
            rc = err_at(e, RC_RANGE, &c.fields[0].at, "more than %d pairs", CELLS_MAX);
    }
    if (!rc && ranks == 0)
        rc = err_set(e, RC_SHAPE, "%s: a header and no record after it", name);
    if (!rc)
        rc = record_matrix_fill(&cells, ranks, name, r, e);
    if (!rc && rows)
        rc = record_matrix_of_rows(r, ask, &(struct place){name, 0, 0}, e);
    if (!rc)
        buf_printf(&r->notes, "%d ranks, taken from the largest one named\n", ranks);
    free(cells.items);
    csv_clear(&c);
    return rc;
}

/* --- all-to-all-v counts ---------------------------------------------------------------------------- */

/* The data line by line. */
struct lines {
    const char *p, *end;
    const char *line; /* current, without its end */
    size_t n;
    struct place at;
};

static bool next_line(struct lines *l) {
    if (l->p == l->end)
        return false;
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    l->line = l->p;
    l->n = (size_t)((stop ? stop : l->end) - l->p);
    l->p = stop ? stop + 1 : l->end;
    while (l->n && (l->line[l->n - 1] == '\r' || l->line[l->n - 1] == ' '))
        l->n--;
    l->at.line++;
    return true;
}

static bool starts(const struct lines *l, const char *word) {
    size_t n = strlen(word);
    return l->n >= n && memcmp(l->line, word, n) == 0;
}

bool record_is_dump(const char *data, size_t n) {
    struct lines l = {data, data + n, NULL, 0, {NULL, 0, 0}};
    enum { LINES = 16 }; // a title may stand above
    for (int i = 0; i < LINES && next_line(&l); i++)
        if (starts(&l, "Number of ranks:"))
            return true;
    return false;
}

struct dump {
    struct lines lines;
    uint64_t ranks, element_bytes;
    bool *seen;
    int *senders; /* of the current line */
    struct cells cells;
};

static void dump_skip_blanks(const char **p, const char *end) {
    while (*p < end && (**p == ' ' || **p == '\t'))
        ++*p;
}

static enum rc read_header_number(const struct lines *l, const char *word, uint64_t most,
                                  uint64_t *value, struct err *e) {
    const char *p = l->line + strlen(word), *end = l->line + l->n;
    dump_skip_blanks(&p, end);
    if (!read_whole(&p, end, value) || p != end || *value == 0 || *value > most)
        return err_at(e, RC_SYNTAX, &l->at, "%s expected a number from 1 to %llu", word,
                      (unsigned long long)most);
    return RC_OK;
}

/* "0-3, 7:" into senders; the position after it in *p. */
static enum rc read_senders(struct dump *d, const char **p, const char *end, int *n,
                            struct err *e) {
    *n = 0;
    for (bool more = true; more;) {
        uint64_t first, last;
        dump_skip_blanks(p, end);
        bool good = read_whole(p, end, &first);
        last = first;
        if (good && *p < end && **p == '-') {
            ++*p;
            good = read_whole(p, end, &last);
        }
        dump_skip_blanks(p, end);
        more = *p < end && **p == ',';
        if (!good || *p == end || (**p != ',' && **p != ':') || last < first || last >= d->ranks)
            return err_at(e, RC_SYNTAX, &d->lines.at, "expected ranks below %llu such as 0-3, 7:",
                          (unsigned long long)d->ranks);
        ++*p;
        for (uint64_t src = first; src <= last; src++) {
            if (d->seen[src])
                return err_at(e, RC_SCHEMA, &d->lines.at, "second row of rank %llu",
                              (unsigned long long)src);
            d->seen[src] = true;
            d->senders[(*n)++] = (int)src;
        }
    }
    return RC_OK;
}

/* Adds what each sender of the current line sends to one rank. */
static void add_cells(struct dump *d, int senders, uint64_t dst, uint64_t bytes) {
    for (int i = 0; i < senders && dst < d->ranks; i++)
        matrix_add_cell(&d->cells, (struct cell){d->senders[i], (int)dst, d->lines.at.line, (double)bytes});
}

static enum rc read_counts(struct dump *d, struct err *e) {
    const char *p = d->lines.line + strlen("Rank(s)"), *end = d->lines.line + d->lines.n;
    int senders = 0;
    uint64_t dst = 0;
    enum rc rc = read_senders(d, &p, end, &senders, e);
    uint64_t bytes = 0;
    for (dump_skip_blanks(&p, end); !rc && p < end; dump_skip_blanks(&p, end), dst++) {
        uint64_t count;
        if (!read_whole(&p, end, &count) || (p < end && *p != ' ' && *p != '\t'))
            return err_at(e, RC_SYNTAX, &d->lines.at, "expected whole numbers of elements");
        if (!mem_mul_u64(count, d->element_bytes, &bytes))
            return err_at(e, RC_RANGE, &d->lines.at, "rank %d to rank %llu: more than 2^64 bytes",
                          d->senders[0], (unsigned long long)dst);
        if (d->cells.n + (size_t)senders > CELLS_MAX)
            return err_at(e, RC_RANGE, &d->lines.at, "more than %d pairs", CELLS_MAX);
        add_cells(d, senders, dst, bytes);
    }
    if (!rc && dst == 1) // an all-to-all has one count, the same for each rank
        for (; dst < d->ranks; dst++) {
            if (d->cells.n + (size_t)senders > CELLS_MAX)
                return err_at(e, RC_RANGE, &d->lines.at, "more than %d pairs", CELLS_MAX);
            add_cells(d, senders, dst, bytes);
        }
    return rc || dst == d->ranks ? rc
                                 : err_at(e, RC_SHAPE, &d->lines.at,
                                          "%llu counts, expected one for each of %llu ranks",
                                          (unsigned long long)dst, (unsigned long long)d->ranks);
}

static enum rc read_block(struct dump *d, struct err *e) {
    enum rc rc = RC_OK;
    while (!rc && next_line(&d->lines) && !starts(&d->lines, "END DATA"))
        if (starts(&d->lines, "Rank(s)"))
            rc = read_counts(d, e);
        else if (d->lines.n)
            rc = err_at(e, RC_SYNTAX, &d->lines.at, "expected a line Rank(s) .. or END DATA");
    if (!rc && !starts(&d->lines, "END DATA"))
        rc = err_at(e, RC_SYNTAX, &d->lines.at, "the data ends before END DATA");
    for (uint64_t src = 0; src < d->ranks && !rc; src++)
        if (!d->seen[src])
            rc = err_at(e, RC_SHAPE, &d->lines.at, "no counts of rank %llu",
                        (unsigned long long)src);
    return rc;
}

enum rc record_read_dump(const char *data, size_t n, const char *name, struct record *r,
                         struct err *e) {
    struct dump d = {.lines = {data, data + n, NULL, 0, {name, 0, 0}}};
    bool begun = false;
    enum rc rc = RC_OK;
    while (!rc && !begun && next_line(&d.lines)) {
        if (starts(&d.lines, "Number of ranks:"))
            rc = read_header_number(&d.lines, "Number of ranks:", MATRIX_RANKS_MAX, &d.ranks, e);
        else if (starts(&d.lines, "Datatype size:"))
            rc = read_header_number(&d.lines, "Datatype size:", 1 << 20, &d.element_bytes, e);
        begun = starts(&d.lines, "BEGINNING DATA");
    }
    if (!rc && (!begun || d.ranks == 0 || d.element_bytes == 0))
        rc = err_set(
            e, RC_SYNTAX,
            "%s: expected 'Number of ranks:', 'Datatype size:' and 'BEGINNING DATA'; counts are "
            "elements, bytes need the size of one",
            name);
    if (!rc) {
        d.seen = mem_alloc((size_t)d.ranks, sizeof *d.seen);
        d.senders = mem_alloc((size_t)d.ranks, sizeof *d.senders);
        rc = read_block(&d, e);
    }
    bool more = false;
    while (!rc && next_line(&d.lines))
        more = more || starts(&d.lines, "BEGINNING DATA");
    if (!rc)
        rc = record_matrix_fill(&d.cells, (int)d.ranks, name, r, e);
    if (!rc)
        buf_printf(&r->notes, "all-to-all-v dump: elements of %llu bytes%s\n",
                   (unsigned long long)d.element_bytes, more ? ", first of several blocks" : "");
    free(d.seen);
    free(d.senders);
    free(d.cells.items);
    return rc;
}
