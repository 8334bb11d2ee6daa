/* SPDX-License-Identifier: BSD-3-Clause */
/* Growable text at the edges of its room. */
#include "tests/support/check.h"

#include "platforms/base/mem.h"

static void a_text_grows_where_it_must(void **state) {
    (void)state;
    // lengths around the first room (256 with the NUL) and the next one
    for (int before = 0; before < 600; before += 7)
        for (int n = 0; n < 600; n++) {
            struct buf printed = {0}, added = {0};
            char *first = mem_printf("%*s", before, ""), *more = mem_printf("%0*d", n ? n : 1, 7);
            buf_text(&printed, first);
            buf_printf(&printed, "%s", n ? more : "");
            buf_text(&added, first);
            buf_add(&added, more, (size_t)n);
            assert_int_equal(printed.n, before + n);
            assert_true(printed.room > printed.n);
            assert_int_equal(strlen(printed.text), printed.n);
            assert_string_equal(printed.text, added.text);
            buf_clear(&printed);
            buf_clear(&added);
            free(first);
            free(more);
        }
}

static void an_empty_text_is_text(void **state) {
    (void)state;
    struct buf printed = {0}, added = {0};
    buf_printf(&printed, "%s", "");
    buf_text(&added, "");
    assert_string_equal(printed.text, "");
    assert_string_equal(added.text, "");
    buf_clear(&printed);
    buf_clear(&added);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows_where_it_must),
        cmocka_unit_test(an_empty_text_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
