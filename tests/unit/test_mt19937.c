/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/mt19937.h"
#include "platforms/base/root.h"

/* Expected: CPython 3, random.Random(seed).random(). */
static void as_python_draws(void **state) {
    (void)state;
    struct mt19937 m;
    mt19937_init(&m, 20260825);
    assert_rel(mt19937_unit(&m), 0x1.1f46348b0a808p-4, 0);
    assert_rel(mt19937_unit(&m), 0x1.467735b3f512bp-1, 0);
    assert_rel(mt19937_unit(&m), 0x1.7713d0cfdf3e4p-3, 0);
    assert_int_equal(mt19937_u32(&m), 1448458807u);
    assert_int_equal(mt19937_u32(&m), 3530980167u);
    mt19937_init(&m, 20260825);
    double last = 0;
    for (int i = 0; i < 1000; i++) // over three refills
        last = mt19937_unit(&m);
    assert_rel(last, 0x1.fb425ffe0427ep-1, 0);
    mt19937_init(&m, (1ull << 40) + 5); // a key of two words
    assert_rel(mt19937_unit(&m), 0x1.023e2261153dcp-1, 0);
    assert_rel(mt19937_uniform(&m, 10, 20), 10 + 10 * 0x1.130d0ad4f7578p-2, 0);
}

static enum rc cubic(double x, void *context, double *y, struct err *e) {
    (*(int *)context)++;
    *y = x * x * x - 20;
    return x > 90 ? err_set(e, RC_ENGINE, "no value at %g", x) : RC_OK;
}

static void roots(void **state) {
    (void)state;
    int calls = 0;
    struct root r;
    struct err e;
    const double range[2] = {1, 32}, high[2] = {5, 32}, low[2] = {0.5, 2}, bad[2] = {1, 100};
    assert_ok(root_bisect(cubic, &calls, range, 40, &r, &e), &e);
    assert_int_equal(r.state, ROOT_FOUND);
    assert_rel(r.x, cbrt(20), 1e-10);
    assert_true(r.x * r.x * r.x >= 20); // the upper end
    assert_int_equal(r.evaluations, 42);
    assert_int_equal(calls, 42);
    assert_ok(root_search(cubic, &calls, range, 3, 1e-4, &r, &e), &e);
    assert_rel(r.x, cbrt(20), 1e-4);
    assert_true(r.evaluations < 14);
    assert_ok(root_search(cubic, &calls, range, 0, 1e-4, &r, &e), &e);
    assert_rel(r.x, cbrt(20), 1e-4);
    assert_ok(root_search(cubic, &calls, high, 0, 1e-4, &r, &e), &e);
    assert_int_equal(r.state, ROOT_ALREADY);
    assert_rel(r.x, 5, 0);
    assert_ok(root_bisect(cubic, &calls, low, 40, &r, &e), &e);
    assert_int_equal(r.state, ROOT_NEVER);
    assert_rel(r.x, 2, 0);
    assert_fails(root_bisect(cubic, &calls, bad, 40, &r, &e), RC_ENGINE, &e, "no value at 100");
    assert_rel(r.x, 2, 0); // untouched
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_python_draws), cmocka_unit_test(roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
