/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement files. */
#include "tests/fuzz/fuzz.h"

#include "workloads/placement/placement_file.h"
#include "workloads/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct placement_ask ask = {.ranks = 2, .groups = 1, .experts = 8, .path = "fuzz", .layer = -1};
    struct placement *p = NULL;
    struct err e;
    placement_file_parse((const char *)data, n, &ask, &p, &e);
    placement_free(p);
    // lists of tokens are small: the same bytes serve
    char text[64];
    int64_t tokens[8];
    int count;
    size_t kept = n < sizeof text - 1 ? n : sizeof text - 1;
    for (size_t i = 0; i < kept; i++)
        text[i] = (char)data[i];
    text[kept] = '\0';
    tokens_parse(text, "fuzz", tokens, 8, &count, &e);
    return 0;
}
