/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "workloads/records/csv.h"

/* All records of a text as "field|field;field;", or the error. */
static enum rc flatten(const char *data, size_t n, struct buf *out, struct err *e) {
    struct csv c;
    csv_init(&c, data, n, "t.csv");
    buf_clear(out);
    buf_text(out, "");
    enum rc rc;
    while ((rc = csv_next(&c, e)) == RC_OK && c.n_fields)
        for (size_t i = 0; i < c.n_fields; i++)
            buf_printf(out, "%s%s", c.fields[i].text, i + 1 < c.n_fields ? "|" : ";");
    csv_clear(&c);
    return rc;
}

static void records_follow_rfc_4180(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } good[] = {
        {"a,b\n1,2\n", "a|b;1|2;"},
        {"a,b\r\n1,2\r\n", "a|b;1|2;"},
        {"a,b\n1,2", "a|b;1|2;"},
        {"\xEF\xBB\xBF"
         "a,b\n",
         "a|b;"},
        {"\n\r\n  \na\n\n", "a;"},
        {"a,,b,\n", "a||b|;"},
        {",", "|;"},
        {"\"a,b\",\"c\"\"d\",\"e\nf\"\n", "a,b|c\"d|e\nf;"},
        {" a , b\t\n", "a|b;"},
        {"\" a \" ,x\n", " a |x;"},
        {"\"\"\n", ";"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct buf out = {0};
        struct err e;
        assert_ok(flatten(good[i].text, strlen(good[i].text), &out, &e), &e);
        assert_string_equal(out.text, good[i].want);
        buf_clear(&out);
    }
}

static void broken_records_name_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *message;
    } bad[] = {
        {"a\nb,\"c\nd", 8, "t.csv:2:3: quote is never closed"},
        {"a\nb\"c\n", 6,
         "t.csv:2:2: quote inside an unquoted field; quote the whole field and double it"},
        {"\"a\" b,c\n", 8,
         "t.csv:1:5: text after the closing quote, expected a comma or the end of the line"},
        {"a,b\0\n", 5, "t.csv:1:4: NUL byte, expected text"},
        {"\"\0\"", 3, "t.csv:1:2: NUL byte, expected text"},
        {"a\rb\n", 4, "t.csv:1:2: carriage return without a line feed after it"},
        {"a\r", 2, "t.csv:1:2: carriage return without a line feed after it"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf out = {0};
        struct err e;
        assert_int_equal(flatten(bad[i].text, bad[i].n, &out, &e), RC_SYNTAX);
        assert_string_equal(e.text, bad[i].message);
        buf_clear(&out);
    }
}

static void places_survive_quoted_lines(void **state) {
    (void)state;
    const char text[] = "\"a\n\nb\",c\r\n  d,e";
    struct csv c;
    struct err e;
    csv_init(&c, text, strlen(text), "t.csv");
    assert_ok(csv_next(&c, &e), &e);
    assert_int_equal(c.fields[1].at.line, 3);
    assert_int_equal(c.fields[1].at.column, 4);
    assert_ok(csv_next(&c, &e), &e);
    assert_int_equal(c.fields[0].at.line, 4);
    assert_int_equal(c.fields[0].at.column, 3);
    csv_clear(&c);
}

static void numbers_are_decimal_and_finite(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"12", 12}, {"-3.5", -3.5}, {"+1e3", 1000}, {".5", .5}, {"5.", 5}, {"1E-2", .01}};
    static const char *const bad[] = {"",    "-",   ".",     "1e",  "1e+", "inf",  "nan",
                                      "0x1", "1 2", "1e999", "1,5", "--1", "1.2.3"};
    double value = 7;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct csv_field f = {.text = good[i].text, .n = strlen(good[i].text)};
        assert_true(csv_number(&f, &value));
        assert_rel(value, good[i].value, 0);
    }
    value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct csv_field f = {.text = bad[i], .n = strlen(bad[i])};
        if (csv_number(&f, &value))
            fail_msg("'%s' was read as %g", bad[i], value);
        assert_rel(value, 7, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_follow_rfc_4180),
        cmocka_unit_test(broken_records_name_their_place),
        cmocka_unit_test(places_survive_quoted_lines),
        cmocka_unit_test(numbers_are_decimal_and_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
