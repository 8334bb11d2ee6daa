/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate.h - from samples of a machine to its platform: constants with intervals, what was held back, what is odd.
 *
 * Constants are found in an order in which each is identified by what comes before: bandwidths from the slope of long
 * messages, the cost of a message from the slope over many short ones, latencies from there and back, alpha of a call
 * from the slope over calls in a row less the costs of its messages, and the rate of a whole all-to-all with alpha
 * pinned. FORMULAS.md [V4]. Where samples for one of these are missing it is left out, and a flag says so.
 * A third of the sizes of the all-to-alls, and every replayed matrix, is held back: no constant sees them.
 * Units: SI; intervals are 90 %.
 * Shapes: tier[] by enum sampled_span; held[i] belongs to points.items[i].
 * Errors: RC_UNSUPPORTED (no bandwidth can be had from these samples). Outputs untouched on failure.
 * Ownership: calibration_clear() releases; a calibration borrows its samples.
 * Edges: a constant that is not known has known = false and is left out; a cost that would be below 0 is 0. */
#ifndef VALIDATION_CALIBRATE_H
#define VALIDATION_CALIBRATE_H

#include "platforms/base/keys.h"
#include "validation/calibration.h"

enum rc calibrate(const struct samples *samples, struct calibration *c, struct err *e);
void calibration_clear(struct calibration *c);

/* --- what comes out ---------------------------------------------------------------------------- */

/* Writes the platform file. Keys of the skeleton (the root of a platform file, or NULL) that no sample speaks of are
 * kept, with a status no better than they had; verdict: comment lines for its head, or NULL. */
void calibration_platform(const struct calibration *c, const struct yaml_node *skeleton, const char *verdict,
                          struct buf *out);

/* Writes the corpus of what was held back, and the gate that judges it with thresholds fixed here. Returns false when
 * nothing was. */
bool calibration_corpus(const struct calibration *c, struct buf *out);
void calibration_gate(const struct calibration *c, const char *corpus_sha256, const char *platform_file,
                      struct buf *out);

#endif
