/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/mesh.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

static size_t at(const struct mesh *m, int from, int to) {
    return (size_t)from * (size_t)m->width + (size_t)to;
}

/* --- links ------------------------------------------------------------------------------------- */

struct building {
    struct topology *t;
    struct mesh *m;
    enum tier tier;
    int instance;
    bool first; /* instance: fills hop[] */
    enum link_role role;
};

/* Fills in the ranks below a link that n ends share, from end `end` on, counted over all domains. */
static void find_ranks(const struct building *b, int end, int n, struct link *l) {
    const struct plat_domains *ends = &b->t->platform->domains[b->tier == TIER_FAST ? 0 : b->tier - 1];
    bool fast = b->tier == TIER_FAST;
    l->first_rank = fast ? end : ends->first[end];
    l->n_ranks = fast ? n : ends->first[end + n] - l->first_rank;
}

/* Adds the link from one end to another and puts its number into hop[slot]. */
static void join(struct building *b, int from, int to, size_t slot, double rate_Bps) {
    int base = b->instance * b->m->ends;
    struct link l = {.role = b->role, .tier = b->tier, .owner = base + from, .capacity_Bps = rate_Bps};
    find_ranks(b, base + from, 1, &l);
    int id = topo_add_link(b->t, &l, "%s-link-%d-%d", b->t->platform->tier[b->tier].name, base + from, base + to);
    if (b->first)
        b->m->hop[slot] = id - b->m->base;
}

static void build_full(struct building *b, double rate_Bps) {
    for (int from = 0; from < b->m->ends; from++)
        for (int to = 0; to < b->m->ends; to++)
            if (from != to)
                join(b, from, to, at(b->m, from, to), rate_Bps);
}

/* Returns the number of ends from one to its neighbour along dimension d. */
static int stride(const struct mesh *m, int d) {
    int n = 1;
    for (int i = d + 1; i < m->n_dims; i++)
        n *= m->dim[i];
    return n;
}

static int place(const struct mesh *m, int end, int d) {
    return end / stride(m, d) % m->dim[d];
}

static int neighbour(const struct mesh *m, int end, int d, int step) {
    int length = m->dim[d], from = place(m, end, d);
    return end + ((from + step + length) % length - from) * stride(m, d);
}

/* Adds the links of a ring or torus as hop[end][2 d + (backward)]; where a dimension has two ends they have one
 * cable. */
static void build_torus(struct building *b, double rate_Bps) {
    for (int end = 0; end < b->m->ends; end++)
        for (int d = 0; d < b->m->n_dims; d++)
            for (int back = 0; back < 2 && b->m->dim[d] > 1 + back; back++)
                join(b, end, neighbour(b->m, end, d, back ? -1 : 1), at(b->m, end, 2 * d + back),
                     rate_Bps);
}

static void build_graph(struct building *b, const struct key_list *links) {
    const struct plat_edge *edges = links->items;
    for (size_t i = 0; i < links->n; i++) {
        int from = (int)edges[i].from, to = (int)edges[i].to;
        join(b, from, to, at(b->m, from, to), edges[i].bandwidth_Bps.value);
        join(b, to, from, at(b->m, to, from), edges[i].bandwidth_Bps.value);
        for (int k = 1; k <= 2; k++)
            b->t->links[b->t->n_links - k].latency_s = edges[i].latency_s.value;
        b->t->has_latency = b->t->has_latency || edges[i].latency_s.value > 0;
    }
}

/* Working memory while the paths of a graph to one end are found. */
struct search {
    int *start, *near; /* neighbours of end i: near[start[i]] .. near[start[i + 1] - 1] */
    int *far, *queue;
    double *width; /* of the narrowest link on the best path */
};

/* Finds the next end on the path from each end to dst, breadth first: all ends at one distance before those beyond. */
static void find_next(const struct topology *t, const struct mesh *m, int instance, int dst, struct search *s) {
    const struct link *links = &t->links[m->base + instance * m->n_links];
    int *next = m->next + (size_t)instance * m->next_each;
    int head = 0, tail = 0;
    for (int i = 0; i < m->ends; i++) {
        s->far[i] = -1;
        s->width[i] = 0;
    }
    s->far[dst] = 0;
    s->width[dst] = INFINITY;
    s->queue[tail++] = dst;
    while (head < tail) {
        int k = s->queue[head++];
        for (int x = s->start[k]; x < s->start[k + 1]; x++) {
            int i = s->near[x];
            const struct link *l = &links[m->hop[at(m, i, k)]];
            if (l->failed)
                continue;
            if (s->far[i] < 0) {
                s->far[i] = s->far[k] + 1;
                s->queue[tail++] = i;
            }
            double narrow = fmin(l->capacity_Bps, s->width[k]);
            if (s->far[i] == s->far[k] + 1 && narrow > s->width[i]) {
                s->width[i] = narrow;
                next[at(m, i, dst)] = k;
            }
        }
    }
}

/* Fills the table of next ends for n instances that differ, or once for all. */
static void fill_next(const struct topology *t, struct mesh *m, int instances) {
    size_t n = (size_t)m->ends, each = n * (size_t)m->width;
    m->next_each = instances > 1 ? each : 0;
    struct search s = {.start = mem_alloc(n + 1, sizeof(int)),
                       .near = mem_alloc((size_t)m->n_links, sizeof(int)),
                       .far = mem_alloc(n, sizeof(int)),
                       .queue = mem_alloc(n, sizeof(int)),
                       .width = mem_alloc(n, sizeof(double))};
    int found = 0;
    for (int i = 0; i < m->ends; i++) {
        for (int k = 0; k < m->ends; k++)
            if (m->hop[at(m, i, k)] >= 0)
                s.near[found++] = k;
        s.start[i + 1] = found;
    }
    m->next = mem_alloc((size_t)instances * each, sizeof *m->next);
    for (size_t i = 0; i < (size_t)instances * each; i++)
        m->next[i] = -1;
    for (int i = 0; i < instances; i++)
        for (int dst = 0; dst < m->ends; dst++)
            find_next(t, m, i, dst, &s);
    free(s.start);
    free(s.near);
    free(s.far);
    free(s.queue);
    free(s.width);
}

/* Adds a link between two routers or groups of a dragonfly, with `ends` ends at its near side. */
static void add_cable(struct building *b, const char *word, const int number[static 2], int ends, double rate_Bps,
                      int *slot) {
    const struct platform *p = b->t->platform;
    bool slow = b->tier == plat_slow(p);
    struct link l = {.role = LINK_MESH, .tier = b->tier, .owner = number[0], .capacity_Bps = rate_Bps};
    find_ranks(b, number[0] * ends, ends, &l);
    int id = topo_add_link(b->t, &l, "%s%s%s-%d-%d", slow ? "" : p->tier[b->tier].name, slow ? "" : "-", word,
                           number[0], number[1]);
    if (b->first)
        *slot = id - b->m->base;
}

/* Adds the links of a dragonfly. Routers are numbered group by group; hop[router][router] holds the links inside a
 * group, next[group][group] those between groups. */
static void build_dragonfly(struct building *b, const struct plat_fabric *f) {
    struct mesh *m = b->m;
    int per = m->routers, groups = m->n_groups, routers = groups * per;
    for (int router = 0; router < routers; router++)
        for (int k = 0; k < per; k++) {
            int other = router / per * per + k, base = b->instance * routers;
            if (other != router)
                add_cable(b, "local", (int[]){base + router, base + other}, m->router_ends,
                          f->local_bandwidth_Bps.value, &m->hop[at(m, router, k)]);
        }
    for (int g = 0; g < groups; g++)
        for (int k = 0; k < groups; k++) {
            int base = b->instance * groups;
            if (g != k)
                add_cable(b, "global", (int[]){base + g, base + k}, m->router_ends * per,
                          f->global_bandwidth_Bps.value, &m->next[g * groups + k]);
        }
}

static void shape(struct mesh *m, const struct plat_fabric *f) {
    if (m->kind == FABRIC_TORUS)
        m->n_dims = fabric_dims(f->dims, m->dim);
    if (m->kind == FABRIC_RING) {
        m->n_dims = 1;
        m->dim[0] = m->ends;
    }
    m->width = m->n_dims ? 2 * m->n_dims : m->ends;
    int rows = m->ends;
    if (m->kind == FABRIC_DRAGONFLY) {
        m->routers = (int)f->routers;
        m->router_ends = (int)f->router_groups;
        m->n_groups = m->ends / m->routers / m->router_ends;
        m->spread = f->routing == ROUTING_SPREAD;
        m->width = m->routers;
        rows = m->routers * m->n_groups;
        m->next = mem_alloc((size_t)m->n_groups * (size_t)m->n_groups, sizeof *m->next);
        for (int i = 0; i < m->n_groups * m->n_groups; i++)
            m->next[i] = -1;
    }
    m->hop = mem_alloc((size_t)rows * (size_t)m->width, sizeof *m->hop);
    for (size_t i = 0; i < (size_t)rows * (size_t)m->width; i++)
        m->hop[i] = -1;
}

static void build_instance(struct building *b, const struct plat_fabric *f) {
    double rate_Bps = f->link_bandwidth_Bps.value;
    if (b->m->kind == FABRIC_FULL_MESH)
        build_full(b, rate_Bps);
    else if (b->m->kind == FABRIC_GRAPH || b->m->kind == FABRIC_SWITCH)
        build_graph(b, &f->links);
    else if (b->m->kind == FABRIC_DRAGONFLY)
        build_dragonfly(b, f);
    else
        build_torus(b, rate_Bps);
}

void mesh_build(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_fabric *f = &p->tier[tier].fabric;
    struct mesh *m = &t->mesh[tier];
    *m = (struct mesh){.kind = f->kind, .ends = plat_ends(p, tier), .base = t->n_links};
    bool has_links = (f->kind >= FABRIC_FULL_MESH && f->kind <= FABRIC_GRAPH) || f->kind == FABRIC_DRAGONFLY ||
                     (f->kind == FABRIC_SWITCH && f->links.n);
    if (!has_links || m->ends < 2) {
        m->kind = FABRIC_SWITCH;
        return;
    }
    shape(m, f);
    for (int i = 0; i < p->domains[tier].n; i++) {
        struct building b = {t, m, tier, i, i == 0, m->kind == FABRIC_SWITCH ? LINK_EGRESS : LINK_MESH};
        build_instance(&b, f);
        if (i == 0)
            m->n_links = t->n_links - m->base;
    }
    bool failed = false;
    for (int l = m->base; l < t->n_links; l++) {
        t->links[l].failed = topo_has_failed(t, &t->links[l]);
        failed = failed || t->links[l].failed;
    }
    if (m->kind == FABRIC_GRAPH || (m->kind == FABRIC_FULL_MESH && failed))
        fill_next(t, m, failed ? p->domains[tier].n : 1);
}

void mesh_clear(struct mesh *m) {
    free(m->hop);
    free(m->next);
}

/* --- paths ------------------------------------------------------------------------------------- */

int mesh_cable(const struct topology *t, enum tier tier, int src, int dst) {
    const struct platform *p = t->platform;
    const struct mesh *m = &t->mesh[tier];
    if (m->kind != FABRIC_SWITCH || !m->hop)
        return -1;
    int hop = m->hop[at(m, plat_end_of(p, tier, src, false), plat_end_of(p, tier, dst, false))];
    int link = m->base + p->domains[tier].of_rank[src] * m->n_links + hop;
    return hop < 0 || t->links[link].failed ? -1 : link;
}

static void step_to(const struct mesh *m, int instance, int hop, struct route *r) {
    BUG_ON(r->n >= TOPO_ROUTE_MAX || hop < 0);
    r->links[r->n++] = m->base + instance * m->n_links + hop;
}

/* The moves along the dimensions of a torus in which two ends differ. */
struct moves {
    int n, ties;
    int d[FABRIC_DIMS], steps[FABRIC_DIMS]; /* forward; backward below 0 */
    bool tie[FABRIC_DIMS];                  /* as far either way */
};

static struct moves find_moves(const struct mesh *m, int from, int to) {
    struct moves v = {0};
    for (int d = 0; d < m->n_dims; d++) {
        int length = m->dim[d], ahead = (place(m, to, d) - place(m, from, d) + length) % length;
        if (!ahead)
            continue;
        v.d[v.n] = d;
        v.steps[v.n] = 2 * ahead > length ? ahead - length : ahead;
        v.tie[v.n] = 2 * ahead == length && length > 2;
        v.ties += v.tie[v.n++];
    }
    return v;
}

static int orders(int n) {
    return n == 3 ? 6 : n == 2 ? 2 : 1;
}

static void torus_path(const struct mesh *m, int instance, const int ends[static 2], int choice,
                       struct route *r) {
    struct moves v = find_moves(m, ends[0], ends[1]);
    int order = choice >> v.ties, bits = choice & ((1 << v.ties) - 1), end = ends[0];
    for (int i = 0; i < v.n; i++)
        if (v.tie[i]) {
            v.steps[i] = bits & 1 ? -v.steps[i] : v.steps[i];
            bits >>= 1;
        }
    for (int left = v.n; left > 0; left--) {
        int pick = order % left;
        order /= left;
        for (int steps = abs(v.steps[pick]); steps > 0; steps--) {
            bool back = v.steps[pick] < 0;
            step_to(m, instance, m->hop[at(m, end, 2 * v.d[pick] + back)], r);
            end = neighbour(m, end, v.d[pick], back ? -1 : 1);
        }
        v.d[pick] = v.d[left - 1];
        v.steps[pick] = v.steps[left - 1];
    }
}

/* Returns the router of group g that has the link to another group. */
static int gateway(const struct mesh *m, int g, int other) {
    return g * m->routers + (other > g ? other - 1 : other) % m->routers;
}

static int walk_to(const struct mesh *m, int instance, int from, int router, struct route *r) {
    if (from != router)
        step_to(m, instance, m->hop[at(m, from, router % m->routers)], r);
    return router;
}

static int cross_to(const struct mesh *m, int instance, int router, int group, struct route *r) {
    int own = router / m->routers;
    walk_to(m, instance, router, gateway(m, own, group), r);
    step_to(m, instance, m->next[own * m->n_groups + group], r);
    return gateway(m, group, own);
}

/* Appends a path of a dragonfly: choice 0 goes straight, choice i > 0 through the i-th group that is neither end. */
static void dragonfly_path(const struct mesh *m, int instance, const int ends[static 2], int choice, struct route *r) {
    int router = ends[0] / m->router_ends, last = ends[1] / m->router_ends;
    int from = router / m->routers, to = last / m->routers;
    for (int g = 0; choice > 0; g++)
        if (g != from && g != to && --choice == 0)
            router = cross_to(m, instance, router, g, r);
    if (from != to)
        router = cross_to(m, instance, router, to, r);
    walk_to(m, instance, router, last, r);
}

static bool is_graph(const struct mesh *m) {
    return m->kind == FABRIC_GRAPH || (m->kind == FABRIC_FULL_MESH && m->next);
}

bool mesh_joins(const struct mesh *m, int instance, int from, int to) {
    return !is_graph(m) || from == to || m->next[(size_t)instance * m->next_each + at(m, from, to)] >= 0;
}

/* Appends the path of a graph. Where failed links leave none it stops short, and topo_apply() refuses the machine. */
static void graph_path(const struct mesh *m, int instance, const int ends[static 2], struct route *r) {
    const int *next = m->next + (size_t)instance * m->next_each;
    for (int end = ends[0]; end != ends[1] && next[at(m, end, ends[1])] >= 0;) {
        int to = next[at(m, end, ends[1])];
        step_to(m, instance, m->hop[at(m, end, to)], r);
        end = to;
    }
}

int mesh_paths(const struct mesh *m, int from, int to) {
    if (m->kind == FABRIC_TORUS || m->kind == FABRIC_RING) {
        struct moves v = find_moves(m, from, to);
        return orders(v.n) << v.ties;
    }
    if (m->kind == FABRIC_DRAGONFLY && m->spread) {
        int in_group = m->routers * m->router_ends;
        return from / in_group == to / in_group || m->n_groups < 3 ? 1 : m->n_groups - 1;
    }
    return 1;
}

void mesh_path(const struct mesh *m, int instance, const int ends[static 2], int i, struct route *route) {
    if (ends[0] == ends[1] || m->kind == FABRIC_SWITCH)
        return;
    if (is_graph(m))
        graph_path(m, instance, ends, route);
    else if (m->kind == FABRIC_FULL_MESH)
        step_to(m, instance, m->hop[at(m, ends[0], ends[1])], route);
    else if (m->kind == FABRIC_DRAGONFLY)
        dragonfly_path(m, instance, ends, i, route);
    else
        torus_path(m, instance, ends, i, route);
}
