/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_data.h - the rows that one draw moves between ranks, as data.
 *
 * Shapes: matrices over ranks, in rows, dispatch direction, diagonal included (see matrix.h).
 *   one_hop  one row per (token, expert) pair, to the expert's rank                       FORMULAS.md [M1]
 *   hop_a    one row per token and distinct destination group, to the rank of that group with the
 *            sender's index; once for the domains of each tier but the outermost [tier]   [M2]
 *   hop_b    (fast tier) at the forwarder, every received row once per expert of its group, to the expert's rank  [M3]
 *   one_hop_rank, hop_b_rank  the same as one_hop and hop_b, but one row per token and distinct destination
 *            rank, whatever number of its experts are there (de-duplication per rank)     [M5]
 * Units: rows (token payloads), or bytes where unit says so.
 * Errors: none.
 * Ownership: traffic_free() of traffic.h releases a traffic and all that it points to. */
#ifndef WORKLOADS_TRAFFIC_DATA_H
#define WORKLOADS_TRAFFIC_DATA_H

#include <stdint.h>

#include "platforms/platform.h"
#include "workloads/records/matrix.h"

struct job;

enum traffic_unit { TRAFFIC_ROWS, TRAFFIC_BYTES };

struct traffic {
    int ranks;
    int experts;
    struct matrix one_hop, one_hop_rank, hop_a[TIER_MAX], hop_b, hop_b_rank;
    double *expert_load;  /* rows per expert, [experts] */
    double *rank_load;    /* rows per destination rank, local ones included, [ranks] */
    double fan_out;       /* mean distinct destination groups of a token, own group included; 0: no token */
    double max_over_mean; /* of the marginals; 1 for uniform routing, -1 without any row */
    char trace_sha256[HASH_TEXT]; /* empty when no trace was read */
    struct buf notes;     /* one line each: what was assumed or dropped */
    enum traffic_unit unit; /* of one_hop; TRAFFIC_BYTES: no tokens, a row is a byte */
    int64_t *tokens;        /* per source rank, [ranks]; NULL for TRAFFIC_BYTES */
    int64_t tokens_total;
    int64_t layer, batch;   /* which draw; layer -1: none */
    int64_t dropped_rows, suspected_rows; /* of the record's layer */
    double rho_kept;        /* rank rho_max without suspected rows; 0 when there are none */
    int64_t over_capacity;  /* rows dropped for capacity */
    struct job *job;        /* the ranks above are job ranks of it; NULL: those of the machine, in one EP group */
    struct traffic **parts; /* [job->n_groups] traffic of each EP group over its own ranks */
};

#endif
