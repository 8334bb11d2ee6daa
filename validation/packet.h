/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - a corpus of exchanges whose finish times packet-level simulators, or a network, have given.
 *
 * Each case states a topology, a matrix by its generator or row by row, and the fluid time of the same bytes; each of
 * its results is one transport's finish times, one for each draw of its hashing.
 * Units: SI in the structs, microseconds and packets in the file. Shapes: bytes[src * ranks + dst], on the wire.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE, with file:line:column; outputs untouched on failure.
 * Edges: a corpus has at least one case, in which some rank sends.
 * Ownership: packet_load() and packet_parse() return what packet_free() releases; texts belong to the corpus. */
#ifndef VALIDATION_PACKET_H
#define VALIDATION_PACKET_H

#include "model/allowance.h"
#include "platforms/base/keys.h"

#define PACKET_SCHEMA "moesim/packet-corpus/1"

enum { PACKET_RANKS_MAX = 1024 };

enum packet_topology { PACKET_SWITCH, PACKET_LEAF_SPINE };

struct packet_simulator {
    const char *id, *source, *commit, *licence, *change;
};

struct packet_transport {
    const char *id;
    int class; /* enum transport, or PACKET_UNTUNED */
    const char *simulator, *what;
};
enum { PACKET_UNTUNED = TRANSPORT_COUNT }; /* for which nothing is claimed */

struct packet_result {
    const char *transport;
    int class; /* of the transport */
    const struct yaml_node *time_node;
    double *time_s; /* [n_times] ascending */
    size_t n_times;
    struct quantity ser_ns; /* service time of a packet; not given: packet_bytes at the link rate */
    struct quantity fluid_us; /* given with ser_ns */
    double slowed; /* that service time over packet_bytes at the link rate */
};

struct packet_case {
    const char *id, *kind;
    int topology; /* enum packet_topology */
    int64_t leaf_ranks, ranks;
    struct quantity oversubscription, rate_gbps;
    int64_t window; /* 0: all */
    int64_t seed; /* of whoever drew the matrix; for information */
    const struct yaml_node *matrix_node;
    struct quantity fluid_us, bound_us, stop_and_wait_us, rtt_us, rtt_long_us;
    struct key_list results; /* struct packet_result */
    double *bytes;
};

struct packet_corpus {
    const char *schema, *name, *description, *conditions, *origin, *licence, *taken;
    int64_t packet_bytes;
    struct key_list simulators; /* struct packet_simulator */
    struct key_list transports; /* struct packet_transport */
    struct key_list cases; /* struct packet_case */

    struct yaml_doc *doc;
};

extern const struct key packet_keys[];

/* Loads a corpus that ships with the program by name, or a file by its path. */
enum rc packet_load(const char *name_or_path, struct packet_corpus **corpus, struct err *e);
/* Reads a corpus from memory; name stands for the file in messages. */
enum rc packet_parse(const char *text, size_t n, const char *name, struct packet_corpus **corpus, struct err *e);
void packet_free(struct packet_corpus *c); /* NULL is allowed */

/* Returns the rate of a link of the case. */
double packet_rate_Bps(const struct packet_case *c);
/* Returns the mean size of the messages of a case; 0 where there are none. */
double packet_message_bytes(const struct packet_case *c);

#endif
