/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_files.h - a calibration as a folder: platform.yaml, held_back.yaml (corpus), held_back_gate.yaml; the gate
 * is evaluated at once, and what it says stands at the head of the platform file.
 *
 * The folder is what `--corpus DIR` of other commands takes.
 * Units: SI.
 * Errors: RC_IO, those of the readers of what was written; RC_UNSUPPORTED, RC_SHAPE.
 * Ownership: borrows everything but the rows of a comparison, which free() releases.
 * Edges: with nothing held back there is a platform file and no gate. */
#ifndef VALIDATION_CALIBRATE_FILES_H
#define VALIDATION_CALIBRATE_FILES_H

#include "validation/calibrate.h"
#include "validation/simulate.h"

/* Writes the files into a folder that exists and appends to `verdict` what the gate said, lines of text. */
enum rc calibrate_write(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                        struct buf *verdict, struct err *e);

/* One held-back point as it was measured and as the calibrated platform is simulated. Where the platform lacks what the
 * point needs, reason says what, and simulated_s is 0; otherwise reason is empty. */
struct held_back {
    char label[80];
    double measured_s, low_s, high_s, simulated_s;
    char reason[200];
};

/* Simulates what was held back of all ranks with a host that waits: even sizes, and replayed matrices, whose files are
 * looked for in `matrices` (a folder, or NULL). platform: path of the file. rows[*n] */
enum rc calibrate_compare(const struct calibration *c, const char *platform, const char *matrices,
                          const struct simulator *simulator, struct held_back **rows, size_t *n, struct err *e);

#endif
