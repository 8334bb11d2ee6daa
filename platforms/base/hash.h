/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - SHA-256 of inputs, for provenance: the same digits that `sha256sum FILE` prints.
 *
 * Units: bytes.
 * Shapes: texts of HASH_TEXT bytes, 64 digits and a NUL.
 * Errors: RC_IO of hash_file().
 * Ownership: hash_start() returns what hash_end() releases.
 * Edges: 0 bytes have a hash too; data may then be NULL. */
#ifndef PLATFORMS_BASE_HASH_H
#define PLATFORMS_BASE_HASH_H

#include <stddef.h>

#include "platforms/base/err.h"

enum { HASH_TEXT = 65 };
/* Writes the hash of n bytes. */
void hash_bytes(const void *data, size_t n, char text[static HASH_TEXT]);

/* Hash bytes that come in blocks: start, add each block, end, which writes the hash. */
struct hash;
struct hash *hash_start(void);
void hash_add(struct hash *h, const void *data, size_t n);
void hash_end(struct hash *h, char text[static HASH_TEXT]);

/* Writes the hash of a file of any size. */
enum rc hash_file(const char *path, char text[static HASH_TEXT], struct err *e);

#endif
