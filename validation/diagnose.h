/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnose.h - which one cause explains the distance between timed calls and what a platform predicts for them.
 *
 * A cause is a change of the platform, of the call or of how the log is read, with a size and, for some, a place. Each
 * is varied alone over a grid, every timed point is simulated again, and causes are ranked by the squared logarithms of
 * measured over predicted that they leave. Sizes of faults are those of the best grid value, not estimates.
 * Used are all-to-alls and DeepEP calls of all ranks or of one group, and pairs; other samples are counted, not used.
 * Units: SI.
 * Shapes: causes.items[n], the one that explains most first; the first is CAUSE_NONE where nothing is wrong.
 * Errors: RC_UNSUPPORTED (no sample can be used); RC_SHAPE (ranks do not fit the platform); those of the readers and
 * of the simulator. Outputs untouched on failure.
 * Ownership: a diagnosis is a plain value; it borrows nothing.
 * Edges: where the platform has no fixed cost for the log's library, wire times are compared, which `note` says. */
#ifndef VALIDATION_DIAGNOSE_H
#define VALIDATION_DIAGNOSE_H

#include "validation/points.h"
#include "validation/simulate.h"

enum cause_kind {
    CAUSE_NONE,
    CAUSE_SHARED_UPLINK, /* size: oversubscription */
    CAUSE_DEAD_RAIL,     /* place: rank inside its group; size: share left of its ports in every group */
    CAUSE_SLOW_RANK,     /* place: rank; size: share left of all its links */
    CAUSE_LATE_RANK,     /* size: seconds by which it enters calls of all ranks late */
    CAUSE_HOT_RANK,      /* size: what it receives over what others do, in calls of unequal counts */
    CAUSE_BYTES,         /* size: sizes of the log over those that samples mean */
    CAUSE_REGIME,        /* the host regime is the other one */
    CAUSES
};
const char *cause_name(int kind); /* "none", "shared-uplink", .. */

struct cause {
    int kind, place; /* place: -1 for none */
    double size;
};

/* What a cause would do to calls that are easily timed: time over that without it. */
enum elsewhere { ELSEWHERE_ALL, ELSEWHERE_GROUP, ELSEWHERE_PAIR, ELSEWHERES };
const char *elsewhere_name(int which);

struct finding {
    struct cause cause;
    double rms;                     /* of ln(measured / predicted) that is left */
    double explained;               /* 1 - squares left over squares without a cause; 0 for none */
    double elsewhere[ELSEWHERES];   /* 0: there is no such call on this machine */
};

struct diagnosis {
    struct finding items[CAUSES]; /* each kind once, at its best size and place; ranked */
    size_t n, n_points, n_unused;
    size_t n_tied; /* causes, the first included, that leave no more than 5 % above what the first one leaves: which of
                    * them it is the samples do not tell; 1 when the first is none */
    double rms;  /* without a cause */
    bool healthy; /* the first is none: the distance is small, or nothing explains it */
    char note[240];
};

struct diagnose_ask {
    const char *platform;
    const struct samples *samples;
    const struct simulator *simulator;
};

enum rc diagnose(const struct diagnose_ask *ask, struct diagnosis *d, struct err *e);

/* Predicts every point under one cause: times_s[points->n], 0 where a point cannot be used. */
enum rc diagnose_predict(const struct diagnose_ask *ask, const struct sample_points *points, const struct cause *cause,
                         double *times_s, struct err *e);

#endif
