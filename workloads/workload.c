/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/rng.h"
#include "platforms/find.h"

static const char *const source_choices[] = {"uniform", "trace", NULL};
static const char *const mode_choices[] = {"global_topk", "full", NULL};
static const char *const draw_choices[] = {"sampled", "expected", NULL};
static const char *const dtype_choices[] = {"bf16", "fp16", "fp8", "fp32", NULL};
static const double dtype_bytes[] = {2, 2, 1, 4};
static const char *const placement_choices[] = {"contiguous", NULL};

static const struct key routing_keys[] = {
    {"source", KEY_CHOICE, offsetof(struct routing_keys, source), .otherwise = "uniform",
     .choices = source_choices, .help = "where the routing comes from"},
    {"mode", KEY_CHOICE, offsetof(struct routing_keys, mode), .otherwise = "global_topk",
     .choices = mode_choices,
     .help = "`full`: exactly `group_limit` groups a token, top_k / group_limit experts in each"},
    {"draw", KEY_CHOICE, offsetof(struct routing_keys, draw), .otherwise = "sampled",
     .choices = draw_choices, .help = "tokens drawn with the seed, or expected values"},
    {"trace", KEY_TEXT, offsetof(struct routing_keys, trace), .help = "routing record (CSV or .npy)"},
    {"model", KEY_TEXT, offsetof(struct routing_keys, model),
     .help = "CSV with a model column: which one"},
    {"corpus", KEY_TEXT, offsetof(struct routing_keys, corpus),
     .help = "CSV with a corpus column: which one"},
    {"layer", KEY_COUNT, offsetof(struct routing_keys, layer), .max = 1e6,
     .given_offset = offsetof(struct routing_keys, layer_given),
     .help = "layer as the trace names it; default: its first"},
    {0}};

static const struct key late_keys[] = {
    {"rank", KEY_COUNT, offsetof(struct late_rank, rank), .required = true, .max = 1e6,
     .help = "which rank"},
    {"by", KEY_TIME, offsetof(struct late_rank, by_s), .required = true, .help = "how much later"},
    {0}};

static const struct key arrival_keys[] = {
    {"sigma", KEY_TIME, offsetof(struct arrival_keys, sigma_s), .otherwise = "0s",
     .help = "ranks enter the absolute value of a normal draw of this sigma late"},
    {"late", KEY_LIST, offsetof(struct arrival_keys, late), .table = late_keys,
     .item_size = sizeof(struct late_rank), .help = "ranks that enter later still"},
    {0}};

const struct key workload_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct workload, schema), .required = true,
     .help = "`" WORKLOAD_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct workload, name), .required = true, .help = "name in results"},
    {"description", KEY_TEXT, offsetof(struct workload, description),
     .help = "one line for `workload list`"},
    {"tokens_per_rank", KEY_COUNT, offsetof(struct workload, tokens_per_rank), .required = true,
     .min = 1, .max = 1 << 24, .help = "T, tokens that each rank dispatches per call"},
    {"experts", KEY_COUNT, offsetof(struct workload, experts), .required = true, .min = 1,
     .max = 65536, .help = "E, routed experts of the layer"},
    {"top_k", KEY_COUNT, offsetof(struct workload, top_k), .required = true, .min = 1, .max = 1024,
     .help = "k, distinct experts per token"},
    {"group_limit", KEY_COUNT, offsetof(struct workload, group_limit), .min = 1, .max = 65536,
     .word = "none", .otherwise = "none", .help = "M, groups that one token may reach"},
    {"hidden", KEY_COUNT, offsetof(struct workload, hidden), .required = true, .min = 1,
     .max = 1 << 20, .help = "H, elements of one row"},
    {"dtype", KEY_CHOICE, offsetof(struct workload, dtype), .otherwise = "bf16",
     .choices = dtype_choices, .help = "element of a row"},
    {"routing", KEY_MAP, offsetof(struct workload, routing), .required = true, .table = routing_keys,
     .help = "which experts tokens choose"},
    {"placement", KEY_CHOICE, offsetof(struct workload, placement), .otherwise = "contiguous",
     .choices = placement_choices, .help = "experts onto ranks, in blocks of E / EP"},
    {"arrival", KEY_MAP, offsetof(struct workload, arrival), .table = arrival_keys,
     .help = "when ranks enter a call; default: all at once"},
    {0}};

static enum rc check(struct workload *w, struct err *e) {
    const struct place *top = &w->doc->root->at;
    const struct routing_keys *r = &w->routing;
    if (w->top_k > w->experts)
        return err_at(e, RC_RANGE, top, "top_k %lld is above experts %lld; a token chooses distinct experts",
                      (long long)w->top_k, (long long)w->experts);
    if (r->mode == MODE_FULL && w->group_limit == 0)
        return err_at(e, RC_SCHEMA, top, "routing.mode 'full' needs group_limit");
    if (r->mode == MODE_FULL && r->source == SOURCE_TRACE)
        return err_at(e, RC_SCHEMA, top,
                      "routing.mode 'full' cannot be imposed on a trace of expert counts");
    if (r->mode == MODE_GLOBAL_TOPK && w->group_limit != 0)
        return err_at(e, RC_SCHEMA, top,
                      "group_limit %lld needs routing.mode 'full'; global_topk has no limit",
                      (long long)w->group_limit);
    if (w->group_limit != 0 && w->top_k % w->group_limit != 0)
        return err_at(e, RC_RANGE, top, "group_limit %lld does not divide top_k %lld",
                      (long long)w->group_limit, (long long)w->top_k);
    if ((r->source == SOURCE_TRACE) != (r->trace != NULL))
        return err_at(e, RC_SCHEMA, top,
                      r->trace ? "routing.trace is given, but routing.source is '%s'"
                               : "routing.source is 'trace', but routing.trace is missing%.0s",
                      source_choices[r->source]);
    return RC_OK;
}

/* What an override makes meaningless: with another trace, what selects a part of the file's own one; with
 * another source, the trace too. */
static void drop_overridden(const struct yaml_doc *doc) {
    static const char *const selection[] = {"model", "corpus", "layer", "trace"};
    enum { SELECTION = 3, ALL = 4 };
    struct yaml_node *routing = yaml_get(doc->root, "routing");
    if (!routing)
        return;
    const struct yaml_node *trace = yaml_get(routing, "trace"), *source = yaml_get(routing, "source");
    size_t n = trace && trace->set ? SELECTION : source && source->set ? ALL : 0;
    for (size_t i = 0; i < n; i++) {
        const struct yaml_node *node = yaml_get(routing, selection[i]);
        if (node && !node->set)
            yaml_drop(routing, selection[i]);
    }
}

/* A trace named in the file lies beside the file; one from --set or --trace is where the user says. */
static void resolve_trace(struct workload *w) {
    const struct yaml_node *routing = yaml_get(w->doc->root, "routing");
    const struct yaml_node *node = routing ? yaml_get(routing, "trace") : NULL;
    if (node && w->routing.source == SOURCE_TRACE)
        w->trace_path = node->set ? mem_copy(w->routing.trace)
                                  : file_beside(w->doc->file, w->routing.trace);
}

enum rc workload_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                      struct workload **workload, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_load(FIND_WORKLOAD, name_or_path, &doc, e);
    if (rc)
        return rc;
    struct workload *w = mem_alloc(1, sizeof *w);
    w->doc = doc;
    memcpy(w->sha256, doc->sha256, sizeof w->sha256);
    rc = keys_schema(doc, WORKLOAD_SCHEMA, e);
    for (size_t i = 0; i < n_settings && !rc; i++)
        rc = yaml_set(doc, settings[i].key, settings[i].value, "--set", e);
    drop_overridden(doc);
    if (!rc)
        rc = keys_read(workload_keys, doc->root, doc, w, e);
    if (!rc)
        rc = check(w, e);
    if (rc) {
        workload_free(w);
    } else {
        resolve_trace(w);
        *workload = w;
    }
    return rc;
}

void workload_free(struct workload *w) {
    if (!w)
        return;
    free(w->trace_path);
    yaml_doc_free(w->doc);
    free(w);
}

enum rc workload_arrival(const struct workload *w, int ranks, uint64_t seed, double *enter_s, bool *skewed,
                         struct err *e) {
    const struct arrival_keys *a = &w->arrival;
    struct rng r;
    rng_init(&r, seed, "arrival", 0);
    *skewed = a->sigma_s.value > 0 || a->late.n > 0;
    for (int rank = 0; rank < ranks; rank++)
        enter_s[rank] = a->sigma_s.value > 0 ? fabs(rng_normal(&r)) * a->sigma_s.value : 0;
    const struct late_rank *late = a->late.items;
    for (size_t i = 0; i < a->late.n; i++) {
        if (late[i].rank >= ranks)
            return err_at(e, RC_RANGE, &late[i].by_s.at, "arrival: rank %lld, but there are %d ranks",
                          (long long)late[i].rank, ranks);
        enter_s[late[i].rank] += late[i].by_s.value;
    }
    return RC_OK;
}

const char *workload_dtype_name(const struct workload *w) {
    return dtype_choices[w->dtype];
}

double workload_element_bytes(const struct workload *w) {
    return dtype_bytes[w->dtype];
}
