/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/network.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

/* Returns the seconds of work of the busiest link. */
static double busiest_s(const struct plan *p) {
    size_t n_links = (size_t)p->topology->n_links;
    double *busy_s = mem_alloc(n_links, sizeof *busy_s);
    for (int x = 0; x < p->n; x++)
        call_link_load(p->exchanges[x].call, p->exchanges[x].stage, NULL, busy_s);
    double most_s = stat_max(busy_s, n_links);
    free(busy_s);
    return most_s;
}

/* Returns the scale of the engine's clock: it runs at seconds x 2^scale. Engines merge events that lie closer than
 * FLOW_RESOLUTION of their seconds. On a clock where the busiest link works for 16 to 32 of the engine's seconds that
 * is far below the accuracy asked for, whatever the sizes. */
static int time_scale(const struct plan *p) {
    double most_s = busiest_s(p);
    int exponent = 0;
    enum { BITS = 5, IDLE = 30 };
    if (!(most_s > 0 && isfinite(most_s)))
        return IDLE; // only timers, of microseconds
    frexp(most_s, &exponent);
    return BITS - exponent;
}

/* Returns whether SimGrid's lazy updates are the faster ones; measured, see flow.h. With at most two messages in flight
 * per sender, and no link that is common to many senders, few flows hang together at any one time. */
static bool lazy_is_faster(const struct plan *p, const struct messages *m) {
    bool common_links = false;
    for (int l = 0; l < p->topology->n_links; l++)
        common_links = common_links || p->topology->links[l].role >= LINK_UP;
    int64_t window = p->calls[0].implementation->window;
    bool few_in_flight = window == 1 || window == 2;
    return (few_in_flight && !common_links) || messages_largest_share(p, m) < 0.5;
}

void network_open(const struct plan *p, const struct messages *m, struct network *n) {
    const struct topology *t = p->topology;
    const struct flow_engine *engine = p->engine;
    // only SimGrid asks for what takes a look at every route
    const struct flow_options options = {.apart = engine == &flow_simgrid && lazy_is_faster(p, m),
                                         .checked = p->checked};
    *n = (struct network){.engine = engine,
                          .flows = engine->open(&options),
                          .time_scale = time_scale(p),
                          .meters = mem_alloc((size_t)t->n_links, sizeof *n->meters)};
    for (int l = 0; l < t->n_links; l++)
        engine->link(n->flows, ldexp(t->links[l].capacity_Bps, m->scale - n->time_scale));
    for (int l = 0; l < t->n_links; l++) {
        bool metered = p->link_bins > 0 && t->links[l].role == LINK_EGRESS;
        double rate = ldexp(t->links[l].capacity_Bps, m->scale - n->time_scale);
        n->meters[l] = metered ? engine->link(n->flows, rate) : -1;
    }
    engine->seal(n->flows);
}

void network_close(struct network *n) {
    if (n->engine)
        n->engine->close(n->flows);
    free(n->meters);
    *n = (struct network){0};
}

/* Begins a run. The first width of bins fits the work of the busiest link, the least that a run can take: 16 to 32
 * units, see time_scale(). */
void network_reset(const struct network *n, const struct plan *p, const struct flow_hooks *hooks) {
    n->engine->reset(n->flows, hooks);
    if (!p->times_only)
        n->engine->meter(n->flows);
    if (p->link_bins > 0)
        n->engine->bins(n->flows, p->link_bins, 16.0 / p->link_bins);
}
