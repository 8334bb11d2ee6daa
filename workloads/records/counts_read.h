/* SPDX-License-Identifier: BSD-3-Clause */
/* counts_read.h - reads counts from an array or a CSV in memory.
 *
 * Formats read here: .npy 1.0-3.0 ([E], [L, E], or [S, L, E] summed over S; integers or floats, both byte
 * orders, C or Fortran order), CSV `layer_id,expert_id,count`, and the long CSV with model and corpus
 * columns. record.h tells all formats apart.
 * Units: as in counts.h.
 * Errors: as in counts.h.
 * Ownership: counts_free() releases the result; data and name are borrowed. */
#ifndef WORKLOADS_RECORDS_COUNTS_READ_H
#define WORKLOADS_RECORDS_COUNTS_READ_H

#include "workloads/records/counts.h"

/* Reads counts from memory; name stands for the file in messages. */
enum rc counts_parse(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                     struct counts **counts, struct err *e);

#endif
