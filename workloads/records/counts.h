/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.h - routing records: how often each expert was chosen, per layer.
 *
 * Shapes: counts[l * n_experts + e]; layer[l] is the number that the record gives the layer, rising. Layers
 * without any count (dense ones) are left out.
 * Units: counts, or any multiple of them: only the ratios inside a layer matter.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_SHAPE, RC_RANGE, RC_UNSUPPORTED, with file and line where there
 * is one.
 * Ownership: counts_free() releases. */
#ifndef WORKLOADS_RECORDS_COUNTS_H
#define WORKLOADS_RECORDS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/mem.h"

enum {
    COUNTS_LAYER_MAX = 1000000,    /* highest layer number */
    COUNTS_EXPERT_MAX = 65535,     /* highest expert */
    COUNTS_CELLS_MAX = 1 << 24,    /* layers x experts */
    COUNTS_FILE_BYTES = 256 << 20, /* longest file */
};

/* What the counts of a layer may sum to: products with them stay far inside a double. */
#define COUNTS_SUM_MIN 1e-12
#define COUNTS_SUM_MAX 1e18

struct counts {
    int n_layers;
    int n_experts;
    int n_named; /* experts that the record itself speaks of: below n_experts if the last ones are missing */
    int64_t *layer;
    double *counts;
    struct buf notes; /* one line each: what was assumed or left out */
};

/* What the file cannot say itself. */
struct counts_ask {
    int experts;        /* E, 0 = from the file (largest id + 1 in a CSV, and said so in notes) */
    const char *model;  /* long CSV: which set, NULL = the only one */
    const char *corpus;
};

/* Leaves out empty layers and checks the sums of counts that were filled in by hand. one_byte: read from 8
 * bits. */
enum rc counts_finish(struct counts *c, bool one_byte, const char *name, struct err *e);
void counts_free(struct counts *c); /* NULL is allowed */

#endif
