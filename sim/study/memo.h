/* SPDX-License-Identifier: BSD-3-Clause */
/* memo.h - what was loaded or built for a question, for later ones of the same key.
 *
 * Holds about `limit_bytes`: what was not used for longest goes first, when something new is about to be made.
 * Ownership: the memo has what is kept; memo_clear() releases. What memo_find() returned lives until the next miss.
 * Units: bytes. Errors: none. Edges: one thing that is larger than the limit stays until another one is made. */
#ifndef SIM_STUDY_MEMO_H
#define SIM_STUDY_MEMO_H

#include <stddef.h>
#include <stdint.h>

typedef void (*memo_free_f)(void *thing);

struct memo_entry {
    char *key;
    void *thing;
    memo_free_f release;
    size_t bytes;
    uint64_t used;
};

struct memo {
    size_t limit_bytes;
    struct memo_entry *entries;
    size_t n, room, bytes;
    uint64_t clock;
};

/* NULL: it is not there, and room was made for it. */
void *memo_find(struct memo *m, const char *key);
void memo_keep(struct memo *m, const char *key, void *thing, size_t bytes, memo_free_f release);
void memo_clear(struct memo *m);

#endif
