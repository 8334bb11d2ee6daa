/* SPDX-License-Identifier: BSD-3-Clause */
/* skew.h - how much busier than the mean the busiest rank is: by the paper's formula, exactly, and
 * in a matrix.
 *
 * Units: none, ratios to the mean.
 * Errors: none. Edges: fewer than two peers have a factor of 1.
 * Ownership: borrows everything; skew_table() fills an array of the caller.
 * Source: FORMULAS.md [F10] [F11]. Valid for: normal loads with a common coefficient of variation;
 * the matrix's own figures are what the simulator sees. */
#ifndef MODEL_SKEW_H
#define MODEL_SKEW_H

#include "model/model.h"

/* Coefficient of variation of expert loads: median of 16 samples of the artifact (0.118 to 0.151),
 * measured with an active balancing loss. */
#define SKEW_CV 0.136

/* Returns 1 + CV / sqrt(averaged) sqrt(2 ln n), n = peers: an upper estimate; 1 for fewer than two peers. [F10] */
double skew_paper(double cv, int peers, double averaged);

/* Returns the mean of the largest of n independent standard normals; 0 for n < 2. [F11] */
double skew_expected_max(int n);
/* Returns 1 + CV / sqrt(averaged) skew_expected_max(peers). [F11] */
double skew_exact(double cv, int peers, double averaged);

/* A row of skew_table(): one exchange. */
struct skew_row {
    const char *exchange; /* "one_hop", "hop_a", "hop_b" */
    double paper, exact;
    double matrix_in, matrix_out; /* busiest over mean, diagonal excluded; -1 when nothing moves */
};
enum { SKEW_ROWS = 3 };
/* Fills the rows of the three exchanges. Hop A averages over the quota, the experts per chosen group. */
void skew_table(const struct model_geometry *g, const struct traffic *traffic, double cv,
                struct skew_row rows[static SKEW_ROWS]);

#endif
