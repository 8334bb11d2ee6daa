/* SPDX-License-Identifier: BSD-3-Clause */
/* implementation.h - how a library runs a call: what belongs to the software, not to the machine.
 *
 * Units: SI. Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE.
 * Ownership: implementation_load() returns what implementation_free() releases. */
#ifndef WORKLOADS_IMPLEMENTATION_H
#define WORKLOADS_IMPLEMENTATION_H

#include "platforms/topology.h"
#include "workloads/turns.h"

#define IMPLEMENTATION_SCHEMA "moesim/implementation/1"

enum order { ORDER_GROUP_SHIFT, ORDER_SHIFT, ORDER_XOR, ORDER_RANDOM, ORDER_FARTHEST, ORDER_ROUNDS,
             ORDER_FILE };
enum start { START_RENDEZVOUS, START_ONE_SIDED };
enum chain_preset { CHAIN_NONE, CHAIN_V1, CHAIN_MEASURED, CHAIN_FUSED, CHAIN_PRESETS };
enum dedup { DEDUP_NONE, DEDUP_RANK, DEDUP_GROUP };
enum message_unit { UNIT_PEER, UNIT_ROW, UNIT_CHUNK };
enum hops { HOPS_SERIAL, HOPS_PIPELINED };
enum reduce { REDUCE_NONE, REDUCE_EXPERT_RANK, REDUCE_FORWARDER };
enum row_format { ROW_DTYPE, ROW_FP8_SCALES, ROW_BF16 };
enum alpha_calls { ALPHA_PER_HOP, ALPHA_FUSED };
/* How an all-gather (and the reduce-scatter on the way back) goes: straight to every rank, round a ring of all, or
 * round rings between the groups and then inside them. */
enum gather_by { GATHER_DIRECT, GATHER_RING, GATHER_TWO_RINGS };
enum communicator { COMMUNICATOR_GROUPS, COMMUNICATOR_EP };

/* Which rows travel: one per (token, expert), per (token, rank), or per (token, group). */
struct dedup_keys {
    int one_hop, hop_a, hop_b; /* enum dedup */
};

struct chain_keys {
    int preset;              /* enum chain_preset */
    struct quantity floor_s; /* smallest time of one chain; not given: none */
};

/* Bytes of one row: format plus header. FORMULAS.md [M6] */
struct row_keys {
    int format; /* enum row_format */
    struct quantity header_bytes;
};

/* Collectives issued per hop, payload included; each costs alpha. FORMULAS.md [P1] */
struct collective_keys {
    int64_t one_hop, hop_a, hop_b;
    int hop_a_communicator; /* enum communicator: whose alpha hop A pays */
};

struct tier_factors {
    struct quantity fast, slow;
};

struct implementation {
    const char *schema;
    const char *name;
    const char *description;
    struct dedup_keys dedup;
    int message;              /* enum message_unit: what pays the per-message cost */
    struct quantity chunk_bytes; /* message: chunk, and hops: pipelined */
    int64_t chunks;           /* pieces of a pipelined message; 0: from chunk_bytes */
    int hops;                 /* enum hops */
    const char *cut;          /* tier whose domains are the groups; NULL: fast. Of three hops the outer cut */
    int all_gather;           /* enum gather_by */
    int reduce;               /* enum reduce: where combine adds up rows */
    struct row_keys dispatch_row, combine_row;
    int order;                /* enum order */
    const char *order_file;   /* of ORDER_FILE */
    int64_t window;           /* messages in flight per sender and stage; 0 = all */
    int64_t receive_window;   /* the same per receiver */
    int start;                /* enum start */
    int alpha_calls;          /* enum alpha_calls: whether every hop pays alpha, or one launch for all of them */
    struct collective_keys collectives;
    struct chain_keys chain;
    struct tier_factors efficiency;   /* reached share of a tier's rate, 0 < x <= 1 */
    struct tier_factors message_cost_s; /* given: instead of the platform's per-message cost */
    int intra_group_path;     /* enum topo_path */

    struct turns *turns; /* of order_file; NULL: none */
    struct yaml_doc *doc;
};

extern const struct key implementation_keys[];

enum rc implementation_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                            struct implementation **implementation, struct err *e);
void implementation_free(struct implementation *m); /* NULL is allowed */

/* Gives a topology the rates that a library reaches, and the platform's degraded and background links: topo_apply().
 * NULL: all of them. */
enum rc implementation_apply(const struct implementation *how, struct topology *t, struct err *e);

/* Share of a tier's rate that a library reaches; NULL: all of it. */
double implementation_reached(const struct implementation *how, const struct plat_tier *tier);

/* Names of the choices above, as the file writes them. */
const char *order_name(int order);
const char *dedup_name(int dedup);
const char *reduce_name(int reduce);
const char *hops_name(int hops);
const char *path_name(int path);
const char *start_name(int start);

/* A chain preset: seconds per (row, slot) pair at the forwarder. FORMULAS.md [F6] */
struct chain_constant {
    const char *name;
    double s_per_pair;
    enum status status;
    const char *source;
    const char *on; /* the machine that it was measured on, or NULL */
};
const struct chain_constant *chain_constant(enum chain_preset preset);

/* Returns how a constant of an implementation is known on a platform: one that was measured or fitted is borrowed on a
 * machine that its `on` does not name. A name stands for itself and for what continues it after a dash. */
enum status implementation_status(const struct quantity *q, const struct platform *p);
enum status chain_status(const struct chain_constant *chain, const struct platform *p); /* of a preset, likewise */

#endif
