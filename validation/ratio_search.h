/* SPDX-License-Identifier: BSD-3-Clause */
/* ratio_search.h - the breakeven ratio of a given routing and implementation, by simulation.
 *
 * The fast tier stays, the slow tier is base / ratio, and the rates of its fabric (NICs, capacity, links between
 * neighbours, of a dragonfly) go with it; its `shared` links and the `links` of a graph keep theirs. x_half of the
 * slow tier stays in bytes, or, where the file states a cost of a message, that cost stays.
 * Units: SI; the ratio is fast rate over slow rate.
 * Errors: those of the simulator. Ownership: borrows everything. Edges: a guess of 0 starts nowhere in particular. */
#ifndef VALIDATION_RATIO_SEARCH_H
#define VALIDATION_RATIO_SEARCH_H

#include "platforms/base/root.h"
#include "validation/simulate.h"

struct ratio_search {
    const struct platform *platform;
    const struct workload *workload;
    const struct implementation *implementation;
    const struct traffic *traffic;
    uint64_t path_seed; /* of hashed paths */
    struct simulator simulator;
    int treatment; /* alpha treatment, or -1: the platform's own alpha, which must be known */
    double host_exposure_s;
    double range[2];
    double guess; /* where to look first; 0: nowhere in particular */
    double relative; /* width of the last interval over the ratio */
};

/* Searches the ratio. */
enum rc ratio_search_run(const struct ratio_search *s, struct root *root, struct err *e);

#endif
