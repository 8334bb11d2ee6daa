/* SPDX-License-Identifier: BSD-3-Clause */
/* fit_calls.h - constants of a machine from measured all-to-all times: alpha, beta, cost of a
 * message.
 *
 * Units: SI. Model: FORMULAS.md [V1]; least squares on the relative error.
 * Errors: RC_UNSUPPORTED (the points do not identify what is asked for, with the reason), RC_RANGE
 * (too few points).
 * Ownership: borrows everything. Edges: with nothing to fit the constants stay. */
#ifndef VALIDATION_FIT_CALLS_H
#define VALIDATION_FIT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "platforms/base/err.h"

struct fit_point {
    int world;
    double bytes; /* in the send buffer of a rank, own part included */
    double time_s;
};

enum { FIT_WORLDS = 8 };

/* A constant that is fitted starts at its value; otherwise the value is what it is pinned to. */
struct fit_constant {
    double value;
    bool fitted;
};

struct fit_calls {
    int n_worlds;
    struct fit_world {
        int world;
        struct fit_constant alpha_s;
    } worlds[FIT_WORLDS];
    struct fit_constant beta_Bps;
    struct fit_constant message_cost_s; /* o, at least 0 */
    struct fit_constant exponent; /* p: 1 adds, 2 adds squares, large takes the maximum */
};

double fit_calls_time_s(const struct fit_calls *c, int world, double bytes); /* [V1] */

struct fit_errors {
    double median,
        worst; /* of |relative error|; median of an even number: mean of the middle two */
};
void fit_calls_errors(const struct fit_calls *c, const struct fit_point *points, size_t n,
                      struct fit_errors *errors);

/* Fits what is marked as fitted, in place. */
enum rc fit_calls_run(struct fit_calls *c, const struct fit_point *points, size_t n, struct err *e);

struct fit_interval {
    double low, high; /* 5 and 95 % of the replicas */
};
struct fit_intervals {
    struct fit_interval beta_Bps, message_cost_s, x_half_bytes;
    int replicas; /* that could be fitted */
};
/* Draws points with replacement within each world, fits again, and fills in the spread of the constants around a
 * finished fit. */
void fit_calls_bootstrap(const struct fit_calls *fitted, const struct fit_point *points, size_t n,
                         int replicas, uint64_t seed, struct fit_intervals *intervals);

/* Returns the slope over the `top` largest sizes: bytes on the wire per second, free of every fixed cost. [V2] */
double fit_marginal_Bps(const struct fit_point *points, size_t n, size_t top);

/* Return the bandwidth over peers on several tiers at once, serial: sum of peers / sum of (peers / Bps); and the
 * bandwidth of the tier that is missing in a known mixture. [V2] */
struct fit_peers {
    double peers, Bps;
};
double fit_mix_Bps(const struct fit_peers *tiers, size_t n);
double fit_unmix_Bps(double mixed_Bps, double missing_peers, const struct fit_peers *others,
                     size_t n);

#endif
