/* SPDX-License-Identifier: BSD-3-Clause */
/* skew.h - popularities of experts made on purpose: a family with one parameter, and the parameter that
 * meets a target.
 *
 * Families (x is the parameter, 0 is uniform):
 *   zipf        weight (i + 1)^-x, i the place in an order drawn with the seed
 *   lognormal   weight exp(x z), z normal
 *   dirichlet   Gamma(1 / x) weights, the Gamma of shape 1 / x + 1 by Wilson and Hilferty's cube
 *   hot-expert  one expert 1 + x times the others
 *   hot-rank    the experts of one rank 1 + x times the others
 * Targets: rho_max, the busiest of `ranks` ranks over their mean with experts in contiguous blocks; cv,
 * standard deviation over mean of the expert loads; or the parameter itself. Loads are the inclusion
 * probabilities of the routing mode (choice.h), never above one draw a token, hence the ceilings
 *   expert: max/mean <= E / k        rank: rho <= EP min(k', m) / k       [M10]
 * with m experts a rank and k' the most experts of one group that the mode lets a token choose.
 * Units: none; weights and loads count relative to each other.
 * Ownership: the caller owns weight[experts] and the notes.
 * Errors: RC_RANGE above the ceiling or above what the family reaches, with the highest value that is
 * reached.
 * Valid for: group_limited: loads are measured on drawn tokens, the target is met within 2 %.
 * Edges: parameter 0 is uniform; a preset asked for outside EP 8 to 64 goes on along its line, callers refuse it. */
#ifndef WORKLOADS_DRAW_SKEW_H
#define WORKLOADS_DRAW_SKEW_H

#include <stdint.h>

#include "platforms/base/mem.h"
#include "workloads/draw/choice.h"

enum skew_family { SKEW_ZIPF, SKEW_LOGNORMAL, SKEW_DIRICHLET, SKEW_HOT_EXPERT, SKEW_HOT_RANK };

struct skew {
    struct choice_shape shape;
    int family; /* enum skew_family */
    int ranks; /* EP that rho_max speaks of */
    double rho_max, cv; /* the target, 0 = not this one; both 0: parameter */
    double parameter;
    uint64_t seed;
    double drift; /* share of experts that swap popularities from one batch or layer to the next, 0..1 */
    int64_t step; /* batch or layer, 0 = the one that meets the target */
};

/* Fills weight[experts] with the popularities that meet the target. */
enum rc skew_weights(const struct skew *s, double *weight, struct buf *notes, struct err *e);

/* Returns the highest rho_max of any routing at this shape and EP. */
double skew_ceiling(const struct choice_shape *shape, int ranks);

/* Returns the rho_max of loads in contiguous blocks on `ranks` ranks. */
double skew_rho(const double *load, int experts, int ranks);

/* The presets mixed-web, one-domain and bad-layer. */
enum skew_preset { SKEW_MIXED_WEB, SKEW_ONE_DOMAIN, SKEW_BAD_LAYER, SKEW_PRESETS };
/* Returns the rho_max of a preset at EP = ranks, 8 to 64; between the recorded EP linear in log2 EP. */
double skew_preset_rho(enum skew_preset preset, int ranks);

/* Returns the rho_max that a kernel benchmark's knob means: load of the hot rank over the mean of the other ranks. */
double skew_rho_of_hot_ratio(double hot_ratio, int ranks);

#endif
