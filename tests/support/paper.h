/* SPDX-License-Identifier: BSD-3-Clause */
/* paper.h - the paper's reference geometry and its synthetic cluster, as a family over the ratio.
 *
 * "row N" in the tests that use it is the row of published values in model/README.md. */
#ifndef TESTS_SUPPORT_PAPER_H
#define TESTS_SUPPORT_PAPER_H

#include "tests/support/check.h"

#include "model/breakeven.h"

/* |published - computed| within half a unit of the last printed digit. */
#define assert_printed(computed, published, digits)                                                \
    check_near((computed), (published), 0.5 * pow(10, -(digits)) * (1 + 1e-9), #computed,          \
               __FILE__, __LINE__)

static inline double paper_alpha_s(int world) {
    struct platform *p;
    struct err e;
    assert_ok(plat_load("terrace-a", NULL, 0, &p, &e), &e);
    const struct plat_alpha *table = p->alpha.items;
    double alpha_s = plat_alpha_clamped_s(table->entries.items, table->entries.n, world, TIER_SLOW);
    plat_free(p);
    return alpha_s;
}

static inline void paper_alphas(struct breakeven *b) {
    b->alpha_one_hop_s = paper_alpha_s(b->geometry.groups * b->geometry.ranks_per_group);
    b->alpha_hop_a_s = paper_alpha_s(b->geometry.groups);
    b->alpha_hop_b_s = paper_alpha_s(b->geometry.ranks_per_group);
}

/* 16 groups x 8, k 6, M 2, H 2048 bf16, T 4096; 100 GB/s, 54 KiB; alpha of machine A; 48-point table. */
static inline struct breakeven paper_reference(double chain_s_per_pair) {
    struct breakeven b = {.geometry = {.groups = 16,
                                       .ranks_per_group = 8,
                                       .tokens = 4096,
                                       .top_k = 6,
                                       .fan_out = 2,
                                       .row_bytes = 4096},
                          .kind = BETA_TABLE,
                          .base_Bps = 100e9,
                          .fast_x_half_bytes = 55296,
                          .slow_x_half_bytes = 55296,
                          .flat_x_half_bytes = 55296,
                          .splits_s = 0.044e-3,
                          .chain_s_per_pair = chain_s_per_pair};
    paper_alphas(&b);
    return b;
}

static inline double paper_chain(enum chain_preset preset) {
    return chain_constant(preset)->s_per_pair;
}

static inline double paper_gain(const struct breakeven *b, double ratio) {
    struct model_terms t;
    breakeven_predict(b, ratio, &t);
    return t.gain;
}

#endif
