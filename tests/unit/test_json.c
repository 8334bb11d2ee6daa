/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/json.h"
#include "platforms/base/rng.h"

static void numbers_are_short_and_exact(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-2.5, "-2.5"},
                 {0.1, "0.1"},
                 {1e22, "1e+22"},
                 {0.044e-3, "4.4e-05"},
                 {1 / 3.0, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[JSON_NUMBER];
        assert_string_equal(json_format(cases[i].value, text), cases[i].text);
    }
}

static void every_double_reads_back_equal(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("every_double_reads_back_equal"), "json", 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_u64(&r);
        double value;
        char text[JSON_NUMBER];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        double back = strtod(json_format(value, text), NULL);
        if (back != value || strlen(text) > 24)
            fail_msg("%.17g was written as %s", value, text);
    }
}

static void layout(void **state) {
    (void)state;
    for (int pretty = 0; pretty < 2; pretty++) {
        struct buf b = {0};
        struct json j;
        json_init(&j, &b, pretty);
        json_open(&j, '{');
        json_key_text(&j, "name", "x");
        json_key_open(&j, "list", '[');
        json_int(&j, -7);
        json_number(&j, 0.5);
        json_open(&j, '{');
        json_close(&j);
        json_close(&j);
        json_key_open(&j, "empty", '[');
        json_close(&j);
        json_key_bool(&j, "yes", true);
        json_key_null(&j, "unknown");
        json_key_text(&j, "no_text", NULL);
        json_key_int(&j, "big", INT64_MIN);
        json_close(&j);
        assert_string_equal(
            b.text,
            pretty ? "{\n  \"name\": \"x\",\n  \"list\": [\n    -7,\n    0.5,\n    {}\n  ],\n"
                     "  \"empty\": [],\n  \"yes\": true,\n  \"unknown\": null,\n"
                     "  \"no_text\": null,\n  \"big\": -9223372036854775808\n}"
                   : "{\"name\": \"x\", \"list\": [-7, 0.5, {}], \"empty\": [], \"yes\": true, "
                     "\"unknown\": null, \"no_text\": null, \"big\": -9223372036854775808}");
        buf_clear(&b);
    }
}

static void text_becomes(const char *text, const char *expected) {
    struct buf b = {0};
    struct json j;
    json_init(&j, &b, false);
    json_text(&j, text);
    assert_string_equal(b.text, expected);
    buf_clear(&b);
}

static void escapes(void **state) {
    (void)state;
    text_becomes("", "\"\"");
    text_becomes("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    text_becomes("\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\x7f\"");
}

#define LOST "\xEF\xBF\xBD" // U+FFFD

static void text_is_always_utf8(void **state) {
    (void)state;
    // the smallest and largest of each length
    text_becomes("\xC2\x80\xDF\xBF", "\"\xC2\x80\xDF\xBF\"");
    text_becomes("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF",
                 "\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\"");
    text_becomes("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"");
    // a lone continuation, a byte that never occurs, a sequence cut off by the end or by another character
    text_becomes("a\x80z", "\"a" LOST "z\"");
    text_becomes("\xFF", "\"" LOST "\"");
    text_becomes("\xC3", "\"" LOST "\"");
    text_becomes("\xE2\x82", "\"" LOST LOST "\"");
    text_becomes("\xC3\"", "\"" LOST "\\\"\"");
    // overlong forms, a surrogate, beyond U+10FFFF
    text_becomes("\xC0\xAF", "\"" LOST LOST "\"");
    text_becomes("\xE0\x9F\xBF", "\"" LOST LOST LOST "\"");
    text_becomes("\xED\xA0\x80", "\"" LOST LOST LOST "\"");
    text_becomes("\xF4\x90\x80\x80", "\"" LOST LOST LOST LOST "\"");
}

static void keys_are_escaped_too(void **state) {
    (void)state;
    struct buf b = {0};
    struct json j;
    json_init(&j, &b, false);
    json_open(&j, '{');
    json_key_int(&j, "a\"\xFF", 1);
    json_close(&j);
    assert_string_equal(b.text, "{\"a\\\"" LOST "\": 1}");
    buf_clear(&b);
}

static void lines_become_a_list(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {NULL, "[]"}, {"", "[]"}, {"one", "[\"one\"]"}, {"one\ntwo\n", "[\"one\", \"two\"]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf b = {0};
        struct json j;
        char *expected = mem_printf("{\"x\": %s}", cases[i][1]);
        json_init(&j, &b, false);
        json_open(&j, '{');
        json_key_lines(&j, "x", cases[i][0]);
        json_close(&j);
        assert_string_equal(b.text, expected);
        buf_clear(&b);
        free(expected);
    }
}

/* --- a sink ------------------------------------------------------------------------------------------------ */

static void sink_open(void *context, char kind) {
    buf_printf(context, "%c ", kind);
}

static void sink_close(void *context) {
    buf_text(context, ") ");
}

static void sink_key(void *context, const char *key) {
    buf_printf(context, "key=%s ", key);
}

static void sink_text(void *context, const char *text) {
    buf_printf(context, "text=%s ", text ? text : "null");
}

static void sink_number(void *context, double value) {
    buf_printf(context, "number=%g ", value);
}

static void sink_integer(void *context, int64_t value) {
    buf_printf(context, "integer=%lld ", (long long)value);
}

static void sink_boolean(void *context, bool value) {
    buf_printf(context, "boolean=%d ", value);
}

static void a_sink_takes_values_as_they_are(void **state) {
    static const struct json_sink sink = {sink_open,   sink_close,   sink_key,    sink_text,
                                          sink_number, sink_integer, sink_boolean};
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init_sink(&j, &sink, &b);
    json_open(&j, '{');
    json_key_text(&j, "a\xFF\"", "b\xFF\"\n");
    json_key_text(&j, "empty", "");
    json_key_null(&j, "n");
    json_key_open(&j, "list", '[');
    json_number(&j, 0.5);
    json_number(&j, 2);
    json_int(&j, 2);
    json_bool(&j, true);
    json_close(&j);
    json_key_lines(&j, "lines", "x\ny\n");
    json_close(&j);
    assert_string_equal(b.text,
                        "{ key=a\xEF\xBF\xBD\" text=b\xEF\xBF\xBD\"\n key=empty text= key=n text=null key=list [ "
                        "number=0.5 number=2 integer=2 boolean=1 ) key=lines [ text=x text=y ) ) ");
    buf_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_short_and_exact),
        cmocka_unit_test(every_double_reads_back_equal),
        cmocka_unit_test(layout),
        cmocka_unit_test(lines_become_a_list),
        cmocka_unit_test(escapes),
        cmocka_unit_test(text_is_always_utf8),
        cmocka_unit_test(keys_are_escaped_too),
        cmocka_unit_test(a_sink_takes_values_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
