/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.h - what a call pays beside the wire: alpha of its collectives, splits readback, chain, latency.
 *
 * Units: seconds.
 * Errors: none; costs_known() says in words why alpha of a stage is not covered.
 * Ownership: costs are plain values; they borrow nothing.
 * Edges: all zero is the wire time; a stage without a chain, a rank without pairs and a preset of 0 s cost no chain. */
#ifndef WORKLOADS_COSTS_H
#define WORKLOADS_COSTS_H

#include "workloads/call.h"

/* The parts of a call's fixed cost: alpha of the payload's collectives, alpha of those for counts and metadata,
 * readback of sizes by the host. */
enum { FIXED_PAYLOAD, FIXED_PROTOCOL, FIXED_READBACK, FIXED_PARTS };

/* Everything a call pays beside the wire. All zero: wire time. */
struct costs {
    char name[40];                /* "known", "wire", or the treatment's name */
    double alpha_s[CALL_LAUNCHES]; /* of each launch, see costs_alpha_s() */
    double fixed_s[FIXED_PARTS];  /* over all stages; by costs_known() only */
    double latency_s[TIER_MAX];
    bool cables;                  /* latencies of a graph's links count too */
    double splits_s;
    double chain_s_per_pair;
    double chain_floor_s;         /* a chain on at least one pair takes no less */
};

/* Returns the fixed cost that a rank pays before a stage: 0 s for a round that no collective launches. */
double costs_alpha_s(const struct costs *c, const struct call *call, int stage);

/* Return the seconds of local work before a stage: the readback of splits, and the chain at a rank. */
double costs_splits_s(const struct costs *c, const struct call *call, int stage);
double costs_chain_s(const struct costs *c, const struct call *call, int stage, int rank);

/* Returns the question to the alpha tables that a stage with a launch asks; for a stage without one it means
 * nothing. */
struct alpha_ask costs_ask(const struct call *call, int stage, enum regime regime);

/* Fills in costs that are all 0: those of the wire time. */
void costs_wire(const struct call *call, struct costs *costs);

/* Fills the costs with the platform's own constants. Returns false, with the reason, when alpha of a stage is
 * not covered. answers[CALL_LAUNCHES] (may be NULL) receives the look-ups. */
bool costs_known(const struct call *call, enum regime regime, struct costs *costs,
                 struct alpha_answer *answers, char reason[static 200]);

/* Fills the costs with the platform's own constants, and alpha of its treatment of index i. */
void costs_treatment(const struct call *call, size_t i, struct costs *costs);

#endif
