/* SPDX-License-Identifier: BSD-3-Clause */
/* play.h - what one run of a plan showed.
 *
 * Units: seconds from the moment when the ranks that enter the call first have paid alpha of the
 * first exchange. A time is -1 where a rank has no such event.
 * Shapes: plan_at() and plan_event() of plan.h.
 * Errors: none. Edges: arrays that the plan does not ask for have 0 entries.
 * Ownership: play_clear() releases. */
#ifndef SIM_ENGINE_PLAY_H
#define SIM_ENGINE_PLAY_H

#include "sim/engine/plan.h"

/* Events that can end a call: a last arrival on each trip, or the last rank's entry into its last exchange. */
enum { END_ENTRY = TRIPS, ENDS };

/* When a message left its sender, and when its last byte was off the last link, latency not included. */
struct play_message {
    int exchange, src, dst, trip;
    double bytes, begin_s, end_s;
};

struct play {
    double *ready_s; /* [exchange, rank] all that piece 0 waits for is there */
    double *entered_s; /* [exchange, rank] piece 0 is released: alpha is paid */
    double *released_s; /* [exchange, rank] the last piece is released */
    double *sent_s; /* [exchange, trip, rank] last byte out */
    double
        *received_s; /* [exchange, trip, rank] last byte off the last link, latency not included */
    double *arrived_s; /* [exchange, trip, rank] the same with the latency of cables */
    double *link_bytes; /* [link], unless plan.times_only: integral of the rate, per-message costs taken off */
    double *link_bins; /* [link * plan.link_bins + bin] the same over time */
    double bin_s;
    struct play_message *messages; /* [plan.most_messages] the largest first */
    uint64_t n_messages;           /* of messages[] */
    double left_messages, left_bytes; /* messages that are not in the list, and their bytes */
    char (*paths)
        [OUTCOME_PATH]; /* [call * ENDS + end] what led to that event, in words; empty: there was none */
    uint64_t flows, events, levels;
    double wall_s, cpu_s, peak_rss_bytes;
};

void play_init(struct play *play, const struct plan *plan);
void play_clear(struct play *play);

/* Calls visit for each array of a play, one after the other. */
void play_each_array(struct play *play, const struct plan *plan,
                     void (*visit)(void *context, void *data, size_t bytes), void *context);

#endif
