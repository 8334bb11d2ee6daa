/* SPDX-License-Identifier: BSD-3-Clause */
/* build.h - what the strategies share when they build the stages of a call.
 *
 * Units: rows as in matrix.h; a stage holds bytes. Errors: none; call_check() has looked at the strategy.
 * Ownership: a stage belongs to its call. */
#ifndef WORKLOADS_BUILD_H
#define WORKLOADS_BUILD_H

#include "workloads/call.h"

/* Appends a stage that moves these rows (dispatch direction; combine transposes them) and pays the per-message cost as
 * the implementation says. Empties the matrix. */
struct stage *build_stage(struct call *call, const char *name, struct matrix *rows);
/* Appends a round that runs on from the stage before, otherwise as above. */
struct stage *build_round(struct call *call, const char *name, struct matrix *rows);

/* Says who takes part in the collective that launches a stage. On the way back counts and metadata are known: only the
 * payload's collective is issued. */
void build_collective(const struct call *call, struct stage *stage, int world, enum tier span, int64_t collectives);

/* Says which ranks of which tier's domains a stage joins, for the closed form. */
void build_reach(struct stage *stage, enum tier inside, int index);

/* Returns which rows travel: on the way out as de-duplicated; on the way back by where they are added up. */
enum dedup build_dedup(const struct call *call, enum dedup on_the_way_out, enum dedup at_forwarder);

/* Charges the arrival chain before a stage with what each rank sends in it, in (row, slot) pairs; takes the matrix of
 * pairs. Nothing on the way back. */
void build_chain(struct call *call, struct stage *stage, struct matrix *pairs);

/* Returns the number of pieces that the messages of a pipelined call are cut into, by the largest one of its first
 * stage; 1 of a serial call. */
int build_chunks(const struct call *call);

/* Fills the stages of a job's call from those of its EP groups, parts[n_groups]. */
void build_united(const struct call *parts, struct call *all);

/* Gives a finished call's stages what its order needs: turns made from their matrices; rounds of a file that has
 * barriers become stages. */
void build_orders(struct call *call);

/* Append the stages of a strategy. */
void build_one_hop(struct call *call);
void build_hops(struct call *call); /* two hops; three: between the cut's domains, inside one between groups, inside */
void build_gather_first(struct call *call);
void build_all_gather(struct call *call);
void build_inside_first(struct call *call);
void build_levelled(struct call *call);

#endif
