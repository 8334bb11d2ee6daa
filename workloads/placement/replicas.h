/* SPDX-License-Identifier: BSD-3-Clause */
/* replicas.h - which replica of an expert takes a row: shares per source rank, and rows dealt out by them.
 *
 * Choices  [M17]
 *   in-turn         every replica the same share, row after row, the first one shifted by the source
 *   nearest         the replica on the source's own rank; without one, those of its group in equal shares; without
 *                   one there, those of the next wider domain, at last all
 *   by-source-rank  replica number (source mod replicas), in the order of their ranks
 *   random          every replica the same chance, drawn with the seed
 *   weighted        shares that level the ranks: they minimise the sum of the squared rank loads,
 *                   hence the load of the busiest rank
 * cap: no replica takes a larger share of a source's rows of an expert than this (or than 1 / replicas, where
 * that is more); the rest goes to the next nearest replicas.
 * Shapes: share[h] belongs to placement->home[h]; the shares of an expert sum to 1.
 * Units: shares in 0..1.  Errors: none.
 * Ownership: borrows placement and platform; replicas_free() releases.
 * Edges: an expert with one home has all its rows there; cap 0 is no cap; two replicas on one rank count as two,
 * except under `weighted`, where the first one of a rank stands for all of them. */
#ifndef WORKLOADS_PLACEMENT_REPLICAS_H
#define WORKLOADS_PLACEMENT_REPLICAS_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/platform.h"
#include "workloads/placement/placement.h"

enum replica_choice { REPLICA_IN_TURN, REPLICA_NEAREST, REPLICA_BY_SOURCE_RANK, REPLICA_RANDOM, REPLICA_WEIGHTED };

struct replicas_ask {
    const struct placement *placement;
    const struct platform *platform;
    enum replica_choice choice;
    double cap;         /* 0: none */
    const double *load; /* [experts], any multiple: weighted */
    uint64_t seed;      /* random */
};

struct replicas;
/* Returns the choice of replicas; the source is 0 until replicas_source() is called. */
struct replicas *replicas_build(const struct replicas_ask *ask);
void replicas_free(struct replicas *r); /* NULL is allowed */

/* Appends one line that says what the choice does; nothing when no expert has two homes. */
void replicas_note(const struct replicas *r, struct buf *notes);

/* Returns whether all sources have the same shares. */
bool replicas_same(const struct replicas *r);

/* Makes a source the current one: works out its shares, with none of its rows dealt out yet. */
void replicas_source(struct replicas *r, int source);

/* Returns the shares of the current source, [slots]. */
const double *replicas_shares(const struct replicas *r);

/* Returns the rank that takes row number `row` (from 0) of the current source for an expert. */
int replicas_take(struct replicas *r, int expert, int64_t row);

/* Adds up the rows of the current source at each rank, into[ranks]. */
void replicas_load(const struct replicas *r, const double *expert_load, double *into);

#endif
