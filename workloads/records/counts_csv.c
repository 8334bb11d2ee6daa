/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/counts_csv.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/records/csv.h"

enum role { ROLE_LAYER, ROLE_EXPERT, ROLE_COUNT, ROLE_MODEL, ROLE_CORPUS, ROLES };
enum { SETS_MAX = 1024 };

static const char *const column_names[] = {"layer_id", "layer", "layer_slot", "expert_id",
                                           "expert",   "count", "model",      "corpus"};
static const enum role column_roles[] = {ROLE_LAYER,  ROLE_LAYER, ROLE_LAYER, ROLE_EXPERT,
                                         ROLE_EXPERT, ROLE_COUNT, ROLE_MODEL, ROLE_CORPUS};
enum { COLUMNS = sizeof column_names / sizeof *column_names };

struct row {
    int set;
    int layer;
    int expert;
    int line;
    double count;
};

/* One (model, corpus) of a file. */
struct set {
    const char *part[2];
};

struct reader {
    struct csv csv;
    const struct counts_ask *ask;
    int column[ROLES]; /* -1: the file has none */
    size_t n_columns;
    struct row *rows;
    size_t n_rows, room;
    struct set sets[SETS_MAX];
    int n_sets;
    struct arena arena;
};

static enum rc bad_header(const struct place *at, const char *problem, const char *name,
                          struct err *e) {
    return err_at(e, RC_SCHEMA, at,
                  "%s '%.60s'%s (known: layer_id, layer or layer_slot; expert_id or expert; count; optional "
                  "model, corpus)",
                  problem, name, err_hint(", ", name, column_names, COLUMNS).text);
}

static enum rc csv_read_header(struct reader *r, struct err *e) {
    static const char *const missing[] = {"layer_id", "expert_id", "count"};
    enum rc rc = csv_next(&r->csv, e);
    if (rc)
        return rc;
    if (r->csv.n_fields == 0)
        return err_at(e, RC_SYNTAX, &(struct place){r->csv.at.file, 0, 0},
                      "no record, expected the header layer_id,expert_id,count");
    for (int role = 0; role < ROLES; role++)
        r->column[role] = -1;
    r->n_columns = r->csv.n_fields;
    for (size_t i = 0; i < r->n_columns; i++) {
        const struct csv_field *f = &r->csv.fields[i];
        size_t k = 0;
        while (k < COLUMNS && strcmp(column_names[k], f->text) != 0)
            k++;
        if (k == COLUMNS && i == 0 && f->n == 0 && r->n_columns > 3)
            continue; // the index that pandas writes
        if (k == COLUMNS)
            return bad_header(&f->at, "unknown column", f->text, e);
        if (r->column[column_roles[k]] >= 0)
            return err_at(e, RC_SCHEMA, &f->at, "column '%s' says the same as column %d", f->text,
                          r->column[column_roles[k]] + 1);
        r->column[column_roles[k]] = (int)i;
    }
    for (int role = ROLE_LAYER; role <= ROLE_COUNT; role++)
        if (r->column[role] < 0)
            return err_at(e, RC_SCHEMA, &r->csv.fields[0].at,
                          "column '%s' is missing; expected the header layer_id,expert_id,count",
                          missing[role]);
    return RC_OK;
}

static enum rc read_id(const struct csv_field *f, const char *what, int max, int *id,
                       struct err *e) {
    int value = 0;
    for (const char *p = f->text; *p; p++) {
        if (*p < '0' || *p > '9')
            return err_at(e, RC_SCHEMA, &f->at, "%s '%.40s' is not a whole number of 0 or more",
                          what, f->text);
        value = value * 10 + (*p - '0');
        if (value > max)
            return err_at(e, RC_RANGE, &f->at, "%s %.40s is above %d, the highest supported", what,
                          f->text, max);
    }
    if (f->n == 0)
        return err_at(e, RC_SCHEMA, &f->at, "%s is empty, expected a whole number", what);
    *id = value;
    return RC_OK;
}

static const char *part(const struct reader *r, int role) {
    return r->column[role] < 0 ? "" : r->csv.fields[r->column[role]].text;
}

/* Index of the record's (model, corpus). Rows of one set stand together as a rule: the newest comes first. */
static enum rc find_set(struct reader *r, int *set, struct err *e) {
    const char *model = part(r, ROLE_MODEL), *corpus = part(r, ROLE_CORPUS);
    for (int i = r->n_sets - 1; i >= 0; i--)
        if (strcmp(r->sets[i].part[0], model) == 0 && strcmp(r->sets[i].part[1], corpus) == 0) {
            *set = i;
            return RC_OK;
        }
    if (r->n_sets == SETS_MAX)
        return err_at(e, RC_RANGE, &r->csv.fields[0].at, "more than %d pairs of model and corpus",
                      SETS_MAX);
    *set = r->n_sets++;
    r->sets[*set].part[0] = arena_copy(&r->arena, model);
    r->sets[*set].part[1] = arena_copy(&r->arena, corpus);
    return RC_OK;
}

static enum rc read_row(struct reader *r, struct err *e) {
    const struct csv_field *f = r->csv.fields;
    struct row row = {.line = f[0].at.line};
    if (r->csv.n_fields != r->n_columns)
        return err_at(e, RC_SYNTAX, &f[0].at, "%zu fields, but the header has %zu", r->csv.n_fields,
                      r->n_columns);
    enum rc rc = read_id(&f[r->column[ROLE_LAYER]], "layer", COUNTS_LAYER_MAX, &row.layer, e);
    if (!rc)
        rc = read_id(&f[r->column[ROLE_EXPERT]], "expert", COUNTS_EXPERT_MAX, &row.expert, e);
    if (!rc)
        rc = find_set(r, &row.set, e);
    if (rc)
        return rc;
    const struct csv_field *count = &f[r->column[ROLE_COUNT]];
    if (!csv_number(count, &row.count) || row.count < 0)
        return err_at(e, RC_RANGE, &count->at,
                      "count '%.40s' of layer %d, expert %d is not a finite number of 0 or more",
                      count->text, row.layer, row.expert);
    MEM_GROW(r->rows, r->n_rows, r->room);
    r->rows[r->n_rows++] = row;
    return RC_OK;
}

static int csv_by_place(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int by_set = (x->set > y->set) - (x->set < y->set);
    int by_layer = (x->layer > y->layer) - (x->layer < y->layer);
    int by_expert = (x->expert > y->expert) - (x->expert < y->expert);
    int by_line = (x->line > y->line) - (x->line < y->line);
    return by_set ? by_set : by_layer ? by_layer : by_expert ? by_expert : by_line;
}

static enum rc read_rows(struct reader *r, struct err *e) {
    enum rc rc = csv_next(&r->csv, e);
    while (!rc && r->csv.n_fields) {
        rc = read_row(r, e);
        if (!rc)
            rc = csv_next(&r->csv, e);
    }
    if (rc)
        return rc;
    if (r->n_rows == 0)
        return err_at(e, RC_SCHEMA, &(struct place){r->csv.at.file, 0, 0},
                      "a header and no record after it");
    qsort(r->rows, r->n_rows, sizeof *r->rows, csv_by_place);
    for (size_t i = 1; i < r->n_rows; i++) {
        const struct row *a = &r->rows[i - 1], *b = &r->rows[i];
        if (a->set == b->set && a->layer == b->layer && a->expert == b->expert)
            return err_at(e, RC_SCHEMA, &(struct place){r->csv.at.file, b->line, 0},
                          "second count of layer %d, expert %d; the first is in line %d", b->layer,
                          b->expert, a->line);
    }
    return RC_OK;
}

static void list_sets(const struct reader *r, struct buf *list) {
    for (int i = 0; i < r->n_sets; i++)
        buf_printf(list, "%s%s%s%s", i ? ", " : "", r->sets[i].part[0],
                   r->column[ROLE_MODEL] >= 0 && r->column[ROLE_CORPUS] >= 0 ? "/" : "",
                   r->sets[i].part[1]);
}

/* The asked model (which 0) or corpus (1) is nowhere in the file; hint: the most similar one that is. */
static bool is_absent(const struct reader *r, const char *want, int which, struct err_hint *hint) {
    const char *have[SETS_MAX];
    for (int i = 0; i < r->n_sets; i++) {
        have[i] = r->sets[i].part[which];
        if (!want || strcmp(want, have[i]) == 0)
            return false;
    }
    *hint = err_hint(", ", want, have, (size_t)r->n_sets);
    return true;
}

static enum rc wrong_set(const struct reader *r, const char *const want[2], int found,
                         struct err *e) {
    static const char *const word[2] = {"model", "corpus"};
    struct place at = {r->csv.at.file, 0, 0};
    struct buf list = {0};
    struct err_hint hint;
    enum rc rc = RC_OK;
    list_sets(r, &list);
    for (int which = 0; which < 2 && !rc; which++)
        if (is_absent(r, want[which], which, &hint))
            rc = err_at(e, RC_SCHEMA, &at, "no %s '%.60s'%s (the file holds: %.400s)", word[which], want[which],
                        hint.text, list.text);
    if (!rc && found == 0)
        rc = err_at(e, RC_SCHEMA, &at,
                    "no model '%.60s' with corpus '%.60s' (the file holds: %.400s)", want[0],
                    want[1], list.text);
    if (!rc)
        rc = err_at(e, RC_SCHEMA, &at, "%d sets of counts, choose one by model and corpus: %.500s",
                    found, list.text);
    buf_clear(&list);
    return rc;
}

static enum rc choose_set(struct reader *r, int *chosen, struct counts *c, struct err *e) {
    const char *want[2] = {r->ask->model, r->ask->corpus};
    int found = 0;
    for (int which = 0; which < 2; which++)
        if (want[which] && r->column[ROLE_MODEL + which] < 0) {
            buf_printf(&c->notes, "the record has no %s column: '%s' was not looked for\n",
                       which ? "corpus" : "model", want[which]);
            want[which] = NULL;
        }
    for (int i = 0; i < r->n_sets; i++)
        if ((!want[0] || strcmp(want[0], r->sets[i].part[0]) == 0) &&
            (!want[1] || strcmp(want[1], r->sets[i].part[1]) == 0)) {
            *chosen = i;
            found++;
        }
    return found == 1 ? RC_OK : wrong_set(r, want, found, e);
}

static enum rc count_experts(const struct reader *r, const struct row *rows, size_t n,
                             struct counts *c, struct err *e) {
    const struct row *largest = &rows[0];
    for (size_t i = 1; i < n; i++)
        if (rows[i].expert > largest->expert)
            largest = &rows[i];
    int experts = r->ask->experts;
    c->n_named = largest->expert + 1;
    if (experts > 0 && largest->expert >= experts)
        return err_at(e, RC_SHAPE, &(struct place){r->csv.at.file, largest->line, 0},
                      "expert %d needs %d experts, but there are %d (--set workload.experts=%d, or "
                      "--experts %d)%s",
                      largest->expert, c->n_named, experts, c->n_named, c->n_named,
                      largest->expert == experts ? "; a fused shared expert? then leave it out"
                                                 : "");
    c->n_experts = experts > 0 ? experts : c->n_named;
    if (experts <= 0)
        buf_printf(&c->notes, "number of experts taken from the largest id: %d\n", c->n_named);
    return RC_OK;
}

/* rows: one set, sorted by layer and expert. */
static enum rc counts_csv_fill(const struct reader *r, const struct row *rows, size_t n, struct counts *c,
                               struct err *e) {
    enum rc rc = count_experts(r, rows, n, c, e);
    if (rc)
        return rc;
    size_t layers = 1;
    for (size_t i = 1; i < n; i++)
        layers += rows[i].layer != rows[i - 1].layer;
    if (layers > COUNTS_CELLS_MAX / (size_t)c->n_experts)
        return err_at(e, RC_RANGE, &(struct place){r->csv.at.file, 0, 0},
                      "%zu layers of %d experts are more than %d counts", layers, c->n_experts,
                      COUNTS_CELLS_MAX);
    c->layer = mem_alloc(layers, sizeof *c->layer);
    c->counts = mem_alloc(layers * (size_t)c->n_experts, sizeof *c->counts);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || rows[i].layer != rows[i - 1].layer)
            c->layer[c->n_layers++] = rows[i].layer;
        size_t l = (size_t)c->n_layers - 1;
        c->counts[l * (size_t)c->n_experts + (size_t)rows[i].expert] = rows[i].count;
    }
    return RC_OK;
}

enum rc counts_csv_read(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                        struct counts *c, struct err *e) {
    struct reader *r = mem_alloc(1, sizeof *r);
    int set = 0;
    r->ask = ask;
    csv_init(&r->csv, data, n, name);
    enum rc rc = csv_read_header(r, e);
    if (!rc)
        rc = read_rows(r, e);
    if (!rc)
        rc = choose_set(r, &set, c, e);
    if (!rc) {
        size_t first = 0, end;
        while (r->rows[first].set != set)
            first++;
        for (end = first; end < r->n_rows && r->rows[end].set == set;)
            end++;
        rc = counts_csv_fill(r, r->rows + first, end - first, c, e);
    }
    csv_clear(&r->csv);
    free(r->rows);
    arena_clear(&r->arena);
    free(r);
    return rc;
}
