/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/records/table.h"

#include <stdio.h>

uint64_t table_items(const struct record_table *t) {
    uint64_t n = 1;
    for (int d = 0; d < t->dims; d++)
        n *= t->shape[d];
    return n;
}

const char *table_shape_text(const struct record_table *t, char text[static TABLE_TEXT]) {
    int n = snprintf(text, TABLE_TEXT, "(");
    for (int d = 0; d < t->dims; d++)
        n += snprintf(text + n, (size_t)(TABLE_TEXT - n), "%s%llu", d ? ", " : "", (unsigned long long)t->shape[d]);
    snprintf(text + n, (size_t)(TABLE_TEXT - n), t->dims == 1 ? ",)" : ")");
    return text;
}

double table_double(const void *from, uint64_t i) {
    return ((const double *)from)[i];
}
