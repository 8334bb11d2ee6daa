/* SPDX-License-Identifier: BSD-3-Clause */
/* tokens.h - how many tokens each rank brings: one number, a list, a file, or a distribution.
 *
 * List: numbers separated by commas or blanks, "4096x7" repeats one; a file holds the same, or one number
 * a line.
 * Distribution: cv > 0: log-normal with mean T; idle: this share of the ranks has none, chosen with the
 * seed.
 * Units: tokens.
 * Ownership: borrows everything; tokens[ranks] is the caller's.
 * Errors: RC_SHAPE (other than one number per rank), RC_SYNTAX, RC_RANGE, RC_IO of the file.
 * Edges: a rank may have 0 tokens. */
#ifndef WORKLOADS_TOKENS_H
#define WORKLOADS_TOKENS_H

#include <stdint.h>

#include "platforms/base/mem.h"

enum { TOKENS_MAX = 1 << 24 };

struct tokens_ask {
    int ranks;
    int64_t each; /* T */
    const char *list; /* NULL: none */
    const char *path; /* NULL: none */
    double cv, idle;
    uint64_t seed;
};

/* Fills tokens[ranks], and appends a note on what was drawn. */
enum rc tokens_fill(const struct tokens_ask *ask, int64_t *tokens, struct buf *notes,
                    struct err *e);

/* Parses a list of numbers. At most n of them are stored; *count is how many the list has. */
enum rc tokens_parse(const char *text, const char *name, int64_t *tokens, int n, int *count,
                     struct err *e);

#endif
