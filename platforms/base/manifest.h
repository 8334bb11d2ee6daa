/* SPDX-License-Identifier: BSD-3-Clause */
/* manifest.h - the files that something was made of, each with its role and the hash of what was read.
 *
 * Whoever reads a file adds it to the manifest that the caller passes. A YAML document has a manifest of its own: first
 * the document itself, then each file that was read on its behalf (a platform that an alpha table is borrowed from).
 * Units: none.
 * Shapes: items[n] in the order in which they were added; a content stands there once for each role.
 * Edges: a manifest of zeros is empty. NULL for a manifest is allowed where a function says so.
 * Errors: RC_IO.
 * Ownership: a manifest owns copies of its texts, which manifest_clear() releases. */
#ifndef PLATFORMS_BASE_MANIFEST_H
#define PLATFORMS_BASE_MANIFEST_H

#include <stddef.h>

#include "platforms/base/err.h"
#include "platforms/base/hash.h"

struct manifest_file {
    char *role;             /* such as "platform", "borrowed platform", "workload", "implementation", "trace" */
    char *path;             /* as it was opened */
    char sha256[HASH_TEXT]; /* of the bytes that were read */
};

struct manifest {
    struct manifest_file *items;
    size_t n, room;
};

/* Adds a file unless one of this role and content is there. sha256: 64 digits. Does nothing where `all` is NULL. */
void manifest_add(struct manifest *all, const char *role, const char *path, const char *sha256);

/* Adds all files of another manifest in their order, each in the given role; NULL: in the role that it has there. */
void manifest_add_all(struct manifest *all, const struct manifest *others, const char *role);

/* A file to read: its role, its path and the most bytes that it may have. */
struct manifest_ask {
    const char *role, *path;
    size_t max_bytes;
};

/* Reads a whole file as file_read() does, and adds it unless `all` is NULL. */
enum rc manifest_read(struct manifest *all, const struct manifest_ask *ask, char **data, size_t *n, struct err *e);

/* Returns the first file of a role, or NULL. */
const struct manifest_file *manifest_find(const struct manifest *all, const char *role);

/* Writes one hash for all files. One file: its own hash. Several: the hash of their roles and contents, which neither
 * depends on their order nor on where they lie. No file: the hash of no bytes. */
void manifest_digest(const struct manifest *all, char text[static HASH_TEXT]);

/* Releases the texts and leaves an empty manifest; does nothing where `all` is NULL. */
void manifest_clear(struct manifest *all);

#endif
