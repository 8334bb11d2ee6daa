/* SPDX-License-Identifier: BSD-3-Clause */
/* calibration.h - what samples say of a machine: constants with intervals, what was held back, what is odd.
 *
 * Units: SI; intervals are 90 %.
 * Shapes: tier[] by enum sampled_span; held[i] belongs to points.items[i].
 * Errors: none. Ownership: calibration_clear() of calibrate.h releases; a calibration borrows its samples.
 * Edges: a constant that is not known has known = false. */
#ifndef VALIDATION_CALIBRATION_H
#define VALIDATION_CALIBRATION_H

#include "validation/points.h"

/* One number of the platform file. */
struct fitted {
    bool known;
    double value, low, high;
    enum status status;
    char source[120];
};

struct calibrated_tier {
    struct fitted bandwidth_Bps, latency_s, message_cost_s;
};

struct calibrated_alpha {
    int regime, span; /* enum regime, enum sampled_span */
    int64_t world;
    struct fitted time_s;
};

enum { CALIBRATED_ALPHAS = 256 };

struct calibration {
    const struct samples *samples;
    struct sample_points points;
    struct calibrated_tier tier[2]; /* by enum sampled_span */
    struct fitted uplink_Bps, oversubscription, collective_Bps;
    struct calibrated_alpha alpha[CALIBRATED_ALPHAS];
    size_t n_alpha;
    bool *held; /* [points.n] */
    size_t n_held;
    struct buf flags; /* one a line */
};

#endif
