/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_files.h - a calibration as a folder: platform.yaml, held_back.yaml (corpus), held_back_gate.yaml; the gate
 * is evaluated at once, and what it says stands at the head of the platform file.
 *
 * The folder is what `--corpus DIR` of other commands takes.
 * Units: SI.
 * Errors: RC_IO, those of the readers of what was written; RC_UNSUPPORTED, RC_SHAPE.
 * Ownership: borrows everything.
 * Edges: with nothing held back there is a platform file and no gate. */
#ifndef VALIDATION_CALIBRATE_FILES_H
#define VALIDATION_CALIBRATE_FILES_H

#include "validation/calibrate.h"

/* Writes the files into a folder that exists and appends to `verdict` what the gate said, lines of text. */
enum rc calibrate_write(const struct calibration *c, const struct yaml_node *skeleton, const char *folder,
                        struct buf *verdict, struct err *e);

#endif
