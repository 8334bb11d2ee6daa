/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/hash.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha256.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"

struct hash {
    SHA256_CTX context;
};

struct hash *hash_start(void) {
    struct hash *h = mem_alloc(1, sizeof *h);
    SHA256Init(&h->context);
    return h;
}

void hash_add(struct hash *h, const void *data, size_t n) {
    SHA256Update(&h->context, data, n);
}

void hash_end(struct hash *h, char text[static HASH_TEXT]) {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, &h->context);
    for (size_t i = 0; i < sizeof digest; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    text[HASH_TEXT - 1] = '\0';
    free(h);
}

void hash_bytes(const void *data, size_t n, char text[static HASH_TEXT]) {
    struct hash *h = hash_start();
    hash_add(h, data, n);
    hash_end(h, text);
}

enum rc hash_file(const char *path, char text[static HASH_TEXT], struct err *e) {
    enum { BLOCK = 1 << 16 };
    FILE *f = file_open(path);
    if (!f)
        return err_set(e, RC_IO, "%s: cannot read: %s", path, strerror(errno));
    struct hash *h = hash_start();
    char *block = mem_alloc(BLOCK, 1);
    for (size_t n; (n = fread(block, 1, BLOCK, f)) > 0;)
        hash_add(h, block, n);
    enum rc rc = ferror(f) ? err_set(e, RC_IO, "%s: cannot read: %s", path, strerror(errno)) : RC_OK;
    hash_end(h, text);
    free(block);
    fclose(f);
    return rc;
}
