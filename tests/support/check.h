/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - cmocka with what it lacks: doubles, rc with the message, property loops with a printed seed. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/base/err.h"

/* The outer one where there are two. */
#define TIER_SLOW ((enum tier)1)

/* |a - b| <= tolerance * |b|, and the numbers in the message when not. */
#define assert_rel(a, b, tolerance)                                                                \
    check_rel((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define assert_near(a, b, tolerance)                                                               \
    check_near((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define assert_ok(call, e)                                                                         \
    do {                                                                                           \
        enum rc check_rc = (call);                                                                 \
        if (check_rc)                                                                              \
            fail_msg("%s: %s", #call, (e)->text);                                                  \
    } while (0)
/* The call fails with this code and a message that contains the text. */
#define assert_fails(call, code, e, part)                                                          \
    do {                                                                                           \
        enum rc check_rc = (call);                                                                 \
        if (check_rc != (code))                                                                    \
            fail_msg("%s: code %d, expected %d: %s", #call, check_rc, (code),                      \
                     check_rc ? (e)->text : "");                                                   \
        if (!strstr((e)->text, (part)))                                                            \
            fail_msg("message '%s' lacks '%s'", (e)->text, (part));                                \
    } while (0)

static inline void check_near(double a, double b, double tolerance, const char *what, const char *file,
                              int line) {
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s = %.17g, expected %.17g +- %g (off by %.3g)\n", what, a, b, tolerance, a - b);
        _fail(file, line);
    }
}

static inline void check_rel(double a, double b, double tolerance, const char *what, const char *file,
                             int line) {
    check_near(a, b, tolerance * fabs(b), what, file, line);
}

/* Texts that a reader refuses, each with the whole message. load() makes nothing of them. */
struct refused {
    const char *text;
    enum rc rc;
    const char *message;
};
static inline void check_refused(const struct refused *bad, size_t n,
                                 enum rc (*load)(const char *text, struct err *e)) {
    for (size_t i = 0; i < n; i++) {
        struct err e;
        enum rc rc = load(bad[i].text, &e);
        if (rc == RC_OK)
            fail_msg("was accepted: %s", bad[i].text);
        assert_string_equal(e.text, bad[i].message);
        assert_int_equal(rc, bad[i].rc);
    }
}

/* Exit code of a program that could test nothing here; ctest reports it as skipped (tests/CMakeLists.txt). */
static inline int skipped(const char *why) {
    print_message("skipped: %s\n", why);
    return 77;
}

/* Seed of a property test: $MOESIM_TEST_SEED, or a fixed one; printed, so that a failure can be repeated. */
static inline uint64_t check_seed(const char *property) {
    const char *text = getenv("MOESIM_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 20261129;
    print_message("%s: seed %llu\n", property, (unsigned long long)seed);
    return seed;
}

#endif
