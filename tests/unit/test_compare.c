/* SPDX-License-Identifier: BSD-3-Clause */
/* Two answers side by side: the error, its basis, and when a simulated time lies below its bound. */
#include "tests/support/check.h"

#include "validation/compare.h"

/* Rounding may put a time a billionth below its bound; what lies lower is a bug of the program. */
static void a_billionth_below_the_bound_is_rounding(void **state) {
    (void)state;
    static const double bounds_s[] = {1e-9, 1.7e-6, 8.378e-3, 1, 3600};
    for (size_t i = 0; i < sizeof bounds_s / sizeof *bounds_s; i++) {
        double bound_s = bounds_s[i], lowest_s = bound_s * (1 - 1e-9);
        assert_false(compare_below_bound(2 * bound_s, bound_s));
        assert_false(compare_below_bound(bound_s, bound_s));
        assert_false(compare_below_bound(nextafter(bound_s, 0), bound_s));
        assert_false(compare_below_bound(lowest_s, bound_s));
        assert_true(compare_below_bound(nextafter(lowest_s, 0), bound_s));
        assert_true(compare_below_bound(bound_s * (1 - 2e-9), bound_s));
        assert_true(compare_below_bound(bound_s / 2, bound_s));
        assert_true(compare_below_bound(0, bound_s));
    }
    assert_false(compare_below_bound(0, 0)); // nothing moves
    assert_false(compare_below_bound(1e-300, 0));
    assert_true(compare_below_bound(-1e-300, 0));
}

static void errors_are_on_times_where_they_are_known(void **state) {
    (void)state;
    struct comparison c = {.time_known = true,
                           .analytic_s = 1.2,
                           .simulated_s = 1,
                           .analytic_wire_s = 0.3,
                           .simulated_wire_s = 0.4};
    compare_fill(&c);
    assert_string_equal(compare_basis_name(c.basis), "time");
    assert_rel(c.relative_error, 0.2, 1e-12);
    c.time_known = false;
    compare_fill(&c);
    assert_string_equal(compare_basis_name(c.basis), "wire");
    assert_rel(c.relative_error, -0.25, 1e-12);
    c.simulated_wire_s = 0;
    compare_fill(&c);
    assert_null(compare_basis_name(c.basis));
    assert_true(c.relative_error == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_billionth_below_the_bound_is_rounding),
        cmocka_unit_test(errors_are_on_times_where_they_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
