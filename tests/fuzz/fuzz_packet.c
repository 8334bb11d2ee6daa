/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora of packet-level times, and what is made of their rows. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "validation/packet_fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct packet_corpus *c = NULL;
    struct err e;
    if (packet_parse((const char *)data, n, "fuzz.yaml", &c, &e) != RC_OK)
        return 0;
    size_t rows;
    struct packet_row *all = packet_rows(c, &rows);
    if (rows < 64)
        packet_leave_case(all, rows, NULL);
    free(all);
    packet_free(c);
    return 0;
}
