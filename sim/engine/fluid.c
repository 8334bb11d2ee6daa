/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine `fluid`: instants and hooks. The rest is in fluid_level.c, fluid_clock.c, fluid_bundle.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "sim/engine/fluid_parts.h"

static struct flows *open_flows(const struct flow_options *options) {
    struct flows *f = mem_alloc(1, sizeof *f);
    *f = (struct flows){.checked = options->checked, .stride = 4};
    return f;
}

static int add_link(struct flows *f, double capacity) {
    BUG_ON(!(capacity > 0 && isfinite(capacity)));
    MEM_GROW(f->links, f->n_links, f->room_links);
    f->links[f->n_links] = (struct fluid_link){.capacity = capacity, .first = INFINITY};
    return f->n_links++;
}

static double *infinities(size_t n) {
    double *x = mem_resize(NULL, n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = INFINITY;
    return x;
}

static void seal(struct flows *f) {
    size_t n = (size_t)f->n_links, blocks = n / FLUID_BLOCK + 1;
    f->level = infinities(n + 1);
    f->state = mem_alloc(n + 1, sizeof *f->state);
    f->state[n] = FLUID_QUEUED; // nobody needs to tell it anything
    f->floor = mem_alloc(n + 1, sizeof *f->floor);
    f->floor[n] = INFINITY;
    f->budget = mem_alloc(n, sizeof *f->budget);
    for (size_t l = 0; l < n; l++)
        f->budget[l] = f->links[l].capacity;
    f->next = infinities(blocks * FLUID_BLOCK);
    f->next_of_block = infinities(blocks);
    f->queue = mem_alloc(n, sizeof *f->queue);
}

static void close_flows(struct flows *f) {
    if (!f)
        return;
    for (int l = 0; l < f->n_links; l++) {
        free(f->links[l].bundle);
        free(f->links[l].other);
        free(f->links[l].weight);
        free(f->links[l].end);
    }
    for (int b = 0; b < f->n_bundles; b++)
        free(f->bundles[b].heap);
    void *const all[] = {f->links,          f->level,         f->state,        f->floor,         f->budget,
                         f->next,           f->next_of_block, f->queue,        f->touched.items, f->moving.items,
                         f->others,         f->picked,        f->bundles,      f->route,         f->slot,
                         f->times,          f->way,           f->way_times,
                         f->unused.items,   f->ending.items,  f->ending_key,   f->tags,          f->alarms,
                         f->carried,        f->binned};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(f);
}

/* Clocks start at 0 with the run. */
static void fluid_reset(struct flows *f, const struct flow_hooks *hooks) {
    BUG_ON(f->live > 0 || f->n_alarms > 0);
    f->hooks = *hooks;
    f->now = 0;
    f->cost = (struct flow_cost){0};
    f->metered = false;
    f->bins = 0;
    fluid_solve(f); // links that the last flows of the run before have left
    for (int l = 0; l < f->n_links; l++)
        f->links[l].since = 0;
}

static void start(struct flows *f, const int *links, int n, int64_t payload, int64_t tag) {
    BUG_ON(n < 1 || payload < 1);
    fluid_start(f, links, n, (double)payload, tag);
}

static double now(const struct flows *f) {
    return f->now;
}

/* --- timers: a binary heap -------------------------------------------------------------------- */

static bool is_before(struct fluid_alarm a, struct fluid_alarm b) {
    return a.at < b.at || (a.at == b.at && a.tag < b.tag);
}

static void set_timer(struct flows *f, double delay_s, int64_t tag) {
    const struct fluid_alarm alarm = {f->now + delay_s, tag};
    MEM_GROW(f->alarms, f->n_alarms, f->room_alarms);
    size_t at = f->n_alarms++;
    for (size_t up; at > 0 && is_before(alarm, f->alarms[up = (at - 1) / 2]); at = up)
        f->alarms[at] = f->alarms[up];
    f->alarms[at] = alarm;
}

static struct fluid_alarm take_alarm(struct flows *f) {
    struct fluid_alarm first = f->alarms[0], last = f->alarms[--f->n_alarms];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < f->n_alarms; at = child) {
        if (child + 1 < f->n_alarms && is_before(f->alarms[child + 1], f->alarms[child]))
            child++;
        if (!is_before(f->alarms[child], last))
            break;
        f->alarms[at] = f->alarms[child];
    }
    f->alarms[at] = last;
    return first;
}

/* --- instants --------------------------------------------------------------------------------- */

static int by_tag(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Calls a hook for each of the tags noted from `first` on, the smallest first. Hooks start flows, but note no tags. */
static void call_hook(struct flows *f, void (*hook)(void *context, int64_t tag), size_t first) {
    if (f->n_tags > first + 1)
        qsort(f->tags + first, f->n_tags - first, sizeof *f->tags, by_tag);
    for (size_t i = first; i < f->n_tags; i++)
        hook(f->hooks.context, f->tags[i]);
}

static void check(const struct flows *f) {
    char why[200];
    bool fair = fluid_is_fair(f, why);
    if (!fair)
        fprintf(stderr, "rates are not max-min fair: %s\n", why);
    BUG_ON(!fair);
}

/* Lets time go on to the next thing that happens. INFINITY: nothing does. */
static double next_instant(struct flows *f) {
    for (;;) {
        double first = fluid_next_end(f), bin_end = fluid_bin_end(f);
        if (f->n_alarms > 0)
            first = fmin(first, f->alarms[0].at);
        if (isinf(first) || first <= bin_end)
            return first;
        f->now = bin_end;
        fluid_next_bin(f);
    }
}

/* All that happens in an instant. Rates are what they were until its end, so that no payload is lost. */
static void play_instant(struct flows *f, double first) {
    double until = fmax(first, f->now);
    until += flow_instant(until);
    f->n_tags = 0;
    while (f->n_alarms > 0 && f->alarms[0].at <= until) {
        MEM_GROW(f->tags, f->n_tags, f->room_tags);
        f->tags[f->n_tags++] = take_alarm(f).tag;
    }
    size_t timers = f->n_tags;
    fluid_find_ending(f, until);
    f->now = until;
    f->cost.steps++;
    for (int i = 0; i < f->ending.n; i++)
        fluid_end(f, f->ending.items[i], f->ending_key[i]);
    size_t all = f->n_tags;
    f->n_tags = timers;
    call_hook(f, f->hooks.timer, 0);
    f->n_tags = all;
    call_hook(f, f->hooks.flow_done, timers);
}

static void run(struct flows *f) {
    for (;;) {
        fluid_solve(f);
        if (f->checked)
            check(f);
        double first = next_instant(f);
        if (isinf(first))
            break;
        play_instant(f, first);
    }
    BUG_ON(f->live > 0);
}

/* --- meters ----------------------------------------------------------------------------------- */

static void meter(struct flows *f) {
    f->metered = true;
    f->carried = mem_resize(f->carried, (size_t)f->n_links, sizeof *f->carried);
    memset(f->carried, 0, (size_t)f->n_links * sizeof *f->carried);
}

static double carried(const struct flows *f, int link) {
    return f->carried[link];
}

static void count_bins(struct flows *f, int bins, double width) {
    size_t n = (size_t)f->n_links * (size_t)bins;
    f->bins = bins;
    f->bin = 0;
    f->bin_width = width;
    f->binned = mem_resize(f->binned, n, sizeof *f->binned);
    memset(f->binned, 0, n * sizeof *f->binned);
}

static double bin_width(const struct flows *f) {
    return f->bin_width;
}

static double binned(const struct flows *f, int link, int bin) {
    return f->binned[(size_t)link * (size_t)f->bins + (size_t)bin];
}

static struct flow_cost cost(const struct flows *f) {
    return f->cost;
}

const struct flow_engine flow_fluid = {.name = "fluid",
                                       .open = open_flows,
                                       .close = close_flows,
                                       .link = add_link,
                                       .seal = seal,
                                       .reset = fluid_reset,
                                       .start = start,
                                       .timer = set_timer,
                                       .now = now,
                                       .run = run,
                                       .meter = meter,
                                       .carried = carried,
                                       .bins = count_bins,
                                       .bin_width = bin_width,
                                       .binned = binned,
                                       .cost = cost};
