/* SPDX-License-Identifier: BSD-3-Clause */
/* yaml.h - a strict tree of a YAML (or JSON) file, every node with its place.
 *
 * Refused, with file:line:column: duplicate keys, anchors and aliases, tags, several documents, keys that are
 * not plain text, nesting deeper than YAML_DEPTH, files above YAML_MAX_BYTES, anything that is not UTF-8.
 * Units: none.
 * Errors: RC_IO, RC_SYNTAX; RC_SCHEMA of yaml_set().
 * Shapes: items[n] and, of a map, keys[n] and key_at[n].
 * Ownership: a document owns its nodes, its texts and what doc->arena holds; one yaml_doc_free() releases all. Nodes
 * are borrowed.
 * Edges: an empty file is an error; an empty value is a text of 0 bytes; a missing key is NULL. */
#ifndef PLATFORMS_BASE_YAML_H
#define PLATFORMS_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "platforms/base/err.h"
#include "platforms/base/hash.h"
#include "platforms/base/manifest.h"
#include "platforms/base/mem.h"

enum { YAML_DEPTH = 32, YAML_MAX_BYTES = 256 << 20 };

enum yaml_type { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_type type;
    struct place at;
    bool plain;             /* scalar without quotes */
    bool set;               /* came from yaml_set(), not from the file */
    const char *text;       /* scalar; never NULL there */
    size_t n;               /* items of a list or map */
    size_t room;
    struct yaml_node **items;
    const char **keys;      /* map: keys[i] names items[i] */
    struct place *key_at;
};

struct yaml_doc {
    struct yaml_node *root;
    const char *file;
    char sha256[HASH_TEXT]; /* of the file's bytes */
    struct manifest files;  /* first this file, unless it came from memory; then what was read on its behalf */
    struct arena arena;
};

/* A value that a dotted path of a document gets from outside its file, as by --set. */
struct setting {
    const char *key;
    const char *value;
};

/* Reads a file, which becomes the first of the document's files, in this role. */
enum rc yaml_load_as(const char *path, const char *role, struct yaml_doc **doc, struct err *e);

/* Reads a file in the role "file". */
enum rc yaml_load(const char *path, struct yaml_doc **doc, struct err *e);

/* Reads from memory; name stands for the file in messages. */
enum rc yaml_parse(const char *text, size_t n, const char *name, struct yaml_doc **doc,
                   struct err *e);
/* Releases a document; NULL is allowed. (libyaml exports a yaml_free of its own.) */
void yaml_doc_free(struct yaml_doc *doc);

/* Returns the value under a key of a map, or NULL. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* Removes a key from a map; nothing happens when it is not there. */
void yaml_drop(struct yaml_node *map, const char *key);

/* Sets map[a][b][c] for the dotted path "a.b.c" to a plain scalar, or to the list that a value in brackets is, making
 * maps on the way; an older value, an annotated one ({value: .., status: ..}) too, is replaced. An empty value removes
 * the key, which must be there. origin names the place in messages ("--set"). */
enum rc yaml_set(struct yaml_doc *doc, const char *path, const char *value, const char *origin,
                 struct err *e);

/* Sets a key of the map in the list root[list] whose key `name` says `of`, adding list and map where there are none;
 * a root[list] that is no list stays as it is. */
void yaml_set_item(struct yaml_doc *doc, const char *list, const struct setting *of, const struct setting *key,
                   const char *origin);

#endif
