/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/rng.h"
#include "platforms/base/stat.h"

static void statistics_by_hand(void **state) {
    (void)state;
    static const double x[] = {4, 1, 3, 2};
    assert_rel(stat_sum(x, 4), 10, 0);
    assert_rel(stat_max(x, 4), 4, 0);
    assert_rel(stat_max_over_mean(x, 4), 1.6, 1e-15);
    assert_rel(stat_cv(x, 4), sqrt(1.25) / 2.5, 1e-15);
    // (-3 * 1 - 1 * 2 + 1 * 3 + 3 * 4) / (4 * 10)
    assert_rel(stat_gini(x, 4), 0.25, 1e-15);
    assert_rel(stat_upper_median(x, 4), 3, 0);
    assert_rel(stat_upper_median(x, 3), 3, 0);
    assert_rel(stat_upper_median(x, 1), 4, 0);
}

static void sorts_in_place(void **state) {
    (void)state;
    double x[] = {4, -1, 3, 3, 0};
    static const double want[] = {-1, 0, 3, 3, 4};
    stat_sort(x, 5);
    for (int i = 0; i < 5; i++)
        assert_rel(x[i], want[i], 0);
    stat_sort(NULL, 0);
}

static void extremes_have_known_values(void **state) {
    (void)state;
    double same[10], one[10] = {0};
    for (int i = 0; i < 10; i++)
        same[i] = 7;
    one[3] = 5;
    assert_rel(stat_max_over_mean(same, 10), 1, 1e-15);
    assert_near(stat_gini(same, 10), 0, 1e-15);
    assert_near(stat_cv(same, 10), 0, 1e-15);
    assert_rel(stat_max_over_mean(one, 10), 10, 1e-15);
    assert_rel(stat_gini(one, 10), 0.9, 1e-15); // 1 - 1/n
    assert_rel(stat_cv(one, 10), 3, 1e-15); // sqrt(n - 1)
}

static void what_does_not_exist_is_minus_one(void **state) {
    (void)state;
    static const double zeros[] = {0, 0};
    assert_rel(stat_max_over_mean(zeros, 2), -1, 0);
    assert_rel(stat_cv(zeros, 2), -1, 0);
    assert_rel(stat_gini(zeros, 2), -1, 0);
    assert_rel(stat_max_over_mean(NULL, 0), -1, 0);
    assert_rel(stat_cv(NULL, 0), -1, 0);
    assert_rel(stat_gini(NULL, 0), -1, 0);
    assert_rel(stat_max(NULL, 0), 0, 0);
    assert_rel(stat_sum(NULL, 0), 0, 0);
}

static void scale_and_order_do_not_matter(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("statistics"), "test", 0);
    for (int round = 0; round < 50; round++) {
        double x[33], y[33];
        for (int i = 0; i < 33; i++) {
            x[i] = rng_unit(&r);
            y[32 - i] = 1000 * x[i];
        }
        assert_rel(stat_max_over_mean(y, 33), stat_max_over_mean(x, 33), 1e-13);
        assert_rel(stat_gini(y, 33), stat_gini(x, 33), 1e-13);
        assert_rel(stat_cv(y, 33), stat_cv(x, 33), 1e-13);
        // Gini by its definition: mean absolute difference over twice the mean
        double differences = 0;
        for (int i = 0; i < 33; i++)
            for (int j = 0; j < 33; j++)
                differences += fabs(x[i] - x[j]);
        assert_rel(stat_gini(x, 33), differences / (2 * 33 * stat_sum(x, 33)), 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_by_hand),
        cmocka_unit_test(sorts_in_place),
        cmocka_unit_test(extremes_have_known_values),
        cmocka_unit_test(what_does_not_exist_is_minus_one),
        cmocka_unit_test(scale_and_order_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
