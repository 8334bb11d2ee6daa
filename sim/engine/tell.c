/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/tell.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

static int largest_first(const void *a, const void *b) {
    const struct play_message *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->begin_s != y->begin_s)
        return x->begin_s > y->begin_s ? 1 : -1;
    return x->src != y->src ? (x->src > y->src) - (x->src < y->src) : (x->dst > y->dst) - (x->dst < y->dst);
}

void messages_tell(const struct plan *plan, const struct messages *messages, const double *begin_s,
                   const double *end_s, struct play *play) {
    struct play_message *all = mem_alloc(messages->n, sizeof *all);
    for (size_t i = 0; i < messages->n; i++) {
        const struct message *m = &messages->items[i];
        double pieces = plan->exchanges[m->exchange].chunks;
        all[i] = (struct play_message){m->exchange, m->src, m->dst, m->trip,
                                       ldexp((double)m->payload * pieces, -messages->scale), begin_s[i], end_s[i]};
    }
    if (messages->n)
        qsort(all, messages->n, sizeof *all, largest_first);
    play->n_messages = 0;
    play->left_messages = play->left_bytes = 0;
    for (size_t i = 0; i < messages->n; i++) {
        if (i < (size_t)plan->most_messages) {
            play->messages[play->n_messages++] = all[i];
            continue;
        }
        play->left_messages++;
        play->left_bytes += all[i].bytes;
    }
    free(all);
}
