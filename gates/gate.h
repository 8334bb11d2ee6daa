/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h - a claim, the evidence it is tried on, and how the trial ended.
 *
 * A gate holds no code: an estimand elsewhere turns its corpus into metrics, gate_judge() compares these with
 * the limits. The result is a function of definition and evidence alone and carries a hash of both. Evidence
 * that is missing, unreadable or not the file the gate was registered with leaves the gate without a pass.
 * Units: those of the metrics that an estimand yields; SI. Errors: none: a trial that fails is a result with a reason.
 * Ownership: a result borrows its gate and owns its points; gate_result_clear() releases.
 * Edges: a gate without a limit does not pass; a metric that is not a number keeps no limit. */
#ifndef GATES_GATE_H
#define GATES_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "platforms/base/err.h"
#include "platforms/base/hash.h"

/* What a pass can mean. */
enum gate_kind {
    GATE_VERIFICATION, /* code against code: never accuracy */
    GATE_FIT,          /* the constants were fitted on these points */
    GATE_TEST          /* the constants were fitted without these points */
};
extern const char *const gate_kinds[]; /* names by enum gate_kind, NULL behind the last */
const char *gate_kind_name(enum gate_kind kind);

enum gate_state { GATE_NOT_EVALUATED, GATE_FAILED, GATE_PASSED };
const char *gate_state_name(enum gate_state state); /* "not evaluated", "failed", "passed" */

/* What a gate speaks for, or what a question is about. A text that is NULL: any machine, implementation or
 * constants. */
struct gate_scope {
    const char *machine;
    const char *constants_sha256; /* of the platform file that the gate was evaluated with */
    const char *implementation;
    const char *strategy;
    double world[2];   /* ranks in one collective, lowest and highest */
    double bytes[2];   /* send buffer of one rank */
    double rho_max;    /* 1: balanced destinations only */
};
/* Returns true when everything that `asked` spans lies inside `scope`. */
bool gate_covers(const struct gate_scope *scope, const struct gate_scope *asked);

enum limit_kind { LIMIT_AT_MOST, LIMIT_AT_LEAST, LIMIT_MAGNITUDE };
enum metric_form { METRIC_SHARE, METRIC_COUNT, METRIC_NUMBER };

struct gate_limit {
    const char *metric;
    enum limit_kind kind;
    double value;
};

struct gate_metric {
    const char *name;
    enum metric_form form;
    double value;
};

enum { GATE_LIMITS = 8, GATE_METRICS = 16 };

struct gate {
    const char *id;
    const char *claim;        /* what a pass says */
    enum gate_kind kind;
    const char *estimand;     /* how the corpus becomes metrics */
    const char *corpus;       /* name, or NULL when the gate measures the program itself */
    const char *sha256;       /* that the corpus must have; NULL without corpus */
    const char *platform;     /* whose constants are tried, or NULL */
    const char *implementation; /* file of the library; NULL: as the corpus says */
    const char *registration; /* when thresholds and evidence were fixed */
    const char *documented;   /* why it is known not to pass; NULL: it must pass */
    const char *reopen;       /* what would change the outcome, and the command */
    struct gate_scope scope;
    struct gate_limit limits[GATE_LIMITS];
    size_t n_limits;
    unsigned withdraws;       /* bits 1 << enum capability of a user's gate; 0 for built-in ones */
    bool own;                 /* a user's gate: it decides for its machine */
    bool simulates;           /* needs simulations */
};

/* One point of the evidence, predicted and measured in the same unit. */
struct gate_point {
    char label[48];
    double predicted, measured;
    bool counted; /* false: shown only */
};

struct gate_evidence {
    char corpus_sha256[HASH_TEXT];    /* empty: none was read */
    char platform_sha256[HASH_TEXT];
    struct gate_metric metrics[GATE_METRICS];
    size_t n_metrics;
    struct gate_point *points; /* free() releases */
    size_t n_points, room;
    const char *unit;          /* of the points: "s", "ratio" */
};

/* Append a metric, and a point with a printed label, to the evidence. */
void gate_add_metric(struct gate_evidence *evidence, const char *name, enum metric_form form,
                     double value);
void gate_add_point(struct gate_evidence *evidence, bool counted, double predicted, double measured,
                    const char *format, ...) ERR_PRINTF(5, 6);

struct gate_result {
    const struct gate *gate;
    enum gate_state state;
    char reason[400];       /* why it did not pass; empty when it did */
    char hash[HASH_TEXT];   /* of definition and evidence */
    struct gate_evidence evidence;
    double cost_s;          /* wall clock of the evaluation; not part of the hash */
};

/* Compares the metrics of the evidence with the limits of the gate and fills in the result, which owns the evidence
 * from then on. */
void gate_judge(const struct gate *gate, struct gate_evidence *evidence, struct gate_result *result);
/* Fills in the result of a gate that could not be tried: it counts as not passed. The evidence passes to the result; of
 * it only the hashes of the files that were read remain. */
void gate_not_evaluated(const struct gate *gate, struct gate_evidence *evidence, const char *why,
                        struct gate_result *result);
/* Returns true when this metric keeps the limit; false also for metrics that are not numbers. */
bool gate_limit_kept(const struct gate_limit *limit, double value);
/* Returns the limit on a metric, or NULL. */
const struct gate_limit *gate_limit_of(const struct gate *gate, const char *metric);

enum { GATE_TEXT = 48 };
/* Write a metric, and a limit, as text, and return the text. */
const char *gate_metric_text(enum metric_form form, double value, char text[static GATE_TEXT]);
const char *gate_limit_text(const struct gate_limit *limit, enum metric_form form,
                            char text[static GATE_TEXT]);

void gate_result_clear(struct gate_result *result);

#endif
