/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/json.h"

struct range {
    const char *from, *to, *step;
    int64_t n;
    bool whole;
};

const struct key sweep_range_keys[] = {
    {"from", KEY_TEXT, offsetof(struct range, from), .required = true, .help = "first value"},
    {"to", KEY_TEXT, offsetof(struct range, to), .required = true, .help = "last value, same unit"},
    {"step", KEY_TEXT, offsetof(struct range, step), .help = "from one to the next; range only"},
    {"n", KEY_COUNT, offsetof(struct range, n), .min = 2, .max = 100000, .help = "number of values"},
    {"whole", KEY_BOOL, offsetof(struct range, whole), .otherwise = "false",
     .help = "round to whole numbers"},
    {.name = NULL}};

const struct key sweep_axis_keys[] = {
    {"key", KEY_TEXT, offsetof(struct sweep_raw_axis, key), .required = true,
     .help = "platform, workload, implementation, strategy, phase, schedule, window or a dotted key"},
    {"values", KEY_NODE, offsetof(struct sweep_raw_axis, values), .help = "list of values"},
    {"range", KEY_NODE, offsetof(struct sweep_raw_axis, range),
     .help = "{from, to, step} or {from, to, n}, evenly spaced"},
    {"log_range", KEY_NODE, offsetof(struct sweep_raw_axis, log_range),
     .help = "{from, to, n}, equal factors"},
    {.name = NULL}};

bool sweep_number(const char *text, double *value, const char **unit) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value) || strpbrk(text, "xX") || text[0] == ' ')
        return false;
    *unit = end;
    // a unit is letters only; "16x8" or "1.2.3" is text
    return strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(end);
}

enum rc sweep_texts(const char *what, const struct yaml_node *node, struct yaml_doc *doc, const char ***texts,
                    size_t *n, struct err *e) {
    if (node->type != YAML_LIST || node->n == 0)
        return err_at(e, RC_SCHEMA, &node->at, "%s: expected a list with at least one value", what);
    const char **list = arena_alloc(&doc->arena, node->n, sizeof *list);
    for (size_t i = 0; i < node->n; i++) {
        if (node->items[i]->type != YAML_SCALAR || !*node->items[i]->text)
            return err_at(e, RC_SCHEMA, &node->items[i]->at, "%s: expected a single value", what);
        list[i] = node->items[i]->text;
        for (size_t k = 0; k < i; k++)
            if (strcmp(list[k], list[i]) == 0)
                return err_at(e, RC_SCHEMA, &node->items[i]->at, "%s: '%.60s' stands here twice", what,
                              list[i]);
    }
    *texts = list;
    *n = node->n;
    return RC_OK;
}

static enum rc range_numbers(const struct range *r, const struct yaml_node *node, bool log, double x[3],
                             const char **unit, struct err *e) {
    const char *units[3] = {"", "", ""}, *texts[3] = {r->from, r->to, r->step};
    for (int i = 0; i < 3; i++) {
        if (texts[i] && !sweep_number(texts[i], &x[i], &units[i]))
            return err_at(e, RC_SCHEMA, &node->at, "'%.60s' is not a number", texts[i]);
        if (texts[i] && strcmp(units[i], units[0]) != 0)
            return err_at(e, RC_UNIT, &node->at, "'%.60s' has another unit than '%.60s'", texts[i], r->from);
    }
    if (!(x[1] > x[0]) || (log && !(x[0] > 0)) || (r->step && !(x[2] > 0)))
        return err_at(e, RC_RANGE, &node->at, "expected to above from%s, and a step above 0",
                      log ? " above 0" : "");
    if (log ? r->step || !r->n : !r->step == !r->n)
        return err_at(e, RC_SCHEMA, &node->at, log ? "expected n" : "expected either step or n");
    *unit = units[0];
    return RC_OK;
}

static enum rc range_values(const struct yaml_node *node, bool log, struct yaml_doc *doc,
                            struct sweep_axis *axis, struct err *e) {
    struct range r = {0};
    double x[3] = {0};
    const char *unit = "";
    enum rc rc = keys_read(sweep_range_keys, node, doc, &r, e);
    if (!rc)
        rc = range_numbers(&r, node, log, x, &unit, e);
    if (rc)
        return rc;
    double steps = r.step ? floor((x[1] - x[0]) / x[2] * (1 + 1e-12) + 1e-9) : (double)(r.n - 1);
    if (steps + 1 > SWEEP_POINTS)
        return err_at(e, RC_RANGE, &node->at, "more than %d values", SWEEP_POINTS);
    size_t n = (size_t)steps + 1;
    axis->values = arena_alloc(&doc->arena, n, sizeof *axis->values);
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (r.step ? 1 : (double)(n - 1));
        double value = r.step ? x[0] + x[2] * t
                       : log  ? x[0] * pow(x[1] / x[0], t)
                              : x[0] + (x[1] - x[0]) * t;
        char text[JSON_NUMBER];
        // 12 digits: 0.1 + 2 x 0.1 is written as 0.3
        char *rounded = arena_printf(&doc->arena, "%.12g", r.whole ? round(value) : value);
        const char *full = arena_printf(&doc->arena, "%s%s", json_format(strtod(rounded, NULL), text), unit);
        if (axis->n == 0 || strcmp(axis->values[axis->n - 1], full) != 0)
            axis->values[axis->n++] = full;
    }
    return RC_OK;
}

enum rc sweep_values(const struct sweep_raw_axis *raw, struct yaml_doc *doc, struct sweep_axis *axis,
                     struct err *e) {
    int given = (raw->values != NULL) + (raw->range != NULL) + (raw->log_range != NULL);
    if (given != 1)
        return err_at(e, RC_SCHEMA, &axis->at, "%s: expected one of values, range and log_range",
                      raw->key);
    if (raw->values)
        return sweep_texts(raw->key, raw->values, doc, &axis->values, &axis->n, e);
    return range_values(raw->range ? raw->range : raw->log_range, raw->log_range != NULL, doc, axis, e);
}
