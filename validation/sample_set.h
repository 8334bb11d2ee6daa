/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_set.h - timed runs of a real machine in memory: what was timed, where, how long it took.
 *
 * Units: SI; sizes are bytes, as doubles.
 * Shapes: items[n] in the order in which they were taken.
 * Errors: RC_RANGE (a machine of too many ranks), RC_SHAPE (sets of different machines).
 * Ownership: samples_free() releases all, texts too.
 * Edges: a time of 0 is kept (a simulator computes in no time); samples_free() takes NULL. */
#ifndef VALIDATION_SAMPLE_SET_H
#define VALIDATION_SAMPLE_SET_H

#include "platforms/alpha.h"
#include "platforms/base/keys.h"

enum { SAMPLES_RANKS = 1 << 20 }; /* of one machine, at most */

enum sampled { /* what was timed */
    SAMPLED_CALL_SCAN,
    SAMPLED_ALLTOALL,
    SAMPLED_ALLTOALLV,
    SAMPLED_PING_PONG,
    SAMPLED_PAIRS,
    SAMPLED_MESSAGES,
    SAMPLED_SPREAD,
    SAMPLED_INCAST,
    SAMPLED_REPLAY,
    SAMPLED_TWO_HOP,
    SAMPLED_SPLITS,
    SAMPLED_CHAIN,
    SAMPLED_DISPATCH, /* of DeepEP's logs, as the next one */
    SAMPLED_COMBINE
};
extern const char *const sampled_names[]; /* up to a NULL */
/* Returns the word of a quantity. */
const char *sampled_name(int quantity); /* "call-scan", .. */

enum sampled_span { SPANS_FAST, SPANS_SLOW };

struct sample {
    int quantity;     /* enum sampled */
    const char *part; /* hop, stage or matrix; "" for none */
    int regime;       /* enum regime: observed or ahead */
    int span;         /* enum sampled_span: inside one group, or between groups too */
    int64_t world, senders, peers, calls, repeat, turn;
    double message_bytes, send_bytes;
    double time_s;    /* of all calls, slowest rank */
};

struct samples {
    const char *schema, *machine, *implementation, *mpi, *binding, *started;
    int64_t hosts, groups, ranks_per_group, warm_up, seed;
    int grouping, memory;
    struct quantity clock_s, empty_region_s, precision, budget_s;

    struct sample *items; /* in the order in which they were taken */
    size_t n, room;
    char sha256[HASH_TEXT];
    struct yaml_doc *doc; /* owns the texts */
};

/* What a log does not say. 0, NULL: not known. */
struct samples_ask {
    int64_t groups, ranks_per_group;
    const char *machine, *implementation;
};

/* Releases; NULL is allowed. */
void samples_free(struct samples *s);

/* Appends the samples of another file of the same groups; `more` keeps nothing and is freed. RC_SHAPE */
enum rc samples_join(struct samples *s, struct samples *more, struct err *e);

/* Appends a sample. */
void samples_add(struct samples *s, const struct sample *row);
/* Refuses a machine of too many ranks; name: of the file, for the message. */
enum rc samples_check_shape(const struct samples *s, const char *name, struct err *e);

#endif
