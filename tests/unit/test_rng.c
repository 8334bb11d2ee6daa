/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/rng.h"

static void sequence_is_the_published_one(void **state) {
    (void)state;
    // xoshiro256** from the state 1, 2, 3, 4
    static const uint64_t want[] = {11520u,
                                    0u,
                                    1509978240u,
                                    1215971899390074240u,
                                    1216172134540287360u,
                                    607988272756665600u,
                                    16172922978634559625u,
                                    8476171486693032832u,
                                    10595114339597558777u,
                                    2904607092377533576u};
    struct rng r = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_true(rng_u64(&r) == want[i]);
}

static void streams_differ_by_seed_name_and_index(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        const char *name;
        uint64_t index;
    } streams[] = {{1, "routing", 0}, {2, "routing", 0}, {1, "order", 0}, {1, "routing", 1},
                   {0, "routing", 0}, {1, "", 0},        {0, "", 1}};
    enum { STREAMS = sizeof streams / sizeof *streams };
    uint64_t first[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        struct rng r, again;
        rng_init(&r, streams[i].seed, streams[i].name, streams[i].index);
        rng_init(&again, streams[i].seed, streams[i].name, streams[i].index);
        first[i] = rng_u64(&r);
        assert_true(first[i] == rng_u64(&again));
        for (int j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

static void units_are_uniform(void **state) {
    (void)state;
    enum { DRAWS = 200000, BINS = 16 };
    struct rng r;
    rng_init(&r, check_seed("rng_unit"), "test", 0);
    double bins[BINS] = {0}, p = 1.0 / BINS, sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = rng_unit(&r);
        assert_true(u >= 0 && u < 1);
        bins[(int)(u * BINS)]++;
        sum += u;
    }
    for (int b = 0; b < BINS; b++)
        assert_near(bins[b], DRAWS * p, 4 * sqrt(DRAWS * p * (1 - p)));
    assert_near(sum / DRAWS, 0.5, 4 * sqrt(1.0 / 12 / DRAWS));
}

static void below_is_uniform_also_for_awkward_bounds(void **state) {
    (void)state;
    enum { DRAWS = 60000 };
    struct rng r;
    rng_init(&r, check_seed("rng_below"), "test", 1);
    double count[7] = {0};
    for (int i = 0; i < DRAWS; i++)
        count[rng_below(&r, 7)]++;
    for (int k = 0; k < 7; k++)
        assert_near(count[k], DRAWS / 7.0, 4 * sqrt(DRAWS * (1.0 / 7) * (6.0 / 7)));
    assert_true(rng_below(&r, 1) == 0);
    // two thirds of the range of 64 bits: without rejection the lower half would come twice as often
    uint64_t bound = UINT64_MAX / 3 * 2, low = 0;
    for (int i = 0; i < DRAWS; i++)
        low += rng_below(&r, bound) < bound / 2;
    assert_near((double)low, DRAWS / 2.0, 4 * sqrt(DRAWS * 0.25));
}

static void normals_have_unit_variance(void **state) {
    (void)state;
    enum { DRAWS = 200000 };
    struct rng r;
    rng_init(&r, check_seed("rng_normal"), "test", 2);
    double sum = 0, squares = 0, beyond = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = rng_normal(&r);
        assert_true(isfinite(x));
        sum += x;
        squares += x * x;
        beyond += fabs(x) > 1.959963984540054;
    }
    assert_near(sum / DRAWS, 0, 4 / sqrt(DRAWS));
    assert_near(squares / DRAWS, 1, 4 * sqrt(2.0 / DRAWS));
    assert_near(beyond, 0.05 * DRAWS, 4 * sqrt(DRAWS * 0.05 * 0.95));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequence_is_the_published_one),
        cmocka_unit_test(streams_differ_by_seed_name_and_index),
        cmocka_unit_test(units_are_uniform),
        cmocka_unit_test(below_is_uniform_also_for_awkward_bounds),
        cmocka_unit_test(normals_have_unit_variance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
