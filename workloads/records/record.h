/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - any routing record: tells by the first bytes what a file is and reads it.
 *
 *   counts   .npy [E], [L, E], [S, L, E] (summed over S); stored members of .npz; CSV; JSON counts
 *   routes   token by token: .npy ids [T, k], [T, L, k]; JSON Lines of route loggers, with or without
 * source ranks
 *   matrix   bytes between ranks: CSV src,dst,bytes; all-to-all-v count dumps
 * A .npy is ids rather than counts when its last dimension is top_k and not experts, both stated; when it
 * could be either, it is refused. JSON is read as a stream: memory grows with what is kept, not with the
 * file. What is known and not read (pickles, .pt, compressed .npz, parquet, base64) is refused with a line
 * that converts it.
 * Units: those of record_data.h.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_SHAPE, RC_RANGE, RC_UNSUPPORTED.
 * Ownership: record_free() releases. */
#ifndef WORKLOADS_RECORDS_RECORD_H
#define WORKLOADS_RECORDS_RECORD_H

#include "workloads/records/record_data.h"

/* Reads a file. */
enum rc record_load(const char *path, const struct record_ask *ask, struct record **record,
                    struct err *e);
/* Reads from memory; name stands for the file in messages. */
enum rc record_parse(const char *data, size_t n, const char *name, const struct record_ask *ask,
                     struct record **record, struct err *e);
void record_free(struct record *r); /* NULL is allowed */

/* Returns the number of layers. */
int record_layers(const struct record *r);
int64_t record_layer(const struct record *r, int l); /* its number in the record */
const char *record_notes(const struct record *r); /* "" when there are none */

#endif
