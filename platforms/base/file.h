/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - whole files in, whole files out.
 *
 * Output goes to a temporary name beside the target and is renamed when complete, so that a reader never sees
 * half a file and a failure leaves an older file as it was. Errors: RC_IO, with the system's reason. */
#ifndef PLATFORMS_BASE_FILE_H
#define PLATFORMS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "platforms/base/err.h"

/* Reads a whole file of at most max_bytes; *data ends in an extra NUL and free() releases it. */
enum rc file_read(const char *path, size_t max_bytes, char **data, size_t *n, struct err *e);

/* Writes n bytes to path by way of a temporary file. */
enum rc file_write(const char *path, const void *data, size_t n, struct err *e);

/* Whether both paths name one regular file, there already or not. */
bool file_same(const char *a, const char *b);
bool file_exists(const char *path);

/* Writes all n bytes to a pipe; false when the other end is gone or the write fails. */
bool file_send(int fd, const void *data, size_t n);
/* Reads exactly n bytes from a pipe; false when it ends before them or the read fails. */
bool file_receive(int fd, void *into, size_t n);

/* Returns "folder of path" joined with name, or name itself when it is absolute; free() releases it. */
char *file_beside(const char *path, const char *name);

#endif
