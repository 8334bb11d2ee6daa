/* SPDX-License-Identifier: BSD-3-Clause */
/* expected.h - the rows of a token at their expected values, for draws that have a closed form.
 *
 * Units: rows, fractions of them.  Errors: none.  Ownership: borrows everything.  Edges: 0 tokens have 0 rows.
 * Formulas: [M1] [M2] [M5]; choices by scores (router.h) have no closed form and are refused before. */
#ifndef WORKLOADS_EXPECTED_H
#define WORKLOADS_EXPECTED_H

#include "workloads/draw/choice.h"
#include "workloads/rows.h"

/* Fills rows->sent with the rows that one token of a source has for each rank, shared experts not included. The source
 * is the one that replicas_source() was called with last. inclusion[experts]: what the choice was built with. */
void expected_token(const struct choice *c, const double *inclusion, struct rows *rows);

/* Adds the shared experts' rows of so many tokens of a source to its expected ones. */
void expected_shared(const struct rows *rows, int src, double tokens, struct sent *sent);

#endif
