/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*before_the_end)(void);

void mem_on_exhaustion(void (*last)(void)) {
    before_the_end = last;
}

static _Noreturn void out_of_memory(void) {
    fputs("moesim: out of memory\n", stderr);
    if (before_the_end)
        before_the_end();
    _Exit(1);
}

void *mem_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *mem_resize(void *p, size_t count, size_t size) {
    uint64_t bytes;
    if (!mem_mul_u64(count ? count : 1, size ? size : 1, &bytes) || bytes > PTRDIFF_MAX)
        out_of_memory();
    p = realloc(p, (size_t)bytes);
    if (!p)
        out_of_memory();
    return p;
}

char *mem_copy(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n, 1), text, n);
}

static char *format_text(const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    BUG_ON(n < 0);
    char *text = mem_alloc((size_t)n + 1, 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *mem_printf(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *text = format_text(format, ap);
    va_end(ap);
    return text;
}

bool mem_mul_u64(uint64_t a, uint64_t b, uint64_t *result) {
    return !__builtin_mul_overflow(a, b, result);
}

bool mem_add_u64(uint64_t a, uint64_t b, uint64_t *result) {
    return !__builtin_add_overflow(a, b, result);
}

/* Makes room for n more characters and the NUL. */
static void reserve(struct buf *b, size_t n) {
    size_t room = b->room ? b->room : 256;
    while (room < b->n + n + 1)
        room *= 2;
    if (room == b->room)
        return;
    b->text = mem_resize(b->text, room, 1);
    b->room = room;
}

void buf_add(struct buf *b, const char *text, size_t n) {
    reserve(b, n);
    if (n)
        memcpy(b->text + b->n, text, n);
    b->n += n;
    b->text[b->n] = '\0';
}

void buf_text(struct buf *b, const char *text) {
    buf_add(b, text, strlen(text));
}

void buf_vprintf(struct buf *b, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    reserve(b, 0);
    size_t room = b->room - b->n;
    int n = vsnprintf(b->text + b->n, room, format, ap);
    BUG_ON(n < 0);
    if ((size_t)n >= room) {
        reserve(b, (size_t)n);
        vsnprintf(b->text + b->n, (size_t)n + 1, format, again);
    }
    va_end(again);
    b->n += (size_t)n;
}

void buf_printf(struct buf *b, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    buf_vprintf(b, format, ap);
    va_end(ap);
}

void buf_csv_field(struct buf *b, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        buf_text(b, text);
        return;
    }
    buf_text(b, "\"");
    for (const char *p = text; *p; p++)
        buf_printf(b, "%s%c", *p == '"' ? "\"" : "", *p);
    buf_text(b, "\"");
}

void buf_cut(struct buf *b, size_t n) {
    if (n >= b->n)
        return;
    b->n = n;
    b->text[n] = '\0';
}

void buf_clear(struct buf *b) {
    free(b->text);
    *b = (struct buf){0};
}

static void *arena_keep(struct arena *a, void *p) {
    MEM_GROW(a->blocks, a->n, a->room);
    a->blocks[a->n++] = p;
    return p;
}

void *arena_alloc(struct arena *a, size_t count, size_t size) {
    return arena_keep(a, mem_alloc(count, size));
}

char *arena_copy(struct arena *a, const char *text) {
    return arena_keep(a, mem_copy(text));
}

char *arena_printf(struct arena *a, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *text = format_text(format, ap);
    va_end(ap);
    return arena_keep(a, text);
}

void arena_clear(struct arena *a) {
    for (size_t i = 0; i < a->n; i++)
        free(a->blocks[i]);
    free(a->blocks);
    *a = (struct arena){0};
}
