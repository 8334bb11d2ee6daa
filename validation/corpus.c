/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/corpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gates/gate.h"
#include "platforms/base/file.h"
#include "platforms/find.h"

/* The units that a column may be written in, and what one of each is in SI. */
static const struct {
    const char *name;
    enum corpus_quantity quantity;
    double factor;
} units[] = {{"text", CORPUS_TEXT, 0},     {"count", CORPUS_COUNT, 1}, {"ratio", CORPUS_RATIO, 1},
             {"percent", CORPUS_RATIO, .01}, {"B", CORPUS_SIZE, 1},      {"MB", CORPUS_SIZE, 1e6},
             {"MiB", CORPUS_SIZE, 1048576},  {"s", CORPUS_TIME, 1},      {"ms", CORPUS_TIME, 1e-3},
             {"us", CORPUS_TIME, 1e-6},      {"GBps", CORPUS_RATE, 1e9}};
static const char *const unit_choices[] = {"text", "count", "ratio", "percent", "B",    "MB",
                                           "MiB",  "s",     "ms",    "us",      "GBps", NULL};

static const struct key constant_keys[] = {
    {"name", KEY_TEXT, offsetof(struct corpus_constant, name), .required = true, .help = "name"},
    {"value", KEY_NUMBER, offsetof(struct corpus_constant, number), .required = true, .min = -1e300,
     .help = "number in that unit"},
    {"unit", KEY_CHOICE, offsetof(struct corpus_constant, unit), .required = true,
     .choices = unit_choices, .help = "unit"},
    {"means", KEY_TEXT, offsetof(struct corpus_constant, means), .help = "in words"},
    {0}};

static const struct key column_keys[] = {
    {"name", KEY_TEXT, offsetof(struct corpus_column, name), .required = true, .help = "name"},
    {"unit", KEY_CHOICE, offsetof(struct corpus_column, unit), .required = true,
     .choices = unit_choices, .help = "unit of the whole column"},
    {"means", KEY_TEXT, offsetof(struct corpus_column, means), .help = "in words"},
    {0}};

const struct key corpus_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct corpus, schema), .required = true,
     .help = "`" CORPUS_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct corpus, name), .required = true,
     .help = "what gates call it; the file is named after it"},
    {"description", KEY_TEXT, offsetof(struct corpus, description), .help = "one line"},
    {"machine", KEY_TEXT, offsetof(struct corpus, machine), .required = true,
     .help = "platform that was measured"},
    {"implementation", KEY_TEXT, offsetof(struct corpus, implementation),
     .help = "library that was measured"},
    {"kind", KEY_CHOICE, offsetof(struct corpus, kind), .required = true, .choices = gate_kinds,
     .help = "the most it may support: a fit's own points are no test"},
    {"supports", KEY_TEXT, offsetof(struct corpus, supports), .required = true,
     .help = "what may be concluded from it"},
    {"conditions", KEY_TEXT, offsetof(struct corpus, conditions), .required = true,
     .help = "how it was measured"},
    {"origin", KEY_TEXT, offsetof(struct corpus, origin), .required = true,
     .help = "where the numbers come from"},
    {"licence", KEY_TEXT, offsetof(struct corpus, licence), .required = true,
     .help = "`facts` for numbers without text"},
    {"note", KEY_TEXT, offsetof(struct corpus, note), .help = "what a reader should know"},
    {"constants", KEY_LIST, offsetof(struct corpus, constants), .table = constant_keys,
     .item_size = sizeof(struct corpus_constant), .help = "what was the same in every row"},
    {"columns", KEY_LIST, offsetof(struct corpus, columns), .required = true, .table = column_keys,
     .item_size = sizeof(struct corpus_column), .help = "columns of `rows`, in order"},
    {0}};

static enum rc read_cell(const struct corpus_column *column, const struct yaml_node *cell,
                         double *value, const char **text, struct err *e) {
    if (cell->type != YAML_SCALAR)
        return err_at(e, RC_SCHEMA, &cell->at, "%s: expected a single value", column->name);
    if (units[column->unit].quantity == CORPUS_TEXT) {
        *text = cell->text;
        return RC_OK;
    }
    char *end;
    double number = strtod(cell->text, &end);
    if (!cell->plain || end == cell->text || *end || strpbrk(cell->text, "xX") || !isfinite(number))
        return err_at(e, RC_SCHEMA, &cell->at, "%s: '%.60s' found, expected a number in %s",
                      column->name, cell->text, units[column->unit].name);
    *value = number * units[column->unit].factor;
    return RC_OK;
}

static enum rc read_rows(struct corpus *c, const struct yaml_node *rows, struct err *e) {
    const struct corpus_column *columns = c->columns.items;
    size_t n = c->columns.n;
    if (!rows || rows->type != YAML_LIST || !rows->n || !n)
        return err_at(e, RC_SCHEMA, rows ? &rows->at : &c->doc->root->at,
                      "'rows' must list at least one row, as in 'rows: [[16, 32768, 0.187]]'");
    c->values = arena_alloc(&c->doc->arena, rows->n * n, sizeof *c->values);
    c->texts = arena_alloc(&c->doc->arena, rows->n * n, sizeof *c->texts);
    c->n_rows = rows->n;
    for (size_t i = 0; i < rows->n; i++) {
        const struct yaml_node *row = rows->items[i];
        if (row->type != YAML_LIST || row->n != n)
            return err_at(e, RC_SCHEMA, &row->at, "row %zu: found %zu cells, expected %zu (columns)",
                          i + 1, row->type == YAML_LIST ? row->n : 1, n);
        for (size_t k = 0; k < n; k++) {
            enum rc rc = read_cell(&columns[k], row->items[k], &c->values[i * n + k],
                                   &c->texts[i * n + k], e);
            if (rc)
                return rc;
        }
    }
    return RC_OK;
}

static enum rc read_corpus(struct yaml_doc *doc, struct corpus *c, struct err *e) {
    const struct yaml_node *rows = yaml_get(doc->root, "rows");
    yaml_drop(doc->root, "rows"); // a table of bare cells, which a key table cannot say
    enum rc rc = keys_read(corpus_keys, doc->root, doc, c, e);
    if (!rc)
        rc = read_rows(c, rows, e);
    return rc;
}

/* Loads a corpus from a path or by a built-in name. */
static enum rc load_file(const char *name_or_path, struct corpus **corpus, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_open(FIND_CORPUS, name_or_path, CORPUS_SCHEMA, NULL, 0, &doc, e);
    if (rc)
        return rc;
    struct corpus *c = mem_alloc(1, sizeof *c);
    c->doc = doc;
    rc = read_corpus(doc, c, e);
    if (rc)
        corpus_free(c);
    else
        *corpus = c;
    return rc;
}

enum rc corpus_load(const char *folder, const char *name, struct corpus **corpus, struct err *e) {
    if (!folder)
        return load_file(name, corpus, e);
    char *path = mem_printf("%s/%s.yaml", folder, name);
    for (char *p = path + strlen(folder); *p; p++)
        if (*p == '-')
            *p = '_';
    enum rc rc = load_file(file_exists(path) ? path : name, corpus, e);
    free(path);
    return rc;
}

void corpus_free(struct corpus *c) {
    if (!c)
        return;
    yaml_doc_free(c->doc);
    free(c);
}

static const char *const quantity_names[] = {"text", "a count", "a ratio", "a size", "a time", "a rate"};

static enum rc want(const struct corpus *c, const char *what, const struct corpus_need *need,
                    bool found, int unit, struct err *e) {
    if (!found)
        return err_at(e, RC_SCHEMA, &c->doc->root->at, "corpus %s has no %s '%s' (%s)", c->name, what,
                      need->name, quantity_names[need->quantity]);
    if (units[unit].quantity != need->quantity)
        return err_at(e, RC_UNIT, &c->doc->root->at, "corpus %s: %s '%s' is in %s, expected %s", c->name,
                      what, need->name, units[unit].name, quantity_names[need->quantity]);
    return RC_OK;
}

enum rc corpus_columns(const struct corpus *c, const struct corpus_need *needs, size_t n, size_t *columns,
                       struct err *e) {
    const struct corpus_column *all = c->columns.items;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < c->columns.n && strcmp(all[k].name, needs[i].name) != 0)
            k++;
        bool found = k < c->columns.n;
        enum rc rc = want(c, "column", &needs[i], found, found ? all[k].unit : 0, e);
        if (rc)
            return rc;
        columns[i] = k;
    }
    return RC_OK;
}

enum rc corpus_constants(const struct corpus *c, const struct corpus_need *needs, size_t n,
                         double *values, struct err *e) {
    const struct corpus_constant *all = c->constants.items;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < c->constants.n && strcmp(all[k].name, needs[i].name) != 0)
            k++;
        bool found = k < c->constants.n;
        enum rc rc = want(c, "constant", &needs[i], found, found ? all[k].unit : 0, e);
        if (rc)
            return rc;
        values[i] = all[k].number.value * units[all[k].unit].factor;
    }
    return RC_OK;
}

double corpus_value(const struct corpus *c, size_t row, size_t column) {
    return c->values[row * c->columns.n + column];
}

const char *corpus_text(const struct corpus *c, size_t row, size_t column) {
    return c->texts[row * c->columns.n + column];
}
