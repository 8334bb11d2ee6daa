/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/model_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"

enum { NAMES = 10, LAYERS_MOST = 4096, COUNT_MOST = 1 << 20 };

/* The names that families of models use for one thing. */
static const char *const experts_names[NAMES] = {"n_routed_experts", "num_experts", "num_local_experts",
                                                 "moe_num_experts"};
static const char *const top_k_names[NAMES] = {
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k", "moe_k",
    "num_selected_experts"};
static const char *const hidden_names[NAMES] = {"hidden_size", "d_model"};
static const char *const n_group_names[NAMES] = {"n_group"};
static const char *const topk_group_names[NAMES] = {"topk_group"};
static const char *const shared_names[NAMES] = {"n_shared_experts", "num_shared_experts", "num_shared_expert",
                                                "moe_num_shared_experts"};
static const char *const shared_width_names[NAMES] = {"shared_expert_intermediate_size"};
static const char *const layers_names[NAMES] = {"num_hidden_layers", "num_layers", "n_layers"};
static const char *const dense_names[NAMES] = {"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"};
static const char *const zero_names[NAMES] = {"zero_expert_num"};
/* Keys that say how often a layer has experts: counted from layer 0, or so that the last one of each stretch has
 * them. */
static const char *const every_first_names[NAMES] = {"moe_layer_freq"};
static const char *const every_last_names[NAMES] = {"decoder_sparse_step", "interleave_moe_layer_step",
                                                    "moe_layer_interval"};
static const char *const method_names[NAMES] = {"topk_method"};
static const char *const scoring_names[NAMES] = {"scoring_func", "score_func"};
static const char *const dtype_names[NAMES] = {"torch_dtype", "dtype"};
static const char *const type_names[NAMES] = {"model_type", "_name_or_path"};

/* What a model says; 0 where it says nothing. */
struct model {
    const char *file;
    int64_t experts, top_k, hidden, n_group, topk_group, shared, shared_width, layers, dense, zero;
    int64_t every_first, every_last;
    const char *method, *scoring, *dtype, *name, *quantization;
    int64_t moe_layers;
};

/* Returns a key's value in the language model or in the whole, and nothing for null. */
static const struct yaml_node *look(const struct yaml_node *root, const char *key) {
    static const char *const inner[] = {"text_config", "language_config", "llm_config", "ffn_config"};
    for (size_t i = 0; i <= sizeof inner / sizeof *inner; i++) {
        const struct yaml_node *scope = i < sizeof inner / sizeof *inner ? yaml_get(root, inner[i]) : root;
        const struct yaml_node *node = scope && scope->type == YAML_MAP ? yaml_get(scope, key) : NULL;
        if (node && !(node->type == YAML_SCALAR && node->plain && strcmp(node->text, "null") == 0))
            return node;
    }
    return NULL;
}

static enum rc read_scalar(const struct yaml_node *node, const char *key, int64_t *value, struct err *e) {
    const char *text = node->type == YAML_SCALAR && node->plain ? node->text : "";
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 7 || text[digits] || strtoll(text, NULL, 10) > COUNT_MOST)
        return err_at(e, RC_RANGE, &node->at, "%s: '%.40s' is not a count up to %d", key,
                      node->type == YAML_SCALAR ? node->text : "a list or map", COUNT_MOST);
    *value = strtoll(text, NULL, 10);
    return RC_OK;
}

/* Reads a count: a number, or a list with one number for each layer, all of them the same. */
static enum rc read_count(const struct yaml_node *node, const char *key, int64_t *value, struct err *e) {
    if (node->type != YAML_LIST)
        return read_scalar(node, key, value, e);
    int64_t first = 0, other = 0;
    enum rc rc = node->n ? read_scalar(node->items[0], key, &first, e)
                         : err_at(e, RC_RANGE, &node->at, "%s: an empty list", key);
    for (size_t i = 1; i < node->n && !rc; i++) {
        rc = read_scalar(node->items[i], key, &other, e);
        if (!rc && other != first)
            rc = err_at(e, RC_RANGE, &node->items[i]->at,
                        "%s differs between layers, %lld and %lld: set one with --set", key, (long long)first,
                        (long long)other);
    }
    if (!rc)
        *value = first;
    return rc;
}

static enum rc take_count(const struct yaml_node *root, const char *const *names, int64_t *value, struct err *e) {
    const char *found = NULL;
    for (int i = 0; i < NAMES && names[i]; i++) {
        const struct yaml_node *node = look(root, names[i]);
        int64_t here = 0;
        enum rc rc = node ? read_count(node, names[i], &here, e) : RC_OK;
        if (rc)
            return rc;
        if (node && found && here != *value)
            return err_at(e, RC_RANGE, &node->at, "%s is %lld, but %s is %lld", names[i], (long long)here, found,
                          (long long)*value);
        if (node) {
            *value = here;
            found = names[i];
        }
    }
    return RC_OK;
}

static const char *take_text(const struct yaml_node *root, const char *const *names) {
    for (int i = 0; i < NAMES && names[i]; i++) {
        const struct yaml_node *node = look(root, names[i]);
        if (node && node->type == YAML_SCALAR && node->text[0])
            return node->text;
    }
    return NULL;
}

/* Marks the layers that a list names. */
static enum rc mark(const struct yaml_node *list, const char *key, bool value, bool *layer, struct err *e) {
    enum rc rc = RC_OK;
    for (size_t i = 0; list && list->type == YAML_LIST && i < list->n && !rc; i++) {
        int64_t at = 0;
        rc = read_scalar(list->items[i], key, &at, e);
        if (!rc && at < LAYERS_MOST)
            layer[at] = value;
    }
    return rc;
}

/* Counts the layers with experts: listed one by one, or told by the first ones, the frequency and the exceptions. */
static enum rc count_layers(const struct yaml_node *root, struct model *m, struct err *e) {
    bool layer[LAYERS_MOST] = {false};
    const struct yaml_node *listed = look(root, "moe_layers"), *flags = look(root, "moe_layer_freq");
    enum rc rc = RC_OK;
    if (m->layers > LAYERS_MOST)
        return err_set(e, RC_RANGE, "%s: %lld layers, at most %d are read", m->file, (long long)m->layers,
                       LAYERS_MOST);
    if (listed && listed->type == YAML_LIST) {
        rc = mark(listed, "moe_layers", true, layer, e);
    } else if (flags && flags->type == YAML_LIST) {
        for (int64_t i = 0; i < m->layers && i < (int64_t)flags->n; i++)
            layer[i] = flags->items[i]->type == YAML_SCALAR && strcmp(flags->items[i]->text, "1") == 0;
    } else {
        for (int64_t i = m->dense; i < m->layers; i++)
            layer[i] = (m->every_first <= 1 || i % m->every_first == 0) &&
                       (m->every_last <= 1 || (i + 1) % m->every_last == 0);
        rc = mark(look(root, "mlp_only_layers"), "mlp_only_layers", false, layer, e);
    }
    for (int64_t i = 0; i < m->layers; i++)
        m->moe_layers += layer[i];
    return rc;
}

static enum rc read_model(const struct yaml_doc *doc, struct model *m, struct err *e) {
    const struct yaml_node *root = doc->root, *flags = look(root, "moe_layer_freq");
    const struct {
        const char *const *names;
        int64_t *value;
    } counts[] = {{experts_names, &m->experts},
                  {top_k_names, &m->top_k},
                  {hidden_names, &m->hidden},
                  {n_group_names, &m->n_group},
                  {topk_group_names, &m->topk_group},
                  {shared_names, &m->shared},
                  {shared_width_names, &m->shared_width},
                  {layers_names, &m->layers},
                  {dense_names, &m->dense},
                  {zero_names, &m->zero},
                  {every_last_names, &m->every_last}};
    *m = (struct model){.file = doc->file};
    if (root->type != YAML_MAP)
        return err_at(e, RC_SCHEMA, &root->at, "no config.json of a model: expected a map of keys");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        enum rc rc = take_count(root, counts[i].names, counts[i].value, e);
        if (rc)
            return rc;
    }
    m->method = take_text(root, method_names);
    m->scoring = take_text(root, scoring_names);
    m->dtype = take_text(root, dtype_names);
    m->name = take_text(root, type_names);
    const struct yaml_node *quantization = look(root, "quantization_config");
    const struct yaml_node *how =
        quantization && quantization->type == YAML_MAP ? yaml_get(quantization, "quant_method") : NULL;
    m->quantization = how && how->type == YAML_SCALAR ? how->text : NULL;
    enum rc rc = flags && flags->type == YAML_LIST ? RC_OK : take_count(root, every_first_names, &m->every_first, e);
    return rc ? rc : count_layers(root, m, e);
}

static bool one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static enum rc check_router(const struct model *m, struct err *e) {
    static const char *const methods[] = {"greedy", "group_limited_greedy", "noaux_tc", NULL};
    static const char *const scorings[] = {"softmax", "sigmoid", "sqrtsoftplus", NULL};
    if (m->method && !one_of(m->method, methods))
        return err_set(e, RC_SCHEMA,
                       "%s: topk_method '%.60s' is not known; known are greedy, group_limited_greedy and "
                       "noaux_tc",
                       m->file, m->method);
    if (m->scoring && !one_of(m->scoring, scorings))
        return err_set(e, RC_SCHEMA,
                       "%s: scoring_func '%.60s' is not known; known are softmax, sigmoid and sqrtsoftplus", m->file,
                       m->scoring);
    if (m->zero)
        return err_set(e, RC_SCHEMA,
                       "%s: zero_expert_num %lld: zero-compute experts are known in token-level records "
                       "only (routing.router_experts)",
                       m->file, (long long)m->zero);
    return RC_OK;
}

/* --- into the workload ------------------------------------------------------------------------------- */

struct target {
    struct yaml_doc *doc;
    const char *file;
    bool replace;
};

static const struct yaml_node *key_of(const struct target *t, const char *path) {
    const struct yaml_node *root = t->doc->root;
    if (strncmp(path, "routing.", 8) != 0)
        return yaml_get(root, path);
    root = yaml_get(root, "routing");
    return root && root->type == YAML_MAP ? yaml_get(root, path + 8) : NULL;
}

static bool stays(const struct target *t, const char *path) {
    const struct yaml_node *node = key_of(t, path);
    return node && (node->set || !t->replace);
}

static enum rc put_text(const struct target *t, const char *path, const char *value, struct err *e) {
    return stays(t, path) ? RC_OK : yaml_set(t->doc, path, value, t->file, e);
}

static enum rc put_count(const struct target *t, const char *path, int64_t value, const char *const *names,
                         struct err *e) {
    char text[24];
    if (value == 0 && !stays(t, path)) {
        struct buf list = {0};
        for (int i = 0; i < NAMES && names[i]; i++)
            buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
        enum rc rc =
            err_set(e, RC_SCHEMA, "%s: no %s under any of the names %s; give it with --set workload.%s=", t->file,
                    path, list.text, path);
        buf_clear(&list);
        return rc;
    }
    snprintf(text, sizeof text, "%lld", (long long)value);
    return put_text(t, path, text, e);
}

/* Drops what the workload's file says about another model, unless --set says it. */
static void drop_other(const struct target *t) {
    static const char *const top[] = {"description", "group_limit"};
    static const char *const inside[] = {"trace",   "model",   "corpus",     "layer",       "mode",
                                         "source",  "n_group", "topk_group", "group_score", "router_experts",
                                         "rho_max", "rho_ep",  "cv",         "exponent",    "hot_ratio",
                                         "preset",  "family",  "drift",      "draw"};
    struct yaml_node *root = t->doc->root, *routing = yaml_get(root, "routing");
    for (size_t i = 0; i < sizeof top / sizeof *top; i++)
        if (!stays(t, top[i]))
            yaml_drop(root, top[i]);
    for (size_t i = 0; i < sizeof inside / sizeof *inside && routing && routing->type == YAML_MAP; i++) {
        const struct yaml_node *node = yaml_get(routing, inside[i]);
        if (node && !node->set)
            yaml_drop(routing, inside[i]);
    }
}

static enum rc put_dtype(const struct target *t, const struct model *m, struct err *e) {
    static const char *const known[][2] = {
        {"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {"float8_e4m3fn", "fp8"}};
    for (size_t i = 0; m->dtype && i < sizeof known / sizeof *known; i++)
        if (strcmp(m->dtype, known[i][0]) == 0)
            return put_text(t, "dtype", known[i][1], e);
    if (!m->dtype || stays(t, "dtype"))
        return put_text(t, "dtype", "bf16", e);
    return err_set(e, RC_SCHEMA,
                   "%s: torch_dtype '%.40s' is not known; give what is sent with --set workload.dtype=", t->file,
                   m->dtype);
}

static enum rc put_groups(const struct target *t, const struct model *m, struct err *e) {
    if (m->n_group <= 1 || (m->method && strcmp(m->method, "greedy") == 0))
        return RC_OK;
    bool best = m->method && strcmp(m->method, "group_limited_greedy") == 0;
    enum rc rc = put_count(t, "routing.n_group", m->n_group, n_group_names, e);
    if (!rc)
        rc = put_count(t, "routing.topk_group", m->topk_group, topk_group_names, e);
    return rc ? rc : put_text(t, "routing.group_score", best ? "max" : "top2-sum", e);
}

static void note(const struct model *m, struct buf *notes) {
    bool grouped = m->n_group > 1 && !(m->method && strcmp(m->method, "greedy") == 0);
    buf_printf(notes, "model: %s (%s): top %lld of %lld experts, hidden %lld, %s", m->file,
               m->name ? m->name : "no name", (long long)m->top_k, (long long)m->experts, (long long)m->hidden,
               m->dtype ? m->dtype : "no dtype: bf16");
    if (m->layers)
        buf_printf(notes, ", %lld of %lld layers with experts, the first %lld dense", (long long)m->moe_layers,
                   (long long)m->layers, (long long)m->dense);
    buf_text(notes, "\n");
    if (grouped)
        buf_printf(notes, "model: router %s, n_group %lld, topk_group %lld\n",
                   m->method ? m->method : "not named (taken as noaux_tc, assumed)", (long long)m->n_group,
                   (long long)m->topk_group);
    else
        buf_printf(notes, "model: router %s, no groups\n",
                   m->method    ? m->method
                   : m->scoring ? m->scoring
                                : "not named");
    if (m->shared || m->shared_width)
        buf_printf(notes, "model: shared experts %lld; workload.shared_experts says whether they are sent\n",
                   (long long)(m->shared ? m->shared : 1));
    if (m->quantization)
        buf_printf(notes,
                   "model: weights are quantized (%.40s); what is sent is said by implementation.dispatch_row\n",
                   m->quantization);
}

enum rc model_config_fill(const struct yaml_doc *config, bool replace, struct yaml_doc *workload, struct buf *notes,
                          struct err *e) {
    struct model m;
    struct target t = {workload, config->file, replace};
    enum rc rc = read_model(config, &m, e);
    if (!rc)
        rc = check_router(&m, e);
    if (rc)
        return rc;
    if (replace)
        drop_other(&t);
    rc = put_count(&t, "experts", m.experts, experts_names, e);
    if (!rc)
        rc = put_count(&t, "top_k", m.top_k, top_k_names, e);
    if (!rc)
        rc = put_count(&t, "hidden", m.hidden, hidden_names, e);
    if (!rc)
        rc = put_dtype(&t, &m, e);
    if (!rc)
        rc = put_groups(&t, &m, e);
    if (!rc)
        rc = put_text(&t, "name", m.name ? m.name : "model", e);
    const struct yaml_node *trace = key_of(&t, "routing.trace");
    if (!rc && !trace)
        rc = put_text(&t, "routing.source", "uniform", e);
    if (!rc)
        note(&m, notes);
    return rc;
}

enum rc model_config_apply(struct yaml_doc *workload, struct buf *notes, struct err *e) {
    const struct yaml_node *node = workload->root->type == YAML_MAP ? yaml_get(workload->root, "model") : NULL;
    if (!node || node->type != YAML_SCALAR)
        return RC_OK;
    struct yaml_doc *config;
    char *path = node->set ? mem_copy(node->text) : file_beside(workload->file, node->text);
    enum rc rc = yaml_load_as(path, "model", &config, e);
    if (!rc) {
        manifest_add_all(&workload->files, &config->files, NULL);
        rc = model_config_fill(config, node->set, workload, notes, e);
        yaml_doc_free(config);
    }
    free(path);
    return rc;
}
