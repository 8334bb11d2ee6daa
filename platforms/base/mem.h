/* SPDX-License-Identifier: BSD-3-Clause */
/* mem.h - memory that does not fail, growable text, and arenas.
 *
 * Units: bytes.
 * Errors: none: out of memory ends the program with one line on stderr, and so does a product of sizes that
 * overflows; no caller has a code path for it.
 * Ownership: free() releases what mem_*() returns, buf_clear() the text of a buffer, arena_clear() all of an arena.
 * Edges: 0 elements give memory that free() takes; a buffer and an arena of zeros are empty. */
#ifndef PLATFORMS_BASE_MEM_H
#define PLATFORMS_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platforms/base/err.h"

void *mem_alloc(size_t count, size_t size);           /* zeroed */
void *mem_resize(void *p, size_t count, size_t size); /* what is new is not zeroed; p may be NULL */
char *mem_copy(const char *text);
char *mem_printf(const char *format, ...) ERR_PRINTF(1, 2);
/* Has last() called where there is no memory; if it returns, the program ends with exit code 1. */
void mem_on_exhaustion(void (*last)(void));

/* Multiply and add. Return false, and leave *result as it is, where the value does not fit. */
bool mem_mul_u64(uint64_t a, uint64_t b, uint64_t *result);
bool mem_add_u64(uint64_t a, uint64_t b, uint64_t *result);

/* Ensures room for one more element in a growable array {items, n, room}. */
#define MEM_GROW(items, n, room)                                                                   \
    do {                                                                                           \
        if ((n) == (room)) {                                                                       \
            (room) = (room) ? 2 * (room) : 16;                                                     \
            (items) = mem_resize((items), (size_t)(room), sizeof *(items));                        \
        }                                                                                          \
    } while (0)

/* Growable text. text is NULL or ends in NUL at text[n]. Zero-initialise; buf_clear() releases. */
struct buf {
    char *text;
    size_t n;
    size_t room;
};

/* Append n bytes, a text, a formatted text. Arguments must not lie in the text of b. */
void buf_add(struct buf *b, const char *text, size_t n);
void buf_text(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) ERR_PRINTF(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list ap) ERR_PRINTF(2, 0);
/* Shortens the text to its first n bytes; nothing happens where it has no more. */
void buf_cut(struct buf *b, size_t n);
/* Appends a field of CSV, quoted where it has to be (RFC 4180). */
void buf_csv_field(struct buf *b, const char *text);
void buf_clear(struct buf *b);

/* Many allocations that are released in one call. */
struct arena {
    void **blocks;
    size_t n;
    size_t room;
};

void *arena_alloc(struct arena *a, size_t count, size_t size); /* zeroed */
char *arena_copy(struct arena *a, const char *text);
char *arena_printf(struct arena *a, const char *format, ...) ERR_PRINTF(2, 3);
void arena_clear(struct arena *a);

#endif
