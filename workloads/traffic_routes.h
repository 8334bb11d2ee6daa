/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_routes.h - the tokens of a token-level record onto ranks, row by row, exactly.
 *
 * With source ranks in the record all its rows are used where they came from; otherwise batch b is rows
 * b * T * ranks and up of the layer, dealt out as routing.assign says. Fewer rows than T * ranks are used
 * as they are (fill: exact), or the record is repeated (fill: repeat).
 * Fills tokens, dropped_rows, suspected_rows and rho_kept of the traffic.
 * Units: rows.
 * Errors: RC_RANGE (no such batch).
 * Ownership: borrows everything.
 * Edges: the last batch of a layer may be a begun one. */
#ifndef WORKLOADS_TRAFFIC_ROUTES_H
#define WORKLOADS_TRAFFIC_ROUTES_H

#include "workloads/records/routes.h"
#include "workloads/rows.h"
#include "workloads/workload.h"

/* Returns the number of whole and begun batches of a layer; 0: any number (fill: repeat). */
int64_t traffic_routes_batches(const struct routes *r, int layer, const struct workload *w,
                               int ranks);

/* Deals one batch of a layer out onto ranks. */
enum rc traffic_routes_fill(const struct routes *r, int layer, const struct workload *w,
                            struct rows *rows, struct err *e);

#endif
