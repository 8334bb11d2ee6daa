/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

enum rc check_delivered(const struct plan *p, const struct messages *m, const int *missing,
                        struct err *e) {
    enum { SHOWN = 3 };
    struct buf list = {0};
    size_t late = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (missing[i] == 0)
            continue;
        const struct message *item = &m->items[i];
        const struct exchange *x = &p->exchanges[item->exchange];
        if (late++ >= SHOWN)
            continue;
        buf_printf(&list, "%s%d -> %d in %s", late > 1 ? ", " : "", item->src, item->dst,
                   x->call->stages[x->stage].name);
        if (x->nth > 0)
            buf_printf(&list, " of call %d", x->nth + 1);
    }
    if (late > 0)
        err_set(e, RC_ENGINE, "%zu of %zu messages never arrive: %s%s", late, m->n, list.text,
                late > SHOWN ? ", .." : "");
    buf_clear(&list);
    return late > 0 ? RC_ENGINE : RC_OK;
}

/* Fills in what the links carried, without the per-message costs, and counts the flows that each one carried. */
static void measure_links(const struct plan *p, const struct messages *m, const struct network *n, double *bytes,
                          double *flows) {
    struct route route;
    for (int l = 0; l < p->topology->n_links; l++)
        bytes[l] = n->engine->carried(n->flows, l);
    for (size_t i = 0; i < m->n; i++) {
        int chunks = p->exchanges[m->items[i].exchange].chunks;
        messages_route(p, &m->items[i], &route);
        bytes[route.cost_link] -= (double)m->items[i].cost * chunks;
        flows[route.cost_link] += chunks;
        for (int k = 0; k < route.n; k++)
            flows[route.links[k]] += chunks;
    }
    for (int l = 0; l < p->topology->n_links; l++)
        bytes[l] = ldexp(bytes[l], -m->scale);
}

static void take_bins(const struct plan *p, const struct messages *m, const struct network *n, double *bins) {
    for (int l = 0; l < p->topology->n_links; l++)
        for (int i = 0; i < p->link_bins; i++) {
            double costs = n->meters[l] >= 0 ? n->engine->binned(n->flows, n->meters[l], i) : 0;
            bins[l * p->link_bins + i] = ldexp(n->engine->binned(n->flows, l, i) - costs, -m->scale);
        }
}

enum rc check_links(const struct plan *p, const struct messages *m, const struct network *n, double *carried,
                    double *bins, struct err *e) {
    const struct topology *t = p->topology;
    double resolution_s = ldexp(FLOW_RESOLUTION, -n->time_scale) + 4 * DBL_EPSILON * network_now_s(n);
    size_t n_links = (size_t)t->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes), *busy_s = mem_alloc(n_links, sizeof *busy_s);
    double *flows = mem_alloc(n_links, sizeof *flows);
    for (int x = 0; x < p->n; x++)
        call_link_load(p->exchanges[x].call, p->exchanges[x].stage, bytes, busy_s);
    measure_links(p, m, n, carried, flows);
    if (p->link_bins > 0)
        take_bins(p, m, n, bins);
    enum rc rc = RC_OK;
    for (int l = 0; l < t->n_links && rc == RC_OK; l++) {
        double allowed = t->links[l].capacity_Bps * (1e-9 * busy_s[l] + flows[l] * resolution_s);
        if (!(fabs(carried[l] - bytes[l]) <= allowed))
            rc = err_set(e, RC_ENGINE, "link %s carried %.17g bytes, expected %.17g",
                         t->links[l].name, carried[l], bytes[l]);
    }
    free(bytes);
    free(busy_s);
    free(flows);
    return rc;
}
