/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/spec.h"

#include <stdlib.h>
#include <string.h>

#include "sim/study/option.h"
#include "sim/sweep/values.h"

static const char *const which[] = {"none", "first", "all", NULL};

static const char *const engines[] = {"auto", "simgrid", "fluid", "bound", NULL}; // enum sim_engine

static const struct key keys[] = {
    {"schema", KEY_TEXT, offsetof(struct sweep_spec, name), .required = true, .help = "moesim/sweep/1"},
    {"name", KEY_TEXT, offsetof(struct sweep_spec, name), .required = true, .help = "of the sweep"},
    {"description", KEY_TEXT, offsetof(struct sweep_spec, description), .help = "one line"},
    {"platform", KEY_TEXT, offsetof(struct sweep_spec, platform), .help = "name or file"},
    {"workload", KEY_TEXT, offsetof(struct sweep_spec, workload), .help = "name or file"},
    {"implementation", KEY_TEXT, offsetof(struct sweep_spec, implementation), .help = "name or file"},
    {"phase", KEY_TEXT, offsetof(struct sweep_spec, phase), .help = "as for --phase"},
    {"strategies", KEY_NODE, offsetof(struct sweep_spec, strategies),
     .help = "list; default one-hop and two-hop"},
    {"set", KEY_NODE, offsetof(struct sweep_spec, set), .help = "map of dotted keys, for every point"},
    {"axes", KEY_LIST, offsetof(struct sweep_spec, raw_axes), .required = true, .table = sweep_axis_keys,
     .item_size = sizeof(struct sweep_raw_axis), .help = "crossed, the first one slowest"},
    {"zip", KEY_NODE, offsetof(struct sweep_spec, zip), .help = "lists of axes that advance together"},
    {"where", KEY_NODE, offsetof(struct sweep_spec, where),
     .help = "list of conditions 'AXIS OP VALUE|AXIS', OP one of < <= > >= == !="},
    {"repeats", KEY_COUNT, offsetof(struct sweep_spec, repeats), .min = 1, .max = 100000,
     .otherwise = "1", .help = "seeds a point"},
    {"seed", KEY_COUNT, offsetof(struct sweep_spec, seed), .min = 0, .otherwise = "1",
     .help = "of the first repeat; the next ones follow"},
    {"simulate", KEY_BOOL, offsetof(struct sweep_spec, simulate), .otherwise = "true",
     .help = "false: closed form only"},
    {"engine", KEY_CHOICE, offsetof(struct sweep_spec, engine), .choices = engines, .otherwise = "auto",
     .help = "as for --engine, which goes first; auto: one for all points, by the largest"},
    {"causes", KEY_CHOICE, offsetof(struct sweep_spec, causes), .choices = which, .otherwise = "all",
     .help = "points whose difference is explained"},
    {"detail", KEY_CHOICE, offsetof(struct sweep_spec, detail), .choices = which, .otherwise = "first",
     .help = "points with ranks, links over time and traffic map"},
    {"timeout", KEY_TIME, offsetof(struct sweep_spec, timeout_s),
     .help = "CPU time of one simulation at most; ten times that of wall time"},
    {.name = NULL}};

void sweep_spec_markdown(struct buf *out) {
    keys_markdown(keys, out);
}

/* --- axes ------------------------------------------------------------------------------------------ */

static enum rc read_axes(struct sweep_spec *s, struct err *e) {
    const struct sweep_raw_axis *raw = s->raw_axes.items;
    const struct yaml_node *node = yaml_get(s->doc->root, "axes");
    if (s->raw_axes.n < 1 || s->raw_axes.n > SWEEP_AXES)
        return err_at(e, RC_SCHEMA, &node->at, "axes: %zu found, expected 1 to %d", s->raw_axes.n,
                      SWEEP_AXES);
    for (size_t i = 0; i < s->raw_axes.n; i++) {
        struct sweep_axis *axis = &s->axes[i];
        *axis = (struct sweep_axis){.key = raw[i].key, .at = node->items[i]->at};
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->axes[k].key, axis->key) == 0)
                return err_at(e, RC_SCHEMA, &axis->at, "axis '%.60s' stands here twice", axis->key);
        enum rc rc = sweep_values(&raw[i], s->doc, axis, e);
        if (rc)
            return rc;
        s->n_axes++;
    }
    return RC_OK;
}

static struct sweep_axis *find_axis(struct sweep_spec *s, const char *key) {
    for (size_t i = 0; i < s->n_axes; i++)
        if (strcmp(s->axes[i].key, key) == 0)
            return &s->axes[i];
    return NULL;
}

static enum rc no_axis(const struct sweep_spec *s, const struct place *at, const char *key, struct err *e) {
    const char *names[SWEEP_AXES];
    for (size_t i = 0; i < s->n_axes; i++)
        names[i] = s->axes[i].key;
    return err_at(e, RC_SCHEMA, at, "'%.60s' is not an axis%s", key, err_hint(", ", key, names, s->n_axes).text);
}

static enum rc read_zip(struct sweep_spec *s, struct err *e) {
    for (size_t i = 0; i < s->n_axes; i++)
        s->axes[i].dimension = i;
    if (s->zip && s->zip->type != YAML_LIST)
        return err_at(e, RC_SCHEMA, &s->zip->at, "zip: expected a list of lists of axes");
    for (size_t z = 0; s->zip && z < s->zip->n; z++) {
        const struct yaml_node *node = s->zip->items[z];
        const char **names;
        size_t n;
        enum rc rc = sweep_texts("zip", node, s->doc, &names, &n, e);
        const struct sweep_axis *first = NULL;
        for (size_t i = 0; i < n && !rc; i++) {
            struct sweep_axis *axis = find_axis(s, names[i]);
            if (!axis)
                rc = no_axis(s, &node->items[i]->at, names[i], e);
            else if (first && axis->n != first->n)
                rc = err_at(e, RC_SHAPE, &node->items[i]->at, "zip: %s has %zu values, %s has %zu", axis->key,
                            axis->n, first->key, first->n);
            else if (axis->dimension != (size_t)(axis - s->axes))
                rc = err_at(e, RC_SCHEMA, &node->items[i]->at, "zip: %s is zipped twice", axis->key);
            if (!rc && !first)
                first = axis;
            else if (!rc)
                axis->dimension = first->dimension;
        }
        if (rc)
            return rc;
    }
    return RC_OK;
}

/* --- filters --------------------------------------------------------------------------------------- */

enum { OPERATORS = 6 };
static const char *const operators[OPERATORS] = {"<=", ">=", "==", "!=", "<", ">"};

struct condition {
    const struct sweep_axis *left, *right; /* right NULL: text */
    const char *text;
    int operator;
};

static bool holds(const struct condition *c, const struct sweep_spec *s, const struct sweep_point *p) {
    const char *a = c->left->values[p->at[c->left - s->axes]];
    const char *b = c->right ? c->right->values[p->at[c->right - s->axes]] : c->text;
    double x, y;
    const char *u, *v;
    int order;
    if (sweep_number(a, &x, &u) && sweep_number(b, &y, &v) && strcmp(u, v) == 0)
        order = (x > y) - (x < y);
    else
        order = strcmp(a, b);
    const bool results[OPERATORS] = {order <= 0, order >= 0, order == 0, order != 0, order < 0, order > 0};
    return results[c->operator];
}

static enum rc parse_condition(struct sweep_spec *s, const struct yaml_node *node, struct condition *c,
                               struct err *e) {
    if (node->type != YAML_SCALAR)
        return err_at(e, RC_SCHEMA, &node->at, "where: expected 'AXIS OP VALUE'");
    char *copy = arena_copy(&s->doc->arena, node->text), *rest = copy;
    const char *words[4] = {NULL};
    for (int i = 0; i < 4; i++)
        words[i] = strtok_r(rest, " ", &rest);
    c->operator = -1;
    for (int i = 0; i < OPERATORS && words[1]; i++)
        if (strcmp(operators[i], words[1]) == 0)
            c->operator = i;
    if (!words[2] || words[3] || c->operator < 0)
        return err_at(e, RC_SCHEMA, &node->at,
                      "where: '%.60s' found, expected AXIS OP VALUE with OP one of < <= > >= == !=",
                      node->text);
    c->left = find_axis(s, words[0]);
    c->right = find_axis(s, words[2]);
    c->text = words[2];
    return c->left ? RC_OK : no_axis(s, &node->at, words[0], e);
}

static enum rc read_where(struct sweep_spec *s, struct condition **conditions, size_t *n, struct err *e) {
    if (!s->where)
        return RC_OK;
    if (s->where->type != YAML_LIST)
        return err_at(e, RC_SCHEMA, &s->where->at, "where: expected a list of conditions");
    *conditions = arena_alloc(&s->doc->arena, s->where->n, sizeof **conditions);
    enum rc rc = RC_OK;
    for (*n = 0; *n < s->where->n && !rc; ++*n)
        rc = parse_condition(s, s->where->items[*n], &(*conditions)[*n], e);
    return rc;
}

/* --- points ---------------------------------------------------------------------------------------- */

static enum rc count_points(struct sweep_spec *s, int64_t *n, struct err *e) {
    double total = (double)s->repeats;
    *n = s->repeats;
    for (size_t i = 0; i < s->n_axes; i++)
        if (s->axes[i].dimension == i) {
            total *= (double)s->axes[i].n;
            if (total > SWEEP_POINTS)
                return err_set(e, RC_RANGE, "%s: more than %d points", s->doc->file, SWEEP_POINTS);
            *n *= (int64_t)s->axes[i].n;
        }
    return RC_OK;
}

static enum rc expand(struct sweep_spec *s, struct err *e) {
    struct condition *conditions = NULL;
    size_t n_conditions = 0;
    int64_t n = 0;
    enum rc rc = count_points(s, &n, e);
    if (!rc)
        rc = read_where(s, &conditions, &n_conditions, e);
    for (int64_t number = 0; number < n && !rc; number++) {
        struct sweep_point p = {.number = number, .seed = (uint64_t)(s->seed + number % s->repeats)};
        int64_t rest = number / s->repeats;
        for (size_t i = s->n_axes; i-- > 0;)
            if (s->axes[i].dimension == i) {
                p.at[i] = (size_t)(rest % (int64_t)s->axes[i].n);
                rest /= (int64_t)s->axes[i].n;
            }
        for (size_t i = 0; i < s->n_axes; i++)
            p.at[i] = p.at[s->axes[i].dimension];
        bool all = true;
        for (size_t i = 0; i < n_conditions; i++)
            all = all && holds(&conditions[i], s, &p);
        if (!all)
            continue;
        MEM_GROW(s->points, s->n_points, s->room);
        s->points[s->n_points++] = p;
    }
    if (!rc && s->n_points == 0)
        rc = err_at(e, RC_RANGE, &s->where->at, "where: no point fulfils all conditions");
    return rc;
}

static enum rc check_set(const struct sweep_spec *s, struct err *e) {
    if (s->set && s->set->type != YAML_MAP)
        return err_at(e, RC_SCHEMA, &s->set->at, "set: expected a map of dotted keys");
    for (size_t i = 0; s->set && i < s->set->n; i++)
        if (s->set->items[i]->type != YAML_SCALAR)
            return err_at(e, RC_SCHEMA, &s->set->items[i]->at, "set: %.60s: expected a single value",
                          s->set->keys[i]);
    if (!s->strategies)
        return RC_OK;
    const char **texts;
    size_t n;
    return sweep_texts("strategies", s->strategies, s->doc, &texts, &n, e);
}

enum rc sweep_spec_load(const char *path, const char *corpus, struct sweep_spec **spec, struct err *e) {
    struct sweep_spec *s = mem_alloc(1, sizeof *s);
    enum rc rc = yaml_load(path, &s->doc, e);
    if (!rc)
        rc = keys_schema(s->doc, "moesim/sweep/1", e);
    if (!rc)
        rc = keys_read(keys, s->doc->root, s->doc, s, e);
    if (!rc)
        rc = check_set(s, e);
    if (!rc)
        rc = read_axes(s, e);
    if (!rc)
        rc = read_zip(s, e);
    if (!rc)
        rc = expand(s, e);
    s->corpus = corpus;
    if (rc)
        sweep_spec_free(s);
    else
        *spec = s;
    return rc;
}

void sweep_spec_free(struct sweep_spec *s) {
    if (!s)
        return;
    yaml_doc_free(s->doc);
    free(s->points);
    free(s);
}

/* --- questions ------------------------------------------------------------------------------------- */

static bool chosen(int which_points, size_t point) {
    return which_points == SWEEP_ALL || (which_points == SWEEP_FIRST && point == 0);
}

enum rc sweep_spec_question(const struct sweep_spec *s, size_t point, struct question *q, struct err *e) {
    const struct sweep_point *p = &s->points[point];
    question_init(q);
    q->seed = (int64_t)p->seed;
    q->compare = true;
    q->analytic_only = !s->simulate;
    q->causes = chosen(s->causes, point);
    q->detail = chosen(s->detail, point) ? DETAIL_MAP : DETAIL_RECORD;
    q->engine = s->engine;
    q->timeout_s = s->timeout_s.given ? s->timeout_s.value : 0;
    q->corpus = s->corpus;
    q->platform.name = s->platform;
    q->workload.name = s->workload;
    q->implementation.name = s->implementation;
    enum rc rc = question_take(q, "phase", s->phase, e);
    for (size_t i = 0; s->strategies && i < s->strategies->n && !rc; i++)
        rc = question_take(q, "strategy", s->strategies->items[i]->text, e);
    for (size_t i = 0; s->set && i < s->set->n && !rc; i++)
        rc = question_set(q, s->set->keys[i], s->set->items[i]->text, e);
    for (size_t i = 0; i < s->n_axes && !rc; i++)
        rc = question_take(q, s->axes[i].key, s->axes[i].values[p->at[i]], e);
    return rc;
}
