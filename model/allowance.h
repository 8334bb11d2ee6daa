/* SPDX-License-Identifier: BSD-3-Clause */
/* allowance.h - what packet transports add to a fluid wire time, as far as simulations of packets support it.
 *
 *     lo = load bound + rtt        hi = (wire + rtt) (1 + m e) + m k rtt
 *
 * e and k belong to a transport and to a kind of topology, are fitted on the rows of the packet corpus and refitted by
 * gate `packet-allowance`; m = ALLOWANCE_MARGIN doubles what was seen. FORMULAS.md [A1]
 * Units: SI. Errors: none; where the corpus supports nothing there is no claim, and `basis` says why.
 * Edges: without bytes there is no claim; without a stated round trip that of the corpus' longest path is taken for hi
 * and none for lo. Ownership: borrows everything. */
#ifndef MODEL_ALLOWANCE_H
#define MODEL_ALLOWANCE_H

#include "workloads/call.h"

/* What kind of topology the bytes pass: one switch, a tree as wide above as below, a tree that is narrower above. */
enum allowance_class { ALLOWANCE_SWITCH, ALLOWANCE_FULL, ALLOWANCE_OVERSUBSCRIBED, ALLOWANCE_CLASSES };
enum { ALLOWANCE_NO_CLASS = -1 }; /* a kind of topology that was not simulated by packets */
const char *allowance_class_name(enum allowance_class c); /* "one switch", "a 1:1 tree", .. */

/* With fewer cases nothing is claimed. ALLOWANCE_MARGIN is m of the formula. */
enum { ALLOWANCE_LEAST_CASES = 4, ALLOWANCE_MARGIN = 2 };

/* A claim for transports that drop packets needs messages of at least so many bandwidth-delay products. */
#define ALLOWANCE_DROPS_BDP 5.0
/* The longest round trip of the packet corpus. */
#define ALLOWANCE_RTT_S 4.50944e-6
/* Where the wire time is above its bound by this factor or more, windows and order decide it, and it bounds nothing. */
#define ALLOWANCE_SLACK 1.001

struct allowance_fit {
    double e, k;
    double least_bdp; /* smallest messages among its rows */
    int cases, rows;
};
/* The committed constants, fitted on the packet corpus; gate `packet-allowance` compares them with a new fit. */
extern const struct allowance_fit allowance_fits[TRANSPORT_COUNT][ALLOWANCE_CLASSES];

struct allowance_ask {
    int transport; /* enum transport; below 0: not stated */
    int class; /* enum allowance_class, or ALLOWANCE_NO_CLASS */
    double wire_s, bound_s; /* bound_s: with acknowledgements, where they are stated */
    double rtt_short_s, rtt_s; /* on the shortest and on the longest way; 0: not stated */
    double message_bytes, rate_Bps; /* mean message, rate of a port */
    int64_t window; /* 0: all */
};

struct allowance {
    bool claimed;
    double lo_s, hi_s;
    char basis[320];
};

/* Fills in the claim for one wire time, or why there is none. */
void allowance_find(const struct allowance_ask *ask, struct allowance *a);

/* What is known of a call: wire time, its bound, and what each tier carries over all stages. */
struct allowance_call {
    double wire_s, bound_s;
    double tier_bytes[TIER_MAX], tier_messages[TIER_MAX];
};
/* Fills in the claim for a call: that of the widest tier that its bytes use. */
void allowance_of_call(const struct call *call, const struct allowance_call *known, struct allowance *a);
/* Returns the transport that the widest tier used states, NULL where it states none or nothing is sent. */
const char *allowance_transport(const struct call *call, const struct allowance_call *known);

/* Returns the largest load of a link in seconds, acknowledgements of `ack_share` of each tier on the reverse ways
 * included: exact on one switch. FORMULAS.md [A2] */
double allowance_bound_s(const struct call *call);

/* Returns the high end, hi of the formula, under the given constants instead of the committed ones. */
double allowance_high_s(const struct allowance_fit *fit, double wire_s, double rtt_s);

#endif
