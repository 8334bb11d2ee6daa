/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/messages.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/base/unit.h"
#include "sim/engine/order.h"

/* Smallest and largest number of bytes that becomes a payload. */
struct extremes {
    double low, high;
};

static void extremes_add(struct extremes *x, double bytes) {
    x->low = bytes < x->low ? bytes : x->low;
    x->high = bytes > x->high ? bytes : x->high;
}

void messages_route(const struct plan *p, const struct message *m, struct route *route) {
    call_route(p->exchanges[m->exchange].call, m->src, m->dst, route);
}

/* One message while messages are listed: bytes of a piece, and of its cost. */
struct listing {
    const struct plan *plan;
    struct messages *m; /* NULL: only measured */
    struct extremes sizes;
    size_t n;
    int *peers; /* [ranks] */
    double *row; /* [ranks] zeros between rows */
    int *port_of; /* [links] of the sender at hand; 0: none yet */
    int *own_links, n_own; /* [ranks] links that have one */
};

/* Returns the port of a message: the first link of a mesh on its way, numbered from 1. */
static int port_of(struct listing *l, const struct route *route) {
    for (int k = 0; k < route->n; k++) {
        int link = route->links[k];
        if (l->plan->topology->links[link].role != LINK_MESH)
            continue;
        if (l->port_of[link] == 0) {
            l->own_links[l->n_own++] = link;
            l->port_of[link] = l->n_own;
        }
        return l->port_of[link];
    }
    return 0;
}

static void forget_ports(struct listing *l) {
    while (l->n_own > 0)
        l->port_of[l->own_links[--l->n_own]] = 0;
}

static void list_message(struct listing *l, int exchange, int src, int dst, double bytes) {
    const struct exchange *x = &l->plan->exchanges[exchange];
    struct route route;
    call_route(x->call, src, dst, &route);
    double capacity_Bps = l->plan->topology->links[route.cost_link].capacity_Bps;
    double units = call_message_units(x->call, x->stage, bytes) / x->chunks;
    double cost = units * call_message_cost_s(x->call, route.tier) * capacity_Bps;
    double piece = bytes / x->chunks;
    extremes_add(&l->sizes, piece);
    extremes_add(&l->sizes, piece * route_share(&route)); // a path's share is a payload too
    if (cost > 0)
        extremes_add(&l->sizes, cost);
    if (l->m)
        l->m->items[l->n] = (struct message){.src = src,
                                             .dst = dst,
                                             .exchange = exchange,
                                             .way = plan_way(&route),
                                             .port = port_of(l, &route),
                                             .payload = llround(ldexp(piece, l->m->scale)),
                                             .cost = llround(ldexp(cost, l->m->scale))};
    l->n++;
}

static void list_row(struct listing *l, int exchange, int src) {
    const struct exchange *x = &l->plan->exchanges[exchange];
    const struct matrix *b = &x->call->stages[x->stage].bytes;
    for (size_t i = b->start[src]; i < b->start[src + 1]; i++)
        l->row[b->dst[i]] = b->dst[i] == src ? 0 : b->value[i];
    int n = order_peers(x->call, x->stage, src, l->peers);
    for (int k = 0; k < n; k++)
        if (l->row[l->peers[k]] > 0)
            list_message(l, exchange, src, l->peers[k], l->row[l->peers[k]]);
    for (size_t i = b->start[src]; i < b->start[src + 1]; i++)
        l->row[b->dst[i]] = 0;
    if (l->m && l->n_own >= l->m->ports)
        l->m->ports = l->n_own + 1;
    forget_ports(l);
}

static void list_all(struct listing *l) {
    size_t part = 0;
    l->n = 0;
    for (int src = 0; src < l->plan->ranks; src++)
        for (int exchange = 0; exchange < l->plan->n; exchange++) {
            if (l->m)
                l->m->start[part++] = l->n;
            list_row(l, exchange, src);
        }
    if (l->m)
        l->m->start[part] = l->n;
}

/* Chooses the scale: rounding to integers stays below 1e-12 of each payload, or below 1e-9 where sizes are far apart,
 * and payloads below 2^62. */
static enum rc choose_scale(const struct extremes *x, int *scale, struct err *e) {
    *scale = 0;
    if (!(x->high > 0))
        return RC_OK;
    enum { BITS = 30, BITS_WANTED = 40, BITS_MAX = 62 }; // half a unit in 2^30 .. 2^31 units is below 1e-9
    int low = 0, high = 0;
    frexp(x->low, &low);
    frexp(x->high, &high);
    int least = BITS + 1 - low, wanted = BITS_WANTED + 1 - low, most = BITS_MAX - high;
    *scale = wanted < most ? wanted : most > least ? most : least;
    *scale = *scale > 0 ? *scale : 0;
    if (high + *scale <= BITS_MAX)
        return RC_OK;
    char a[UNIT_TEXT], b[UNIT_TEXT];
    return err_set(e, RC_RANGE, "messages from %s to %s are too far apart to be simulated together",
                   unit_format(x->low, UNIT_SIZE, a), unit_format(x->high, UNIT_SIZE, b));
}

enum rc messages_build(const struct plan *plan, struct messages *into, struct err *e) {
    size_t ranks = (size_t)plan->ranks;
    struct messages m = {.ports = 1};
    struct listing l = {.plan = plan,
                        .sizes = {INFINITY, 0},
                        .peers = mem_alloc(ranks, sizeof(int)),
                        .row = mem_alloc(ranks, sizeof(double)),
                        .port_of = mem_alloc((size_t)plan->topology->n_links, sizeof(int)),
                        .own_links = mem_alloc(ranks, sizeof(int))};
    list_all(&l);
    enum rc rc = choose_scale(&l.sizes, &m.scale, e);
    if (rc == RC_OK) {
        m.items = mem_alloc(l.n, sizeof *m.items);
        m.start = mem_alloc(ranks * (size_t)plan->n + 1, sizeof *m.start);
        l.m = &m;
        list_all(&l);
        m.n = l.n;
        *into = m;
    }
    free(l.peers);
    free(l.row);
    free(l.port_of);
    free(l.own_links);
    return rc;
}

/* --- which messages hang together ------------------------------------------------------------- */

/* Links in disjoint sets; each set is named by one of its links. */
static int set_of(int *parent, int link) {
    while (parent[link] != link)
        link = parent[link] = parent[parent[link]];
    return link;
}

/* Joins the links of each message of an exchange; then, with sizes, counts messages by set. */
static void visit_sets(const struct plan *p, const struct messages *m, int exchange, int *parent,
                       size_t *size) {
    struct route route;
    for (int src = 0; src < p->ranks; src++) {
        size_t first = messages_first(m, p, exchange, src);
        size_t n = messages_count(m, p, exchange, src);
        for (size_t i = first; i < first + n; i++) {
            messages_route(p, &m->items[i], &route);
            for (int k = 1; k < route.n && !size; k++)
                parent[set_of(parent, route.links[k])] = set_of(parent, route.links[0]);
            if (size)
                size[set_of(parent, route.links[0])]++;
        }
    }
}

static double largest_set(const struct plan *p, const struct messages *m, int exchange) {
    size_t n_links = (size_t)p->topology->n_links, n = 0, largest = 0;
    int *parent = mem_alloc(n_links, sizeof *parent);
    size_t *size = mem_alloc(n_links, sizeof *size);
    for (size_t l = 0; l < n_links; l++)
        parent[l] = (int)l;
    visit_sets(p, m, exchange, parent, NULL);
    visit_sets(p, m, exchange, parent, size);
    for (size_t l = 0; l < n_links; l++) {
        largest = size[l] > largest ? size[l] : largest;
        n += size[l];
    }
    free(parent);
    free(size);
    return n > 0 ? (double)largest / (double)n : 0;
}

double messages_largest_share(const struct plan *p, const struct messages *m) {
    double share = 0;
    for (int exchange = 0; exchange < p->calls[0].n_stages; exchange++)
        share = fmax(share, largest_set(p, m, exchange));
    return share;
}

void messages_clear(struct messages *m) {
    free(m->items);
    free(m->start);
    *m = (struct messages){0};
}
