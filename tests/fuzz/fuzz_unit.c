/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities: any text as each kind; an accepted value is finite, not negative, and can be written. */
#include "tests/fuzz/fuzz.h"

#include <math.h>

#include "platforms/base/mem.h"
#include "platforms/base/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct buf b = {0};
    struct err e;
    buf_add(&b, (const char *)data, n);
    for (int kind = 0; kind < UNIT_KINDS; kind++) {
        double value;
        char text[UNIT_TEXT];
        if (unit_parse(b.text, (enum unit_kind)kind, &value, &e) == RC_OK) {
            BUG_ON(!isfinite(value) || value < 0);
            unit_format(value, (enum unit_kind)kind, text);
        }
    }
    buf_clear(&b);
    return 0;
}
