/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/network.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"
#include "sim/engine/flow.h"

/* Seconds of work of the busiest link. */
static double busiest_s(const struct plan *p) {
    size_t n_links = (size_t)p->topology->n_links;
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    for (int x = 0; x < p->n; x++)
        call_link_load(p->exchanges[x].call, p->exchanges[x].stage, NULL, busy_s);
    double most_s = stat_max(busy_s, n_links);
    free(busy_s);
    return most_s;
}

/* SimGrid merges events that lie closer than 1e-12 of its seconds. On a clock where the busiest
 * link works for 16 to 32 of them that is far below the accuracy asked for, whatever the sizes. */
int network_time_scale(const struct plan *p) {
    double most_s = busiest_s(p);
    int exponent = 0;
    enum { BITS = 5 };
    if (!(most_s > 0 && isfinite(most_s)))
        return 0;
    frexp(most_s, &exponent);
    return BITS - exponent;
}

/* Whether SimGrid's lazy updates are the faster ones; measured, see flow_open(). With at most two
 * messages in flight per sender, and no link that is common to many senders, few flows hang
 * together at any one time. */
static bool lazy_is_faster(const struct plan *p, const struct messages *m) {
    bool common_links = false;
    for (int l = 0; l < p->topology->n_links; l++)
        common_links = common_links || p->topology->links[l].role >= LINK_UP;
    int64_t window = p->calls[0].implementation->window;
    bool few_in_flight = window == 1 || window == 2;
    return (few_in_flight && !common_links) || messages_largest_share(p, m) < 0.5;
}

void network_open(const struct plan *p, const struct messages *m, int time_scale, int *meters) {
    const struct topology *t = p->topology;
    flow_open(lazy_is_faster(p, m));
    for (int l = 0; l < t->n_links; l++)
        flow_link(ldexp(t->links[l].capacity_Bps, m->scale - time_scale));
    for (int l = 0; l < t->n_links; l++) {
        bool metered = p->link_bins > 0 && t->links[l].role == LINK_EGRESS;
        double rate = ldexp(t->links[l].capacity_Bps, m->scale - time_scale);
        meters[l] = metered ? flow_link(rate) : -1;
    }
    flow_seal();
}
