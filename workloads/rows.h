/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - counts the rows of tokens, sender after sender, into the matrices of traffic_data.h.
 *
 * One token at a time: which ranks and groups its experts reach, through the placement and the choice of
 * replicas; shared experts add a row. With a capacity a sender's rows of an expert
 * beyond it are dropped; with padding they are filled up to it, every padding row a row of its own in all
 * matrices.
 * Order: rows_source() for 0, 1, .., ranks - 1; tokens of the source; rows_source_end().
 * Units: rows.
 * Errors: none.
 * Ownership: rows_clear() and sent_clear() release; replicas, shared and traffic are borrowed.
 * Edges: a source without tokens has an empty row in each matrix.
 * Formulas: [M1] [M2] [M5]; hop B follows in traffic.c. */
#ifndef WORKLOADS_ROWS_H
#define WORKLOADS_ROWS_H

#include <stdint.h>

#include "platforms/platform.h"
#include "workloads/placement/placement.h"
#include "workloads/placement/replicas.h"
#include "workloads/shared.h"
#include "workloads/traffic_data.h"

/* What one sender has for others, in rows, fractions included. */
struct sent {
    double *rank_rows; /* rows per rank */
    double *rank_tokens; /* tokens that reach a rank */
    double *group_tokens[TIER_MAX]; /* tokens that reach a domain of each tier but the outermost */
};

/* Makes room for the sums of one sender, all 0; copies them times a factor; releases them. */
void sent_init(struct sent *s, const struct platform *p);
void sent_scale(const struct sent *from, const struct platform *p, double factor, struct sent *into);
void sent_clear(struct sent *s);

struct rows {
    const struct platform *platform;
    const struct placement *placement;
    struct replicas *replicas; /* borrowed */
    struct shared *shared;     /* borrowed */
    struct traffic *traffic;
    int ranks;
    int64_t capacity; /* rows per (source, expert); 0 = none */
    bool pad;

    int source;
    int64_t token;
    int64_t *chosen; /* per expert, of this source */
    int64_t *rank_rows, *rank_tokens, *group_tokens[TIER_MAX];
    int64_t *rank_seen, *group_seen[TIER_MAX]; /* number of the last token that reached it, + 1 */
    struct sent sent;
    size_t room_one_hop, room_per_rank, room_hop_a[TIER_MAX];
    int64_t over_capacity, padding;
};

/* Begins to count into the matrices of a traffic; the caller then sets replicas and shared. */
void rows_init(struct rows *r, const struct platform *p, const struct placement *placement, struct traffic *t);
void rows_clear(struct rows *r);

/* Begin a source, add one of its tokens with its n experts, and end it: its rows are then in the matrices. */
void rows_source(struct rows *r, int source);
void rows_token(struct rows *r, const int *experts, int n);
void rows_source_end(struct rows *r);

/* Appends the rows of a source to the matrices: what r->sent holds, as it is. */
void rows_append(struct rows *r, int source);

/* Makes the relayed rows of hop B [M3]; groups are domains of the tier `cut`. Rank (h, r) forwards what the ranks (g,
 * r) of all groups g send to group h; where groups differ in size, what all ranks send whose peer in group h it is. */
void rows_relay(const struct platform *p, enum tier cut, const struct matrix *direct, struct matrix *relayed);

#endif
