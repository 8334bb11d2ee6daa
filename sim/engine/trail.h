/* SPDX-License-Identifier: BSD-3-Clause */
/* trail.h - why each part and each piece began when it did, and the way back from the last event
 * in words.
 *
 * Kept while a run is played. A link is busy in an exchange while its bytes and per-message costs
 * would take at full rate; its share is that over the time from its first to its last piece of the
 * exchange.
 * Units: seconds of the run's clock.
 * Source: own, FORMULAS.md [S8].
 * Errors: none. Edges: a text that is too long ends with its last whole clause.
 * Ownership: trail_clear() releases. */
#ifndef SIM_ENGINE_TRAIL_H
#define SIM_ENGINE_TRAIL_H

#include "sim/engine/messages.h"

/* What a piece or a part had waited for last: the number of a piece, from 0, that arrived or freed a slot, or one of
 * these. */
enum { CAUSE_OWN = -1, CAUSE_SENDER = -2, CAUSE_RECEIVER = -3 };

struct trail {
    const struct plan *plan;
    const struct messages *messages;
    int64_t *part_cause; /* [part] CAUSE_OWN: its own work, or the entry itself */
    int64_t *
        piece_cause; /* [piece] CAUSE_SENDER, CAUSE_RECEIVER: that one's entry; a piece: its slot */
    double *first_s, *last_s; /* [exchange * links + link] its first and last piece */
    double *busy; /* the same shape: payload and costs, scaled as in messages.h */
};

void trail_init(struct trail *t, const struct plan *plan, const struct messages *messages);
void trail_clear(struct trail *t);
void trail_reset(struct trail *t);

/* Note that a piece begins to send a payload over links, and that one has ended on its route. */
void trail_begin(struct trail *t, int exchange, const int *links, int n, int64_t payload,
                 double at_s);
void trail_end(struct trail *t, int exchange, const struct route *route, double at_s);

/* Write, in words, what led to a piece that arrived last, or to a rank's entry into an exchange. */
void trail_from_piece(const struct trail *t, int64_t piece, char text[static OUTCOME_PATH]);
void trail_from_entry(const struct trail *t, int exchange, int rank,
                      char text[static OUTCOME_PATH]);

#endif
