/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing records of every kind. Bits of the first byte say what the workload knows: experts, top_k, whether
 * choices of weight 0 are dropped, zero-compute experts. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "workloads/records/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct record_ask ask = {0};
    struct record *r = NULL;
    struct err e;
    if (n < 1)
        return 0;
    ask.counts.experts = ask.routes.experts = data[0] & 1 ? 16 : 0;
    ask.routes.top_k = data[0] & 2 ? 4 : 0;
    ask.routes.drop_zero_weight = data[0] & 4;
    ask.routes.router_experts = data[0] & 8 ? 24 : 0;
    if (record_parse((const char *)data + 1, n - 1, "fuzz", &ask, &r, &e) == RC_OK) {
        for (int l = 0; l < record_layers(r); l++)
            record_layer(r, l);
        record_notes(r);
        if (r->kind == RECORD_ROUTES) {
            double *load = mem_alloc((size_t)r->routes->experts, sizeof *load);
            routes_count(r->routes, record_layers(r) - 1, false, load);
            free(load);
        }
    }
    record_free(r);
    return 0;
}
