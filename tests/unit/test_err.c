/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void codes_have_texts(void **state) {
    (void)state;
    assert_string_equal(rc_text(RC_OK), "ok");
    assert_string_equal(rc_text(RC_TIMEOUT), "simulation engine ran out of time");
    assert_string_equal(rc_text((enum rc)999), "unknown code");
}

static void places(void **state) {
    (void)state;
    struct err e;
    assert_int_equal(err_set(&e, RC_RANGE, "%d is odd", 7), RC_RANGE);
    assert_int_equal(e.code, RC_RANGE);
    assert_string_equal(e.text, "7 is odd");
    err_at(&e, RC_IO, &(struct place){"f.yaml", 3, 5}, "bad");
    assert_string_equal(e.text, "f.yaml:3:5: bad");
    err_at(&e, RC_IO, &(struct place){"f.csv", 3, 0}, "bad");
    assert_string_equal(e.text, "f.csv:3: bad");
    err_at(&e, RC_IO, &(struct place){"--set", 0, 0}, "bad");
    assert_string_equal(e.text, "--set: bad");
    err_at(&e, RC_IO, &(struct place){0}, "bad");
    assert_string_equal(e.text, "bad");
    err_at(&e, RC_IO, NULL, "bad");
    assert_string_equal(e.text, "bad");
    // nobody listens
    assert_int_equal(err_set(NULL, RC_IO, "x"), RC_IO);
    assert_int_equal(err_at(NULL, RC_IO, NULL, "x"), RC_IO);
    err_prefix(NULL, "x");
}

static void long_messages_lose_their_end(void **state) {
    (void)state;
    struct err e;
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    err_at(&e, RC_IO, &(struct place){text, 1, 2}, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_non_null(strstr(e.text, "x:1:2: xx"));
    err_prefix(&e, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    err_prefix(&e, "short");
    assert_int_equal(strncmp(e.text, "short: xx", 9), 0);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

static void a_message_gets_context(void **state) {
    (void)state;
    struct err e;
    err_set(&e, RC_UNIT, "no unit");
    err_prefix(&e, "tier '%s'", "slow");
    assert_string_equal(e.text, "tier 'slow': no unit");
    assert_int_equal(e.code, RC_UNIT);
}

static void nearest_names(void **state) {
    (void)state;
    static const char *const names[] = {"fast", "slow", "ratio", NULL, "bandwidth"};
    assert_string_equal(err_nearest("slwo", names, 5), "slow");
    assert_string_equal(err_nearest("bandwith", names, 5), "bandwidth");
    assert_string_equal(err_nearest("ratio", names, 5), "ratio");
    assert_null(err_nearest("xyz", names, 5));
    assert_null(err_nearest("", names, 5));
    char endless[200] = {0};
    memset(endless, 'x', sizeof endless - 1);
    assert_null(err_nearest(endless, names, 5)); // nothing is near a word of any length
    assert_null(err_nearest("fast", names, 0));
    char word[100];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(err_nearest(word, names, 5));
}

static void hints_end_a_message_or_are_empty(void **state) {
    (void)state;
#define LONG "a-name-of-the-most-letters-that-are-compared-there-are-63-of-it"
    _Static_assert(sizeof LONG == 64, "longer names are never near");
    static const char *const names[] = {"fast", "slow", LONG};
    assert_string_equal(err_hint(", ", "slwo", names, 3).text, ", did you mean 'slow'?");
    assert_string_equal(err_hint("; ", "slwo", names, 3).text, "; did you mean 'slow'?");
    assert_string_equal(err_hint("; ", "xyz", names, 3).text, "");
    assert_string_equal(err_hint("; ", LONG, names, 3).text, "; did you mean '" LONG "'?");
#undef LONG
}

static void bugs_end_the_program(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        BUG_ON(1 + 1 == 2);
        _exit(0);
    }
    close(ends[1]);
    char text[300] = "";
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "moesim: internal error at "));
    assert_non_null(strstr(text, "test_err.c:"));
    assert_non_null(strstr(text, ": 1 + 1 == 2\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_texts),
        cmocka_unit_test(places),
        cmocka_unit_test(long_messages_lose_their_end),
        cmocka_unit_test(a_message_gets_context),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(hints_end_a_message_or_are_empty),
        cmocka_unit_test(bugs_end_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
