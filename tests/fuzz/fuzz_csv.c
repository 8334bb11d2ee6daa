/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV: the record reader alone, and counts read from the text. */
#include "tests/fuzz/fuzz.h"

#include "workloads/records/csv.h"
#include "workloads/records/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const char *text = (const char *)data;
    const struct record_ask ask = {0};
    struct record *r = NULL;
    struct csv csv;
    struct err e;
    csv_init(&csv, text, n, "fuzz.csv");
    while (csv_next(&csv, &e) == RC_OK && csv.n_fields)
        for (size_t i = 0; i < csv.n_fields; i++) {
            double value;
            csv_number(&csv.fields[i], &value);
        }
    csv_clear(&csv);
    record_parse(text, n, "fuzz.csv", &ask, &r, &e);
    record_free(r);
    return 0;
}
