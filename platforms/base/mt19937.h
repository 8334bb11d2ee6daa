/* SPDX-License-Identifier: BSD-3-Clause */
/* mt19937.h - the Mersenne Twister exactly as Python's random.Random(seed) uses it.
 *
 * Needed where published draws are to be repeated; everything new takes rng.h.
 * Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998); seeding by an array of 32-bit words, least
 * significant first.
 * Units: none.
 * Errors: none.
 * Ownership: the caller holds the state.
 * Edges: a state must be initialised first. */
#ifndef PLATFORMS_BASE_MT19937_H
#define PLATFORMS_BASE_MT19937_H

#include <stdint.h>

enum { MT19937_WORDS = 624 };

struct mt19937 {
    uint32_t word[MT19937_WORDS];
    int next;
};

/* Seeds as random.seed(seed) does. */
void mt19937_init(struct mt19937 *m, uint64_t seed);
/* Returns the next 32 bits. */
uint32_t mt19937_u32(struct mt19937 *m);
/* Returns the next number of [0, 1), with 53 bits of two words. */
double mt19937_unit(struct mt19937 *m);
/* Returns the next number between low and high. */
double mt19937_uniform(struct mt19937 *m, double low, double high);

#endif
