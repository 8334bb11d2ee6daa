/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/memo.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static void drop(struct memo *m, size_t i) {
    struct memo_entry *e = &m->entries[i];
    m->bytes -= e->bytes;
    e->release(e->thing);
    free(e->key);
    *e = m->entries[--m->n];
}

static void make_room(struct memo *m) {
    while (m->bytes > m->limit_bytes) {
        size_t oldest = 0;
        for (size_t i = 1; i < m->n; i++)
            if (m->entries[i].used < m->entries[oldest].used)
                oldest = i;
        drop(m, oldest);
    }
}

void *memo_find(struct memo *m, const char *key) {
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->entries[i].key, key) == 0) {
            m->entries[i].used = ++m->clock;
            return m->entries[i].thing;
        }
    make_room(m);
    return NULL;
}

void memo_keep(struct memo *m, const char *key, void *thing, size_t bytes, memo_free_f release) {
    MEM_GROW(m->entries, m->n, m->room);
    m->entries[m->n++] = (struct memo_entry){mem_copy(key), thing, release, bytes, ++m->clock};
    m->bytes += bytes;
}

void memo_clear(struct memo *m) {
    while (m->n)
        drop(m, m->n - 1);
    free(m->entries);
    *m = (struct memo){.limit_bytes = m->limit_bytes};
}
