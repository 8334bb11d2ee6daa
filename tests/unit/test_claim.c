/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "gates/claim.h"

static struct licences *licences;

static int get_licences(void **state) {
    (void)state;
    licences = licences_decide(NULL, 0);
    return 0;
}

static int drop_licences(void **state) {
    (void)state;
    licences_free(licences);
    return 0;
}

static const char *as_json(struct claim c, struct buf *b) {
    struct json j;
    buf_clear(b);
    json_init(&j, b, false);
    json_open(&j, '{');
    claim_json_key(&j, "x", c);
    json_close(&j);
    return b->text;
}

static void a_withdrawn_number_is_not_even_stored(void **state) {
    (void)state;
    static const enum capability locked[] = {CAP_STEP_TIME, CAP_THROUGHPUT};
    const double secret = 1234.5;
    for (size_t i = 0; i < 2; i++) {
        const struct licence *l = licences_get(licences, locked[i]);
        assert_int_equal(licence_state(l), CAPABILITY_WITHDRAWN);
        struct claim c = claim_make(l, secret);
        char text[CLAIM_TEXT];
        struct buf b = {0};
        assert_false(claim_known(c));
        assert_string_equal(claim_text(c, CLAIM_PLAIN, text), "-");
        assert_string_equal(as_json(c, &b), "{\"x\": null}");
        buf_clear(&b);
        // nowhere in the sealed bytes either
        for (size_t at = 0; at + sizeof secret <= sizeof c; at++)
            assert_memory_not_equal((const char *)&c + at, &secret, sizeof secret);
        struct err e;
        assert_int_equal(licence_require(l, &e), RC_WITHDRAWN);
        assert_non_null(strstr(e.text, "tier2"));
    }
    assert_false(claim_known(claim_make(NULL, 1)));
}

static void a_conditional_number_is_written_in_every_form(void **state) {
    (void)state;
    const struct licence *l = licences_get(licences, CAP_CALL_TIME);
    assert_int_equal(licence_state(l), CAPABILITY_CONDITIONAL);
    char text[CLAIM_TEXT];
    struct buf b = {0};
    assert_string_equal(claim_text(claim_make(l, 1.286e-3), CLAIM_TIME, text), "1.286 ms");
    assert_string_equal(claim_text(claim_make(l, 1.05), CLAIM_FACTOR, text), "1.050");
    assert_string_equal(claim_text(claim_make(l, 1.049), CLAIM_COARSE, text), "1.05");
    assert_string_equal(claim_text(claim_make(l, 0.89), CLAIM_PERCENT, text), "89.0 %");
    assert_string_equal(claim_text(claim_make(l, -0.013), CLAIM_ERROR, text), "-1.3 %");
    assert_string_equal(claim_text(claim_make(l, -0.0001), CLAIM_ERROR, text), "+0.0 %");
    assert_string_equal(claim_text(claim_make(l, -0.013), CLAIM_SHIFT, text), "-13 ms");
    assert_string_equal(claim_text(claim_make(l, 14.73e-6), CLAIM_SHIFT, text), "+14.73 us");
    assert_string_equal(claim_text(claim_make(l, -1e-10), CLAIM_SHIFT, text), "0 s");
    assert_string_equal(claim_text(claim_make(l, 0.1), CLAIM_PLAIN, text), "0.1");
    assert_string_equal(as_json(claim_make(l, 0), &b), "{\"x\": 0}"); // zero is a known number
    assert_string_equal(as_json(claim_if(false, l, 7), &b), "{\"x\": null}");
    buf_clear(&b);
}

static void half_a_pair_is_null(void **state) {
    (void)state;
    const struct licence *l = licences_get(licences, CAP_CALL_TIME);
    const struct claim both[2] = {claim_make(l, 1), claim_make(l, 2)}, half[2] = {claim_make(l, 1)};
    struct buf b = {0};
    struct json j;
    json_init(&j, &b, false);
    json_open(&j, '{');
    claim_json_pair(&j, "both", both);
    claim_json_pair(&j, "half", half);
    json_close(&j);
    assert_string_equal(b.text, "{\"both\": [1, 2], \"half\": null}");
    buf_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_withdrawn_number_is_not_even_stored),
        cmocka_unit_test(a_conditional_number_is_written_in_every_form),
        cmocka_unit_test(half_a_pair_is_null),
    };
    return cmocka_run_group_tests(tests, get_licences, drop_licences);
}
