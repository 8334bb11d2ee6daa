/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.h - random numbers that are the same on every machine.
 *
 * Source: xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64. Sub-streams are derived from a seed,
 * a name and an index, so that adding a consumer does not move the numbers of another.
 * Units: none.
 * Errors: none.
 * Ownership: the caller holds the state.
 * Edges: any seed will do, 0 too. */
#ifndef PLATFORMS_BASE_RNG_H
#define PLATFORMS_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

/* Begins the sub-stream of a seed that has this name and index. */
void rng_init(struct rng *r, uint64_t seed, const char *stream, uint64_t index);
/* Return the next number of the stream. */
uint64_t rng_u64(struct rng *r);
double rng_unit(struct rng *r);                     /* uniform in [0, 1), 53 bits */
uint64_t rng_below(struct rng *r, uint64_t n);      /* uniform in [0, n), no bias; n >= 1 */
double rng_normal(struct rng *r);                   /* mean 0, standard deviation 1 */

#endif
