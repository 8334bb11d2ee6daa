/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the runs of a plan as bytes on a pipe, from the simulating child to its parent.
 *
 * A report is either an error or all runs. Sizes follow from the plan, which both sides know, and
 * are checked. Both ends are the same program on the same machine: numbers travel in native form.
 * Units: those of struct play.
 * Errors: what the child reported; RC_ENGINE when bytes are missing, left over or not a report.
 * Ownership: borrows everything; out grows, and its owner clears it.
 * Edges: a report of an error carries no play; n_plays may be 0. */
#ifndef SIM_ENGINE_WIRE_H
#define SIM_ENGINE_WIRE_H

#include "platforms/base/mem.h"
#include "sim/engine/play.h"

/* Appends a report: an error, or n_plays runs. */
void wire_encode(const struct plan *plan, enum rc rc, const struct err *error,
                 const struct play *plays, size_t n_plays, struct buf *out);

/* Reads a report into plays[n_plays], which play_init() has initialised. */
enum rc wire_decode(const struct plan *plan, const void *data, size_t n, struct play *plays,
                    size_t n_plays, struct err *e);

#endif
