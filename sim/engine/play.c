/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/play.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

static double *never(size_t n) {
    double *times = mem_alloc(n, sizeof *times);
    for (size_t i = 0; i < n; i++)
        times[i] = -1;
    return times;
}

/* Returns the number of links that are measured. */
static size_t n_links(const struct plan *p) {
    return p->times_only ? 0 : (size_t)p->topology->n_links;
}

static size_t n_paths(const struct plan *p) {
    return (size_t)p->n_calls * ENDS;
}

void play_init(struct play *play, const struct plan *p) {
    size_t at = plan_at(p, p->n, 0), events = plan_event(p, p->n, 0, 0);
    *play = (struct play){.ready_s = never(at),
                          .entered_s = never(at),
                          .released_s = never(at),
                          .sent_s = never(events),
                          .received_s = never(events),
                          .arrived_s = never(events),
                          .link_bytes = mem_alloc(n_links(p), sizeof *play->link_bytes),
                          .link_bins =
                              mem_alloc(n_links(p) * (size_t)p->link_bins, sizeof *play->link_bins),
                          .messages = mem_alloc((size_t)p->most_messages, sizeof *play->messages),
                          .paths = mem_alloc(n_paths(p), sizeof *play->paths)};
}

void play_each_array(struct play *play, const struct plan *p,
                     void (*visit)(void *context, void *data, size_t bytes), void *context) {
    size_t at = plan_at(p, p->n, 0), events = plan_event(p, p->n, 0, 0);
    visit(context, play->ready_s, at * sizeof *play->ready_s);
    visit(context, play->entered_s, at * sizeof *play->entered_s);
    visit(context, play->released_s, at * sizeof *play->released_s);
    visit(context, play->sent_s, events * sizeof *play->sent_s);
    visit(context, play->received_s, events * sizeof *play->received_s);
    visit(context, play->arrived_s, events * sizeof *play->arrived_s);
    visit(context, play->link_bytes, n_links(p) * sizeof *play->link_bytes);
    visit(context, play->link_bins, n_links(p) * (size_t)p->link_bins * sizeof *play->link_bins);
    visit(context, play->messages, (size_t)p->most_messages * sizeof *play->messages);
    visit(context, play->paths, n_paths(p) * sizeof *play->paths);
}

void play_clear(struct play *play) {
    free(play->ready_s);
    free(play->entered_s);
    free(play->released_s);
    free(play->sent_s);
    free(play->received_s);
    free(play->arrived_s);
    free(play->link_bytes);
    free(play->link_bins);
    free(play->messages);
    free(play->paths);
    *play = (struct play){0};
}
