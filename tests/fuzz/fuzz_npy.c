/* SPDX-License-Identifier: BSD-3-Clause */
/* Array files: the parser alone, and counts read from whatever it accepts. */
#include "tests/fuzz/fuzz.h"

#include "workloads/records/npy.h"
#include "workloads/records/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const char *text = (const char *)data;
    const struct record_ask ask = {0};
    struct record *r = NULL;
    struct npy a;
    struct err e;
    if (npy_parse(text, n, "fuzz.npy", &a, &e) == RC_OK && a.n_items > 0) {
        char shape[NPY_TEXT];
        npy_shape_text(&a, shape);
        npy_value(&a, 0);
        npy_value(&a, a.n_items / 2);
        npy_value(&a, a.n_items - 1);
    }
    if (npy_is(text, n))
        record_parse(text, n, "fuzz.npy", &ask, &r, &e);
    record_free(r);
    return 0;
}
