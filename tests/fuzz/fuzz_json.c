/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON tokenizer alone: every value to its end, every other one skipped. */
#include "tests/fuzz/fuzz.h"

#include "workloads/records/json_pull.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct json_pull j;
    struct err e;
    double value;
    json_pull_memory(&j, (const char *)data, n, "fuzz.json");
    for (int i = 0; json_pull_next(&j, &e) == RC_OK && j.token != JSON_END; i++) {
        json_pull_number(&j, &value, &e);
        json_pull_name(&j);
        if (i % 2 && json_pull_skip(&j, &e) != RC_OK)
            break;
    }
    json_pull_clear(&j);
    return 0;
}
