/* SPDX-License-Identifier: BSD-3-Clause */
/* predictions.h - the text of a freeze file (validation/freeze.h): what the calls of a question will take, written down
 * before they are measured.
 *
 * Units: SI. Errors: those of the study; RC_USAGE (sizes). Ownership: borrows everything, appends to the buffer, whose
 * text is of no use after an error. Edges: a call whose time is not known, or withdrawn, stands there with the
 * reason. */
#ifndef SIM_STUDY_PREDICTIONS_H
#define SIM_STUDY_PREDICTIONS_H

#include "sim/study/study.h"

/* sizes: also even all-to-alls of all ranks, send buffers of a rank such as "64KiB,1MiB", under the question's host
 * regime; NULL: none. */
enum rc predictions_write(const struct study *s, const struct question *q, const char *sizes, struct buf *out,
                          struct err *e);

#endif
