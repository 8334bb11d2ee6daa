/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"

void manifest_add(struct manifest *all, const char *role, const char *path, const char *sha256) {
    if (!all)
        return;
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->items[i].role, role) == 0 && strcmp(all->items[i].sha256, sha256) == 0)
            return;
    BUG_ON(strlen(sha256) + 1 != HASH_TEXT);
    MEM_GROW(all->items, all->n, all->room);
    struct manifest_file *x = &all->items[all->n++];
    *x = (struct manifest_file){.role = mem_copy(role), .path = mem_copy(path)};
    memcpy(x->sha256, sha256, HASH_TEXT);
}

void manifest_add_all(struct manifest *all, const struct manifest *others, const char *role) {
    for (size_t i = 0; i < others->n; i++)
        manifest_add(all, role ? role : others->items[i].role, others->items[i].path, others->items[i].sha256);
}

enum rc manifest_read(struct manifest *all, const struct manifest_ask *ask, char **data, size_t *n, struct err *e) {
    char sha256[HASH_TEXT];
    enum rc rc = file_read(ask->path, ask->max_bytes, data, n, e);
    if (rc || !all)
        return rc;
    hash_bytes(*data, *n, sha256);
    manifest_add(all, ask->role, ask->path, sha256);
    return RC_OK;
}

const struct manifest_file *manifest_find(const struct manifest *all, const char *role) {
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->items[i].role, role) == 0)
            return &all->items[i];
    return NULL;
}

/* Orders lines of text. */
static int manifest_by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void manifest_digest(const struct manifest *all, char text[static HASH_TEXT]) {
    if (all->n == 1) {
        memcpy(text, all->items[0].sha256, HASH_TEXT);
        return;
    }
    char **lines = mem_alloc(all->n + 1, sizeof *lines);
    for (size_t i = 0; i < all->n; i++)
        lines[i] = mem_printf("%s %s\n", all->items[i].role, all->items[i].sha256);
    if (all->n)
        qsort(lines, all->n, sizeof *lines, manifest_by_text);
    struct hash *h = hash_start();
    for (size_t i = 0; i < all->n; i++) {
        hash_add(h, lines[i], strlen(lines[i]));
        free(lines[i]);
    }
    hash_end(h, text);
    free(lines);
}

void manifest_clear(struct manifest *all) {
    for (size_t i = 0; all && i < all->n; i++) {
        free(all->items[i].role);
        free(all->items[i].path);
    }
    if (all) {
        free(all->items);
        *all = (struct manifest){0};
    }
}
