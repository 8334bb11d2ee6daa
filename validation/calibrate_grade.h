/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate_grade.h - what a calibration holds back, predicted by the simulator in a freeze file, and its grades.
 *
 * Predicted are even calls of all ranks with a host that waits, and replayed matrices. The freeze file is written and
 * read again like one of `moesim freeze`, and graded like any: there is one way to compare a prediction with a time.
 * Units: SI.
 * Errors: RC_IO; RC_SHAPE (a matrix of more ranks than the machine); those of the readers and of the simulator.
 * Ownership: grade_clear() releases; a grade borrows nothing.
 * Edges: with nothing held back there is no file, freeze is NULL and the score is empty. */
#ifndef VALIDATION_CALIBRATE_GRADE_H
#define VALIDATION_CALIBRATE_GRADE_H

#include "validation/calibrate.h"
#include "validation/score.h"
#include "validation/simulate.h"

struct grade_ask {
    const char *platform, *freeze; /* files: read, written */
    const char *matrices;          /* folder of replayed matrices; NULL: they are left out */
    struct freeze_head head;       /* its files are filled in */
    const struct simulator *simulator;
};

struct grade {
    struct freeze *freeze;
    struct score score;
};

enum rc calibrate_grade(const struct calibration *c, const struct grade_ask *ask, struct grade *grade, struct err *e);
void grade_clear(struct grade *grade);

#endif
