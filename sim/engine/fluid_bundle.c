/* SPDX-License-Identifier: BSD-3-Clause */
/* Bundles: flows come, share the entries of their route, and end. */
#include "sim/engine/fluid_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

static int *route_of(const struct flows *f, int bundle) {
    return f->route + (size_t)bundle * (size_t)f->stride;
}

static int *slots_of(const struct flows *f, int bundle) {
    return f->slot + (size_t)bundle * (size_t)f->stride;
}

static int *times_of(const struct flows *f, int bundle) {
    return f->times + (size_t)bundle * (size_t)f->stride;
}

/* --- flows of a bundle: a binary heap --------------------------------------------------------- */

static void heap_add(struct fluid_bundle *b, struct fluid_flow flow) {
    if (b->n == b->room) { // nearly all bundles are one flow
        b->room = b->room ? 2 * b->room : 1;
        b->heap = mem_resize(b->heap, (size_t)b->room, sizeof *b->heap);
    }
    int at = b->n++;
    for (int up; at > 0 && b->heap[up = (at - 1) / 2].key > flow.key; at = up)
        b->heap[at] = b->heap[up];
    b->heap[at] = flow;
}

static int64_t heap_take(struct fluid_bundle *b) {
    int64_t tag = b->heap[0].tag;
    struct fluid_flow last = b->heap[--b->n];
    int at = 0;
    for (int child; (child = 2 * at + 1) < b->n; at = child) {
        if (child + 1 < b->n && b->heap[child + 1].key < b->heap[child].key)
            child++;
        if (b->heap[child].key >= last.key)
            break;
        b->heap[at] = b->heap[child];
    }
    b->heap[at] = last;
    return tag;
}

/* --- entries of links ------------------------------------------------------------------------- */

/* Makes room for so many other links in each entry. */
static void widen_entries(const struct flows *f, struct fluid_link *q, int width) {
    int *other = mem_resize(NULL, (size_t)q->room * (size_t)width, sizeof *other);
    for (int k = 0; k < q->n; k++)
        for (int i = 0; i < width; i++)
            other[k * width + i] = i < q->width ? q->other[k * q->width + i] : f->n_links;
    free(q->other);
    q->other = other;
    q->width = width;
}

static void grow_entries(struct fluid_link *q) {
    if (q->n < q->room)
        return;
    q->room = q->room ? 2 * q->room : 8;
    size_t room = (size_t)q->room;
    q->bundle = mem_resize(q->bundle, room, sizeof *q->bundle);
    q->other = mem_resize(q->other, room * (size_t)q->width, sizeof *q->other);
    q->weight = mem_resize(q->weight, room, sizeof *q->weight);
    q->end = mem_resize(q->end, room, sizeof *q->end);
}

/* Adds the entry of a bundle to its nth link. */
static void add_entry(struct flows *f, int bundle, int nth) {
    const int *route = route_of(f, bundle);
    struct fluid_link *q = &f->links[route[nth]];
    int n = f->bundles[bundle].n_links, k = q->n;
    if (n - 1 > q->width)
        widen_entries(f, q, n - 1);
    grow_entries(q);
    int *other = q->other + (size_t)k * (size_t)q->width;
    for (int i = 0; i < q->width; i++)
        other[i] = i < n - 1 ? route[i + (i >= nth)] : f->n_links;
    q->bundle[k] = bundle;
    q->weight[k] = 0;
    q->end[k] = INFINITY;
    slots_of(f, bundle)[nth] = k;
    q->repeated += times_of(f, bundle)[nth] > 1;
    q->n++;
}

/* The last entry takes the place of the one that goes. */
static void remove_entry(struct flows *f, int bundle, int nth) {
    int link = route_of(f, bundle)[nth], gap = slots_of(f, bundle)[nth];
    struct fluid_link *q = &f->links[link];
    int last = --q->n, mover = q->bundle[last];
    q->repeated -= times_of(f, bundle)[nth] > 1;
    size_t width = (size_t)q->width;
    if (gap == last)
        return;
    q->bundle[gap] = mover;
    q->weight[gap] = q->weight[last];
    q->end[gap] = q->end[last];
    if (width > 0)
        memcpy(q->other + (size_t)gap * width, q->other + (size_t)last * width, width * sizeof *q->other);
    const int *route = route_of(f, mover);
    int i = 0;
    while (route[i] != link)
        i++;
    slots_of(f, mover)[i] = gap;
}

/* --- bundles ---------------------------------------------------------------------------------- */

/* Whether an entry of the nth link of a route belongs to that route. */
static bool is_of_route(const struct flows *f, const struct fluid_link *q, int k, const int *links, int n, int nth) {
    const int *other = q->other + (size_t)k * (size_t)q->width;
    for (int i = 0; i < q->width; i++)
        if (other[i] != (i < n - 1 ? links[i + (i >= nth)] : f->n_links))
            return false;
    return true;
}

/* Whether a bundle passes each link of way[] as often: the same links may come in another order. */
static bool passes_alike(const struct flows *f, int bundle, int n) {
    size_t bytes = (size_t)n * sizeof(int);
    return memcmp(route_of(f, bundle), f->way, bytes) == 0 && memcmp(times_of(f, bundle), f->way_times, bytes) == 0;
}

/* The bundle on a route of n links, as way[] has it; FLUID_NONE: there is none. Looks where there are fewest. */
static int find_bundle(const struct flows *f, int n) {
    const int *links = f->way;
    int nth = 0;
    for (int i = 1; i < n; i++)
        if (f->links[links[i]].n < f->links[links[nth]].n)
            nth = i;
    const struct fluid_link *q = &f->links[links[nth]];
    for (int k = 0; k < q->n && n - 1 <= q->width; k++)
        if (is_of_route(f, q, k, links, n, nth) && passes_alike(f, q->bundle[k], n))
            return q->bundle[k];
    return FLUID_NONE;
}

/* Routes of bundles lie `stride` apart; a longer one moves them all. */
static void widen_routes(struct flows *f, int stride) {
    size_t room = (size_t)f->room_bundles * (size_t)stride;
    int *route = mem_resize(NULL, room, sizeof *route), *slot = mem_resize(NULL, room, sizeof *slot);
    int *times = mem_resize(NULL, room, sizeof *times);
    size_t from = (size_t)f->stride, to = (size_t)stride;
    for (size_t b = 0; b < (size_t)f->n_bundles; b++)
        for (size_t i = 0; i < from; i++) {
            route[b * to + i] = f->route[b * from + i];
            slot[b * to + i] = f->slot[b * from + i];
            times[b * to + i] = f->times[b * from + i];
        }
    free(f->route);
    free(f->slot);
    free(f->times);
    f->route = route;
    f->slot = slot;
    f->times = times;
    f->stride = stride;
}

static int unused_bundle(struct flows *f) {
    if (f->unused.n > 0)
        return f->unused.items[--f->unused.n];
    if (f->n_bundles == f->room_bundles) {
        f->room_bundles = f->room_bundles ? 2 * f->room_bundles : 256;
        size_t room = (size_t)f->room_bundles;
        f->bundles = mem_resize(f->bundles, room, sizeof *f->bundles);
        f->route = mem_resize(f->route, room * (size_t)f->stride, sizeof *f->route);
        f->slot = mem_resize(f->slot, room * (size_t)f->stride, sizeof *f->slot);
        f->times = mem_resize(f->times, room * (size_t)f->stride, sizeof *f->times);
    }
    f->bundles[f->n_bundles] = (struct fluid_bundle){0};
    return f->n_bundles++;
}

static int add_bundle(struct flows *f, int n) {
    if (n > f->stride)
        widen_routes(f, n);
    int bundle = unused_bundle(f);
    struct fluid_bundle *b = &f->bundles[bundle];
    b->n_links = n;
    b->held = FLUID_NONE;
    b->metered = 0;
    memcpy(route_of(f, bundle), f->way, (size_t)n * sizeof *f->way);
    memcpy(times_of(f, bundle), f->way_times, (size_t)n * sizeof *f->way_times);
    for (int i = 0; i < n; i++)
        add_entry(f, bundle, i);
    if (!b->moving)
        fluid_list_add(&f->moving, bundle);
    b->moving = true;
    return bundle;
}

/* Flows come to a bundle (number > 0) or go: its links have to know. */
static void change_weight(struct flows *f, int bundle, int number) {
    const int *route = route_of(f, bundle), *slots = slots_of(f, bundle);
    int n = f->bundles[bundle].n_links;
    for (int i = 0; i < n; i++) {
        struct fluid_link *q = &f->links[route[i]];
        double *weight = &q->weight[slots[i]], more = number * times_of(f, bundle)[i];
        q->heavy += (*weight + more > 1) - (*weight > 1);
        *weight += more;
        q->flows += more;
        if (f->state[route[i]] == FLUID_FULL)
            fluid_queue_link(f, route[i]);
        if (f->state[route[i]] != FLUID_SPARE)
            continue;
        double floor = f->floor[route[i]];
        f->budget[route[i]] -= more * fmax(fluid_other_level(f, route, n, i), floor);
        if (q->repeated || !(f->budget[route[i]] >= 0))
            fluid_queue_link(f, route[i]);
    }
}

/* The first flow of a bundle is another one than that with this key. */
static void change_first(struct flows *f, int bundle, double old_key) {
    struct fluid_bundle *b = &f->bundles[bundle];
    if (b->held == FLUID_NONE || b->heap[0].key == old_key)
        return;
    int link = route_of(f, bundle)[b->held];
    struct fluid_link *q = &f->links[link];
    double *end = &q->end[slots_of(f, bundle)[b->held]];
    q->stale = q->stale || *end <= q->first;
    *end += b->heap[0].key - old_key;
    q->first = fmin(q->first, *end);
    fluid_touch(f, link);
}

/* Fills way[] with the links of a route, each once. Returns their number. */
static int find_way(struct flows *f, const int *links, int n) {
    int found = 0;
    if (n > f->room_way) {
        f->room_way = 2 * n;
        f->way = mem_resize(f->way, (size_t)f->room_way, sizeof *f->way);
        f->way_times = mem_resize(f->way_times, (size_t)f->room_way, sizeof *f->way_times);
    }
    for (int i = 0; i < n; i++) {
        int at = 0;
        while (at < found && f->way[at] != links[i])
            at++;
        f->way[at] = links[i];
        f->way_times[at] = at < found ? f->way_times[at] + 1 : 1;
        found += at == found;
    }
    return found;
}

void fluid_start(struct flows *f, const int *links, int n_links, double payload, int64_t tag) {
    int n = find_way(f, links, n_links), bundle = find_bundle(f, n);
    double served = 0, first = 0;
    if (bundle == FLUID_NONE) {
        bundle = add_bundle(f, n);
    } else {
        served = fluid_served(f, bundle);
        first = f->bundles[bundle].heap[0].key;
        fluid_meter_bundle(f, bundle, served);
    }
    struct fluid_bundle *b = &f->bundles[bundle];
    bool others = b->n > 0;
    heap_add(b, (struct fluid_flow){served + payload, tag});
    if (others)
        change_first(f, bundle, first);
    change_weight(f, bundle, 1);
    f->live++;
}

static void add_tag(struct flows *f, int64_t tag) {
    MEM_GROW(f->tags, f->n_tags, f->room_tags);
    f->tags[f->n_tags++] = tag;
}

/* Takes an empty bundle off its links. Its link must look for another first end. */
static void remove_bundle(struct flows *f, int bundle) {
    struct fluid_bundle *b = &f->bundles[bundle];
    int link = route_of(f, bundle)[b->held];
    struct fluid_link *q = &f->links[link];
    fluid_sync(f, link);
    q->stale = true;
    q->held--;
    fluid_touch(f, link);
    for (int i = 0; i < b->n_links; i++)
        remove_entry(f, bundle, i);
    fluid_list_add(&f->unused, bundle);
}

void fluid_end(struct flows *f, int bundle, double key) {
    struct fluid_bundle *b = &f->bundles[bundle];
    const double served = fluid_served(f, bundle), first = b->heap[0].key;
    int ended = 0;
    while (b->n > 0 && b->heap[0].key <= key) {
        fluid_meter_bundle(f, bundle, fmin(served, b->heap[0].key));
        add_tag(f, heap_take(b));
        ended++;
    }
    f->live -= ended;
    change_weight(f, bundle, -ended);
    if (b->n == 0)
        remove_bundle(f, bundle);
    else
        change_first(f, bundle, first);
}
