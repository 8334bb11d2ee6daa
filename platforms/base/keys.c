/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/unit.h"

static const struct {
    const char *name;
    int weakness;
} statuses[] = {
#define STATUS_ROW(id, name, weakness) {name, weakness},
    STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

const char *status_name(enum status status) {
    return statuses[status].name;
}

int status_weakness(enum status status) {
    return statuses[status].weakness;
}

static size_t table_size(const struct key *table) {
    size_t n = 0;
    while (table[n].name)
        n++;
    return n;
}

static const char *type_name(enum yaml_type type) {
    return type == YAML_MAP ? "a map" : type == YAML_LIST ? "a list" : "a value";
}

static enum rc want_scalar(const struct key *key, const struct yaml_node *node, struct err *e) {
    if (node->type == YAML_SCALAR)
        return RC_OK;
    return err_at(e, RC_SCHEMA, &node->at, "%s: found %s, expected a single value", key->name,
                  type_name(node->type));
}

/* Reads a plain number; a unit behind it gets a message of its own. */
static enum rc parse_number(const struct key *key, const struct yaml_node *node, double *value,
                            struct err *e) {
    char *end;
    *value = strtod(node->text, &end);
    if (end == node->text || strpbrk(node->text, "xX")) // strtod also takes hexadecimal
        return err_at(e, RC_SCHEMA, &node->at, "%s: '%.60s' is not a number", key->name, node->text);
    if (*end)
        return err_at(e, RC_UNIT, &node->at, "%s: '%.60s': expected a plain number, without unit",
                      key->name, node->text);
    if (!isfinite(*value))
        return err_at(e, RC_RANGE, &node->at, "%s: '%.60s' is not finite", key->name, node->text);
    return RC_OK;
}

/* Limits of plain numbers, whatever their key allows: products with others stay inside a double. */
static const double number_low = 1e-15, number_high = 1e15;

static enum rc check_range(const struct key *key, const struct yaml_node *node, double value,
                           struct err *e) {
    if (value < key->min)
        return err_at(e, RC_RANGE, &node->at, "%s: %.60s is below the smallest allowed value %.12g",
                      key->name, node->text, key->min);
    if (key->max > 0 && value > key->max)
        return err_at(e, RC_RANGE, &node->at, "%s: %.60s is above the largest allowed value %.12g",
                      key->name, node->text, key->max);
    return RC_OK;
}

static enum rc read_count(const struct key *key, const struct yaml_node *node, int64_t *into,
                          struct err *e) {
    double value;
    if (key->word && strcmp(node->text, key->word) == 0) {
        *into = 0;
        return RC_OK;
    }
    enum rc rc = parse_number(key, node, &value, e);
    if (rc && key->word)
        err_at(e, rc, &node->at, "%s: '%.60s' found, expected a whole number or '%s'", key->name,
               node->text, key->word);
    if (!rc && value != floor(value))
        rc = err_at(e, RC_SCHEMA, &node->at, "%s: '%.60s' is not a whole number", key->name,
                    node->text);
    if (!rc)
        rc = check_range(key, node, value, e);
    if (!rc && fabs(value) > 0x1p53)
        rc = err_at(e, RC_RANGE, &node->at, "%s: %.60s is too large", key->name, node->text);
    if (!rc)
        *into = (int64_t)value;
    return rc;
}

/* Reads the number of a quantity from a scalar node. */
static enum rc keys_read_value(const struct key *key, const struct yaml_node *node, double *value,
                               struct err *e) {
    enum rc rc = want_scalar(key, node, e);
    if (rc)
        return rc;
    if (key->kind == KEY_NUMBER) {
        rc = parse_number(key, node, value, e);
        if (!rc && *value != 0 && !(fabs(*value) >= number_low && fabs(*value) <= number_high))
            rc = err_at(e, RC_RANGE, &node->at, "%s: %.60s is out of range, expected 0 or %g to %g", key->name,
                        node->text, number_low, number_high);
        return rc ? rc : check_range(key, node, *value, e);
    }
    static const enum unit_kind kinds[] = {
        [KEY_RATE] = UNIT_RATE, [KEY_SIZE] = UNIT_SIZE, [KEY_TIME] = UNIT_TIME};
    struct err why;
    rc = unit_parse(node->text, kinds[key->kind], value, &why);
    if (rc)
        return err_at(e, rc, &node->at, "%s: %s", key->name, why.text);
    if (key->kind == KEY_RATE && *value <= 0)
        return err_at(e, RC_RANGE, &node->at, "%s: a rate must be above zero", key->name);
    return RC_OK;
}

static enum rc read_status(const struct yaml_node *node, enum status *status, struct err *e) {
    const char *names[STATUS_COUNT];
    if (node->type == YAML_SCALAR)
        for (int i = 0; i < STATUS_COUNT; i++) {
            names[i] = statuses[i].name;
            if (strcmp(node->text, statuses[i].name) == 0) {
                *status = (enum status)i;
                return RC_OK;
            }
        }
    const char *text = node->type == YAML_SCALAR ? node->text : type_name(node->type);
    return err_at(e, RC_SCHEMA, &node->at,
                  "status: '%.60s' is not one of measured, fitted, derived, borrowed, nominal, "
                  "assumed, low-confidence%s",
                  text, err_hint("; ", text, names, node->type == YAML_SCALAR ? STATUS_COUNT : 0).text);
}

static enum rc read_interval(const struct key *key, const struct yaml_node *node, struct quantity *q,
                             struct err *e) {
    if (node->type != YAML_LIST || node->n != 2)
        return err_at(e, RC_SCHEMA, &node->at, "interval: expected a list of two values, [low, high]");
    double low, high;
    enum rc rc = keys_read_value(key, node->items[0], &low, e);
    if (!rc)
        rc = keys_read_value(key, node->items[1], &high, e);
    if (!rc && !(low <= q->value && q->value <= high))
        rc = err_at(e, RC_RANGE, &node->at, "interval: the value of '%s' lies outside", key->name);
    if (!rc) {
        q->low = low;
        q->high = high;
    }
    return rc;
}

static enum rc read_machines(const struct yaml_node *node, struct quantity *q, struct err *e) {
    bool good = node->type == YAML_LIST && node->n > 0;
    for (size_t i = 0; good && i < node->n; i++)
        good = node->items[i]->type == YAML_SCALAR && *node->items[i]->text;
    if (!good)
        return err_at(e, RC_SCHEMA, &node->at, "on: expected a list of machines, such as [h800]");
    q->on = node;
    return RC_OK;
}

static enum rc read_annotated(const struct key *key, const struct yaml_node *node, struct quantity *q,
                              struct err *e) {
    static const char *const names[] = {"value", "status", "source", "on", "interval", "note"};
    enum { NAMES = sizeof names / sizeof *names };
    enum rc rc = RC_OK;
    for (size_t i = 0; i < node->n && !rc; i++) {
        size_t k = 0;
        while (k < NAMES && strcmp(names[k], node->keys[i]) != 0)
            k++;
        if (k < NAMES)
            continue;
        rc = err_at(e, RC_SCHEMA, &node->key_at[i],
                    "%s: unknown key '%.60s', expected value, status, source, on, interval or note%s", key->name,
                    node->keys[i], err_hint("; ", node->keys[i], names, NAMES).text);
    }
    const struct yaml_node *value = yaml_get(node, "value"), *status = yaml_get(node, "status");
    const struct yaml_node *source = yaml_get(node, "source"), *interval = yaml_get(node, "interval");
    const struct yaml_node *on = yaml_get(node, "on");
    if (!rc && !value)
        rc = err_at(e, RC_SCHEMA, &node->at, "%s: an annotated value needs the key 'value'", key->name);
    if (!rc)
        rc = keys_read_value(key, value, &q->value, e);
    if (!rc && status)
        rc = read_status(status, &q->status, e);
    if (!rc && source)
        rc = want_scalar(&(struct key){.name = "source"}, source, e);
    if (!rc && source)
        q->source = source->text;
    if (!rc && interval)
        rc = read_interval(key, interval, q, e);
    if (!rc && on)
        rc = read_machines(on, q, e);
    if (!rc && value->set) {
        q->set = true;
        q->status = STATUS_ASSUMED;
        q->source = "--set";
        q->on = NULL;
    }
    return rc;
}

static enum rc read_quantity(const struct key *key, const struct yaml_node *node, struct quantity *into,
                             struct err *e) {
    struct quantity q = {.given = true, .status = STATUS_ASSUMED, .low = 1, .high = 0, .at = node->at};
    enum rc rc;
    if (node->type == YAML_MAP) {
        rc = read_annotated(key, node, &q, e);
    } else {
        q.set = node->set;
        q.source = node->set ? "--set" : NULL;
        rc = keys_read_value(key, node, &q.value, e);
    }
    if (!rc)
        *into = q;
    return rc;
}

/* Finds the number of a word among the choices of a key; `at` is the place of the word. */
static enum rc find_choice(const struct key *key, const char *word, const struct place *at, int *into,
                           struct err *e) {
    size_t n = 0;
    for (; key->choices[n]; n++)
        if (strcmp(key->choices[n], word) == 0) {
            *into = (int)n;
            return RC_OK;
        }
    struct buf all = {0};
    for (size_t i = 0; i < n; i++)
        buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", key->choices[i]);
    enum rc rc = err_at(e, RC_SCHEMA, at, "%s: '%.60s' found, expected %s%s", key->name, word, all.text,
                        err_hint("; ", word, key->choices, n).text);
    buf_clear(&all);
    return rc;
}

/* Adds the choices that a text names, separated by commas, to a set. */
static enum rc add_choices(const struct key *key, const struct yaml_node *node, struct yaml_doc *doc, unsigned *set,
                           struct err *e) {
    char *word = arena_copy(&doc->arena, node->text);
    for (char *next = word; next; word = next) {
        int choice;
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        word += strspn(word, " ");
        size_t n = strlen(word);
        while (n && word[n - 1] == ' ')
            word[--n] = '\0';
        enum rc rc = find_choice(key, word, &node->at, &choice, e);
        if (rc)
            return rc;
        *set |= 1u << choice;
    }
    return RC_OK;
}

/* Reads a list of choices, or a text that names some of them. */
static enum rc read_choices(const struct key *key, const struct yaml_node *node, struct yaml_doc *doc, unsigned *into,
                            struct err *e) {
    unsigned set = 0;
    enum rc rc = RC_OK;
    if (node->type == YAML_SCALAR)
        rc = add_choices(key, node, doc, &set, e);
    else if (node->type != YAML_LIST)
        rc = err_at(e, RC_SCHEMA, &node->at, "%s: found %s, expected a list of words", key->name,
                    type_name(node->type));
    for (size_t i = 0; node->type == YAML_LIST && i < node->n && !rc; i++) {
        int choice = 0;
        rc = want_scalar(key, node->items[i], e);
        if (!rc)
            rc = find_choice(key, node->items[i]->text, &node->items[i]->at, &choice, e);
        set |= 1u << choice;
    }
    if (!rc)
        *into = set;
    return rc;
}

static enum rc read_bool(const struct key *key, const struct yaml_node *node, bool *into,
                         struct err *e) {
    if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)
        return err_at(e, RC_SCHEMA, &node->at, "%s: '%.60s' found, expected true or false", key->name,
                      node->text);
    *into = node->text[0] == 't';
    return RC_OK;
}

static enum rc keys_read_list(const struct key *key, const struct yaml_node *node, struct yaml_doc *doc,
                              struct key_list *into, struct err *e) {
    if (node->type != YAML_LIST)
        return err_at(e, RC_SCHEMA, &node->at, "%s: found %s, expected a list", key->name,
                      type_name(node->type));
    char *items = arena_alloc(&doc->arena, node->n, key->item_size);
    for (size_t i = 0; i < node->n; i++) {
        enum rc rc = keys_read(key->table, node->items[i], doc, items + i * key->item_size, e);
        if (rc)
            return rc;
    }
    *into = (struct key_list){items, node->n};
    return RC_OK;
}

/* Replaces an annotated count or choice by the node of its value; status and source are checked. */
static enum rc unwrap(const struct key *key, const struct yaml_node **node, struct err *e) {
    const struct yaml_node *outer = *node, *value = outer->type == YAML_MAP ? yaml_get(outer, "value") : NULL;
    if (!value || (key->kind != KEY_COUNT && key->kind != KEY_CHOICE))
        return RC_OK;
    for (size_t i = 0; i < outer->n; i++) {
        const char *name = outer->keys[i];
        enum status status;
        enum rc rc = strcmp(name, "status") == 0 ? read_status(outer->items[i], &status, e)
                     : strcmp(name, "value") == 0 || strcmp(name, "source") == 0 || strcmp(name, "note") == 0
                         ? want_scalar(&(struct key){.name = name}, outer->items[i], e)
                         : err_at(e, RC_SCHEMA, &outer->key_at[i],
                                  "%s: unknown key '%.60s', expected value, status, source or note", key->name, name);
        if (rc)
            return rc;
    }
    *node = value;
    return RC_OK;
}

static enum rc keys_read_key(const struct key *key, const struct yaml_node *node, struct yaml_doc *doc,
                             void *field, struct err *e) {
    enum rc unwrapped = unwrap(key, &node, e);
    if (unwrapped)
        return unwrapped;
    if (key->kind == KEY_TEXT || key->kind == KEY_COUNT || key->kind == KEY_BOOL ||
        key->kind == KEY_CHOICE) {
        enum rc rc = want_scalar(key, node, e);
        if (rc)
            return rc;
    }
    switch (key->kind) {
    case KEY_TEXT:
        if (!*node->text)
            return err_at(e, RC_SCHEMA, &node->at, "%s: is empty", key->name);
        *(const char **)field = node->text;
        return RC_OK;
    case KEY_COUNT:
        return read_count(key, node, field, e);
    case KEY_NUMBER:
    case KEY_RATE:
    case KEY_SIZE:
    case KEY_TIME:
        return read_quantity(key, node, field, e);
    case KEY_BOOL:
        return read_bool(key, node, field, e);
    case KEY_CHOICE:
        return find_choice(key, node->text, &node->at, field, e);
    case KEY_CHOICES:
        return read_choices(key, node, doc, field, e);
    case KEY_MAP:
        return keys_read(key->table, node, doc, field, e);
    case KEY_LIST:
        return keys_read_list(key, node, doc, field, e);
    case KEY_NODE:
        *(const struct yaml_node **)field = node;
        return RC_OK;
    }
    return RC_OK;
}

static enum rc unknown_key(const struct key *table, const struct yaml_node *map, size_t i,
                           struct err *e) {
    size_t n = table_size(table);
    const char **names = mem_alloc(n, sizeof *names);
    struct buf all = {0};
    for (size_t k = 0; k < n; k++) {
        names[k] = table[k].name;
        buf_printf(&all, "%s%s", k ? ", " : "", names[k]);
    }
    const char *near = err_nearest(map->keys[i], names, n);
    enum rc rc;
    if (near)
        rc = err_at(e, RC_SCHEMA, &map->key_at[i], "unknown key '%.60s', did you mean '%s'?",
                    map->keys[i], near);
    else
        rc = err_at(e, RC_SCHEMA, &map->key_at[i], "unknown key '%.60s', expected one of: %s",
                    map->keys[i], all.text);
    buf_clear(&all);
    free(names);
    return rc;
}

static bool has_required(const struct key *table) {
    while (table->name && !table->required)
        table++;
    return table->name != NULL;
}

enum rc keys_read(const struct key *table, const struct yaml_node *map, struct yaml_doc *doc, void *into,
                  struct err *e) {
    if (map->type != YAML_MAP)
        return err_at(e, RC_SCHEMA, &map->at, "found %s, expected a map of keys",
                      type_name(map->type));
    for (size_t i = 0; i < map->n; i++) {
        const struct key *key = table;
        while (key->name && strcmp(key->name, map->keys[i]) != 0)
            key++;
        if (!key->name)
            return unknown_key(table, map, i, e);
    }
    for (const struct key *key = table; key->name; key++) {
        const struct yaml_node *node = yaml_get(map, key->name);
        // a map that is left out still has the defaults of its keys
        struct yaml_node standin = {.type = key->kind == KEY_MAP ? YAML_MAP : YAML_SCALAR,
                                    .text = key->otherwise,
                                    .at = map->at};
        if (!node && key->required)
            return err_at(e, RC_SCHEMA, &map->at, "missing key '%s' (%s)", key->name, key->help);
        if (node && key->given_offset)
            *(bool *)((char *)into + key->given_offset) = true;
        if (!node && !key->otherwise && (key->kind != KEY_MAP || has_required(key->table)))
            continue;
        char *field = (char *)into + key->offset;
        enum rc rc = keys_read_key(key, node ? node : &standin, doc, field, e);
        if (rc)
            return rc;
        if (!node && key->kind >= KEY_NUMBER && key->kind <= KEY_TIME)
            ((struct quantity *)(void *)field)->given = false;
    }
    return RC_OK;
}

enum rc keys_schema(const struct yaml_doc *doc, const char *schema, struct err *e) {
    const struct yaml_node *root = doc->root;
    if (root->type != YAML_MAP)
        return err_at(e, RC_SCHEMA, &root->at, "found %s, expected keys beginning with 'schema: %s'",
                      type_name(root->type), schema);
    const struct yaml_node *node = yaml_get(root, "schema");
    if (!node)
        return err_at(e, RC_SCHEMA, &root->at, "missing key 'schema', expected 'schema: %s'", schema);
    if (node->type != YAML_SCALAR || strcmp(node->text, schema) != 0)
        return err_at(e, RC_SCHEMA, &node->at, "schema: '%.60s' found, expected '%s'",
                      node->type == YAML_SCALAR ? node->text : type_name(node->type), schema);
    return RC_OK;
}

static const char *kind_text(const struct key *key, char text[static 120]) {
    static const char *const names[] = {
        [KEY_TEXT] = "text",   [KEY_COUNT] = "count", [KEY_NUMBER] = "number", [KEY_RATE] = "rate",
        [KEY_SIZE] = "size",   [KEY_TIME] = "time",   [KEY_BOOL] = "bool",     [KEY_CHOICE] = "",
        [KEY_CHOICES] = "list of ", [KEY_MAP] = "map",     [KEY_LIST] = "list",   [KEY_NODE] = "list or map"};
    snprintf(text, 120, "%s%s%s", names[key->kind], key->word ? " or " : "",
             key->word ? key->word : "");
    if (key->choices) {
        size_t n = strlen(text);
        for (size_t i = 0; key->choices[i] && n < 120; i++)
            n += (size_t)snprintf(text + n, 120 - n, "%s%s", i ? ", " : "", key->choices[i]);
    }
    return text;
}

static void markdown(const struct key *table, const char *prefix, struct buf *out) {
    for (const struct key *key = table; key->name; key++) {
        char kind[120];
        buf_printf(out, "| `%s%s` | %s | %s | %s |\n", prefix, key->name, kind_text(key, kind),
                   key->required ? "required" : key->otherwise ? key->otherwise : "-", key->help);
        const struct key *same = table; // the first one with these keys
        while (same != key && same->table != key->table)
            same++;
        if (key->table && same != key)
            buf_printf(out, "| `%s%s%s.*` | | | as `%s%s.*` |\n", prefix, key->name,
                       key->kind == KEY_LIST ? "[]" : "", prefix, same->name);
        if (key->table && same == key) {
            char *deeper =
                mem_printf("%s%s%s.", prefix, key->name, key->kind == KEY_LIST ? "[]" : "");
            markdown(key->table, deeper, out);
            free(deeper);
        }
    }
}

void keys_markdown(const struct key *table, struct buf *out) {
    buf_text(out, "| key | kind | default | meaning |\n|---|---|---|---|\n");
    markdown(table, "", out);
}
