/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/hash.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <sha256.h>

void hash_bytes(const void *data, size_t n, char text[static HASH_TEXT]) {
    SHA256_CTX context;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Init(&context);
    SHA256Update(&context, data, n);
    SHA256Final(digest, &context);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
