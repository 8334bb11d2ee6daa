/* SPDX-License-Identifier: BSD-3-Clause */
/* placement.h - which rank holds which expert, replicas included.
 *
 * Shapes: rank r holds slots slot_start[r] .. slot_start[r + 1] - 1, slot s holds expert slot_expert[s];
 * the ranks of expert e are home[home_start[e]] .. home[home_start[e + 1] - 1], rising, a rank once per
 * replica on it.
 * Kinds: contiguous (blocks, in order), round-robin (expert e on rank e mod EP), lpt (equal numbers, the
 * heaviest first onto the least loaded rank with room), eplb (replicas, see balance.h), file.
 * Replicas: which one takes a row is said in replicas.h.
 * Units: loads are in any unit, only their ratios matter.
 * Errors: RC_SHAPE (experts do not divide and no policy is given, an expert without a home), RC_RANGE (an
 * id that does not exist), and those of the readers.
 * Ownership: placement_free() releases.
 * Edges: a rank may hold no expert; load NULL counts all experts alike. */
#ifndef WORKLOADS_PLACEMENT_PLACEMENT_H
#define WORKLOADS_PLACEMENT_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/mem.h"

enum placement_kind {
    PLACEMENT_CONTIGUOUS,
    PLACEMENT_ROUND_ROBIN,
    PLACEMENT_LPT,
    PLACEMENT_EPLB,
    PLACEMENT_FILE
};

/* Where the rest goes when the experts do not divide by the ranks. */
enum remainder {
    REMAINDER_REFUSE,
    REMAINDER_FIRST, /* the first E mod EP ranks hold one more */
    REMAINDER_LAST, /* the last rank holds the rest too */
    REMAINDER_PAD /* ceil(E / EP) each, the last ranks have fewer or none */
};

enum packing { PACKING_AUTO, PACKING_HIERARCHICAL, PACKING_GLOBAL };

struct placement {
    int ranks, experts, slots;
    int *slot_start; /* [ranks + 1] */
    int *slot_expert; /* [slots] */
    int *home_start; /* [experts + 1] */
    int *home; /* [slots] */
    bool blocks; /* contiguous, without replicas */
    struct buf notes; /* one line each */
};

struct placement_ask {
    int kind; /* enum placement_kind */
    int remainder; /* enum remainder */
    int packing; /* enum packing: eplb */
    int ranks, experts;
    int groups; /* eplb: of ranks, all of one size; 0: they differ */
    int slots; /* eplb: physical experts in all, 0 = experts rounded up to a multiple of the ranks */
    int routing_groups; /* eplb: expert groups kept together in the hierarchical packing; 0 = groups */
    const double *load; /* [experts]: lpt and eplb; NULL = all the same */
    const char *path; /* file */
    int64_t layer; /* file: layer to take, -1 = its first */
};

void placement_free(struct placement *p); /* NULL is allowed */

/* Makes a placement of slots; slot_start[ranks + 1] and slot_expert are copied. Checks ids and homes, notes
 * replicas on one rank. name stands for the origin in messages. */
enum rc placement_of_slots(const struct placement_ask *ask, const int *slot_start,
                           const int *slot_expert, const char *name, struct placement **placement,
                           struct err *e);

/* Returns the number of replicas of an expert, at least 1. */
int placement_replicas(const struct placement *p, int expert);

/* Fills the load of each rank when every expert's load is split evenly over its replicas; into[ranks]. */
void placement_load(const struct placement *p, const double *expert_load, double *into);

/* Returns the rank of an expert when the first E mod EP ranks hold one more: the blocks that rho_max at an EP speaks
 * of. */
int placement_block(int experts, int ranks, int expert);

#endif
