/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - SHA-256 of inputs, for provenance: the same digits that `sha256sum FILE` prints. */
#ifndef PLATFORMS_BASE_HASH_H
#define PLATFORMS_BASE_HASH_H

#include <stddef.h>

#include "platforms/base/err.h"

enum { HASH_TEXT = 65 };
void hash_bytes(const void *data, size_t n, char text[static HASH_TEXT]);

/* The same over blocks: hash_end() releases. */
struct hash;
struct hash *hash_start(void);
void hash_add(struct hash *h, const void *data, size_t n);
void hash_end(struct hash *h, char text[static HASH_TEXT]);

/* Of a file of any size. Errors: RC_IO. */
enum rc hash_file(const char *path, char text[static HASH_TEXT], struct err *e);

#endif
