/* SPDX-License-Identifier: BSD-3-Clause */
/* closed.h - the closed form's machine and errors as the gates use them.
 *
 * Units: SI. Source: model/FORMULAS.md [F1]..[F7]; alpha by the paper's clamped rule, which answers for every
 * world.
 * Errors: RC_UNSUPPORTED when the platform has no alpha table of the implementation.
 * Edges: alpha of a world between two entries is interpolated, of one beyond them that of the nearest.
 * Ownership: borrows everything; free() releases what closed_errors() returns. */
#ifndef VALIDATION_CLOSED_H
#define VALIDATION_CLOSED_H

#include "gates/gate.h"
#include "model/model.h"

struct closed_shape {
    int groups, ranks_per_group;
    enum beta_kind kind; /* of the levels that saturate */
};

/* Fills in the constants of a platform for calls of a shape; chain 0, splits as the platform states them. */
enum rc closed_machine(const struct platform *p, const struct implementation *implementation,
                       const struct closed_shape *shape, struct model_machine *m, struct err *e);
/* Finds alpha of one collective by the clamped rule. */
enum rc closed_alpha_s(const struct platform *p, const char *implementation, int world, enum tier span,
                       double *alpha_s, struct err *e);

/* Returns the relative errors (predicted - measured) / measured of the counted points; free() releases them. */
double *closed_errors(const struct gate_evidence *x, size_t *n);
/* Adds median_abs_error, share_over_35 and median_signed_error, as Tier-1b judges a sweep. */
void closed_sweep_metrics(struct gate_evidence *x);
/* Adds median_abs_error and worst_abs_error. */
void closed_worst_metrics(struct gate_evidence *x);

#endif
