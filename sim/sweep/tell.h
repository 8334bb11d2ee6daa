/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.h - what a sweep says of itself: before it, what it would do and cost, and at its end what it did.
 *
 * Units: SI. Errors: none. Ownership: borrow everything, append to the buffer. Edges: a sweep whose points are all
 * there has nothing to do and costs nothing. */
#ifndef SIM_SWEEP_TELL_H
#define SIM_SWEEP_TELL_H

#include "sim/sweep/run.h"

/* Says what a run of the job would do with what stands in its file, and with so many processes. */
void sweep_describe(const struct sweep_job *job, const struct sweep_file *file, int jobs, struct buf *out);
/* Say what a run did; path: of its records. */
void sweep_conclude_json(const struct sweep_spec *spec, const struct sweep_tally *y, const char *path,
                         struct buf *out);
void sweep_conclude_text(const struct sweep_spec *spec, const struct sweep_tally *y, const char *path,
                         struct buf *out);

#endif
