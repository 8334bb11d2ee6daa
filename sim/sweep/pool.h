/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h - processes on this machine that work out points, one each at a time.
 *
 * Workers are forked from the caller and share what it has loaded. One that dies is noticed and replaced.
 * Errors: RC_IO when no process can be started.  Ownership: sweep_pool_close() ends the workers.
 * Units: ms.
 * Edges: a timeout of 0 does not wait; to close a pool that could not be opened does nothing. */
#ifndef SIM_SWEEP_POOL_H
#define SIM_SWEEP_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platforms/base/mem.h"

/* Appends the record of a point; runs in the worker. */
typedef void (*sweep_work_f)(void *context, int64_t point, struct buf *record);

struct sweep_worker {
    pid_t pid;
    int to, from;
    bool busy;
    struct buf partial; /* of the record that is coming in */
};

struct sweep_pool {
    sweep_work_f work;
    void *context;
    struct sweep_worker *workers;
    int n;
};

enum rc sweep_pool_open(sweep_work_f work, void *context, int n, struct sweep_pool *pool, struct err *e);
enum rc sweep_pool_give(struct sweep_pool *pool, int worker, int64_t point, struct err *e);

/* Waits up to timeout_ms for a worker. Returns its number with the record, empty when it died and was replaced
 * (*signal says by which signal, 0 when it ended by itself); -1 when nothing came. */
int sweep_pool_take(struct sweep_pool *pool, int timeout_ms, struct buf *record, int *signal);

/* Idle workers end by themselves; with kill, busy ones are ended, what they simulate too. */
void sweep_pool_close(struct sweep_pool *pool, bool kill);

#endif
