/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - the JSON Lines that a sweep writes, and what stands in them already.
 *
 * A record is one write at the end of the file. What a kill or a full disk cuts off is a last line without its
 * end: the next run takes it away, if it begins as a record does. Any other line that is not a record is an error with
 * its number, and the file is left as it is.
 * One sweep at a time writes to a file (a lock says so).
 * Errors: RC_IO, RC_SYNTAX; after a failed write the file ends with its last whole record again.
 * Ownership: sweep_file_close() releases.
 * Units: bytes.
 * Edges: a missing file is made, and has no records; of several records of a key the last counts. */
#ifndef SIM_SWEEP_FILE_H
#define SIM_SWEEP_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platforms/base/hash.h"
#include "platforms/base/mem.h"

struct sweep_file {
    const char *path;
    int fd;
    FILE *stream; /* of fd */
    int64_t bytes; /* of whole records */
    struct sweep_found {
        char key[HASH_TEXT];
        int line;
        bool failed;
        bool by_circumstance; /* killed or out of time: it may end otherwise another time */
    } *keys; /* of the records found, the last one of each key, sorted */
    size_t n_keys, room;
    bool repaired; /* a truncated last line was taken away */
};

enum rc sweep_file_open(const char *path, struct sweep_file *f, struct err *e);
/* Reads the records that stand in a file, which is not written to. */
enum rc sweep_file_look(const char *path, struct sweep_file *f, struct err *e);
/* Reads what the head of a record says; line is 0. RC_SYNTAX with why it is none, without a place. */
enum rc sweep_file_parse(const char *record, size_t n, struct sweep_found *found, struct err *e);
/* Returns the last record of a key, or NULL. */
const struct sweep_found *sweep_file_find(const struct sweep_file *f, const char *key);
/* Checks that the file is still there under its name and as long as what was written. */
enum rc sweep_file_check(const struct sweep_file *f, struct err *e);
/* Adds a record, after that check. */
enum rc sweep_file_add(struct sweep_file *f, const char *record, size_t n, struct err *e);
void sweep_file_close(struct sweep_file *f);

#endif
