/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/implementation.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/hash.h"
#include "platforms/constants.h"
#include "platforms/find.h"

static const char *const order_choices[] = {"group-shift", "shift",  "xor",  "random",
                                            "farthest",    "rounds", "file", NULL};
static const char *const start_choices[] = {"rendezvous", "one-sided", NULL};
static const char *const chain_choices[] = {"none", "v1", "measured", "fused", NULL};
static const char *const dedup_choices[] = {"none", "rank", "group", NULL};
static const char *const message_choices[] = {"peer", "row", "chunk", NULL};
static const char *const hops_choices[] = {"serial", "pipelined", NULL};
static const char *const gather_choices[] = {"direct", "ring", "two-rings", NULL};
static const char *const reduce_choices[] = {"none", "expert-rank", "forwarder", NULL};
static const char *const format_choices[] = {"dtype", "fp8-scales", "bf16", NULL};
static const char *const alpha_calls_choices[] = {"per-hop", "fused", NULL};
static const char *const communicator_choices[] = {"groups", "ep", NULL};
static const char *const path_choices[] = {"fast", "slow", "rail", NULL};

static const struct key dedup_keys[] = {
    {"one_hop", KEY_CHOICE, offsetof(struct dedup_keys, one_hop), .otherwise = "none",
     .choices = dedup_choices, .help = "`none`: a row per (token, expert); `rank`: per (token, rank)"},
    {"hop_a", KEY_CHOICE, offsetof(struct dedup_keys, hop_a), .otherwise = "group",
     .choices = dedup_choices, .help = "the same between groups; `group`: per (token, group)"},
    {"hop_b", KEY_CHOICE, offsetof(struct dedup_keys, hop_b), .otherwise = "none",
     .choices = dedup_choices, .help = "the same inside a group"},
    {0}};

static const struct key chain_keys[] = {
    {"preset", KEY_CHOICE, offsetof(struct chain_keys, preset), .otherwise = "none",
     .choices = chain_choices, .help = "cost per (row, slot) pair at the forwarder"},
    {"floor", KEY_TIME, offsetof(struct chain_keys, floor_s), .help = "smallest time of one chain"},
    {0}};

static const struct key row_keys[] = {
    {"format", KEY_CHOICE, offsetof(struct row_keys, format), .otherwise = "dtype",
     .choices = format_choices,
     .help = "the workload's dtype; hidden bytes and 4 per 128 of them; or bf16"},
    {"header", KEY_SIZE, offsetof(struct row_keys, header_bytes), .otherwise = "0B",
     .help = "metadata that travels with a row"},
    {0}};

static const struct key collective_keys[] = {
    {"one_hop", KEY_COUNT, offsetof(struct collective_keys, one_hop), .min = 1, .max = 100,
     .otherwise = "1", .help = "collectives of a one-hop call, each of which costs alpha"},
    {"hop_a", KEY_COUNT, offsetof(struct collective_keys, hop_a), .min = 1, .max = 100,
     .otherwise = "1", .help = "the same of hop A"},
    {"hop_b", KEY_COUNT, offsetof(struct collective_keys, hop_b), .min = 1, .max = 100,
     .otherwise = "1", .help = "the same of hop B"},
    {"hop_a_communicator", KEY_CHOICE, offsetof(struct collective_keys, hop_a_communicator),
     .otherwise = "groups", .choices = communicator_choices,
     .help = "hop A on one rank of each group, or on all ranks: whose alpha it pays"},
    {0}};

static const struct key efficiency_keys[] = {
    {"fast", KEY_NUMBER, offsetof(struct tier_factors, fast), .min = 1e-3, .max = 1,
     .otherwise = "1", .help = "share of the fast tier's rate that the library reaches"},
    {"slow", KEY_NUMBER, offsetof(struct tier_factors, slow), .min = 1e-3, .max = 1,
     .otherwise = "1", .help = "the same of the slow tier"},
    {0}};

static const struct key message_cost_keys[] = {
    {"fast", KEY_TIME, offsetof(struct tier_factors, fast), .help = "per message on the fast tier"},
    {"slow", KEY_TIME, offsetof(struct tier_factors, slow), .help = "per message on the slow tier"},
    {0}};

const struct key implementation_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct implementation, schema), .required = true,
     .help = "`" IMPLEMENTATION_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct implementation, name), .required = true,
     .help = "name in results and in a platform's alpha tables"},
    {"description", KEY_TEXT, offsetof(struct implementation, description), .help = "one line"},
    {"dedup", KEY_MAP, offsetof(struct implementation, dedup), .table = dedup_keys,
     .help = "which rows of a token travel"},
    {"message", KEY_CHOICE, offsetof(struct implementation, message), .otherwise = "peer",
     .choices = message_choices, .help = "what pays the per-message cost once"},
    {"chunk_size", KEY_SIZE, offsetof(struct implementation, chunk_bytes),
     .help = "with `message: chunk` or `hops: pipelined`"},
    {"chunks", KEY_COUNT, offsetof(struct implementation, chunks), .min = 1, .max = 64,
     .word = "by-size", .otherwise = "by-size",
     .help = "pieces of a pipelined message, instead of chunk_size"},
    {"hops", KEY_CHOICE, offsetof(struct implementation, hops), .otherwise = "serial",
     .choices = hops_choices, .help = "whether a forwarder sends on what it has while more arrives"},
    {"cut", KEY_TEXT, offsetof(struct implementation, cut),
     .help = "tier inside which the last hop stays, `fast` if left out; three hops cut there too, or at the widest"},
    {"all_gather", KEY_CHOICE, offsetof(struct implementation, all_gather), .otherwise = "ring",
     .choices = gather_choices,
     .help = "how all-gather goes: straight, round one ring, or round rings between the groups and then inside"},
    {"reduce", KEY_CHOICE, offsetof(struct implementation, reduce), .otherwise = "none",
     .choices = reduce_choices, .help = "where combine adds up the rows of a token"},
    {"dispatch_row", KEY_MAP, offsetof(struct implementation, dispatch_row), .table = row_keys,
     .help = "bytes of a row on the way out"},
    {"combine_row", KEY_MAP, offsetof(struct implementation, combine_row), .table = row_keys,
     .help = "bytes of a row on the way back"},
    {"order", KEY_CHOICE, offsetof(struct implementation, order), .otherwise = "group-shift",
     .choices = order_choices,
     .help = "in which order a rank serves its destinations; `farthest` first by links on the way; `rounds` made from "
             "the matrix; as a `file` says"},
    {"order_file", KEY_TEXT, offsetof(struct implementation, order_file),
     .help = "with `order: file`: a line for each rank, `3: 0 1 2`, or for each round of pairs, `0>1 1>0`"},
    {"window", KEY_COUNT, offsetof(struct implementation, window), .min = 1, .max = 1 << 20,
     .word = "all", .otherwise = "all",
     .help = "messages in flight per sender and stage; on a mesh for each link of the sender"},
    {"receive_window", KEY_COUNT, offsetof(struct implementation, receive_window), .min = 1,
     .max = 1 << 20, .word = "all", .otherwise = "all",
     .help = "messages in flight per receiver and stage"},
    {"start", KEY_CHOICE, offsetof(struct implementation, start), .otherwise = "rendezvous",
     .choices = start_choices, .help = "whether a message waits for its receiver"},
    {"alpha_calls", KEY_CHOICE, offsetof(struct implementation, alpha_calls), .otherwise = "per-hop",
     .choices = alpha_calls_choices,
     .help = "`per-hop`: each hop pays alpha, and the host reads split sizes in between; `fused`: one launch over all "
             "ranks pays it once, no readback"},
    {"collectives", KEY_MAP, offsetof(struct implementation, collectives), .table = collective_keys,
     .help = "calls issued per hop of a dispatch, payload, counts and metadata together; a combine issues one"},
    {"chain", KEY_MAP, offsetof(struct implementation, chain), .table = chain_keys,
     .help = "arrival-side operators between the hops of a dispatch"},
    {"efficiency", KEY_MAP, offsetof(struct implementation, efficiency), .table = efficiency_keys,
     .help = "reached share of the tiers' rates"},
    {"message_cost", KEY_MAP, offsetof(struct implementation, message_cost_s),
     .table = message_cost_keys,
     .help = "instead of what the platform's file says of x_half or message_cost; a --set of those goes first"},
    {"intra_group_path", KEY_CHOICE, offsetof(struct implementation, intra_group_path),
     .otherwise = "fast", .choices = path_choices,
     .help = "`slow`: all bytes over the slow tier; `rail`: bytes to other groups first over the fast "
             "tier to the rank with the receiver's local index"},
    {0}};

/* v1 is the paper's constant, whose denominator counted rows where the model charges pairs; measured is the
 * corrected one; fused is a design target nobody has measured. */
static const struct chain_constant constants[CHAIN_PRESETS] = {
    [CHAIN_NONE] = {"none", 0, STATUS_ASSUMED, "no chain", NULL},
    [CHAIN_V1] = {"v1", 2.15e-3 / 24576, STATUS_MEASURED,
                  "2.15 ms / 24576, paper v1 (wrong denominator)", "terrace-a"},
    [CHAIN_MEASURED] = {"measured", 1.042e-3 / 24576, STATUS_MEASURED,
                        "1.042 ms / 24576, in situ, eight busy cards, 2026-09-08", "terrace-a"},
    [CHAIN_FUSED] = {"fused", 0.012e-6, STATUS_ASSUMED, "design target, no fused kernel measured", NULL}};

const struct chain_constant *chain_constant(enum chain_preset preset) {
    return &constants[preset];
}

static bool is_machine(const char *name, const struct platform *p) {
    size_t n = strlen(name);
    return strncmp(p->name, name, n) == 0 && (p->name[n] == '\0' || p->name[n] == '-');
}

static bool holds_elsewhere(enum status status) {
    return status_weakness(status) > status_weakness(STATUS_FITTED);
}

enum status implementation_status(const struct quantity *q, const struct platform *p) {
    if (holds_elsewhere(q->status) || !q->on)
        return q->status;
    for (size_t i = 0; i < q->on->n; i++)
        if (is_machine(q->on->items[i]->text, p))
            return q->status;
    return STATUS_BORROWED;
}

enum status chain_status(const struct chain_constant *chain, const struct platform *p) {
    return chain->on && !is_machine(chain->on, p) ? STATUS_BORROWED : chain->status;
}

const char *order_name(int order) {
    return order_choices[order];
}

const char *dedup_name(int dedup) {
    return dedup_choices[dedup];
}

const char *reduce_name(int reduce) {
    return reduce_choices[reduce];
}

const char *hops_name(int hops) {
    return hops_choices[hops];
}

const char *path_name(int path) {
    return path_choices[path];
}

const char *start_name(int start) {
    return start_choices[start];
}

struct machines_checked {
    enum rc rc;
    struct err *e;
};

/* Checks that a constant that was measured or fitted says on which machine, so that it can be told from a borrowed one.
 * */
static void check_machine(const struct constant *c, void *context) {
    struct machines_checked *m = context;
    if (!m->rc && !holds_elsewhere(c->q->status) && !c->q->on)
        m->rc = err_at(m->e, RC_SCHEMA, &c->q->at,
                       "a value with status '%s' needs the machines that it is from, such as on: [h800]",
                       status_name(c->q->status));
}

static enum rc check_machines(struct implementation *m, struct err *e) {
    struct machines_checked checked = {RC_OK, e};
    constants_visit_keys(implementation_keys, m, check_machine, &checked);
    return checked.rc;
}

static enum rc implementation_check(struct implementation *m, struct err *e) {
    const struct place *top = &m->doc->root->at;
    if (m->dedup.one_hop == DEDUP_GROUP || m->dedup.hop_b == DEDUP_GROUP)
        return err_at(e, RC_SCHEMA, top, "dedup: 'group' is for hop_a only");
    bool chunked = m->message == UNIT_CHUNK || m->hops == HOPS_PIPELINED;
    if (chunked && !m->chunk_bytes.given && !m->chunks)
        return err_at(e, RC_SCHEMA, top, "%s needs chunk_size or chunks",
                      m->message == UNIT_CHUNK ? "message 'chunk'" : "hops 'pipelined'");
    if (m->message == UNIT_CHUNK && !m->chunk_bytes.given)
        return err_at(e, RC_SCHEMA, top, "message 'chunk' needs chunk_size");
    if (m->chunk_bytes.given && m->chunk_bytes.value < 1)
        return err_at(e, RC_RANGE, &m->chunk_bytes.at, "chunk_size: below one byte");
    if ((m->order == ORDER_FILE) != (m->order_file != NULL))
        return err_at(e, RC_SCHEMA, top, "order: 'file' and order_file go together");
    return check_machines(m, e);
}

/* Reads the order's file, which lies beside the implementation's; one from --set is where the user says. */
static enum rc load_order(struct implementation *m, struct err *e) {
    if (!m->order_file)
        return RC_OK;
    const struct yaml_node *node = yaml_get(m->doc->root, "order_file");
    char *path = node && node->set ? mem_copy(m->order_file) : file_beside(m->doc->file, m->order_file);
    char sha256[HASH_TEXT];
    enum rc rc = turns_load(path, &m->turns, e);
    if (!rc)
        rc = hash_file(path, sha256, e);
    if (!rc)
        manifest_add(&m->doc->files, "order", path, sha256);
    free(path);
    return rc;
}

/* Drops the file's number of pieces where a setting gives their size. */
static void implementation_drop_overridden(struct yaml_node *root) {
    const struct yaml_node *bytes = yaml_get(root, "chunk_size"), *number = yaml_get(root, "chunks");
    if (bytes && bytes->set && number && !number->set)
        yaml_drop(root, "chunks");
}

enum rc implementation_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                            struct implementation **implementation, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_open(FIND_IMPLEMENTATION, name_or_path, IMPLEMENTATION_SCHEMA, settings, n_settings, &doc, e);
    if (rc)
        return rc;
    struct implementation *m = mem_alloc(1, sizeof *m);
    m->doc = doc;
    implementation_drop_overridden(doc->root);
    rc = keys_read(implementation_keys, doc->root, doc, m, e);
    if (!rc)
        rc = implementation_check(m, e);
    if (!rc)
        rc = load_order(m, e);
    if (rc)
        implementation_free(m);
    else
        *implementation = m;
    return rc;
}

double implementation_reached(const struct implementation *how, const struct plat_tier *tier) {
    if (!how)
        return 1;
    return tier->counts_as == CLASS_FAST ? how->efficiency.fast.value : how->efficiency.slow.value;
}

enum rc implementation_apply(const struct implementation *how, struct topology *t, struct err *e) {
    double reached[TIER_MAX];
    for (int tier = 0; tier < t->platform->n_tiers; tier++)
        reached[tier] = implementation_reached(how, &t->platform->tier[tier]);
    return topo_apply(t, reached, e);
}

void implementation_free(struct implementation *m) {
    if (!m)
        return;
    turns_free(m->turns);
    yaml_doc_free(m->doc);
    free(m);
}
