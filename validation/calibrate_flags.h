/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_flags.h - what is odd about the samples of a calibration, each with the samples named.
 *
 * Units: SI. Errors: none. Ownership: the calibration keeps the text. Edges: of each kind the first few are named and
 * the rest counted. */
#ifndef VALIDATION_CALIBRATE_FLAGS_H
#define VALIDATION_CALIBRATE_FLAGS_H

#include "validation/calibration.h"

/* Adds what is odd about the samples: regimes that disagree, drift between the halves, times that fall with size,
 * worlds beside powers of two off the line of their neighbours. */
void calibration_flag(struct calibration *c);

#endif
