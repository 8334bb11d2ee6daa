/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual clocks of links, and whose flow ends next. */
#include "sim/engine/fluid_parts.h"

#include <math.h>

#include "platforms/base/mem.h"

/* The clock of a link by now. While levels are computed a link that holds bundles may be not full: no time passes. */
static double clock_of(const struct flows *f, int link) {
    const struct fluid_link *q = &f->links[link];
    return q->held > 0 && f->now > q->since ? q->clock + f->level[link] * (f->now - q->since) : q->clock;
}

void fluid_sync(struct flows *f, int link) {
    f->links[link].clock = clock_of(f, link);
    f->links[link].since = f->now;
}

void fluid_touch(struct flows *f, int link) {
    if (f->links[link].touched)
        return;
    f->links[link].touched = true;
    fluid_list_add(&f->touched, link);
}

/* What the first flow of a bundle still has to send. */
static double left_of(const struct flows *f, int bundle) {
    const struct fluid_bundle *b = &f->bundles[bundle];
    if (b->held == FLUID_NONE)
        return b->heap[0].key;
    size_t at = (size_t)bundle * (size_t)f->stride + (size_t)b->held;
    return f->links[f->route[at]].end[f->slot[at]] - clock_of(f, f->route[at]);
}

double fluid_served(const struct flows *f, int bundle) {
    return f->bundles[bundle].heap[0].key - left_of(f, bundle);
}

/* Takes a bundle away from the link that held it back. */
static void let_go(struct flows *f, int bundle) {
    struct fluid_bundle *b = &f->bundles[bundle];
    size_t at = (size_t)bundle * (size_t)f->stride + (size_t)b->held;
    struct fluid_link *q = &f->links[f->route[at]];
    double *end = &q->end[f->slot[at]];
    fluid_sync(f, f->route[at]);
    q->stale = q->stale || *end <= q->first;
    *end = INFINITY;
    q->held--;
    fluid_touch(f, f->route[at]);
    b->held = FLUID_NONE;
}

void fluid_hold(struct flows *f, int bundle) {
    struct fluid_bundle *b = &f->bundles[bundle];
    const int *route = f->route + (size_t)bundle * (size_t)f->stride;
    int lowest = b->held == FLUID_NONE ? 0 : b->held; // stays where levels are equal
    for (int i = 0; i < b->n_links; i++)
        if (f->level[route[i]] < f->level[route[lowest]])
            lowest = i;
    if (lowest == b->held)
        return;
    double left = left_of(f, bundle);
    if (b->held != FLUID_NONE)
        let_go(f, bundle);
    struct fluid_link *q = &f->links[route[lowest]];
    fluid_sync(f, route[lowest]);
    double end = q->clock + fmax(left, 0);
    q->end[f->slot[(size_t)bundle * (size_t)f->stride + (size_t)lowest]] = end;
    q->first = fmin(q->first, end);
    q->held++;
    b->held = lowest;
    fluid_touch(f, route[lowest]);
}

/* --- the next end ----------------------------------------------------------------------------- */

static void set_next(struct flows *f, int link, double at) {
    int block = link / FLUID_BLOCK;
    double *next = f->next + (size_t)block * FLUID_BLOCK, was = f->next[link], *first = &f->next_of_block[block];
    f->next[link] = at;
    if (at <= *first) {
        *first = at;
        return;
    }
    if (was > *first)
        return;
    double least = next[0];
    for (int i = 1; i < FLUID_BLOCK; i++)
        least = next[i] < least ? next[i] : least;
    *first = least;
}

/* Looks for the first end, and puts the clock to 0 on the way: it would lose digits in a long run. */
static void find_first(struct fluid_link *q) {
    q->first = INFINITY;
    for (int k = 0; k < q->n; k++) {
        q->end[k] -= q->clock;
        q->first = q->end[k] < q->first ? q->end[k] : q->first;
    }
    q->clock = 0;
    q->stale = false;
}

void fluid_refresh(struct flows *f) {
    for (int i = 0; i < f->touched.n; i++) {
        int link = f->touched.items[i];
        struct fluid_link *q = &f->links[link];
        q->touched = false;
        fluid_sync(f, link);
        if (q->held == 0) {
            q->first = INFINITY;
            q->clock = 0;
            q->stale = false;
        } else if (q->stale) {
            find_first(q);
        }
        set_next(f, link, q->held ? f->now + (q->first - q->clock) / f->level[link] : INFINITY);
    }
    f->touched.n = 0;
}

double fluid_next_end(const struct flows *f) {
    double first = INFINITY;
    for (int i = 0; i <= f->n_links / FLUID_BLOCK; i++)
        first = f->next_of_block[i] < first ? f->next_of_block[i] : first;
    return first;
}

/* Notes a bundle of which flows end up to a key. */
static void note_ending(struct flows *f, int bundle, double key) {
    if (f->ending.n == f->room_ending) {
        f->room_ending = f->room_ending ? 2 * f->room_ending : 64;
        f->ending_key = mem_resize(f->ending_key, (size_t)f->room_ending, sizeof *f->ending_key);
    }
    f->ending_key[f->ending.n] = key;
    fluid_list_add(&f->ending, bundle);
}

/* The largest key of a bundle's flows that is not beyond `most`, at least its first one. */
static double last_key(const struct fluid_bundle *b, double most) {
    double last = b->heap[0].key;
    for (int i = 1; i < b->n; i++)
        if (b->heap[i].key <= most && b->heap[i].key > last)
            last = b->heap[i].key;
    return last;
}

static void find_ending_at(struct flows *f, int link, double until) {
    const struct fluid_link *q = &f->links[link];
    const double clock = q->clock + f->level[link] * (until - q->since);
    for (int k = 0; k < q->n; k++) {
        if (q->end[k] > clock && q->end[k] != q->first)
            continue;
        const struct fluid_bundle *b = &f->bundles[q->bundle[k]];
        note_ending(f, q->bundle[k], last_key(b, b->heap[0].key + (clock - q->end[k])));
    }
}

void fluid_find_ending(struct flows *f, double until) {
    f->ending.n = 0;
    for (int block = 0; block <= f->n_links / FLUID_BLOCK; block++) {
        if (f->next_of_block[block] > until)
            continue;
        for (int link = block * FLUID_BLOCK; link < (block + 1) * FLUID_BLOCK; link++)
            if (f->next[link] <= until)
                find_ending_at(f, link, until);
    }
}
