/* SPDX-License-Identifier: BSD-3-Clause */
/* chain: what a forwarder does with rows that have arrived, on the CPU and on all ranks at once: expand (row, slot)
 * pairs, sort them stably by owner, gather the rows in that order. Under a simulator that does not time computing all
 * of it takes no time, and nothing is written that says otherwise. */
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

enum { SLOTS = 4, OWNERS = 8 };

struct chain {
    int pairs, row_bytes;
    int *row, *owner, *sorted; /* [pairs] */
    char *rows, *gathered;
};

static void expand(const struct point *p) {
    struct chain *c = p->context;
    for (int i = 0; i < c->pairs; i++) {
        c->row[i] = i / SLOTS;
        c->owner[i] = (i * 7 + i / SLOTS) % OWNERS;
    }
}

static void sort(const struct point *p) {
    struct chain *c = p->context;
    int start[OWNERS + 1] = {0};
    for (int i = 0; i < c->pairs; i++)
        start[c->owner[i] + 1]++;
    for (int k = 0; k < OWNERS; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < c->pairs; i++)
        c->sorted[start[c->owner[i]]++] = c->row[i];
}

static void gather(const struct point *p) {
    struct chain *c = p->context;
    size_t n = (size_t)c->row_bytes;
    for (int i = 0; i < c->pairs; i++)
        memcpy(c->gathered + (size_t)i * n, c->rows + (size_t)c->sorted[i] * n, n);
}

void measure_chain(struct bed *b) {
    static const struct {
        const char *name;
        void (*run)(const struct point *p);
    } stages[] = {{"expand", expand}, {"sort", sort}, {"gather", gather}};
    enum { LENGTHS = 3 };
    struct points list = {0};
    struct chain chains[LENGTHS];
    int row_bytes = (int)b->set->row_bytes;
    for (int i = 0, pairs = 1024; i < LENGTHS; i++, pairs *= 4) {
        int *room = mem_alloc(3 * (size_t)pairs, sizeof *room);
        size_t bytes = (size_t)pairs * (size_t)row_bytes;
        chains[i] = (struct chain){pairs, row_bytes, room, room + pairs, room + 2 * pairs,
                                   mem_alloc(bytes / SLOTS, 1), mem_alloc(bytes, 1)};
        expand(&(struct point){.context = &chains[i]});
        sort(&(struct point){.context = &chains[i]});
        for (int k = 0; k < 3; k++)
            points_add(&list, &(struct point){.quantity = "chain", .part = stages[k].name, .world = b->ranks,
                                              .senders = b->ranks, .peers = pairs, .calls = 1,
                                              .message_bytes = row_bytes, .send_bytes = (double)bytes,
                                              .member = true, .run = stages[k].run, .context = &chains[i]});
    }
    sample_points(b, list.items, list.n);
    for (int i = 0; i < LENGTHS; i++) {
        free(chains[i].row);
        free(chains[i].rows);
        free(chains[i].gathered);
    }
    free(list.items);
}
