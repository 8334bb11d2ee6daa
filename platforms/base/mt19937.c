/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/mt19937.h"

enum { N = MT19937_WORDS, M = 397 };

static void init_word(struct mt19937 *m, uint32_t seed) {
    m->word[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        m->word[i] = 1812433253u * (m->word[i - 1] ^ (m->word[i - 1] >> 30)) + i;
    m->next = N;
}

void mt19937_init(struct mt19937 *m, uint64_t seed) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t n_key = key[1] ? 2 : 1;
    init_word(m, 19650218u);
    uint32_t *w = m->word, i = 1, k = 0;
    for (uint32_t round = 0; round < N; round++) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[k] + k;
        if (++i == N) {
            w[0] = w[N - 1];
            i = 1;
        }
        k = (k + 1) % n_key;
    }
    for (uint32_t round = 0; round < N - 1; round++) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - i;
        if (++i == N) {
            w[0] = w[N - 1];
            i = 1;
        }
    }
    w[0] = 0x80000000u;
}

static void refill(struct mt19937 *m) {
    uint32_t *w = m->word;
    for (int i = 0; i < N; i++) {
        uint32_t y = (w[i] & 0x80000000u) | (w[(i + 1) % N] & 0x7fffffffu);
        w[i] = w[(i + M) % N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    m->next = 0;
}

uint32_t mt19937_u32(struct mt19937 *m) {
    if (m->next >= N)
        refill(m);
    uint32_t y = m->word[m->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

double mt19937_unit(struct mt19937 *m) {
    uint32_t a = mt19937_u32(m) >> 5, b = mt19937_u32(m) >> 6;
    return ((double)a * 67108864.0 + (double)b) * (1.0 / 9007199254740992.0);
}

double mt19937_uniform(struct mt19937 *m, double low, double high) {
    return low + (high - low) * mt19937_unit(m);
}
