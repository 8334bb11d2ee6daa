/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.h - which constants a result rests on, and how well they are known.
 *
 * Units: none. Errors: none. Ownership: borrows the inputs; the result keeps the texts. Edges: a constant that a file
 * does not give is left out. */
#ifndef SIM_STUDY_CONSTANTS_H
#define SIM_STUDY_CONSTANTS_H

#include "sim/study/result.h"

/* Names the weakest constant under a result, and all that are assumed. The most influential ones come first. */
void constants_weigh(const struct inputs *in, struct result *r);

#endif
