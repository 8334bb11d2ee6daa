/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/implementation.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/find.h"

static const char *const order_choices[] = {"group-shift", "shift", NULL};
static const char *const start_choices[] = {"rendezvous", "one-sided", NULL};
static const char *const chain_choices[] = {"none", "v1", "measured", "fused", NULL};

static const struct key chain_keys[] = {
    {"preset", KEY_CHOICE, offsetof(struct chain_keys, preset), .otherwise = "none",
     .choices = chain_choices, .help = "cost per (row, slot) pair at the forwarder"},
    {"floor", KEY_TIME, offsetof(struct chain_keys, floor_s), .help = "smallest time of one chain"},
    {0}};

const struct key implementation_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct implementation, schema), .required = true,
     .help = "`" IMPLEMENTATION_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct implementation, name), .required = true,
     .help = "name in results and in a platform's alpha tables"},
    {"description", KEY_TEXT, offsetof(struct implementation, description), .help = "one line"},
    {"order", KEY_CHOICE, offsetof(struct implementation, order), .otherwise = "group-shift",
     .choices = order_choices, .help = "in which order a rank serves its destinations"},
    {"window", KEY_COUNT, offsetof(struct implementation, window), .min = 1, .max = 1 << 20,
     .word = "all", .otherwise = "all", .help = "messages in flight per sender"},
    {"start", KEY_CHOICE, offsetof(struct implementation, start), .otherwise = "rendezvous",
     .choices = start_choices, .help = "whether a message waits for its receiver"},
    {"chain", KEY_MAP, offsetof(struct implementation, chain), .table = chain_keys,
     .help = "arrival-side operators between the hops"},
    {0}};

/* v1 is the paper's constant, whose denominator counted rows where the model charges pairs; measured is the
 * corrected one; fused is a design target nobody has measured. */
static const struct chain_constant constants[CHAIN_PRESETS] = {
    [CHAIN_NONE] = {"none", 0, STATUS_ASSUMED, "no chain"},
    [CHAIN_V1] = {"v1", 2.15e-3 / 24576, STATUS_MEASURED,
                  "2.15 ms / 24576, paper v1 (wrong denominator)"},
    [CHAIN_MEASURED] = {"measured", 1.042e-3 / 24576, STATUS_MEASURED,
                        "1.042 ms / 24576, in situ, eight busy cards, 2026-09-08"},
    [CHAIN_FUSED] = {"fused", 0.012e-6, STATUS_ASSUMED, "design target, no fused kernel measured"}};

const struct chain_constant *chain_constant(enum chain_preset preset) {
    return &constants[preset];
}

const char *order_name(int order) {
    return order_choices[order];
}

int order_find(const char *name) {
    for (int i = 0; order_choices[i]; i++)
        if (strcmp(order_choices[i], name) == 0)
            return i;
    return -1;
}

const char *start_name(int start) {
    return start_choices[start];
}

enum rc implementation_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                            struct implementation **implementation, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_load(FIND_IMPLEMENTATION, name_or_path, &doc, e);
    if (rc)
        return rc;
    struct implementation *m = mem_alloc(1, sizeof *m);
    m->doc = doc;
    memcpy(m->sha256, doc->sha256, sizeof m->sha256);
    rc = keys_schema(doc, IMPLEMENTATION_SCHEMA, e);
    for (size_t i = 0; i < n_settings && !rc; i++)
        rc = yaml_set(doc, settings[i].key, settings[i].value, "--set", e);
    if (!rc)
        rc = keys_read(implementation_keys, doc->root, doc, m, e);
    if (rc)
        implementation_free(m);
    else
        *implementation = m;
    return rc;
}

void implementation_free(struct implementation *m) {
    if (!m)
        return;
    yaml_doc_free(m->doc);
    free(m);
}
