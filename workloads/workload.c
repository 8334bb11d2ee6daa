/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/rng.h"
#include "platforms/find.h"
#include "workloads/draw/skew.h"
#include "workloads/model_config.h"
#include "workloads/placement/placement.h"
#include "workloads/shared.h"

static const char *const source_choices[] = {"uniform", "trace", "synthetic", NULL};
static const char *const record_choices[] = {"auto", "counts", "matrix", "routes", NULL}; // enum record_as
static const char *const mode_choices[] = {"global_topk", "full", "group_limited", "quota_only", NULL};
static const char *const draw_choices[] = {"sampled", "expected", NULL};
static const char *const family_choices[] = {"zipf",       "lognormal", "dirichlet",
                                             "hot-expert", "hot-rank",  NULL};
static const char *const preset_choices[] = {"none", "mixed-web", "one-domain", "bad-layer", NULL};
static const char *const assign_choices[] = {"blocks", "round-robin", "request", NULL};
static const char *const fill_choices[] = {"exact", "repeat", NULL};
static const char *const keep_choices[] = {"keep", "drop", NULL};
static const char *const dtype_choices[] = {"bf16", "fp16", "fp8", "fp32", NULL};
static const double dtype_bytes[] = {2, 2, 1, 4};
static const char *const placement_choices[] = {"contiguous", "round-robin", "lpt",
                                                "eplb",       "file",        NULL};
static const char *const remainder_choices[] = {"refuse", "first", "last", "pad", NULL};
static const char *const packing_choices[] = {"auto", "hierarchical", "global", NULL};
static const char *const capacity_choices[] = {"drop", "pad", NULL};
static const char *const rounding_choices[] = {"floor", "ceil", NULL};
static const char *const score_choices[] = {"top2-sum", "max", NULL};
static const char *const replica_choices[] = {"in-turn", "nearest", "by-source-rank", "random", "weighted", NULL};
static const char *const shared_choices[] = {"not-sent", "own-rank", "least-loaded", NULL};

#define ROUTING(field) offsetof(struct routing_keys, field)
#define WORKLOAD(field) offsetof(struct workload, field)

static const struct key routing_keys[] = {
    {"source", KEY_CHOICE, offsetof(struct routing_keys, source), .otherwise = "uniform",
     .choices = source_choices, .help = "where the routing comes from"},
    {"mode", KEY_CHOICE, offsetof(struct routing_keys, mode), .otherwise = "global_topk",
     .choices = mode_choices,
     .help = "`full`: exactly `group_limit` groups a token, top_k / group_limit experts in each; "
             "`group_limited`: at most `group_limit` groups; `quota_only`: top_k / groups in every group"},
    {"n_group", KEY_COUNT, ROUTING(n_group), .min = 1, .max = 65536, .word = "none", .otherwise = "none",
     .help = "groups of the model's router: equal blocks of consecutive logical experts, whatever the machine"},
    {"topk_group", KEY_COUNT, ROUTING(topk_group), .min = 1, .max = 65536, .word = "none", .otherwise = "none",
     .help = "router's groups that one token keeps"},
    {"group_score", KEY_CHOICE, ROUTING(group_score), .otherwise = "top2-sum", .choices = score_choices,
     .help = "score of a router's group: its two best experts (DeepSeek-V3) or its best one (DeepSeek-V2)"},
    {"draw", KEY_CHOICE, offsetof(struct routing_keys, draw), .otherwise = "sampled",
     .choices = draw_choices, .help = "tokens drawn with the seed, or expected values"},
    {"trace", KEY_TEXT, offsetof(struct routing_keys, trace), .help = "routing record, see below"},
    {"record", KEY_CHOICE, ROUTING(record), .otherwise = "auto", .choices = record_choices,
     .help = "what the record holds, where it does not say or its numbers look like something else"},
    {"model", KEY_TEXT, offsetof(struct routing_keys, model),
     .help = "CSV with a model column: which one"},
    {"corpus", KEY_TEXT, offsetof(struct routing_keys, corpus),
     .help = "CSV with a corpus column: which one"},
    {"layer", KEY_COUNT, offsetof(struct routing_keys, layer), .max = 1e6,
     .given_offset = offsetof(struct routing_keys, layer_given),
     .help = "layer as the trace names it; default: its first"},
    {"family", KEY_CHOICE, ROUTING(family), .otherwise = "zipf", .choices = family_choices,
     .given_offset = ROUTING(family_given),
     .help = "synthetic: shape of the popularities"},
    {"rho_max", KEY_NUMBER, ROUTING(rho_max), .min = 1, .max = 1e6,
     .help = "synthetic: target, busiest rank over mean rank"},
    {"rho_ep", KEY_COUNT, ROUTING(rho_ep), .min = 2, .max = 1 << 20, .word = "ranks",
     .otherwise = "ranks", .help = "EP that rho_max speaks of"},
    {"cv", KEY_NUMBER, ROUTING(cv), .min = 1e-6, .max = 1e3,
     .help = "synthetic: target, standard deviation over mean of the expert loads"},
    {"exponent", KEY_NUMBER, ROUTING(exponent), .max = 60,
     .help = "synthetic: the family's parameter itself"},
    {"hot_ratio", KEY_NUMBER, ROUTING(hot_ratio), .min = 1, .max = 1e6,
     .help = "synthetic: load of the hot rank over the mean of the others, as kernel benchmarks say"},
    {"preset", KEY_CHOICE, ROUTING(preset), .otherwise = "none", .choices = preset_choices,
     .help = "synthetic: rho_max as in public records"},
    {"drift", KEY_NUMBER, ROUTING(drift), .max = 1,
     .help = "synthetic: share of experts that swap popularities from batch to batch"},
    {"pair_sigma", KEY_NUMBER, ROUTING(pair_sigma), .max = 10,
     .help = "every source prefers other ranks: sigma of ln preference; loads stay"},
    {"assign", KEY_CHOICE, ROUTING(assign), .otherwise = "blocks", .choices = assign_choices,
     .help = "tokens of a record without source ranks onto ranks"},
    {"fill", KEY_CHOICE, ROUTING(fill), .otherwise = "exact", .choices = fill_choices,
     .help = "`exact`: a token-level record's rows once; `repeat`: until every rank has its tokens"},
    {"suspected", KEY_CHOICE, ROUTING(suspected), .otherwise = "keep", .choices = keep_choices,
     .help = "repeated rows that look like padding or warm-up"},
    {"zero_weight", KEY_CHOICE, ROUTING(zero_weight), .otherwise = "keep", .choices = keep_choices,
     .help = "choices of a record with weight exactly 0"},
    {"router_experts", KEY_COUNT, ROUTING(router_experts), .min = 1, .max = 65535, .word = "experts",
     .otherwise = "experts", .help = "ids from experts up to here are zero-compute experts: no message"},
    {"batch", KEY_COUNT, ROUTING(batch), .max = 1e9, .otherwise = "0",
     .help = "which batch of a token-level record, which step of the drift"},
    {"batch_rows", KEY_COUNT, ROUTING(batch_rows), .min = 1, .max = 1e9, .word = "all",
     .otherwise = "all", .help = "rows per logged batch, of which `batch_valid` are real"},
    {"batch_valid", KEY_COUNT, ROUTING(batch_valid), .min = 1, .max = 1e9, .word = "all",
     .otherwise = "all", .help = "real rows at the start of each logged batch"},
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
    {"model", KEY_TEXT, WORKLOAD(model),
     .help = "config.json of a model as on Hugging Face; with `--set` it replaces the file's model and routing"},
    {"name", KEY_TEXT, offsetof(struct workload, name), .required = true, .help = "name in results"},
    {"description", KEY_TEXT, offsetof(struct workload, description),
     .help = "one line for `workload list`"},
    {"tokens_per_rank", KEY_COUNT, offsetof(struct workload, tokens_per_rank), .required = true,
     .max = 1 << 24, .help = "T, tokens that each rank dispatches per call; a list gives one per rank"},
    {"tokens_list", KEY_TEXT, WORKLOAD(tokens_list),
     .help = "tokens of each rank, such as `4096x7, 0`, instead of tokens_per_rank"},
    {"tokens_file", KEY_TEXT, WORKLOAD(tokens_file), .help = "file with such a list"},
    {"tokens_cv", KEY_NUMBER, WORKLOAD(tokens_cv), .max = 10,
     .help = "tokens of the ranks are log-normal with this deviation over mean"},
    {"tokens_idle", KEY_NUMBER, WORKLOAD(tokens_idle), .max = 1, .help = "share of ranks without tokens"},
    {"experts", KEY_COUNT, offsetof(struct workload, experts), .required = true, .min = 1,
     .max = 65536, .help = "E, routed experts of the layer"},
    {"top_k", KEY_COUNT, offsetof(struct workload, top_k), .required = true, .min = 1, .max = 1024,
     .help = "k, distinct experts per token"},
    {"group_limit", KEY_COUNT, offsetof(struct workload, group_limit), .min = 1, .max = 65536,
     .word = "none", .otherwise = "none", .help = "M, groups of the machine that one token may reach"},
    {"hidden", KEY_COUNT, offsetof(struct workload, hidden), .required = true, .min = 1,
     .max = 1 << 20, .help = "H, elements of one row"},
    {"dtype", KEY_CHOICE, offsetof(struct workload, dtype), .otherwise = "bf16",
     .choices = dtype_choices, .help = "element of a row"},
    {"routing", KEY_MAP, offsetof(struct workload, routing), .required = true, .table = routing_keys,
     .help = "which experts tokens choose"},
    {"placement", KEY_CHOICE, WORKLOAD(placement), .otherwise = "contiguous",
     .choices = placement_choices, .help = "experts onto ranks"},
    {"placement_file", KEY_TEXT, WORKLOAD(placement_file), .help = "placement `file`: which one"},
    {"placement_remainder", KEY_CHOICE, WORKLOAD(placement_remainder), .otherwise = "refuse",
     .choices = remainder_choices, .help = "when experts do not divide by ranks"},
    {"placement_slots", KEY_COUNT, WORKLOAD(placement_slots), .min = 1, .max = 1 << 20,
     .word = "experts", .otherwise = "experts", .help = "`eplb`: physical experts, replicas included"},
    {"placement_packing", KEY_CHOICE, WORKLOAD(placement_packing), .otherwise = "auto",
     .choices = packing_choices,
     .help = "`eplb`: `hierarchical` keeps expert groups in a group of ranks; `auto`: if they divide"},
    {"expert_groups", KEY_COUNT, WORKLOAD(expert_groups), .min = 1, .max = 65536, .word = "auto", .otherwise = "auto",
     .help = "`eplb`: groups of consecutive experts that hierarchical packing keeps together; `auto`: "
             "`routing.n_group`, without one the groups of ranks"},
    {"replica_choice", KEY_CHOICE, WORKLOAD(replica_choice), .otherwise = "in-turn", .choices = replica_choices,
     .help = "which replica of an expert takes a row, see below"},
    {"replica_cap", KEY_NUMBER, WORKLOAD(replica_cap), .min = 1e-6, .max = 1,
     .help = "largest share of a source's rows of an expert that one replica takes; the rest goes to the next "
             "nearest"},
    {"shared_experts", KEY_CHOICE, WORKLOAD(shared_experts), .otherwise = "not-sent", .choices = shared_choices,
     .help = "`own-rank`, `least-loaded`: a routed slot, one more row a token, to its own rank or so that ranks "
             "level out"},
    {"capacity_factor", KEY_NUMBER, WORKLOAD(capacity_factor), .min = 1e-3, .max = 1e6,
     .help = "a source sends an expert at most factor x its mean of rows"},
    {"capacity_policy", KEY_CHOICE, WORKLOAD(capacity_policy), .otherwise = "drop",
     .choices = capacity_choices, .help = "rows above are dropped; `pad` also fills up to it"},
    {"capacity_rounding", KEY_CHOICE, WORKLOAD(capacity_rounding), .otherwise = "floor", .choices = rounding_choices,
     .help = "of factor x mean, to whole rows"},
    {"ep", KEY_COUNT, WORKLOAD(ep), .min = 2, .max = RANKS_MAX, .word = "all", .otherwise = "all",
     .help = "ranks of an EP group, which holds all experts; the job's EP groups call at once"},
    {"ep_layout", KEY_TEXT, WORKLOAD(ep_layout), .otherwise = "contiguous",
     .help = "dimensions inside an EP group's ranks, such as `tp2` or `tp2-pp4` (those after `ep` lie outside)"},
    {"senders", KEY_TEXT, WORKLOAD(senders),
     .help = "ranks of each EP group that have tokens, such as `0-7, 12` or `0-31/8`; default: all"},
    {"expert_ranks", KEY_TEXT, WORKLOAD(expert_ranks),
     .help = "ranks of each EP group that hold experts; default: all"},
    {"arrival", KEY_MAP, offsetof(struct workload, arrival), .table = arrival_keys,
     .help = "when ranks enter a call; default: all at once"},
    {0}};

static enum rc check_synthetic(const struct routing_keys *r, const struct place *top, struct err *e) {
    const bool given[] = {r->rho_max.given, r->cv.given, r->exponent.given, r->hot_ratio.given,
                          r->preset != PRESET_NONE};
    int targets = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        targets += given[i];
    if (r->source == SOURCE_SYNTHETIC && targets != 1)
        return err_at(e, RC_SCHEMA, top,
                      "routing.source 'synthetic' with %d targets, expected one of rho_max, cv, "
                      "exponent, hot_ratio and preset",
                      targets);
    if (r->source != SOURCE_SYNTHETIC && (targets || r->drift.given))
        return err_at(e, RC_SCHEMA, top, "routing.%s is given, but routing.source is '%s'",
                      targets ? "rho_max, cv, exponent, hot_ratio or preset" : "drift",
                      source_choices[r->source]);
    if (r->hot_ratio.given && r->family_given && r->family != SKEW_HOT_RANK)
        return err_at(e, RC_SCHEMA, top,
                      "routing.hot_ratio is the load of one rank: routing.family must be 'hot-rank', found '%s'",
                      family_choices[r->family]);
    return RC_OK;
}

/* Checks the keys of the model's router, and replaces a mode that was written for the machine's groups. */
static enum rc workload_check_router(struct workload *w, const struct place *top, struct err *e) {
    struct routing_keys *r = &w->routing;
    const struct router router = {(int)r->n_group, (int)r->topk_group, r->group_score};
    struct err why;
    r->mode_written = r->mode;
    if ((r->n_group == 0) != (r->topk_group == 0))
        return err_at(e, RC_SCHEMA, top, "routing.n_group and routing.topk_group go together");
    if (r->n_group == 0)
        return RC_OK;
    if (router_check(&router, (int)w->experts, (int)w->top_k, &why))
        return err_at(e, RC_RANGE, top, "%s", why.text);
    if (r->mode == MODE_FULL && w->group_limit)
        return err_at(e, RC_SCHEMA, top,
                      "routing.n_group acts in routing.mode 'global_topk' and 'group_limited', not in 'full' with "
                      "group_limit; use group_limited");
    if (r->mode == MODE_FULL || r->mode == MODE_QUOTA_ONLY)
        r->mode = MODE_GLOBAL_TOPK;
    if (router_acts(&router) && r->draw == DRAW_EXPECTED)
        return err_at(e, RC_SCHEMA, top,
                      "routing.n_group %lld with topk_group %lld has no closed form: use routing.draw 'sampled'",
                      (long long)r->n_group, (long long)r->topk_group);
    if (router_acts(&router) && r->pair_sigma.value > 0)
        return err_at(e, RC_SCHEMA, top, "routing.pair_sigma does not go with routing.n_group");
    return RC_OK;
}

static enum rc check_mode(const struct workload *w, const struct place *top, struct err *e) {
    const struct routing_keys *r = &w->routing;
    bool limited = r->mode == MODE_FULL || r->mode == MODE_GROUP_LIMITED;
    if (limited && w->group_limit == 0)
        return err_at(e, RC_SCHEMA, top, "routing.mode '%s' needs group_limit", mode_choices[r->mode]);
    if (!limited && w->group_limit != 0)
        return err_at(e, RC_SCHEMA, top,
                      "group_limit %lld needs routing.mode 'full' or 'group_limited'; %s has no limit",
                      (long long)w->group_limit, mode_choices[r->mode]);
    if (r->mode == MODE_FULL && w->top_k % w->group_limit != 0)
        return err_at(e, RC_RANGE, top, "group_limit %lld does not divide top_k %lld",
                      (long long)w->group_limit, (long long)w->top_k);
    if (limited && r->pair_sigma.value > 0)
        return err_at(e, RC_SCHEMA, top, "routing.pair_sigma does not go with routing.mode '%s'",
                      mode_choices[r->mode]);
    if (r->mode == MODE_GROUP_LIMITED && r->draw == DRAW_EXPECTED)
        return err_at(e, RC_SCHEMA, top,
                      "routing.mode 'group_limited' has no closed form: use routing.draw 'sampled'");
    return RC_OK;
}

static enum rc check_tokens(const struct workload *w, const struct place *top, struct err *e) {
    bool spread = w->tokens_cv.value > 0 || w->tokens_idle.value > 0;
    int forms = (w->tokens_list != NULL) + (w->tokens_file != NULL) + spread;
    if (forms < 2)
        return RC_OK;
    return err_at(e, RC_SCHEMA, top,
                  "tokens_list, tokens_file and tokens_cv with tokens_idle are three ways to say the same, %d of them "
                  "are given",
                  forms);
}

static enum rc workload_check(struct workload *w, struct err *e) {
    const struct place *top = &w->doc->root->at;
    const struct routing_keys *r = &w->routing;
    if (w->top_k > w->experts)
        return err_at(e, RC_RANGE, top, "top_k %lld is above experts %lld; a token chooses distinct experts",
                      (long long)w->top_k, (long long)w->experts);
    enum rc rc = workload_check_router(w, top, e);
    if (!rc)
        rc = check_mode(w, top, e);
    if (!rc)
        rc = check_tokens(w, top, e);
    if (!rc && (r->source == SOURCE_TRACE) != (r->trace != NULL))
        rc = err_at(e, RC_SCHEMA, top,
                    r->trace ? "routing.trace is given, but routing.source is '%s'"
                             : "routing.source is 'trace', but routing.trace is missing%.0s",
                    source_choices[r->source]);
    if (!rc)
        rc = check_synthetic(r, top, e);
    if (!rc && (w->placement == PLACEMENT_FILE) != (w->placement_file != NULL))
        rc = err_at(e, RC_SCHEMA, top, "placement 'file' and placement_file go together");
    if (!rc && (r->batch_rows == 0) != (r->batch_valid == 0))
        rc = err_at(e, RC_SCHEMA, top, "routing.batch_rows and routing.batch_valid go together");
    if (!rc && w->capacity_factor.given && r->draw == DRAW_EXPECTED)
        rc = err_at(e, RC_SCHEMA, top, "capacity_factor needs routing.draw 'sampled'");
    return rc;
}

static bool is_set(const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    return node && node->set;
}

static void drop_unset(struct yaml_node *map, const char *const *keys, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_set(map, keys[i]))
            yaml_drop(map, keys[i]);
}

/* Three forms in which a workload states how many tokens each rank has, beside one number for all ranks. */
enum { TOKENS_LISTED, TOKENS_IN_FILE, TOKENS_SPREAD, TOKEN_FORMS };
static const struct {
    const char *key;
    int form;
} token_keys[] = {{"tokens_list", TOKENS_LISTED},
                  {"tokens_file", TOKENS_IN_FILE},
                  {"tokens_cv", TOKENS_SPREAD},
                  {"tokens_idle", TOKENS_SPREAD}};
enum { TOKEN_KEYS = sizeof token_keys / sizeof *token_keys };

/* Returns whether settings choose a form, and fills in which. A spread of 0 chooses none. */
static bool find_set_forms(const struct yaml_node *root, bool forms[static TOKEN_FORMS]) {
    bool any = false;
    for (size_t i = 0; i < TOKEN_KEYS; i++) {
        int form = token_keys[i].form;
        if (!is_set(root, token_keys[i].key))
            continue;
        bool chosen = form != TOKENS_SPREAD || strtod(yaml_get(root, token_keys[i].key)->text, NULL) > 0;
        forms[form] = forms[form] || chosen;
        any = any || chosen;
    }
    return any;
}

/* Drops what the file says about tokens of single ranks where settings say it in another form. */
static void drop_other_tokens(struct yaml_node *root) {
    bool forms[TOKEN_FORMS] = {false};
    bool any = find_set_forms(root, forms), number = is_set(root, "tokens_per_rank");
    for (size_t i = 0; i < TOKEN_KEYS; i++) {
        int form = token_keys[i].form;
        if ((any && !forms[form]) || (number && form != TOKENS_SPREAD))
            drop_unset(root, &token_keys[i].key, 1);
    }
}

/* Drops what settings make meaningless in the routing of a file: with another trace, what selects a part of the file's
 * own one; with another source, the trace and the synthetic targets too; with another target, the file's own. */
static void drop_other_routing(struct yaml_node *routing) {
    static const char *const selection[] = {"model", "corpus", "layer", "record", "trace"};
    static const char *const targets[] = {"rho_max", "cv",     "exponent", "hot_ratio",
                                          "preset",  "family", "rho_ep",   "drift"};
    static const char *const family[] = {"family"};
    enum { SELECTION = 4, ALL = 5, TARGETS = 5, SYNTHETIC = 8 };
    const struct yaml_node *source = yaml_get(routing, "source");
    bool set = source && source->set;
    drop_unset(routing, selection, is_set(routing, "trace") ? SELECTION : set ? ALL : 0);
    bool target = false;
    for (size_t i = 0; i < TARGETS; i++)
        target = target || is_set(routing, targets[i]);
    bool other = set && source->text && strcmp(source->text, "synthetic") != 0;
    drop_unset(routing, targets, other ? SYNTHETIC : target ? TARGETS : 0);
    drop_unset(routing, family, is_set(routing, "hot_ratio") ? 1 : 0); // it brings its own
}

static void workload_drop_overridden(const struct yaml_doc *doc) {
    static const char *const placement[] = {"placement_file"};
    if (doc->root->type != YAML_MAP)
        return;
    drop_other_tokens(doc->root);
    drop_unset(doc->root, placement, is_set(doc->root, "placement") ? 1 : 0);
    struct yaml_node *routing = yaml_get(doc->root, "routing");
    if (routing && routing->type == YAML_MAP)
        drop_other_routing(routing);
}

/* Turns a list under tokens_per_rank into tokens_list, unless settings state tokens in another form; tokens_per_rank is
 * then the largest number of the list. */
static enum rc take_token_list(struct yaml_doc *doc, struct err *e) {
    const struct yaml_node *node =
        doc->root->type == YAML_MAP ? yaml_get(doc->root, "tokens_per_rank") : NULL;
    if (!node || node->type != YAML_LIST)
        return RC_OK;
    struct buf list = {0};
    long long most = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < node->n && !rc; i++) {
        const struct yaml_node *item = node->items[i];
        const char *text = item->type == YAML_SCALAR ? item->text : "";
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || text[digits] || digits > 8)
            rc = err_at(e, RC_SCHEMA, &item->at, "tokens_per_rank: '%.40s' is not a number of tokens", text);
        else if (strtoll(text, NULL, 10) > most)
            most = strtoll(text, NULL, 10);
        buf_printf(&list, "%s%s", i ? "," : "", text);
    }
    char number[24];
    snprintf(number, sizeof number, "%lld", most);
    bool ways[TOKEN_FORMS] = {false};
    if (!rc && node->n && !find_set_forms(doc->root, ways))
        rc = yaml_set(doc, "tokens_list", list.text, "tokens_per_rank", e);
    if (!rc)
        rc = yaml_set(doc, "tokens_per_rank", number, "tokens_per_rank", e);
    buf_clear(&list);
    return rc;
}

/* Returns the path of a file that the workload names: beside the workload's file, or for one from --set as the user
 * wrote it. free() releases it. */
static char *resolve(const struct workload *w, const char *key, const char *path) {
    const struct yaml_node *node = yaml_get(w->doc->root, key);
    return !path ? NULL : node && node->set ? mem_copy(path) : file_beside(w->doc->file, path);
}

/* Fills in the path of the trace: beside the workload's file, or for one from --set or --trace as the user wrote it. */
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
    enum rc rc = find_open(FIND_WORKLOAD, name_or_path, WORKLOAD_SCHEMA, settings, n_settings, &doc, e);
    if (rc)
        return rc;
    struct workload *w = mem_alloc(1, sizeof *w);
    w->doc = doc;
    struct buf notes = {0};
    rc = model_config_apply(doc, &notes, e);
    workload_drop_overridden(doc);
    if (!rc)
        rc = take_token_list(doc, e);
    if (!rc)
        rc = keys_read(workload_keys, doc->root, doc, w, e);
    if (!rc)
        rc = workload_check(w, e);
    w->model_notes = notes;
    if (rc) {
        workload_free(w);
    } else {
        resolve_trace(w);
        w->placement_path = resolve(w, "placement_file", w->placement_file);
        w->tokens_path = resolve(w, "tokens_file", w->tokens_file);
        *workload = w;
    }
    return rc;
}

void workload_free(struct workload *w) {
    if (!w)
        return;
    buf_clear(&w->model_notes);
    free(w->trace_path);
    free(w->placement_path);
    free(w->tokens_path);
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

int64_t workload_slots(const struct workload *w) {
    return w->top_k + (w->shared_experts != SHARED_NOT_SENT);
}

const char *workload_dtype_name(const struct workload *w) {
    return dtype_choices[w->dtype];
}

double workload_element_bytes(const struct workload *w) {
    return dtype_bytes[w->dtype];
}
