/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of orders. */
#include "tests/fuzz/fuzz.h"

#include "workloads/turns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct turns *turns = NULL;
    struct err e;
    if (turns_parse((const char *)data, n, "fuzz", &turns, &e) == RC_OK)
        turns_free(turns);
    return 0;
}
