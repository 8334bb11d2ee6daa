/* SPDX-License-Identifier: BSD-3-Clause */
/* balance.h - load balancing of experts: packing into equal bins, and replicas in the manner of EPLB.
 *
 * Packing is greedy: items by falling load (equal ones in order), each into the least loaded bin with room.
 * Replicas: one after the other to the expert with the largest load per replica.
 * Hierarchical: expert groups are packed onto nodes, replicas made per node, replicated experts packed
 * onto the ranks of the node. Global: the same with one node that holds everything.
 * Units: loads are in any unit, only their ratios matter.
 * Errors: none; what must divide is checked by the callers.
 * Ownership: borrows everything; results go to arrays of the caller.
 * Edges: equal loads keep their order; slots equal to experts make no replica.
 * Source: the description of EPLB (deepseek-ai/EPLB, MIT); its worked example is a test. */
#ifndef WORKLOADS_PLACEMENT_BALANCE_H
#define WORKLOADS_PLACEMENT_BALANCE_H

/* Packs items: fills bin[i] and place[i] (within the bin) of every item; bins divides n. */
void balance_pack(const double *load, int n, int bins, int *bin, int *place);

struct balance_ask {
    const double *load; /* [experts] */
    int experts, slots; /* slots >= experts */
    int groups, nodes; /* expert groups; nodes divides groups, slots and ranks; 1 node: global */
    int ranks; /* divides slots */
};

/* Makes replicas: fills slot_expert[slots], where rank r holds slots r * slots / ranks and up. */
void balance_replicate(const struct balance_ask *ask, int *slot_expert);

/* Spreads an amount over n bases, as water fills a pool with an uneven ground: into[i] sum to the amount, all bases
 * that get some end at one level, and no other base is below it. n >= 1; amount 0 gives zeros. */
void balance_level(const double *base, int n, double amount, double *into);

#endif
