/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_follow.h - the latest end that messages on one link force, with what must follow the last of them. [B4]
 *
 * Units: seconds. Errors: none. Ownership: follow_clear() releases; a zeroed struct is empty.
 * Edges: without messages the end is 0.
 * Cost: n log n for n messages, however many moments they are released at. */
#ifndef MODEL_BOUND_FOLLOW_H
#define MODEL_BOUND_FOLLOW_H

#include <stddef.h>

/* A message on one of its links, and what must still follow once its last byte is off. */
struct follow {
    double release_s;
    double load_s;
    double after_s;
};

/* Working memory of follow_end_s(), kept from one link to the next. */
struct follow_room {
    double *moments; /* distinct releases, rising */
    double *most_s, *added_s; /* of each node of a tree over them */
    size_t room;
    size_t visits; /* nodes visited so far: what the search costs, for tests */
};
void follow_clear(struct follow_room *room);

/* Returns the bound [B4] of one link: the maximum over t and u of t + u + the load of the messages that are released at
 * t or later and have an after_s of u or more; t and u are taken from messages of the list. items[n] is sorted, the
 * longest after_s first. */
double follow_end_s(struct follow_room *room, const struct follow *items, size_t n);

#endif
