/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h - runs a function in a process of its own, which may crash, hang or be killed without harm.
 *
 * The child ends with its parent, holds none of its descriptors, writes nothing to stdout, and its last words on
 * stderr go into the error message.
 * Limits: a child may use cpu_limit_s of CPU time, all threads together, and last CHILD_WALL_FACTOR times that, which
 * ends one that waits for something. A machine that is busy with other work does not bring the CPU limit nearer.
 * Units: seconds.
 * Errors: RC_TIMEOUT at either limit; RC_RESOURCE when the child was killed from outside, found no memory or could
 * not be started; RC_ENGINE when it ended otherwise than well. The first two are errors of circumstance
 * (rc_is_circumstance()): the same question may be answered another time.
 * Ownership: the caller clears the report.
 * Edges: a limit of 0 or less is none. A body that appends nothing leaves an empty report. */
#ifndef SIM_ENGINE_CHILD_H
#define SIM_ENGINE_CHILD_H

#include "platforms/base/mem.h"

#define CHILD_WALL_FACTOR 10

/* Appends what the parent is to know to the report; runs in the child. */
typedef void (*child_body_f)(void *context, struct buf *report);

/* Runs a body in a child process and fills in its report. */
enum rc child_run(child_body_f body, void *context, double cpu_limit_s, struct buf *report, struct err *e);

#endif
