/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - timed runs of a real machine: what moesim-measure writes, and logs of other benchmarks.
 *
 * A samples file is CSV below an environment: lines that begin with "# " are a YAML document of sample_keys, the rest
 * has the columns of sample_columns, in any order; both tables stand in validation/mpi/README.md.
 * Logs that are read by the names of their columns: nccl-tests and rccl-tests (alltoall), OSU micro-benchmarks
 * (osu_alltoall, osu_alltoallv, osu_latency), DeepEP's test programs. What these do not say (groups, ranks of an OSU
 * run) is asked for.
 * Units: SI; sizes are bytes, as doubles.
 * Shapes: items[n] in the order of the file.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE, with file:line:column; RC_USAGE for what a log does not say.
 * Ownership: samples_free() releases all, texts too.
 * Edges: a file without a sample is RC_SCHEMA; a time of 0 is kept (a simulator computes in no time). */
#ifndef VALIDATION_SAMPLES_H
#define VALIDATION_SAMPLES_H

#include "platforms/alpha.h"
#include "platforms/base/keys.h"

#define SAMPLES_SCHEMA "moesim/samples/1"

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

extern const struct key sample_keys[];    /* of the environment */
extern const struct key sample_columns[]; /* of the rows; a KEY_NUMBER is a double here */

/* What a log does not say. 0, NULL: not known. */
struct samples_ask {
    int64_t groups, ranks_per_group;
    const char *machine, *implementation;
};

/* Reads a samples file or a log, told apart by its first lines; ask may be NULL. */
enum rc samples_load(const char *path, const struct samples_ask *ask, struct samples **samples, struct err *e);
/* Reads from memory; name stands for the file in messages. */
enum rc samples_parse(const char *text, size_t n, const char *name, const struct samples_ask *ask,
                      struct samples **samples, struct err *e);
/* Releases; NULL is allowed. */
void samples_free(struct samples *s);

/* Appends the samples of another file of the same groups; `more` keeps nothing and is freed. RC_SHAPE */
enum rc samples_join(struct samples *s, struct samples *more, struct err *e);

#endif
