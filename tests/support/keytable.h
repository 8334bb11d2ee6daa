/* SPDX-License-Identifier: BSD-3-Clause */
/* keytable.h - the key tables in README files are what the key tables in the code print.
 * With MOESIM_UPDATE_DOCS set the file is rewritten instead. */
#ifndef TESTS_SUPPORT_KEYTABLE_H
#define TESTS_SUPPORT_KEYTABLE_H

#include "tests/support/check.h"

#include "platforms/base/file.h"
#include "platforms/base/keys.h"

/* readme: below the source tree. marker: "keys" or "keys NAME". */
static inline void check_key_table(const char *readme, const char *marker, const struct key *table) {
    char *path = mem_printf("%s/../../%s", TEST_DATA_DIR, readme), *text;
    char *begin = mem_printf("<!-- %s -->\n", marker);
    const char *end = "<!-- /keys -->\n";
    size_t n;
    struct err e;
    struct buf expected = {0}, updated = {0};
    assert_ok(file_read(path, 1 << 20, &text, &n, &e), &e);
    char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
    if (!to)
        fail_msg("%s: no table between %s and %s", readme, begin, end);
    keys_markdown(table, &expected);
    from += strlen(begin);
    if ((size_t)(to - from) != expected.n || memcmp(from, expected.text, expected.n) != 0) {
        if (!getenv("MOESIM_UPDATE_DOCS"))
            fail_msg("%s: the table of '%s' is not that of the program; run this test with "
                     "MOESIM_UPDATE_DOCS=1",
                     readme, marker);
        buf_add(&updated, text, (size_t)(from - text));
        buf_add(&updated, expected.text, expected.n);
        buf_text(&updated, to);
        assert_ok(file_write(path, updated.text, updated.n, &e), &e);
    }
    buf_clear(&expected);
    buf_clear(&updated);
    free(text);
    free(begin);
    free(path);
}

#endif
