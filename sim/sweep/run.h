/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - hands the points of a sweep out to workers and writes their records as they come.
 *
 * Largest points first. A point whose worker dies is given out once more; the second time it gets an error record.
 * Remote workers (MPI ranks) may fall silent: when nothing else is left, an idle worker gets the point of one that
 * takes much longer than any before; the first record counts.
 * Errors: RC_IO when the file cannot be written; RC_ENGINE on an interrupt. What is written stays.
 * Ownership: everything is borrowed.
 * Units: SI.
 * Edges: a job whose points are all there writes nothing; remote NULL is this machine only. */
#ifndef SIM_SWEEP_RUN_H
#define SIM_SWEEP_RUN_H

#include "sim/sweep/file.h"
#include "sim/sweep/point.h"

/* Workers elsewhere. n 0: none. */
struct sweep_remote {
    int n;
    void *context;
    void (*give)(void *context, int worker, int64_t point);
    /* Returns a worker that has answered, with its record; -1: none has. The first answer of each is empty and
     * says that it is ready; a later empty one, that its process died. */
    int (*take)(void *context, struct buf *record);
};

/* Failed points of earlier runs that are tried again. */
enum sweep_retry { RETRY_CIRCUMSTANCE, RETRY_NONE, RETRY_ALL };

struct sweep_job {
    const struct sweep_spec *spec;
    const struct sweep_plan *plans; /* NULL: worked out point by point */
    const struct study *study; /* each worker goes on with its own copy */
    int retry;                 /* enum sweep_retry */
};

/* Appends the record of a point; context is a struct sweep_job. */
void sweep_work(void *job, int64_t point, struct buf *record);

/* Returns whether a point is not to be tried: its record is there, or has failed and stays so. */
bool sweep_is_done(const struct sweep_job *job, const struct sweep_found *found);

struct sweep_tally {
    size_t points, there, there_failed, done, failed; /* failed of done, there_failed of there */
};

enum rc sweep_run(const struct sweep_job *job, int jobs, const struct sweep_remote *remote,
                  struct sweep_file *file, struct sweep_tally *tally, struct err *e);

#endif
