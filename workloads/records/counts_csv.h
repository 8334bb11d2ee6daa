/* SPDX-License-Identifier: BSD-3-Clause */
/* counts_csv.h - the CSV reader behind counts.h; nobody else calls it.
 *
 * One record per (layer, expert), in any order; missing pairs are 0. Columns by name: layer_id, layer or
 * layer_slot; expert_id or expert; count; and, where a file holds several sets, model and corpus.
 * Units: as in counts.h.
 * Errors: RC_SYNTAX, RC_SCHEMA, RC_SHAPE, RC_RANGE, with file and line.
 * Ownership: counts_free() releases *c, also on failure; data is borrowed. */
#ifndef WORKLOADS_RECORDS_COUNTS_CSV_H
#define WORKLOADS_RECORDS_COUNTS_CSV_H

#include "workloads/records/counts.h"

/* Fills layers, experts, counts and notes of *c, which the caller owns also on failure. */
enum rc counts_csv_read(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                        struct counts *c, struct err *e);

#endif
