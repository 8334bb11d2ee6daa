/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h - draws k distinct experts per token so that expert e is among them with a given probability.
 *
 * Shapes: experts 0..n-1; inclusion[e] in 0..1, summing to k. 0 is never drawn, 1 always.
 * Model: of all distributions over k-subsets with these inclusion probabilities, the one of maximum
 * entropy: P(S) proportional to the product of odds[e] over S (conditional Poisson sampling)  [M4]. The
 * odds are solved for; equal probabilities give the uniform draw of k out of n.
 * Source: Chen, Dempster, Liu, Weighted finite population sampling to maximize entropy, Biometrika 1994;
 * the tree of partial counts and the damped odds update are our own derivation, see sampler.c.
 * Units: probabilities.
 * Errors: RC_RANGE: a probability outside 0..1, a sum other than k, SAMPLER_TOLERANCE not met.
 * Ownership: sampler_free() releases.
 * Edges: k below 1 or above n is refused; NULL may be released. */
#ifndef WORKLOADS_DRAW_SAMPLER_H
#define WORKLOADS_DRAW_SAMPLER_H

#include "platforms/base/err.h"
#include "platforms/base/rng.h"

#define SAMPLER_TOLERANCE 1e-12

struct sampler;

/* Solves for the odds and builds the sampler of n experts. */
enum rc sampler_build(const double *inclusion, int n, int k, struct sampler **sampler,
                      struct err *e);
void sampler_free(struct sampler *s); /* NULL is allowed */

/* Draws k distinct experts, rising, into ids[k]. */
void sampler_draw(const struct sampler *s, struct rng *r, int *ids);

/* Returns the probability that no expert of a draw is lost on a place, where experts[i] (rising) is lost with
 * probability 1 - keep[i] if drawn, each on its own, and no other expert ever is. */
double sampler_keep(const struct sampler *s, const int *experts, const double *keep, int n);

#endif
