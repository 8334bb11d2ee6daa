/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h - files of a test, and a folder of its own to work in: folder_enter() and folder_drop() around a group. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#include "tests/support/check.h"

#include <unistd.h>

#include "platforms/base/file.h"

static inline void put_file(const char *path, const char *text) {
    struct err e;
    assert_ok(file_write(path, text, strlen(text), &e), &e);
}

/* The caller frees the text. */
static inline char *get_file(const char *path) {
    char *text;
    size_t n;
    struct err e;
    assert_ok(file_read(path, 1 << 26, &text, &n, &e), &e);
    return text;
}

static struct {
    char path[40];
    const char *files[8]; /* that folder_put() wrote */
} test_folder = {.path = "/tmp/moesim-test-XXXXXX"};

static inline int folder_enter(void **state) {
    (void)state;
    return mkdtemp(test_folder.path) && chdir(test_folder.path) == 0 ? 0 : -1;
}

/* Writes a file of the folder; name: a literal. */
static inline void folder_put(const char *name, const char *text) {
    size_t i = 0;
    while (test_folder.files[i] && strcmp(test_folder.files[i], name) != 0)
        assert_true(++i < sizeof test_folder.files / sizeof *test_folder.files);
    test_folder.files[i] = name;
    put_file(name, text);
}

/* Fails when the folder holds more than folder_put() wrote. */
static inline int folder_drop(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof test_folder.files / sizeof *test_folder.files; i++)
        if (test_folder.files[i])
            unlink(test_folder.files[i]);
    return chdir("/") == 0 ? rmdir(test_folder.path) : -1;
}

#endif
