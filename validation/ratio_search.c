/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/ratio_search.h"
#include "workloads/strategy.h"

#include <string.h>

static enum rc call_time(const struct ratio_search *s, const struct topology *t,
                         enum strategy strategy, double *time_s, struct err *e) {
    struct call call;
    struct costs costs;
    char reason[200];
    call_build(t, s->workload, s->implementation, s->traffic, strategy, PHASE_DISPATCH, &call);
    call.path_seed = s->path_seed;
    enum rc rc = RC_OK;
    if (s->treatment >= 0)
        costs_treatment(&call, (size_t)s->treatment, &costs);
    else if (!costs_known(&call, REGIME_AHEAD, &costs, NULL, reason))
        rc = err_set(e, RC_UNSUPPORTED, "%s", reason);
    if (!rc)
        rc = simulate_time(&s->simulator, &call, &costs, time_s, e);
    call_clear(&call);
    return rc;
}

/* Sets the slow tier's rate per rank, and scales every rate of its fabric with it, so that none of them binds where
 * it did not before. Lists are left out: copies of a platform share them. */
static void slow_tier_at(struct platform *p, double rate_Bps) {
    struct plat_tier *slow = &p->tier[plat_slow(p)];
    double factor = rate_Bps / slow->bandwidth_Bps.value;
    char key[FABRIC_CONSTANT];
    struct quantity *q;
    for (size_t i = 0; (q = fabric_constant(&slow->fabric, i, key)) && !strchr(key, '.'); i++)
        q->value *= factor;
    slow->bandwidth_Bps.value = rate_Bps;
}

static enum rc lead_of_two_hops(double ratio, void *context, double *y, struct err *e) {
    const struct ratio_search *s = context;
    struct platform p = *s->platform;
    slow_tier_at(&p, p.tier[TIER_FAST].bandwidth_Bps.value / ratio);
    struct topology *t = topo_build(&p);
    double one_s = 0, two_s = 0;
    enum rc rc = implementation_apply(s->implementation, t, e);
    if (!rc)
        rc = call_time(s, t, STRATEGY_ONE_HOP, &one_s, e);
    if (!rc)
        rc = call_time(s, t, STRATEGY_TWO_HOP, &two_s, e);
    topo_free(t);
    two_s += s->host_exposure_s;
    *y = two_s > 0 ? one_s / two_s - 1 : 0;
    return rc;
}

enum rc ratio_search_run(const struct ratio_search *s, struct root *root, struct err *e) {
    struct ratio_search copy = *s;
    return root_search(lead_of_two_hops, &copy, s->range, s->guess, s->relative, root, e);
}
