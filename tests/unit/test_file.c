/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"

static char folder[] = "/tmp/moesim-test-file-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int entries(void) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; // "." and ".."
}

static int drop_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static void holds(const char *path, const char *text) {
    char *data;
    size_t n;
    struct err e;
    assert_ok(file_read(path, 1000, &data, &n, &e), &e);
    assert_int_equal(n, strlen(text));
    assert_string_equal(data, text);
    free(data);
}

static void written_files_are_whole(void **state) {
    (void)state;
    struct err e;
    char *path = mem_printf("%s/a.txt", folder);
    assert_false(file_exists(path));
    assert_ok(file_write(path, "first", 5, &e), &e);
    holds(path, "first");
    assert_ok(file_write(path, "", 0, &e), &e);
    holds(path, "");
    assert_true(file_exists(path));
    assert_int_equal(entries(), 1); // no temporary file is left
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void a_failed_write_leaves_the_older_file(void **state) {
    (void)state;
    struct err e;
    enum { LIMIT = 4096, SIZE = 65536 };
    static char big[SIZE];
    char *path = mem_printf("%s/a.txt", folder);
    assert_ok(file_write(path, "older", 5, &e), &e);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = {LIMIT, limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum rc rc = file_write(path, big, sizeof big, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(rc, RC_IO);
    char *message = mem_printf("%s: cannot write: File too large", path);
    assert_string_equal(e.text, message);
    holds(path, "older");
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink(path), 0);
    free(message);
    free(path);
}

static void what_cannot_be_written(void **state) {
    (void)state;
    struct err e;
    assert_fails(file_write("/dev/full", "x", 1, &e), RC_IO, &e,
                 "/dev/full: cannot write: No space left on device");
    assert_ok(file_write("/dev/null", "x", 1, &e), &e);
    assert_fails(file_write(folder, "x", 1, &e), RC_IO, &e, "cannot write: Is a directory");
    char *path = mem_printf("%s/none/a.txt", folder);
    assert_fails(file_write(path, "x", 1, &e), RC_IO, &e,
                 "/none/a.txt: cannot write: No such file or directory");
    free(path);
    assert_int_equal(entries(), 0);
}

static void what_cannot_be_read(void **state) {
    (void)state;
    struct err e;
    char *data = NULL;
    size_t n = 7;
    assert_fails(file_read("/nonexistent", 10, &data, &n, &e), RC_IO, &e,
                 "/nonexistent: cannot open: No such file or directory");
    assert_fails(file_read(folder, 10, &data, &n, &e), RC_IO, &e, "cannot read: Is a directory");
    char *path = mem_printf("%s/a.txt", folder);
    assert_ok(file_write(path, "0123456789", 10, &e), &e);
    assert_fails(file_read(path, 9, &data, &n, &e), RC_IO, &e, "a.txt: larger than 9 bytes");
    assert_null(data);
    assert_int_equal(n, 7);
    assert_ok(file_read(path, 10, &data, &n, &e), &e);
    assert_int_equal(n, 10);
    assert_int_equal(data[10], '\0');
    free(data);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void beside(const char *path, const char *name, const char *expected) {
    char *joined = file_beside(path, name);
    assert_string_equal(joined, expected);
    free(joined);
}

static void names_beside_a_file(void **state) {
    (void)state;
    beside("w/x.yaml", "traces/a.csv", "w/traces/a.csv");
    beside("/x.yaml", "a.csv", "/a.csv");
    beside("x.yaml", "a.csv", "a.csv");
    beside("w/x.yaml", "/abs/a.csv", "/abs/a.csv");
}

static char *in_folder(const char *name) {
    return mem_printf("%s/%s", folder, name);
}

/* A link stays a link, and a file keeps its mode. */
static void what_is_written_over_keeps_its_kind(void **state) {
    (void)state;
    char *file = in_folder("file"), *link = in_folder("link"), *loose = in_folder("loose");
    struct stat st;
    struct err e;
    assert_ok(file_write(file, "old", 3, &e), &e);
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink("made", loose), 0);
    assert_ok(file_write(link, "new", 3, &e), &e);
    assert_ok(file_write(loose, "new", 3, &e), &e);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(loose, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    char *data, *made = in_folder("made");
    size_t n;
    assert_ok(file_read(file, 100, &data, &n, &e), &e);
    assert_string_equal(data, "new");
    free(data);
    assert_true(file_exists(made));
    char *const all[] = {file, link, loose, made};
    for (size_t i = 0; i < 4; i++) {
        unlink(all[i]);
        free(all[i]);
    }
}

static void one_file_has_many_spellings(void **state) {
    (void)state;
    char *a = in_folder("a"), *b = mem_printf("%s/../%s/./a", folder, strrchr(folder, '/') + 1), *c = in_folder("c");
    char *turn = mem_printf("%s-turn", folder), *d = mem_printf("%s/a", turn);
    struct err e;
    assert_int_equal(symlink(folder, turn), 0);
    for (int there = 0; there < 2; there++) {
        assert_true(file_same(a, b));
        assert_true(file_same(a, d));
        assert_false(file_same(a, c));
        assert_ok(file_write(a, "x", 1, &e), &e);
    }
    unlink(a);
    unlink(turn);
    free(a);
    free(b);
    free(c);
    free(d);
    free(turn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_files_are_whole),
        cmocka_unit_test(a_failed_write_leaves_the_older_file),
        cmocka_unit_test(what_cannot_be_written),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(names_beside_a_file),
        cmocka_unit_test(what_is_written_over_keeps_its_kind),
        cmocka_unit_test(one_file_has_many_spellings),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
