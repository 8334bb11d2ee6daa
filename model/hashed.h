/* SPDX-License-Identifier: BSD-3-Clause */
/* hashed.h - how full the fullest link gets when flows draw their paths: many draws of the link loads, no simulation.
 *
 * Units: SI. Shapes: quantiles p50, p95, p99 of the largest link load over the draws, the smallest value that at least
 * such a share of the draws does not exceed. FORMULAS.md [A3]
 * Errors: those of implementation_apply(), for links that the platform degrades; outputs untouched on failure.
 * Edges: without hashed paths all of them are the load itself. Ownership: borrows everything. */
#ifndef MODEL_HASHED_H
#define MODEL_HASHED_H

#include "workloads/call.h"

enum { HASHED_QUANTILES = 3 };

struct hashed_load {
    int draws;
    double spread_s; /* largest load when every message is spread over all its paths */
    double drawn_s[HASHED_QUANTILES];
};

/* Finds the largest link load under each of so many draws of paths, draws >= 1, and fills in its quantiles. Draw i has
 * the paths of topo_path_seed(seed, i). */
enum rc hashed_find(const struct call *call, uint64_t seed, int draws, struct hashed_load *load, struct err *e);

#endif
