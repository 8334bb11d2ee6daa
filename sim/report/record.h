/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - one point of a sweep as one line of JSON (schema moesim/sweep-record/1).
 *
 * A record holds what `compare` says of the point, coordinates under "point", and its provenance. The cost of
 * the run stands last, under "engine": it is all that differs between two runs of the same point.
 * Ownership: the writers borrow everything.
 * Units: SI. Errors: none. Edges: an unknown number is null. */
#ifndef SIM_REPORT_RECORD_H
#define SIM_REPORT_RECORD_H

#include "sim/study/result.h"

struct record_head {
    const char *key;  /* content hash of the point */
    const char *sweep; /* name of the sweep */
    int64_t number;   /* of the point, in the order of the sweep file */
    uint64_t seed;
    size_t n;         /* coordinates */
    const char *const *axes;
    const char *const *values;
};

/* Append one line, end of line included: the record of a result, or of an error. */
void record_write(const struct record_head *h, const struct result *r, struct buf *out);
void record_write_error(const struct record_head *h, enum rc rc, const char *message,
                        const char *const *arguments, int n_arguments, struct buf *out);

#endif
