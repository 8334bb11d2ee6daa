/* SPDX-License-Identifier: BSD-3-Clause */
/* The page as a browser draws it: no labels on labels, nothing empty, nothing too wide. Skipped without chromium. */
#include "tests/support/page.h"

/* Draws the page and has a script of the test look at it. */
static void probe(const char *html, int width) {
    char *page = get_file(html), *script = get_file(TEST_SUPPORT_DIR "/probe.html"), *probed = path_of("probed.html");
    char *both = mem_printf("%s%s", page, script), expected[120];
    put_file(probed, both);
    char *command = mem_printf("chromium --headless --no-sandbox --disable-gpu --user-data-dir=%s.profile "
                               "--window-size=1400,2000 --dump-dom 'file://%s#%d' 2>/dev/null; rm -rf %s.profile",
                               probed, probed, width, probed);
    struct buf dom = {0};
    program_shell(command, &dom);
    const char *found = dom.text ? strstr(dom.text, "id=\"probe\">") : NULL;
    if (!found)
        fail_msg("the browser drew no page");
    snprintf(expected, sizeof expected,
             "id=\"probe\">plots 15, empty 0, errors 0, width %d, too wide false, overlaps 0;", width);
    if (strncmp(found, expected, strlen(expected)) != 0)
        fail_msg("at %d px: %.400s", width, found);
    buf_clear(&dom);
    unlink(probed);
    free(command);
    free(both);
    free(probed);
    free(script);
    free(page);
}

static void a_browser_draws_it(void **state) {
    (void)state;
    char *html, *records;
    make_page(&html, &records);
    probe(html, 400);
    probe(html, 1400);
    unlink(html);
    unlink(records);
    free(html);
    free(records);
}

int main(void) {
    if (program_shell("command -v chromium", NULL) != 0)
        return skipped("no chromium; tests/run.sh installs it");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_browser_draws_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
