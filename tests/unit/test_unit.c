/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/unit.h"

static double parse(const char *text, enum unit_kind kind) {
    double value = -1;
    struct err e;
    assert_ok(unit_parse(text, kind, &value, &e), &e);
    return value;
}

static void quantities_are_si(void **state) {
    (void)state;
    assert_rel(parse("450GBps", UNIT_RATE), 450e9, 0);
    assert_rel(parse("400Gbps", UNIT_RATE), 50e9, 0);
    assert_rel(parse("400 Gbps", UNIT_RATE), 50e9, 0);
    assert_rel(parse("1GiBps", UNIT_RATE), 1073741824.0, 0);
    assert_rel(parse("54KiB", UNIT_SIZE), 55296, 0);
    assert_rel(parse("1.5kB", UNIT_SIZE), 1500, 0);
    assert_rel(parse("2us", UNIT_TIME), 2e-6, 0);
    assert_rel(parse("0s", UNIT_TIME), 0, 0);
}

static void bad_quantities_say_what_was_expected(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum unit_kind kind;
        enum rc rc;
        const char *part;
    } bad[] = {
        {"50 GB", UNIT_RATE, RC_UNIT, "'50 GB' is a size, expected a rate such as 50GBps"},
        {"50GBps", UNIT_SIZE, RC_UNIT, "is a rate, expected a size such as 54KiB"},
        {"50", UNIT_RATE, RC_UNIT, "has no unit"},
        {"0", UNIT_TIME, RC_UNIT, "has no unit, expected a time such as 2us or 0s"},
        {"50GB/s", UNIT_RATE, RC_UNIT, "did you mean 'GBps'"},
        {"50gbps", UNIT_RATE, RC_UNIT, "unknown unit"},
        {"-1us", UNIT_TIME, RC_RANGE, "is negative"},
        {"1e400s", UNIT_TIME, RC_RANGE, "not finite"},
        {"1e308s", UNIT_TIME, RC_RANGE, "'1e308s' is out of range, expected a time of 0 or of 1e-6ns to 1e6s"},
        {"1e-7ns", UNIT_TIME, RC_RANGE, "out of range"},
        {"1e-320GBps", UNIT_RATE, RC_RANGE, "out of range, expected a rate of 0 or of 1Bps to 1e6TBps"},
        {"1e10TBps", UNIT_RATE, RC_RANGE, "out of range"},
        {"1e290GB", UNIT_SIZE, RC_RANGE, "out of range, expected a size of 0 or of 0.001B to 1e6TB"},
        {"nans", UNIT_TIME, RC_UNIT, "is not a time"},
        {"infs", UNIT_TIME, RC_UNIT, "is not a time"},
        {"0x10s", UNIT_TIME, RC_UNIT, "is not a time"},
        {"", UNIT_TIME, RC_UNIT, "is not a time"},
        {"GBps", UNIT_RATE, RC_UNIT, "is not a rate"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        struct err e;
        assert_fails(unit_parse(bad[i].text, bad[i].kind, &value, &e), bad[i].rc, &e, bad[i].part);
        assert_rel(value, 7, 0); // untouched
    }
}

static void format_uses_readable_units(void **state) {
    (void)state;
    char text[UNIT_TEXT];
    assert_string_equal(unit_format(450e9, UNIT_RATE, text), "450 GB/s");
    assert_string_equal(unit_format(1.28596e-3, UNIT_TIME, text), "1.286 ms");
    assert_string_equal(unit_format(999.96e-6, UNIT_TIME, text), "1 ms");
    assert_string_equal(unit_format(0, UNIT_TIME, text), "0 s");
    assert_string_equal(unit_format(0, UNIT_SIZE, text), "0 B");
    assert_string_equal(unit_format(3e-12, UNIT_TIME, text), "0.003 ns");
    assert_string_equal(unit_format(53.7e6, UNIT_SIZE, text), "53.7 MB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_si),
        cmocka_unit_test(bad_quantities_say_what_was_expected),
        cmocka_unit_test(format_uses_readable_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
