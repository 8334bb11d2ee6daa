/* SPDX-License-Identifier: BSD-3-Clause */
/* A model's config.json, and the workload that it makes. */
#include "tests/fuzz/fuzz.h"

#include "workloads/model_config.h"
#include "workloads/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char text[] = "schema: " WORKLOAD_SCHEMA "\nname: w\ntokens_per_rank: 1\nrouting: {source: uniform}\n";
    for (int replace = 0; replace < 2; replace++) {
        struct yaml_doc *config = NULL, *workload = NULL;
        struct buf notes = {0};
        struct workload w = {0};
        struct err e;
        if (yaml_parse((const char *)data, n, "config.json", &config, &e) != RC_OK)
            return 0;
        if (yaml_parse(text, sizeof text - 1, "w.yaml", &workload, &e) == RC_OK &&
            model_config_fill(config, replace != 0, workload, &notes, &e) == RC_OK)
            keys_read(workload_keys, workload->root, workload, &w, &e);
        buf_clear(&notes);
        yaml_doc_free(workload);
        yaml_doc_free(config);
    }
    return 0;
}
