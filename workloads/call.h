/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the question (one call: which bytes move in which stages) and the answer, whoever gives it.
 *
 * The closed form (model/), the simulator (sim/engine/) and measurements all take a struct call and fill a
 * struct outcome; they share nothing else.
 * Units: SI; bytes are doubles, expected values may be fractional.
 * Shapes: matrices over ranks as in matrix.h; link arrays over the topology's links.
 * Errors: none; a call with no pair to serve is a call of 0 bytes.
 * Ownership: a call borrows platform, topology, workload, implementation and traffic and owns its byte
 * matrices; call_clear() releases. */
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
    STRATEGY_INSIDE_FIRST,      /* inside the group by the destination's index, then across */
    STRATEGY_LEVELLED,          /* load levelled over the ranks of a group, across, scattered */
    STRATEGY_ALL_GATHER,        /* every token to every rank; back by reduce-scatter */
    STRATEGY_COUNT
};

enum phase { PHASE_DISPATCH, PHASE_COMBINE, PHASE_COUNT };
const char *phase_name(enum phase p);

/* Collectives of a call that pay a fixed cost of their own: hops, not the rounds inside one. */
enum { CALL_LAUNCHES = 4 };

/* One exchange. Serial: a rank enters a later stage when its own arrivals of the stage before are complete and
 * the local work before the exchange (splits readback, chain) is done. Pipelined: messages are cut into
 * `chunks` equal pieces, and piece c of a later stage waits for the pieces c of the arrivals before. */
struct stage {
    const char *name;    /* "one_hop"; "hop_a", "hop_b", "hop_c"; "gather", "exchange", "scatter". Stages of
                            one name that follow one another are the rounds of one exchange */
    int launch;          /* which of the call's collectives launches it; -1: runs on from the round before */
    struct matrix bytes; /* diagonal = local, never on a link */
    double unit_bytes;   /* a pair pays the per-message cost once per unit_bytes begun; 0: once */
    int world;           /* ranks of its collective */
    enum tier inside;    /* payload stays inside the domains of this tier, whose rate the closed form charges */
    int index;           /* and goes between equal indices in domains of this one; -1: between any */
    int peers;           /* ranks that a rank sends to under these rules, itself included */
    bool barrier;        /* a round that no rank begins before the one before is over at all of them */
    bool permutation;    /* a round in which a rank sends to one rank only; peers counts the two */
    enum tier span;      /* widest tier that the collective reaches */
    int collectives;     /* issued for it, payload included; each costs alpha */
    bool splits;         /* pays the splits readback before it */
    double *pairs;       /* (row, slot) pairs charged by the chain before it, per rank; NULL: no chain */
    struct turns *turns; /* whom each rank serves in which order (turns.h); NULL: as the order's name says */
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
    int n_stages, n_launches;
    struct stage *stages; /* [n_stages] */
};

/* Fills in what one EP group of the call sees of its platform, constants as the call has them; the first one, where
 * they differ. It borrows from call and traffic. */
void call_seen(const struct call *call, struct platform *seen);

/* Appends a stage of that name, launched by a collective of its own, or a round that runs on from the stage before, and
 * returns it; it stays where it is until the next one is appended. The caller fills it. */
struct stage *call_add_stage(struct call *call, const char *name);
struct stage *call_add_round(struct call *call, const char *name);
/* Returns whether a stage is a later round of the exchange before it; false for a stage that the call does not have.
 * */
bool call_is_round(const struct call *call, int stage);
/* Copies a call with stages of its own. */
void call_copy(const struct call *from, struct call *to);
void call_clear(struct call *call);

/* Finds the route of a message under the implementation's path. */
void call_route(const struct call *call, int src, int dst, struct route *route);
/* Returns the way of that message, to look at; `route` is room for it where no table holds it. */
static inline struct way call_way(const struct call *call, int src, int dst, struct route *route) {
    int path = call->implementation->intra_group_path;
    return route_way(call->topology, (enum topo_path)path, src, dst, call->path_seed, route);
}

/* Returns the per-message cost on a tier: the implementation's, else the platform's; one that was set goes first. */
double call_message_cost_s(const struct call *call, enum tier tier);

/* Returns how often a message of this many bytes pays the per-message cost in a stage; a pipelined one at least once
 * per piece. */
static inline double call_message_units(const struct call *call, int stage, double bytes) {
    double unit_bytes = call->stages[stage].unit_bytes;
    // 1e-9: expected rows are sums of rounded numbers
    double units = unit_bytes > 0 ? ceil(bytes / unit_bytes * (1 - 1e-9)) : 1;
    return units > call->chunks ? units : call->chunks;
}

/* Returns the rate of a tier per rank as the library reaches it. */
double call_bandwidth_Bps(const struct call *call, enum tier tier);

/* Fills bytes and messages of a stage on each tier (diagonal excluded; a zero-byte pair sends no message). */
void call_tier_traffic(const struct call *call, int stage, double bytes[static TIER_MAX],
                       double messages[static TIER_MAX]);

/* The load of a stage on links and tiers, filled in one pass by call_load(). Arrays (NULL: not asked for) are added
 * to, per link: bytes, seconds of port time (bytes /
 * capacity, plus the per-message cost on egress ports), and those by the tier of their messages. FORMULAS.md [B1] */
struct call_load {
    double *bytes, *busy_s;
    double *of_tier_s; /* [link * TIER_MAX + tier] */
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX]; /* of the stage */
};
void call_load(const struct call *call, int stage, struct call_load *load);

/* Adds the load of a stage on the links only: bytes and port time, as in struct call_load. */
void call_link_load(const struct call *call, int stage, double *bytes, double *busy_s);

#endif
