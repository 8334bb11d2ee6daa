/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of numbers as plain text: numpy.savetxt, dense CSV without a header, matrices with K, M and G, the text of a
 * tensor, and CSV with one column an expert. What a table then holds is told by take.h, as for an array. */
#include "workloads/records/record_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/records/csv.h"
#include "workloads/records/take.h"

struct grid {
    double *items;
    size_t n, room;
    uint64_t rows, columns;
    bool fractions, bytes; /* bytes: a number had K, M or G */
    const int *layer;      /* as numbered, or NULL */
};

static bool is_gap(char c) {
    return c && strchr(" \t,;\r", c);
}

/* Reads a number at *p, with K, M or G (powers of 1024) behind it. */
static bool grid_number(struct grid *g, const char **p, double *value) {
    static const char marks[] = "KMG";
    const char *first = *p, *end = first;
    if (!isdigit((unsigned char)*first) && !strchr("+-.", *first))
        return false;
    char *stop;
    *value = strtod(first, &stop);
    end = stop;
    for (const char *c = first; c < end; c++)
        if (!isdigit((unsigned char)*c) && !strchr("+-.eE", *c))
            return false;
    const char *mark = end > first && *end ? strchr(marks, *end) : NULL;
    for (int i = 0; mark && i <= mark - marks; i++)
        *value *= 1024;
    g->bytes = g->bytes || mark;
    end += mark != NULL;
    *p = end;
    return end > first && (!*end || *end == '\n' || is_gap(*end));
}

/* Reads the line at *p and moves to the next one. Returns the numbers in it, -1 when something else stands there. */
static int64_t grid_line(struct grid *g, const char **p) {
    int64_t n = 0;
    while (**p && **p != '\n' && **p != '#') {
        double value;
        if (is_gap(**p)) {
            ++*p;
            continue;
        }
        if (!grid_number(g, p, &value))
            return -1;
        MEM_GROW(g->items, g->n, g->room);
        g->items[g->n++] = value;
        g->fractions = g->fractions || value != (double)(int64_t)(value < 1e15 && value > -1e15 ? value : 0);
        n++;
    }
    *p += strcspn(*p, "\n");
    *p += **p == '\n';
    return n;
}

bool record_is_grid(const char *data, size_t n) {
    struct grid g = {0};
    struct buf text = {0};
    int64_t found = 0;
    if (n == 0 || memchr(data, 0, n))
        return false;
    buf_add(&text, data, n);
    for (const char *p = text.text; *p && found == 0;)
        found = grid_line(&g, &p);
    free(g.items);
    buf_clear(&text);
    return found > 0;
}

static enum rc take_grid(const struct grid *g, const char *name, const struct record_ask *ask, struct record *r,
                         struct err *e) {
    struct record_table t = {.at = {name, 0, 0}, .dims = 2, .shape = {g->rows, g->columns}, .value = table_double,
                             .from = g->items, .integers = !g->fractions,
                             .unit = g->bytes ? TABLE_BYTES : TABLE_PLAIN};
    if (!g->layer && (g->rows == 1 || g->columns == 1)) {
        t.dims = 1;
        t.shape[0] = g->n;
    }
    return record_take(&t, ask, r, e);
}

/* Returns whether a table is square and nothing goes from a rank to itself. */
static bool is_traffic(const struct grid *g) {
    for (uint64_t i = 0; i < g->rows && g->rows == g->columns; i++)
        if (g->items[i * g->columns + i] != 0)
            return false;
    return g->rows == g->columns;
}

/* Asks about three columns without names, which may be cells of two kinds of table. */
static enum rc ask_triples(const struct grid *g, const char *name, const struct record_ask *ask, struct err *e) {
    if (ask->as != RECORD_AS_AUTO || g->columns != 3 || g->layer || ask->counts.experts == 3 || is_traffic(g))
        return RC_OK;
    return err_set(e, RC_SCHEMA,
                   "%s: three columns without a header: counts of three experts (--as counts), or cells: write a "
                   "header above, sed '1i src,dst,bytes' %.150s (or src,dst,rows; or layer_id,expert_id,count)",
                   name, name);
}

enum rc record_read_grid(const char *data, size_t n, const char *name, const struct record_ask *ask,
                         struct record *r, struct err *e) {
    struct grid g = {0};
    struct buf text = {0}; // ends in NUL
    buf_add(&text, data, n);
    enum rc rc = RC_OK;
    int line = 1;
    for (const char *p = text.text; *p && !rc; line++) {
        struct place at = {name, line, 0};
        int64_t found = grid_line(&g, &p);
        if (found < 0)
            rc = err_at(e, RC_SYNTAX, &at, "'%.*s', expected a number as above", (int)strcspn(p, "\n,; \t"), p);
        else if (found && g.rows && (uint64_t)found != g.columns)
            rc = err_at(e, RC_SHAPE, &at, "%lld numbers, but %llu in the lines above", (long long)found,
                        (unsigned long long)g.columns);
        g.columns = found > 0 ? (uint64_t)found : g.columns;
        g.rows += found > 0;
    }
    if (!rc)
        rc = ask_triples(&g, name, ask, e);
    if (!rc)
        rc = take_grid(&g, name, ask, r, e);
    buf_clear(&text);
    free(g.items);
    return rc;
}

/* --- tensor([..]) ------------------------------------------------------------------------------------ */

bool record_is_tensor_text(const char *data, size_t n) {
    static const char *const starts[] = {"tensor([", "array(["};
    while (n && isspace((unsigned char)*data))
        data++, n--;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (n >= strlen(starts[i]) && memcmp(data, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

enum rc record_read_tensor_text(const char *data, size_t n, const char *name, const struct record_ask *ask,
                                struct record *r, struct err *e) {
    const char *first = memchr(data, '[', n), *last = data + n;
    while (last > first && last[-1] != ']')
        last--;
    struct buf text = {0};
    for (const char *p = first; p < last; p++)
        if (*p != '.' || (p + 1 < last && isdigit((unsigned char)p[1]))) // "12." is no JSON
            buf_add(&text, p, 1);
        else if (p + 1 < last && p[1] == '.') {
            buf_clear(&text);
            return err_set(e, RC_SYNTAX, "%s: the text of a tensor was cut with '...'; write the whole one: "
                           "numpy.save('counts.npy', x.cpu().numpy())", name);
        }
    struct json_pull j;
    json_pull_memory(&j, text.text, text.n, name);
    enum rc rc = record_read_json(&j, ask, r, e);
    json_pull_clear(&j);
    buf_clear(&text);
    return rc;
}

/* --- one column an expert ---------------------------------------------------------------------------- */

/* Tells whether a name is that of expert i: "expert_3", "e3" or "3". */
static bool names_expert(const char *name, size_t i) {
    size_t letters = strcspn(name, "0123456789");
    static const char *const words[] = {"", "e", "E", "expert", "expert_", "Expert ", "expert "};
    char *end;
    unsigned long number = strtoul(name + letters, &end, 10);
    bool known = false;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        known = known || (strlen(words[w]) == letters && strncmp(name, words[w], letters) == 0);
    return known && end > name + letters && !*end && number == i;
}

static bool is_wide_header(const struct csv *c) {
    static const char *const first[] = {"layer", "layer_id", "layer_slot"};
    bool good = false;
    for (size_t i = 0; i < sizeof first / sizeof *first && c->n_fields > 2; i++)
        good = good || strcmp(c->fields[0].text, first[i]) == 0;
    for (size_t i = 1; i < c->n_fields && good; i++)
        good = names_expert(c->fields[i].text, i - 1);
    return good;
}

bool record_is_wide(const char *data, size_t n) {
    struct csv c;
    struct err e;
    csv_init(&c, data, n, "");
    bool wide = !csv_next(&c, &e) && is_wide_header(&c);
    csv_clear(&c);
    return wide;
}

static enum rc wide_row(const struct csv *c, struct grid *g, int *layer, struct err *e) {
    double value;
    if (c->n_fields != g->columns + 1)
        return err_at(e, RC_SYNTAX, &c->fields[0].at, "%zu fields, but the header has %llu", c->n_fields,
                      (unsigned long long)g->columns + 1);
    for (size_t i = 0; i < c->n_fields; i++) {
        if (!csv_number(&c->fields[i], &value) || value < 0)
            return err_at(e, RC_SCHEMA, &c->fields[i].at, "'%.40s' is not a number of 0 or more", c->fields[i].text);
        if (i == 0 && (value > COUNTS_LAYER_MAX || value != (double)(int)value))
            return err_at(e, RC_RANGE, &c->fields[0].at, "layer '%.40s', expected a whole number from 0 to %d",
                          c->fields[0].text, COUNTS_LAYER_MAX);
        if (i == 0) {
            *layer = (int)value;
            continue;
        }
        MEM_GROW(g->items, g->n, g->room);
        g->items[g->n++] = value;
    }
    return RC_OK;
}

enum rc record_read_wide(const char *data, size_t n, const char *name, const struct record_ask *ask,
                         struct record *r, struct err *e) {
    struct grid g = {0};
    struct csv c;
    int *layers = NULL;
    size_t n_layers = 0, room = 0;
    csv_init(&c, data, n, name);
    enum rc rc = csv_next(&c, e);
    g.columns = c.n_fields - 1;
    for (rc = rc ? rc : csv_next(&c, e); !rc && c.n_fields; rc = rc ? rc : csv_next(&c, e)) {
        MEM_GROW(layers, n_layers, room);
        rc = wide_row(&c, &g, &layers[n_layers], e);
        if (!rc && n_layers && layers[n_layers] <= layers[n_layers - 1])
            rc = err_at(e, RC_SCHEMA, &c.fields[0].at, "layer %d after layer %d, expected them in rising order",
                        layers[n_layers], layers[n_layers - 1]);
        n_layers++;
    }
    g.rows = n_layers;
    g.layer = layers;
    struct record_ask own = *ask; // the header says that these are counts, if not which
    own.routes.top_k = 0;
    if (!rc)
        rc = take_grid(&g, name, &own, r, e);
    for (size_t l = 0; l < n_layers && !rc && r->counts; l++)
        r->counts->layer[l] = layers[l];
    csv_clear(&c);
    free(g.items);
    free(layers);
    return rc;
}
