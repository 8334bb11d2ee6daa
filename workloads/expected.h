/* SPDX-License-Identifier: BSD-3-Clause */
/* expected.h - the rows of a token at their expected values, for draws that have a closed form.
 *
 * Units: rows, fractions of them.  Errors: none.  Ownership: borrows everything.
 * Formulas: [M1] [M2] [M5]; choices by scores (router.h) have no closed form and are not for here. */
#ifndef WORKLOADS_EXPECTED_H
#define WORKLOADS_EXPECTED_H

#include "workloads/draw/choice.h"
#include "workloads/rows.h"

/* Fills rows->sent with what one token of the source that rows->replicas is turned to has for others, without shared
 * experts. inclusion[experts] are the shares that the choice was built with. */
void expected_token(const struct choice *c, const double *inclusion, struct rows *rows);

/* Adds the shared experts' rows of a source with so many tokens to its expected ones. */
void expected_shared(const struct rows *rows, int src, double tokens, struct sent *sent);

#endif
