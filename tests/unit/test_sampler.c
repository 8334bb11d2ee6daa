/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/mem.h"
#include "workloads/draw/sampler.h"

static struct sampler *build(const double *inclusion, int n, int k) {
    struct sampler *s = NULL;
    struct err e;
    assert_ok(sampler_build(inclusion, n, k, &s, &e), &e);
    return s;
}

static struct sampler *build_uniform(int n, int k) {
    double *inclusion = mem_alloc((size_t)n, sizeof *inclusion);
    for (int i = 0; i < n; i++)
        inclusion[i] = (double)k / n;
    struct sampler *s = build(inclusion, n, k);
    free(inclusion);
    return s;
}

/* Counts of draws that hold each expert; also checks that ids are distinct, rising and in range. */
static void tally(const struct sampler *s, int n, int k, struct rng *r, int draws, double *count) {
    int ids[64];
    memset(count, 0, (size_t)n * sizeof *count);
    for (int d = 0; d < draws; d++) {
        sampler_draw(s, r, ids);
        for (int i = 0; i < k; i++) {
            assert_true(ids[i] >= 0 && ids[i] < n && (i == 0 || ids[i] > ids[i - 1]));
            count[ids[i]]++;
        }
    }
}

/* Bernstein's bound, which for rare events too is as unlikely to be passed as so many sigmas of a normal
 * distribution: t with t^2 / (2 (variance + t / 3)) = sigmas^2 / 2. */
static void assert_within_sigmas(double count, double p, int draws, double sigmas) {
    double variance = draws * p * (1 - p), square = sigmas * sigmas;
    assert_near(count, draws * p, square / 6 + sqrt(square * square / 36 + square * variance));
}

/* --- all subsets, by enumeration ------------------------------------------------------------------ */

enum { SMALL = 9, SUBSETS = 1 << SMALL };

/* Probability of every k-subset of n experts, proportional to the product of its weights. */
static void enumerate(const double *weight, int n, int k, double *p) {
    double sum = 0;
    for (int set = 0; set < 1 << n; set++) {
        p[set] = __builtin_popcount((unsigned)set) == k ? 1 : 0;
        for (int i = 0; i < n; i++)
            if (set >> i & 1)
                p[set] *= weight[i];
        sum += p[set];
    }
    for (int set = 0; set < 1 << n; set++)
        p[set] /= sum;
}

/* Returns the probability that a draw holds none of the experts first .. first + count - 1. */
static double miss_of(const struct sampler *s, int first, int count) {
    int *experts = mem_alloc((size_t)count, sizeof *experts);
    double *keep = mem_alloc((size_t)count, sizeof *keep); // zeros
    for (int i = 0; i < count; i++)
        experts[i] = first + i;
    double miss = sampler_keep(s, experts, keep, count);
    free(experts);
    free(keep);
    return miss;
}

static double chance_of(const double *p, int n, int mask, bool hit) {
    double sum = 0;
    for (int set = 0; set < 1 << n; set++)
        if (((set & mask) != 0) == hit)
            sum += p[set];
    return sum;
}

static void assert_matches_enumeration(const double *p, int n, int k, struct rng *r, int draws) {
    double inclusion[SMALL];
    for (int i = 0; i < n; i++)
        inclusion[i] = chance_of(p, n, 1 << i, true);
    struct sampler *s = build(inclusion, n, k);
    for (int first = 0; first < n; first++)
        for (int count = 0; first + count <= n; count++) {
            int mask = ((1 << count) - 1) << first;
            assert_near(miss_of(s, first, count), chance_of(p, n, mask, false), 1e-10);
        }
    int *seen = mem_alloc(SUBSETS, sizeof *seen), ids[SMALL];
    for (int d = 0; d < draws; d++) {
        int set = 0;
        sampler_draw(s, r, ids);
        for (int i = 0; i < k; i++)
            set |= 1 << ids[i];
        seen[set]++;
    }
    for (int set = 0; set < 1 << n; set++)
        assert_within_sigmas(seen[set], p[set], draws, 5);
    free(seen);
    sampler_free(s);
}

static void small_cases_match_enumeration(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("sampler against all subsets"), "test", 0);
    double p[SUBSETS], weight[SMALL];
    for (int round = 0; round < 60; round++) {
        int n = 1 + (int)rng_below(&r, SMALL), k = 1 + (int)rng_below(&r, (uint64_t)n);
        double spread = round % 2 ? 2 : 20; // of the logarithm
        for (int i = 0; i < n; i++)
            weight[i] = exp(spread * (rng_unit(&r) - 0.5));
        enumerate(weight, n, k, p);
        assert_matches_enumeration(p, n, k, &r, 20000);
    }
}

/* --- closed forms ------------------------------------------------------------------------------- */

static void uniform_fan_out_is_known(void **state) {
    (void)state;
    // 8 (1 - C(56,8) / C(64,8))
    double miss = 1;
    for (int i = 0; i < 8; i++)
        miss *= (56.0 - i) / (64.0 - i);
    double want = 8 * (1 - miss), exact = 0;
    assert_near(want, 5.4326, 5e-5);
    struct sampler *s = build_uniform(64, 8);
    for (int g = 0; g < 8; g++)
        exact += 1 - miss_of(s, 8 * g, 8);
    assert_near(exact, want, 1e-10);

    enum { DRAWS = 200000 };
    struct rng r;
    rng_init(&r, check_seed("fan-out"), "test", 1);
    double sum = 0, squares = 0;
    for (int d = 0; d < DRAWS; d++) {
        int ids[8], groups = 0;
        sampler_draw(s, &r, ids);
        for (int i = 0; i < 8; i++)
            groups += i == 0 || ids[i] / 8 != ids[i - 1] / 8;
        sum += groups;
        squares += groups * groups;
    }
    double mean = sum / DRAWS, sigma = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assert_near(mean, want, 4 * sigma);
    sampler_free(s);
}

static void uniform_misses_are_hypergeometric(void **state) {
    (void)state;
    static const int sizes[][2] = {{1, 1},  {2, 1},    {5, 3},    {8, 8},
                                   {60, 4}, {100, 33}, {1000, 8}, {300, 290}};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        int n = sizes[c][0], k = sizes[c][1];
        struct sampler *s = build_uniform(n, k);
        for (int count = 0; count <= n; count += 1 + n / 7) {
            double miss = 1;
            for (int i = 0; i < k; i++)
                miss *= n - count - i > 0 ? (double)(n - count - i) / (n - i) : 0;
            assert_near(miss_of(s, 0, count), miss, 1e-11);
            assert_near(miss_of(s, n - count, count), miss, 1e-11);
        }
        sampler_free(s);
    }
}

/* --- marginals ---------------------------------------------------------------------------------- */

/* Random inclusion probabilities with sum k: exponential loads that are cut at 1 and topped up. */
static void random_inclusion(struct rng *r, int n, int k, double power, double *inclusion) {
    double low = 0, high = 1e300, *load = mem_alloc((size_t)n, sizeof *load);
    for (int i = 0; i < n; i++)
        load[i] = pow(1 - rng_unit(r), power);
    for (int step = 0; step < 2200; step++) {
        double middle = low + (high - low) / 2, sum = 0;
        for (int i = 0; i < n; i++)
            sum += fmin(middle * load[i], 1);
        *(sum < k ? &low : &high) = middle;
    }
    for (int i = 0; i < n; i++)
        inclusion[i] = fmin(low * load[i], 1);
    free(load);
}

static void marginals_are_met(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    static const int sizes[][2] = {{64, 8}, {60, 4}, {256, 8}, {33, 32}, {3, 2}, {100, 50}};
    struct rng r;
    rng_init(&r, check_seed("marginals"), "test", 2);
    double inclusion[256], count[256];
    for (int round = 0; round < 24; round++) {
        int n = sizes[round % 6][0], k = sizes[round % 6][1];
        random_inclusion(&r, n, k, 1 << (round / 6), inclusion);
        struct sampler *s = build(inclusion, n, k);
        tally(s, n, k, &r, DRAWS, count);
        for (int i = 0; i < n; i++) {
            assert_near(1 - miss_of(s, i, 1), inclusion[i], 1e-11);
            assert_within_sigmas(count[i], inclusion[i], DRAWS, 5);
        }
        sampler_free(s);
    }
}

static void zero_is_never_and_one_always_drawn(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    // the last-but-one is 1 up to rounding
    static const double inclusion[] = {0, 1, 0.25, 0, 0.5, 0.25, 1 - 1e-13, 0};
    double count[8];
    struct rng r;
    rng_init(&r, check_seed("certain experts"), "test", 3);
    struct sampler *s = build(inclusion, 8, 3);
    tally(s, 8, 3, &r, DRAWS, count);
    for (int i = 0; i < 8; i++)
        if (inclusion[i] == 0 || inclusion[i] > 0.9)
            assert_near(count[i], inclusion[i] > 0.9 ? DRAWS : 0, 0);
        else
            assert_within_sigmas(count[i], inclusion[i], DRAWS, 4);
    assert_rel(miss_of(s, 1, 1), 0, 0);
    assert_rel(miss_of(s, 0, 1), 1, 1e-15);
    sampler_free(s);
}

static void extreme_skew_is_solved(void **state) {
    (void)state;
    // max/mean is 7.9999 of at most 8: one expert nearly always, the others nearly never ...
    double inclusion[64];
    for (int i = 0; i < 64; i++)
        inclusion[i] = i < 7 ? 1 - 1e-9 : i == 7 ? 1 - 1e-3 : (1e-3 + 7e-9) / 56;
    struct sampler *s = build(inclusion, 64, 8);
    for (int i = 0; i < 64; i++)
        assert_near(1 - miss_of(s, i, 1), inclusion[i], 1e-11);
    sampler_free(s);
    // ... and loads over 12 decades
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += inclusion[i] = pow(10, -12.0 * i / 63);
    for (int i = 0; i < 64; i++)
        inclusion[i] *= 2 / sum;
    s = build(inclusion, 64, 2);
    for (int i = 0; i < 64; i++)
        assert_near(1 - miss_of(s, i, 1), inclusion[i], 1e-11);
    sampler_free(s);
}

static void rounding_of_the_sum_is_spread(void **state) {
    (void)state;
    static const double inclusion[] = {0.5 + 4e-10, 0.25, 0.75, 0.5};
    struct sampler *s = build(inclusion, 4, 2);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += 1 - miss_of(s, i, 1);
        assert_near(1 - miss_of(s, i, 1), inclusion[i], 4e-10);
    }
    assert_near(sum, 2, 1e-12);
    sampler_free(s);
}

static void all_experts_are_drawn_when_k_is_n(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, 1, "test", 4);
    struct sampler *s = build_uniform(6, 6);
    int ids[6];
    sampler_draw(s, &r, ids);
    for (int i = 0; i < 6; i++)
        assert_int_equal(ids[i], i);
    sampler_free(s);
}

static void large_cases_are_stable(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("large sampler"), "test", 5);
    static double inclusion[4096];
    random_inclusion(&r, 4096, 512, 4, inclusion);
    struct sampler *s = build(inclusion, 4096, 512);
    for (int i = 0; i < 4096; i += 97)
        assert_near(1 - miss_of(s, i, 1), inclusion[i], 1e-11);
    sampler_free(s);
}

static void same_seed_same_draws(void **state) {
    (void)state;
    struct sampler *s = build_uniform(64, 8);
    int a[8], b[8], different = 0;
    struct rng r1, r2, r3;
    rng_init(&r1, 1, "routing", 0);
    rng_init(&r2, 1, "routing", 0);
    rng_init(&r3, 1, "routing", 1);
    for (int d = 0; d < 100; d++) {
        sampler_draw(s, &r1, a);
        sampler_draw(s, &r2, b);
        assert_memory_equal(a, b, sizeof a);
        sampler_draw(s, &r3, b);
        different += memcmp(a, b, sizeof a) != 0;
    }
    assert_true(different > 90);
    sampler_free(s);
}

static void impossible_probabilities_are_refused(void **state) {
    (void)state;
    static const struct {
        double inclusion[3];
        int k;
        const char *message;
    } bad[] = {
        {{.5, .5, .5}, 2, "probabilities sum to 1.5, expected 2"},
        {{1.5, .25, .25}, 2, "probability 1.5 of expert 0 is outside 0..1"},
        {{1, -.5, .5}, 1, "probability -0.5 of expert 1 is outside 0..1"},
        {{1, NAN, 0}, 1, "of expert 1 is outside 0..1"},
        {{1, 1, 1}, 4, "cannot draw 4 distinct experts of 3"},
        {{0, 0, 0}, 0, "cannot draw 0 distinct experts of 3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sampler *s = NULL;
        struct err e;
        assert_fails(sampler_build(bad[i].inclusion, 3, bad[i].k, &s, &e), RC_RANGE, &e,
                     bad[i].message);
        assert_null(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cases_match_enumeration),
        cmocka_unit_test(uniform_fan_out_is_known),
        cmocka_unit_test(uniform_misses_are_hypergeometric),
        cmocka_unit_test(marginals_are_met),
        cmocka_unit_test(zero_is_never_and_one_always_drawn),
        cmocka_unit_test(extreme_skew_is_solved),
        cmocka_unit_test(rounding_of_the_sum_is_spread),
        cmocka_unit_test(all_experts_are_drawn_when_k_is_n),
        cmocka_unit_test(large_cases_are_stable),
        cmocka_unit_test(same_seed_same_draws),
        cmocka_unit_test(impossible_probabilities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
