/* SPDX-License-Identifier: BSD-3-Clause */
/* freeze.h - predictions that are written down before there is anything to compare them with.
 *
 * A freeze file is JSON with the keys of freeze_keys (table in validation/README.md): program, hashes of all inputs,
 * predictions, and a hash of the file itself, computed while its own 64 digits are zeros. Who publishes that hash
 * cannot change a prediction later, since freeze_load() refuses a file whose bytes have another one.
 * Units: SI.
 * Shapes: predictions.items are struct prediction; a prediction is known by its id, or by what a sample says of itself:
 * quantity, part, regime, world and bytes.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_RANGE with file:line:column; RC_SCHEMA for a hash that is another one.
 * Ownership: freeze_free() releases a freeze with all texts; a writer borrows its buffer and its head.
 * Edges: a prediction without a time has a reason and counts as failed; a file without a prediction is RC_SCHEMA. */
#ifndef VALIDATION_FREEZE_H
#define VALIDATION_FREEZE_H

#include "platforms/base/json.h"
#include "platforms/base/keys.h"

#define FREEZE_SCHEMA "moesim/freeze/1"

struct prediction {
    const char *id, *part, *reason; /* part, reason: NULL for none; a prediction without a time has a reason */
    int quantity, regime;           /* enum sampled, enum regime */
    int64_t world;
    struct quantity send_bytes;     /* not given: no sample is like it */
    struct quantity time_s, low_s, high_s; /* of one call; band of 90 %, or not given */
};

struct freeze_input {
    const char *role, *path, *sha256;
};

struct freeze {
    const char *schema, *sha256, *version, *git; /* git: NULL where it is not known */
    const struct yaml_node *arguments;
    struct key_list inputs, predictions;
    struct yaml_doc *doc; /* owns the texts */
};

extern const struct key freeze_keys[];

/* Reads a file, or from memory (name stands for the file in messages). */
enum rc freeze_load(const char *path, struct freeze **freeze, struct err *e);
enum rc freeze_parse(const char *text, size_t n, const char *name, struct freeze **freeze, struct err *e);
/* Releases; NULL is allowed. */
void freeze_free(struct freeze *f);

/* --- writing ---------------------------------------------------------------------------------------- */

struct freeze_head {
    const char *version, *git;
    const char *const *arguments;
    int n_arguments;
    const struct manifest *files; /* NULL: none */
};

struct freeze_writer {
    struct json j;
    size_t begin; /* of the file in the buffer */
};

/* Begins a file at the end of a buffer; freeze_end() puts its hash in. */
void freeze_begin(struct freeze_writer *w, const struct freeze_head *head, struct buf *out);
void freeze_end(struct freeze_writer *w);

/* Writes all of a prediction but its times, with the map left open for them: keys time_s, low_s, high_s. */
void freeze_open_prediction(struct freeze_writer *w, const struct prediction *p);
/* Writes a whole prediction. */
void freeze_put(struct freeze_writer *w, const struct prediction *p);

#endif
