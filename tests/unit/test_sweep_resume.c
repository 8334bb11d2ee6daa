/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep goes on after an interrupt, a kill, a full disk, a cut line; what failed by circumstance is tried again. */
#include "tests/support/sweeps.h"

#include <signal.h>
#include <time.h>

#include "sim/sweep/file.h"

/* A time that ran out says nothing of the point: it is tried again, and its last record counts. */
static void a_point_that_took_too_long_is_tried_again(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0}, csv = {0};
    begin(&f, SMALL "timeout: 1us\naxes: [{key: platform.ratio, values: [2, 4]}, "
                    "{key: workload.group_limit, values: [2, 64]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "4 points, 4 new, 0 were there, 4 failed"));
    buf_clear(&messages);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0); // a limit of 64 groups is refused for good
    assert_non_null(strstr(messages.text, "4 points, 2 new, 2 were there, 4 failed"));
    buf_clear(&messages);
    char *none = mem_printf("%s --retry-failed none", f.spec), *all = mem_printf("%s --retry-failed all", f.spec);
    assert_int_equal(sweep("", none, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "4 points, 0 new, 4 were there, 4 failed"));
    buf_clear(&messages);
    assert_int_equal(sweep("", all, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "4 points, 4 new, 0 were there, 4 failed"));
    char *words = mem_printf("report %s --format csv", f.out);
    assert_int_equal(program_text(words, &csv), 0);
    int rows = 0;
    for (const char *p = csv.text; (p = strchr(p, '\n')); p++)
        rows++;
    assert_int_equal(rows, 1 + 4);
    free(words);
    free(none);
    free(all);
    buf_clear(&csv);
    buf_clear(&messages);
    end(&f);
}

static const char many[] = SMALL "axes: [{key: platform.ratio, range: {from: 1, to: 16, n: 61}}]\n"
                                 "repeats: 2\n";

static size_t lines_in(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t n = 0;
    for (int c; f && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Starts a sweep and waits for its first n records. */
static pid_t start(const struct files *f, size_t n) {
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(9);
        execl(MOESIM_BINARY, MOESIM_BINARY, "sweep", f->spec, "-o", f->out, "--jobs", "2", (char *)NULL);
        _exit(9);
    }
    while (lines_in(f->out) < n && waitpid(pid, NULL, WNOHANG) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return pid;
}

/* Ends a sweep by a signal once it has written some records; returns its status. */
static int stop(const struct files *f, int signal_number) {
    pid_t pid = start(f, 5);
    int status = 0;
    kill(pid, signal_number);
    waitpid(pid, &status, 0);
    return status;
}

/* Whatever ended a sweep, the same command finishes it: no point lost, none twice. */
static void goes_on(const struct files *f) {
    size_t n = lines_in(f->out);
    if (n == 0 || n >= 122)
        fail_msg("%zu of 122 records: it was not stopped on the way", n);
    assert_int_equal(sweep("", f->spec, f->reference, NULL), 0);
    assert_int_equal(sweep("", f->spec, f->out, NULL), 0);
    same_records(f);
}

static void goes_on_after_an_interrupt(void **state) {
    (void)state;
    struct files f;
    begin(&f, many);
    int status = stop(&f, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 0);
    goes_on(&f);
    end(&f);
}

static void goes_on_after_a_kill(void **state) {
    (void)state;
    struct files f;
    begin(&f, many);
    assert_true(WIFSIGNALED(stop(&f, SIGKILL)));
    goes_on(&f);
    end(&f);
}

static void goes_on_after_a_full_disk(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    begin(&f, many);
    // blocks of 512 or 1024 bytes; a record has about 4 kB
    assert_int_equal(sweep("ulimit -f 100;", f.spec, f.out, &messages), 1);
    assert_non_null(strstr(messages.text, "the same command continues"));
    char *text = get_file(f.out);
    assert_int_equal(text[strlen(text) - 1], '\n'); // no half record is left
    free(text);
    buf_clear(&messages);
    goes_on(&f);
    end(&f);
}

/* Kills the processes that one has forked; returns how many. */
static int kill_children(pid_t pid, int signal_number) {
    char path[80];
    long child;
    int n = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    FILE *children = fopen(path, "r");
    while (children && fscanf(children, "%ld", &child) == 1)
        n += kill((pid_t)child, signal_number) == 0;
    if (children)
        fclose(children);
    return n;
}

/* Workers that are killed once cost nothing: their points are given to others. */
static void goes_on_without_its_workers(void **state) {
    (void)state;
    struct files f;
    int status = 0;
    begin(&f, many);
    assert_int_equal(sweep("", f.spec, f.reference, NULL), 0);
    pid_t pid = start(&f, 5);
    assert_int_equal(kill_children(pid, SIGKILL), 2);
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    same_records(&f);
    end(&f);
}

/* Once all other points are done, the workers are killed twice over the last one, which takes many seconds: it has an
 * error record and the sweep ends well. */
static void lose_two_workers(int signal_number, const char *left) {
    struct files f;
    struct buf messages = {0};
    int status = 0;
    begin(&f, "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"
              "set: {workload.routing.rho_max: 3, workload.experts: 1024, workload.tokens_per_rank: 512}\n"
              "causes: none\naxes: [{key: platform.groups, values: [2, 4, 128]}]\n");
    pid_t pid = start(&f, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(kill_children(pid, signal_number) > 0);
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL); // the next worker is at it
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    char *text = get_file(f.out), *failed = strstr(text, "\"status\": \"error\"");
    assert_non_null(failed);
    char *why = mem_printf("two workers died over this point (signal %d)", signal_number);
    assert_non_null(strstr(failed, why));
    free(why);
    assert_non_null(strstr(failed, "platform.groups=128"));
    assert_null(strstr(failed + 1, "\"status\": \"error\""));
    assert_int_equal(lines_in(f.out), 3);
    char *as_it_is = mem_printf("%s --retry-failed none", f.spec);
    assert_int_equal(sweep("", as_it_is, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "3 points, 0 new, 3 were there, 1 failed"));
    buf_clear(&messages);
    free(as_it_is);
    char *again = mem_printf("%s --dry-run", f.spec);
    assert_int_equal(sweep("", again, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, left));
    free(again);
    free(text);
    buf_clear(&messages);
    end(&f);
}

/* A kill says nothing of the point: the same command would try it again. */
static void a_point_that_kills_two_workers_becomes_a_record(void **state) {
    (void)state;
    lose_two_workers(SIGKILL, "to do    1 (2 are in the file)");
}

/* A crash does: the point would crash again. */
static void a_point_that_crashes_two_workers_is_not_tried_again(void **state) {
    (void)state;
    lose_two_workers(SIGSEGV, "to do    0 (3 are in the file)");
}

static void a_cut_line_is_repaired_and_other_damage_reported(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    begin(&f, SMALL "simulate: false\naxes: [{key: platform.ratio, values: [1, 2, 3]}]\n");
    assert_int_equal(sweep("", f.spec, f.reference, NULL), 0);
    char *text = get_file(f.reference);
    text[strlen(text) - 40] = '\0';
    put_file(f.out, text);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    char *warning = mem_printf("warning: %s: the last line was cut off", f.out);
    assert_non_null(strstr(messages.text, warning));
    free(warning);
    assert_non_null(strstr(messages.text, "1 new, 2 were there"));
    same_records(&f);
    strchr(text, '\n')[1] = '['; // second line
    put_file(f.out, text);
    buf_clear(&messages);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 1);
    assert_non_null(strstr(messages.text, "out.jsonl:2: "));
    free(text);
    buf_clear(&messages);
    end(&f);
}

/* What is no record of ours is left as it is, whole lines and a last line without an end alike. */
static void a_file_of_others_is_not_cut(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"precious\": 1}", "{\"precious\": 1}\n", "notes", "{\"schema\": \"moesim/x"};
    struct files f;
    begin(&f, SMALL "axes:\n  - {key: platform.groups, values: [2]}\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct buf messages = {0};
        char *data;
        size_t n;
        struct err e;
        put_file(f.out, texts[i]);
        assert_int_equal(sweep("", f.spec, f.out, &messages), 1);
        assert_non_null(strstr(messages.text, "write to another file"));
        assert_ok(file_read(f.out, 1000, &data, &n, &e), &e);
        assert_string_equal(data, texts[i]);
        free(data);
        buf_clear(&messages);
    }
    end(&f);
}

/* With standard descriptors closed the records are the same, and no message is among them. */
static void closed_descriptors_are_not_the_record_file(void **state) {
    (void)state;
    static const char *const closed[] = {"2>&-", "1>&-", "0<&-", "0<&- 1>&- 2>&-"};
    struct files f;
    begin(&f, SMALL "axes:\n  - {key: platform.groups, values: [2, 3]}\n");
    assert_int_equal(sweep("", f.spec, f.reference, NULL), 0);
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        char *command = mem_printf("%s sweep %s -o %s --jobs 2 %s", MOESIM_BINARY, f.spec, f.out, closed[i]);
        unlink(f.out);
        assert_int_equal(program_shell(command, NULL), 0);
        same_records(&f);
        free(command);
    }
    end(&f);
}

static void a_file_that_changes_meanwhile_is_noticed(void **state) {
    (void)state;
    struct files f;
    struct sweep_file file = {0};
    struct err e;
    begin(&f, SMALL "axes:\n  - {key: platform.groups, values: [2]}\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    assert_ok(sweep_file_open(f.out, &file, &e), &e);
    assert_ok(sweep_file_check(&file, &e), &e);
    assert_int_equal(truncate(f.out, 10), 0);
    assert_fails(sweep_file_add(&file, "x\n", 2, &e), RC_IO, &e, "has 10 bytes");
    unlink(f.out);
    assert_fails(sweep_file_check(&file, &e), RC_IO, &e, "was removed or replaced");
    sweep_file_close(&file);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_others_is_not_cut),
        cmocka_unit_test(closed_descriptors_are_not_the_record_file),
        cmocka_unit_test(a_file_that_changes_meanwhile_is_noticed),
        cmocka_unit_test(a_point_that_took_too_long_is_tried_again),
        cmocka_unit_test(goes_on_without_its_workers),
        cmocka_unit_test(a_point_that_kills_two_workers_becomes_a_record),
        cmocka_unit_test(a_point_that_crashes_two_workers_is_not_tried_again),
        cmocka_unit_test(goes_on_after_an_interrupt),
        cmocka_unit_test(goes_on_after_a_kill),
        cmocka_unit_test(goes_on_after_a_full_disk),
        cmocka_unit_test(a_cut_line_is_repaired_and_other_damage_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
