/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.h - what a model, a simulation or a measurement says about one call.
 *
 * Units: SI. Times count from begin_s, which is 0 for a single call.
 * Shapes: arrays over ranks and over the topology's links.
 * Errors: none. Edges: a zeroed outcome is empty.
 * Ownership: outcome_clear() releases the arrays. */
#ifndef WORKLOADS_OUTCOME_H
#define WORKLOADS_OUTCOME_H

#include <stddef.h>
#include <stdint.h>

enum { OUTCOME_STAGES = 8, OUTCOME_PATH = 400 };

struct outcome_stage {
    const char *name; /* hop_a, splits, chain, hop_b; alpha is inside its hop */
    double start_s;   /* first rank starts */
    double end_s;     /* last rank ends */
    double bytes;     /* on links, diagonal excluded */
    double messages;
    double rho_out, rho_in; /* busiest rank over mean rank of its bytes; 0: the engine does not say */
};

struct outcome_message {
    const char *stage; /* name of its stage */
    int src, dst;
    int tier; /* the widest that it uses */
    double bytes, start_s, end_s; /* start: it leaves the sender; end: it arrives */
};

struct outcome {
    double time_s;
    int n_stages;
    struct outcome_stage stages[OUTCOME_STAGES];
    /* what only a simulation has; NULL or 0 otherwise */
    double *send_end_s; /* per rank: last byte out */
    double *recv_end_s; /* per rank: last byte in */
    double *link_bytes; /* per link: delivered; NULL where links were not measured */
    double begin_s;     /* in a sequence: where this call's clock starts, its first rank being free for it */
    double from_last_s; /* from the entry of the last rank to the end */
    double fairness;    /* (sum x)^2 / (n sum x^2), x = recv_end_s of the n ranks that receive; 1: all end
                           together. FORMULAS.md [S8] */
    char critical_path[OUTCOME_PATH]; /* which rank ended last and what it waited for, in words */
    int link_bins;                    /* payload over time, when asked for; equal bins, the last ones may be empty */
    double link_bins_start_s, link_bin_s;
    double *link_bin_bytes; /* [link * link_bins + bin] */
    struct outcome_message *messages; /* the largest ones first, when asked for */
    size_t n_messages;
    double left_messages, left_bytes; /* messages that are not in the list, and their bytes */
    int run; /* cases with the same number share a run, whose cost they all state */
    const char *engine; /* that shared the links out: "simgrid", "fluid"; NULL: none did */
    uint64_t flows;
    uint64_t events;
    uint64_t levels;      /* of links, computed on the way; 0: the engine does not say */
    double wall_s, cpu_s; /* of the simulation itself */
    double peak_rss_bytes;
};

/* Releases the arrays of an outcome and empties it. */
void outcome_clear(struct outcome *o);

#endif
