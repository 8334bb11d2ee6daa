/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the question (one call: which bytes move in which stages) and the answer, whoever gives it.
 *
 * The closed form (model/), the simulator (sim/engine/) and measurements all take a struct call and fill a
 * struct outcome; they share nothing else.
 * Units: SI; bytes are doubles, expected values may be fractional.
 * Shapes: matrices over ranks as in matrix.h; link arrays over the topology's links.
 * Ownership: a call borrows platform, topology, workload, implementation and traffic and owns its byte
 * matrices; call_clear() releases. outcome_clear() releases an outcome's arrays. */
#ifndef WORKLOADS_CALL_H
#define WORKLOADS_CALL_H

#include <math.h>

#include "platforms/alpha.h"
#include "platforms/route_table.h"
#include "workloads/implementation.h"
#include "workloads/outcome.h"
#include "workloads/traffic.h"

enum strategy {
    STRATEGY_ONE_HOP,
    STRATEGY_TWO_HOP,           /* hop A between groups, hop B inside; as the implementation's hops say */
    STRATEGY_TWO_HOP_PIPELINED, /* the same, pipelined whatever the implementation says */
    STRATEGY_THREE_HOP,         /* hop A between the domains of the cut, hop B between groups inside one, hop C */
    STRATEGY_GATHER_FIRST,      /* gather inside the group, exchange between groups, scatter */
    STRATEGY_COUNT
};
const char *strategy_name(enum strategy s); /* "one-hop", .. */

enum phase { PHASE_DISPATCH, PHASE_COMBINE, PHASE_COUNT };
const char *phase_name(enum phase p);

enum { CALL_STAGES = 3 };

/* One exchange. Serial: a rank enters a later stage when its own arrivals of the stage before are complete and
 * the local work before the exchange (splits readback, chain) is done. Pipelined: messages are cut into
 * `chunks` equal pieces, and piece c of a later stage waits for the pieces c of the arrivals before. */
struct stage {
    const char *name;    /* "one_hop"; "hop_a", "hop_b", "hop_c"; "gather", "exchange", "scatter" */
    struct matrix bytes; /* diagonal = local, never on a link */
    double unit_bytes;   /* a pair pays the per-message cost once per unit_bytes begun; 0: once */
    int world;           /* ranks of its collective */
    enum tier inside;    /* payload stays inside the domains of this tier, whose rate the closed form charges */
    int index;           /* and goes between equal indices in domains of this one; -1: between any */
    int peers;           /* ranks that a rank sends to under these rules, itself included */
    enum tier span;      /* widest tier that the collective reaches */
    int collectives;     /* issued for it, payload included; each costs alpha */
    bool splits;         /* pays the splits readback before it */
    double *pairs;       /* (row, slot) pairs charged by the chain before it, per rank; NULL: no chain */
};

struct call {
    const struct platform *platform;
    const struct topology *topology;
    const struct workload *workload;
    const struct implementation *implementation;
    const struct traffic *traffic;
    enum strategy strategy;
    enum phase phase;
    enum tier cut;            /* its domains are the groups of the strategy */
    enum dedup one_hop_dedup; /* of a one-hop call */
    double row_bytes;
    bool pipelined;           /* a forwarder sends on pieces while more arrives */
    int chunks;               /* pieces of every message; 1 also where the largest fits one chunk */
    const double *enter_s;    /* when each rank enters the call; NULL: all at 0. Borrowed */
    uint64_t order_seed, path_seed; /* of ORDER_RANDOM; of hashed paths */
    int n_stages;
    struct stage stages[CALL_STAGES];
};

/* Whether a platform has the tiers that a strategy cuts at. RC_RANGE */
enum rc call_check(const struct platform *p, const struct implementation *m, enum strategy strategy,
                   struct err *e);

void call_build(const struct topology *topology, const struct workload *w,
                const struct implementation *implementation, const struct traffic *traffic,
                enum strategy strategy, enum phase phase, struct call *call);
void call_clear(struct call *call);

/* Route of a message under the implementation's path. */
void call_route(const struct call *call, int src, int dst, struct route *route);
/* The same to look at; `route` is room for it. */
static inline struct way call_way(const struct call *call, int src, int dst, struct route *route) {
    int path = call->implementation->intra_group_path;
    return route_way(call->topology, (enum topo_path)path, src, dst, call->path_seed, route);
}

/* Per-message cost on a tier: the implementation's, otherwise the platform's. */
double call_message_cost_s(const struct call *call, enum tier tier);

/* How often a message of this many bytes pays it in a stage; a pipelined one at least once per piece. */
static inline double call_message_units(const struct call *call, int stage, double bytes) {
    double unit_bytes = call->stages[stage].unit_bytes;
    // 1e-9: expected rows are sums of rounded numbers
    double units = unit_bytes > 0 ? ceil(bytes / unit_bytes * (1 - 1e-9)) : 1;
    return units > call->chunks ? units : call->chunks;
}

/* Rate of a tier per rank as the library reaches it. */
double call_bandwidth_Bps(const struct call *call, enum tier tier);

/* Bytes and messages of a stage on each tier (diagonal excluded; a zero-byte pair sends no message). */
void call_tier_traffic(const struct call *call, int stage, double bytes[static TIER_MAX],
                       double messages[static TIER_MAX]);

/* All of that in one pass. Arrays (NULL: not asked for) are added to, per link: bytes, seconds of port time (bytes /
 * capacity, plus the per-message cost on egress ports), and those by the tier of their messages. FORMULAS.md [B1] */
struct call_load {
    double *bytes, *busy_s;
    double *of_tier_s; /* [link * TIER_MAX + tier] */
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX]; /* of the stage */
};
void call_load(const struct call *call, int stage, struct call_load *load);

/* The links only. */
void call_link_load(const struct call *call, int stage, double *bytes, double *busy_s);

/* --- fixed costs ---------------------------------------------------------------------------- */

/* Of a call's fixed cost: the payload's collectives, those of counts and metadata, readback of sizes by the host. */
enum { FIXED_PAYLOAD, FIXED_PROTOCOL, FIXED_READBACK, FIXED_PARTS };

/* Everything a call pays beside the wire. All zero: wire time. */
struct costs {
    char name[40];                /* "known", "wire", or the treatment's name */
    double alpha_s[CALL_STAGES];
    double fixed_s[FIXED_PARTS];  /* over all stages; by costs_known() only */
    double latency_s[TIER_MAX];
    bool cables;                  /* latencies of a graph's links count too */
    double splits_s;
    double chain_s_per_pair;
    double chain_floor_s;         /* a chain on at least one pair takes no less */
};

/* Seconds of local work (splits and chain) before a stage at a rank. */
double costs_splits_s(const struct costs *c, const struct call *call, int stage);
double costs_chain_s(const struct costs *c, const struct call *call, int stage, int rank);

void costs_wire(const struct call *call, struct costs *costs);

/* Fills the costs with the platform's own constants. Returns false, with the reason, when alpha of a stage is
 * not covered. answers[CALL_STAGES] (may be NULL) receives the look-ups. */
bool costs_known(const struct call *call, enum regime regime, struct costs *costs,
                 struct alpha_answer *answers, char reason[static 200]);

/* The same with alpha of treatment i of the platform. */
void costs_treatment(const struct call *call, size_t i, struct costs *costs);

#endif
