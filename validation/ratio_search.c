/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/ratio_search.h"
#include "platforms/constants.h"
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

struct scaled {
    const char *tier;
    double factor;
};

/* Scales the rates of one tier. */
static void scale_rate(const struct constant *c, void *context) {
    const struct scaled *s = context;
    size_t n = strlen(s->tier);
    if (c->kind == KEY_RATE && strncmp(c->name, s->tier, n) == 0 && c->name[n] == '.')
        c->q->value *= s->factor;
}

/* Returns a copy of a platform with another rate per rank on the slow tier. Every rate of its fabric is scaled with it,
 * so that none of them binds where it did not before. */
static struct platform *slow_tier_at(const struct platform *p, double ratio) {
    struct platform *copy = constants_copy(p);
    struct plat_tier *slow = &copy->tier[plat_slow(p)];
    double rate_Bps = p->tier[TIER_FAST].bandwidth_Bps.value / ratio;
    struct scaled s = {slow->name, rate_Bps / slow->bandwidth_Bps.value};
    constants_visit_used(copy, NULL, 0, scale_rate, &s);
    slow->bandwidth_Bps.value = rate_Bps;
    return copy;
}

static enum rc lead_of_two_hops(double ratio, void *context, double *y, struct err *e) {
    const struct ratio_search *s = context;
    struct platform *p = slow_tier_at(s->platform, ratio);
    struct topology *t = topo_build(p);
    double one_s = 0, two_s = 0;
    enum rc rc = implementation_apply(s->implementation, t, e);
    if (!rc)
        rc = call_time(s, t, STRATEGY_ONE_HOP, &one_s, e);
    if (!rc)
        rc = call_time(s, t, STRATEGY_TWO_HOP, &two_s, e);
    topo_free(t);
    constants_copy_free(p);
    two_s += s->host_exposure_s;
    *y = two_s > 0 ? one_s / two_s - 1 : 0;
    return rc;
}

enum rc ratio_search_run(const struct ratio_search *s, struct root *root, struct err *e) {
    struct ratio_search copy = *s;
    return root_search(lead_of_two_hops, &copy, s->range, s->guess, s->relative, root, e);
}
