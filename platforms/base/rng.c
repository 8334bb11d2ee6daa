/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/rng.h"

#include <math.h>

#include "platforms/base/err.h"

static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed, const char *stream, uint64_t index) {
    // FNV-1a of the name, mixed with seed and index one after the other
    uint64_t name = 0xCBF29CE484222325u;
    for (const char *p = stream; *p; p++)
        name = (name ^ (unsigned char)*p) * 0x100000001B3u;
    uint64_t state = seed;
    state = splitmix64(&state) ^ name;
    state = splitmix64(&state) ^ index;
    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix64(&state);
}

static uint64_t rotate_left(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r) {
    uint64_t *s = r->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double rng_unit(struct rng *r) {
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

uint64_t rng_below(struct rng *r, uint64_t n) {
    BUG_ON(n == 0);
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; // a multiple of n
    uint64_t x;
    do
        x = rng_u64(r);
    while (x >= limit);
    return x % n;
}

double rng_normal(struct rng *r) {
    // Box-Muller; 1 - u keeps the logarithm's argument above 0
    double u = 1 - rng_unit(r), v = rng_unit(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}
