/* SPDX-License-Identifier: BSD-3-Clause */
/* take.h - makes of an array of numbers what it holds: counts, ids of tokens, or a matrix.
 *
 * Shapes: counts [E], [L, E] or [S, L, E] (summed over S); ids [T, k] or [T, L, k]; a matrix [N, N], row = sender.
 * Units: counts and ids have none; a matrix is in the table's unit, or in bytes where the table does not say.
 * Errors: RC_SHAPE, RC_RANGE, RC_SCHEMA (both counts and ids; not plausible, plausible.h; not what was asked for).
 * Ownership: the table is borrowed; what is filled belongs to the caller also on failure.
 * Edges: a table without numbers is refused. */
#ifndef WORKLOADS_RECORDS_TAKE_H
#define WORKLOADS_RECORDS_TAKE_H

#include "workloads/records/record_data.h"
#include "workloads/records/table.h"

/* Tells what a table is, checks that it can be, and fills the record. */
enum rc record_take(const struct record_table *t, const struct record_ask *ask, struct record *r, struct err *e);

#endif
