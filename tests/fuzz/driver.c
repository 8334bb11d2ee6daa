/* SPDX-License-Identifier: BSD-3-Clause */
/* Feeds every file of the folders given to the fuzz target, so that the corpus is a test with any compiler. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "tests/fuzz/fuzz.h"

/* A copy of exactly n bytes: a sanitizer then sees a read beyond the end. */
static void feed(const char *data, size_t n) {
    uint8_t *copy = mem_alloc(n, 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = (uint8_t)data[i];
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

/* Returns how many files were fed, or -1. */
static int feed_folder(const char *folder) {
    int files = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *entry; files >= 0 && d && (entry = readdir(d));) {
        char *data = NULL, *path = mem_printf("%s/%s", folder, entry->d_name);
        size_t n;
        struct err e;
        if (entry->d_name[0] != '.' && file_read(path, 1 << 24, &data, &n, &e) != RC_OK) {
            fprintf(stderr, "%s\n", e.text);
            files = -1;
        } else if (data) {
            feed(data, n);
            files++;
        }
        free(data);
        free(path);
    }
    if (d)
        closedir(d);
    return files;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int files = feed_folder(argv[i]);
        printf("%s: %d files\n", argv[i], files);
        if (files < 1)
            return 1;
    }
    return argc < 2;
}
