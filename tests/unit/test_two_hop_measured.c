/* SPDX-License-Identifier: BSD-3-Clause */
/* The one measured win of two hops: 128 ranks, two supernodes of 64. "row N": model/README.md. */
#include "tests/support/paper.h"

#include "platforms/base/stat.h"
#include "validation/corpus.h"

/* H, M, then one hop, hop A, chain, hop B, splits in ms: artifact, sim/twohop_measured.py, 2026-09-08. */
enum { ONE_HOP = 2, HOP_A, CHAIN, HOP_B, SPLITS, CASES = 4 };
static const double measured[CASES][7] = {{2048, 1, 7.381, 1.562, 1.043, 1.477, 0.099},
                                          {2048, 2, 7.324, 2.646, 1.026, 1.355, 0.094},
                                          {4096, 1, 13.637, 2.638, 1.096, 2.270, 0.101},
                                          {4096, 2, 13.627, 4.813, 1.113, 2.212, 0.096}};

static double measured_gain(int i) {
    const double *m = measured[i];
    return m[ONE_HOP] / (m[HOP_A] + m[CHAIN] + m[HOP_B] + m[SPLITS]);
}

/* One hop at the rate of an all-to-all across, hop A at slow_GBps. */
static struct model_terms model(int i, double flat_GBps, double slow_GBps,
                                double chain_s_per_pair) {
    struct breakeven b = paper_reference(chain_s_per_pair);
    b.geometry.groups = 2;
    b.geometry.ranks_per_group = 64;
    b.geometry.row_bytes = 2 * measured[i][0];
    b.geometry.fan_out = measured[i][1];
    b.base_Bps = 117.8e9;
    b.slow_scale = slow_GBps / 117.8;
    b.flat_scale = flat_GBps / 117.8;
    paper_alphas(&b);
    struct model_terms t;
    breakeven_predict(&b, 1, &t);
    return t;
}

/* Upper median of four. */
static double median_error(double slow_GBps, double chain_s_per_pair) {
    double e[CASES];
    for (int i = 0; i < CASES; i++)
        e[i] = fabs(model(i, 15.7, slow_GBps, chain_s_per_pair).gain / measured_gain(i) - 1);
    stat_sort(e, CASES);
    return e[CASES / 2];
}

/* Of the corpus, whose rows are those of tests/data: test_corpus_rows.c. */
static void the_numbers_are_those_of_the_corpus(void **state) {
    (void)state;
    static const struct corpus_need needs[] = {{"hidden", CORPUS_COUNT}, {"group_limit", CORPUS_COUNT},
                                               {"one_hop", CORPUS_TIME}, {"hop_a", CORPUS_TIME},
                                               {"chain", CORPUS_TIME},   {"hop_b", CORPUS_TIME},
                                               {"splits", CORPUS_TIME}};
    struct corpus *c;
    struct err e;
    size_t columns[7];
    assert_ok(corpus_load(NULL, "two-hop-measured", &c, &e), &e);
    assert_ok(corpus_columns(c, needs, 7, columns, &e), &e);
    assert_int_equal(c->n_rows, CASES);
    for (size_t i = 0; i < CASES; i++)
        for (size_t k = 0; k < 7; k++)
            assert_rel(corpus_value(c, i, columns[k]), measured[i][k] * (k < ONE_HOP ? 1 : 1e-3), 1e-12);
    corpus_free(c);
}

/* Row 104. */
static void gains_as_measured(void **state) {
    (void)state;
    const double published[] = {1.765, 1.430, 2.234, 1.655};
    for (int i = 0; i < CASES; i++)
        assert_printed(measured_gain(i), published[i], 3);
}

/* Rows 105 to 109. */
static void the_model_beside_them(void **state) {
    (void)state;
    const double v1 = paper_chain(CHAIN_V1), corrected = paper_chain(CHAIN_MEASURED);
    assert_printed(median_error(15.7, v1), 0.140, 3);
    assert_printed(median_error(7.9, v1), 0.090, 3);
    assert_printed(median_error(7.9, corrected), 0.151, 3);
    // the newest constants with the first rule: 49 %
    assert_printed(median_error(15.7, corrected), 0.49, 2);
    double a_low = INFINITY, a_high = 0, b_low = INFINITY, b_high = 0, one_low = INFINITY,
           one_high = 0;
    for (int i = 0; i < CASES; i++) {
        struct model_terms t = model(i, 15.7, 15.7, v1);
        double a = measured[i][HOP_A] / (1e3 * t.hop_a_s),
               b = measured[i][HOP_B] / (1e3 * t.hop_b_s);
        double one = fabs(1e3 * t.one_hop_s / measured[i][ONE_HOP] - 1);
        a_low = fmin(a_low, a);
        a_high = fmax(a_high, a);
        b_low = fmin(b_low, b);
        b_high = fmax(b_high, b);
        one_low = fmin(one_low, one);
        one_high = fmax(one_high, one);
    }
    assert_printed(a_low, 2.2, 1);
    assert_printed(a_high, 2.5, 1);
    assert_printed(100 * (b_low - 1), 13, 0);
    assert_printed(100 * (b_high - 1), 32, 0);
    assert_printed(100 * one_low, 1, 0);
    assert_printed(100 * one_high, 3, 0);
    assert_printed(model(0, 23.1, 23.1, v1).gain, 1.33, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_numbers_are_those_of_the_corpus),
                                       cmocka_unit_test(gains_as_measured),
                                       cmocka_unit_test(the_model_beside_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
