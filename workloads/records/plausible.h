/* SPDX-License-Identifier: BSD-3-Clause */
/* plausible.h - tables of numbers that can be read as counts and are something else.
 *
 * What is told apart: flags (0 and 1 alone in several layers), layers that hold the same values in another order (maps
 * of experts), slot maps (every layer has every number from 0 up, each once or twice), traffic between ranks (square,
 * one row a rank, nothing on the diagonal or all rows alike), ids of tokens, scores of tokens, experts before layers.
 * Equal sums alone, or as many layers as ranks, are no sign.
 * Units: none.
 * Errors: RC_SCHEMA, with what the table looks like and the option that takes it.
 * Ownership: borrows everything.
 * Edges: one layer is always plausible; with ask->as other than auto nothing is checked. */
#ifndef WORKLOADS_RECORDS_PLAUSIBLE_H
#define WORKLOADS_RECORDS_PLAUSIBLE_H

#include "workloads/records/record_data.h"
#include "workloads/records/table.h"

/* Checks a table that is about to be taken as counts. */
enum rc plausible_counts(const struct record_table *t, const struct record_ask *ask, struct err *e);

/* Checks counts that came cell by cell, with named layers and experts. */
enum rc plausible_cells(const struct counts *c, const struct record_ask *ask, const char *name, struct err *e);

#endif
