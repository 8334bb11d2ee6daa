/* SPDX-License-Identifier: BSD-3-Clause */
/* turns.h - whom each rank serves in which order, and files that say it.
 *
 * A file has a line for each rank with its destinations, "3: 0 1 2", or a line for each round with its pairs,
 * "0>1 1>0 2>3", in which no rank sends or receives twice. A line `barriers` above the rounds says that a round begins
 * when the one before is over at all ranks. '#' begins a comment. Whoever is not named comes last.
 * Units: ranks, in a file those of an EP group.
 * Shapes: dst[start[src]] .. dst[start[src + 1] - 1] are the destinations of a sender, in its order; ranks is 1 more
 * than the largest number named.
 * Errors: RC_SYNTAX, RC_RANGE of a file's text; RC_IO.
 * Ownership: turns_free() releases.
 * Edges: a file without lines names nobody. */
#ifndef WORKLOADS_TURNS_H
#define WORKLOADS_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "platforms/base/err.h"

struct turns {
    int ranks;
    size_t *start; /* [ranks + 1] */
    int *dst;
    int *round;    /* of each destination; all 0 where a file lists destinations by rank */
    int n_rounds;
    bool barriers; /* between rounds */
};

enum rc turns_parse(const char *text, size_t n, const char *name, struct turns **turns, struct err *e);
enum rc turns_load(const char *path, struct turns **turns, struct err *e);
struct turns *turns_copy(const struct turns *t); /* NULL makes NULL */
void turns_free(struct turns *t);                /* NULL is allowed */

/* One destination of one rank, for turns_make(). */
struct turn {
    int src, dst, round;
    size_t number; /* among those of one rank in one round */
};
/* Makes turns of ranks from single ones, which it sorts. */
struct turns *turns_make(struct turn *turns, size_t n, int ranks);

#endif
