/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - whole files in, whole files out.
 *
 * Output goes to a temporary name beside the target and is renamed when complete, so that a reader never sees
 * half a file and a failure leaves an older file as it was.
 * Units: bytes.
 * Errors: RC_IO, with the system's reason.
 * Ownership: data and names that are returned belong to the caller, free() releases them.
 * Edges: what a pipe held is kept in an unlinked file until the program ends.
 * A file of 0 bytes is read and written as any other; 0 bytes to send or receive succeed. */
#ifndef PLATFORMS_BASE_FILE_H
#define PLATFORMS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "platforms/base/err.h"

/* Opens a file for reading; "-" is the standard input. A pipe is read to its end when it is first opened, and what came
 * out of it is opened from its start each time: readers may tell formats apart, read again and seek. Returns NULL with
 * errno where there is nothing to open. */
FILE *file_open(const char *path);

/* Reads a whole file of at most max_bytes; a larger one is an error. *data ends in an extra NUL. */
enum rc file_read(const char *path, size_t max_bytes, char **data, size_t *n, struct err *e);

/* Opens /dev/null for each of the descriptors 0 to 2 that is closed: otherwise a file that is opened later gets its
 * number, and messages go into that file. To be called first in a program. */
void file_open_standard(void);

/* Writes n bytes to path by way of a temporary file. A symbolic link stays and what it leads to is replaced; the mode
 * of an older file is kept. */
enum rc file_write(const char *path, const void *data, size_t n, struct err *e);

/* Makes a folder whose parent is there; a folder that is there already is left as it is. */
enum rc file_make_folder(const char *path, struct err *e);

/* Returns whether both paths name one regular file, there already or not, however they are spelled. */
bool file_same(const char *a, const char *b);
/* Returns whether a file or folder is there and may be read. */
bool file_exists(const char *path);

/* Writes all n bytes to a pipe. Returns false when the other end is gone or the write fails. */
bool file_send(int fd, const void *data, size_t n);
/* Reads exactly n bytes from a pipe. Returns false when it ends before them or the read fails. */
bool file_receive(int fd, void *into, size_t n);

/* Returns "folder of path" joined with name, or name itself when it is absolute. */
char *file_beside(const char *path, const char *name);

#endif
