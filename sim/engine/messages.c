/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/unit.h"

int messages_peer(const struct platform *p, enum order order, int src, int k) {
    if (order == ORDER_SHIFT)
        return (src + k) % plat_ranks(p);
    BUG_ON(order != ORDER_GROUP_SHIFT);
    int local = (int)p->ranks_per_group;
    int group = (plat_group_of(p, src) + k / local) % (int)p->groups;
    return group * local + (plat_local_of(p, src) + k % local) % local;
}

/* Smallest and largest number of bytes that becomes a payload. */
struct extremes {
    double low, high;
};

static void extremes_add(struct extremes *x, double bytes) {
    x->low = bytes < x->low ? bytes : x->low;
    x->high = bytes > x->high ? bytes : x->high;
}

static bool is_sent(const struct matrix *m, int src, size_t i) {
    return m->dst[i] != src && m->value[i] > 0;
}

static double port_cost_bytes(const struct step *step, const struct link *l) {
    return l->role == LINK_EGRESS ? plat_message_cost_s(step->platform, l->tier) * l->capacity_Bps
                                  : 0;
}

/* Chooses the scale: rounding to integers stays below 1e-9 of each payload, and payloads below
 * 2^62. */
static enum rc choose_scale(const struct step *step, int *scale, struct err *e) {
    struct extremes x = {INFINITY, 0};
    for (int s = 0; s < step->n_stages; s++) {
        const struct matrix *m = &step->stages[s].bytes;
        for (int src = 0; src < m->ranks; src++)
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                if (is_sent(m, src, i))
                    extremes_add(&x, m->value[i]);
    }
    for (int l = 0; l < step->topology->n_links; l++) {
        double bytes = port_cost_bytes(step, &step->topology->links[l]);
        if (bytes > 0)
            extremes_add(&x, bytes);
    }
    *scale = 0;
    if (!(x.high > 0))
        return RC_OK;
    enum { BITS = 30, BITS_MAX = 62 }; // half a unit in 2^29 .. 2^30 units is at most 1e-9
    int low = 0, high = 0;
    frexp(x.low, &low);
    frexp(x.high, &high);
    *scale = BITS + 1 - low > 0 ? BITS + 1 - low : 0;
    if (high + *scale <= BITS_MAX)
        return RC_OK;
    char a[UNIT_TEXT], b[UNIT_TEXT];
    return err_set(e, RC_RANGE, "messages from %s to %s are too far apart to be simulated together",
                   unit_format(x.low, UNIT_SIZE, a), unit_format(x.high, UNIT_SIZE, b));
}

static size_t count_messages(const struct step *step) {
    size_t n = 0;
    for (int s = 0; s < step->n_stages; s++) {
        const struct matrix *m = &step->stages[s].bytes;
        for (int src = 0; src < m->ranks; src++)
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++)
                n += is_sent(m, src, i);
    }
    return n;
}

static int64_t to_payload(const struct messages *m, double bytes) {
    return (int64_t)llround(ldexp(bytes, m->scale));
}

/* row: scratch, zeros, one entry per rank */
static void add_messages(struct messages *m, const struct step *step, int src, int stage,
                         double *row) {
    const struct matrix *b = &step->stages[stage].bytes;
    enum order order = (enum order)step->implementation->order;
    for (size_t i = b->start[src]; i < b->start[src + 1]; i++)
        row[b->dst[i]] = is_sent(b, src, i) ? b->value[i] : 0;
    for (int k = 0; k < b->ranks; k++) {
        int dst = messages_peer(step->platform, order, src, k);
        if (row[dst] > 0)
            m->items[m->n++] = (struct message){
                .src = src, .dst = dst, .stage = stage, .payload = to_payload(m, row[dst])};
    }
    for (size_t i = b->start[src]; i < b->start[src + 1]; i++)
        row[b->dst[i]] = 0;
}

enum rc messages_build(const struct step *step, struct messages *into, struct err *e) {
    const struct topology *t = step->topology;
    struct messages m = {0};
    enum rc rc = choose_scale(step, &m.scale, e);
    if (rc)
        return rc;
    m.items = mem_alloc(count_messages(step), sizeof *m.items);
    m.start = mem_alloc((size_t)t->ranks * (size_t)step->n_stages + 1, sizeof *m.start);
    m.port_cost = mem_alloc((size_t)t->n_links, sizeof *m.port_cost);
    for (int l = 0; l < t->n_links; l++)
        m.port_cost[l] = to_payload(&m, port_cost_bytes(step, &t->links[l]));
    double *row = mem_alloc((size_t)t->ranks, sizeof *row);
    size_t part = 0;
    for (int src = 0; src < t->ranks; src++)
        for (int stage = 0; stage < step->n_stages; stage++) {
            m.start[part++] = m.n;
            add_messages(&m, step, src, stage, row);
        }
    m.start[part] = m.n;
    free(row);
    *into = m;
    return RC_OK;
}

/* --- which messages hang together ---------------------------------------------------------------
 */

/* Links in disjoint sets; each set is named by one of its links. */
static int set_of(int *parent, int link) {
    while (parent[link] != link)
        link = parent[link] = parent[parent[link]];
    return link;
}

static size_t largest_set(const struct step *step, const struct messages *m, int stage, size_t *n) {
    const struct topology *t = step->topology;
    int *parent = mem_alloc((size_t)t->n_links, sizeof *parent);
    size_t *size = mem_alloc((size_t)t->n_links, sizeof *size), largest = 0;
    for (int l = 0; l < t->n_links; l++)
        parent[l] = l;
    int links[TOPO_ROUTE_MAX];
    for (size_t i = 0; i < m->n; i++) {
        if (m->items[i].stage != stage)
            continue;
        int on_route = topo_route(t, m->items[i].src, m->items[i].dst, links);
        for (int k = 1; k < on_route; k++)
            parent[set_of(parent, links[k])] = set_of(parent, links[0]);
    }
    *n = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (m->items[i].stage != stage)
            continue;
        topo_route(t, m->items[i].src, m->items[i].dst, links);
        size_t members = ++size[set_of(parent, links[0])];
        largest = members > largest ? members : largest;
        ++*n;
    }
    free(parent);
    free(size);
    return largest;
}

double messages_largest_share(const struct step *step, const struct messages *m) {
    double share = 0;
    for (int stage = 0; stage < step->n_stages; stage++) {
        size_t n, largest = largest_set(step, m, stage, &n);
        if (n > 0)
            share = fmax(share, (double)largest / (double)n);
    }
    return share;
}

void messages_clear(struct messages *m) {
    free(m->items);
    free(m->start);
    free(m->port_cost);
    *m = (struct messages){0};
}
