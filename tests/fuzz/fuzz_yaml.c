/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML: the strict tree, a setting on top of it, and the key tables of platform and workload. */
#include "tests/fuzz/fuzz.h"

#include "workloads/workload.h"

static void read_as(const char *text, size_t n, const struct key *table, void *into) {
    struct yaml_doc *doc = NULL;
    struct err e;
    if (yaml_parse(text, n, "fuzz.yaml", &doc, &e) != RC_OK)
        return;
    keys_schema(doc, WORKLOAD_SCHEMA, &e);
    if (yaml_set(doc, "routing.layer", "3", "--set", &e) == RC_OK)
        keys_read(table, doc->root, doc, into, &e);
    yaml_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct platform p = {0};
    struct workload w = {0};
    read_as((const char *)data, n, platform_keys, &p);
    read_as((const char *)data, n, workload_keys, &w);
    return 0;
}
