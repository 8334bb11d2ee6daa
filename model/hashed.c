/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/hashed.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

/* Returns the port time of the link that has most of it over all stages. */
static double largest_load_s(const struct call *call) {
    size_t n_links = (size_t)call->topology->n_links;
    double *busy_s = mem_alloc(n_links, sizeof *busy_s), most_s = 0;
    for (int stage = 0; stage < call->n_stages; stage++)
        call_link_load(call, stage, NULL, busy_s);
    for (size_t l = 0; l < n_links; l++)
        most_s = fmax(most_s, busy_s[l]);
    free(busy_s);
    return most_s;
}

/* Finds the largest load of the same call where every message is spread over all its paths. */
static enum rc find_spread(const struct call *call, double *spread_s, struct err *e) {
    struct platform p = *call->platform;
    for (int tier = 0; tier < p.n_tiers; tier++)
        if (p.tier[tier].fabric.paths == PATHS_HASHED)
            p.tier[tier].fabric.paths = PATHS_SPREAD;
    struct topology *t = topo_build(&p);
    struct call spread = *call;
    spread.platform = &p;
    spread.topology = t;
    enum rc rc = implementation_apply(call->implementation, t, e);
    if (!rc)
        *spread_s = largest_load_s(&spread);
    topo_free(t);
    return rc;
}

enum rc hashed_find(const struct call *call, uint64_t seed, int draws, struct hashed_load *load, struct err *e) {
    static const double shares[HASHED_QUANTILES] = {0.5, 0.95, 0.99};
    struct hashed_load l = {.draws = draws};
    BUG_ON(draws < 1);
    enum rc rc = find_spread(call, &l.spread_s, e);
    if (rc)
        return rc;
    double *all_s = mem_alloc((size_t)draws, sizeof *all_s);
    struct call drawn = *call;
    for (int i = 0; i < draws; i++) {
        drawn.path_seed = topo_path_seed(seed, (uint64_t)i);
        all_s[i] = largest_load_s(&drawn);
    }
    stat_sort(all_s, (size_t)draws);
    for (int i = 0; i < HASHED_QUANTILES; i++)
        l.drawn_s[i] = all_s[(int)ceil(shares[i] * draws) - 1];
    free(all_s);
    *load = l;
    return RC_OK;
}
