/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/show_platform.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/unit.h"
#include "sim/report/table.h"

static const char *rate(const struct quantity *q, char text[static UNIT_TEXT]) {
    return unit_format(q->value, UNIT_RATE, text);
}

/* --- words ------------------------------------------------------------------------------------ */

/* Returns the word for what a tier joins: "ranks", "groups", "racks". */
static const char *ends_of(const struct platform *p, enum tier tier) {
    static char words[24];
    if (tier == TIER_FAST)
        return "ranks";
    snprintf(words, sizeof words, "%.16ss", tier > 1 ? p->tier[tier - 1].name : "group");
    return words;
}

static void say_kind(const struct topology *t, enum tier tier, struct buf *out) {
    const struct plat_tier *x = &t->platform->tier[tier];
    const struct plat_fabric *f = &x->fabric;
    const struct mesh *m = &t->mesh[tier];
    const char *ends = ends_of(t->platform, tier);
    char a[UNIT_TEXT], b[UNIT_TEXT];
    switch ((enum fabric_kind)f->kind) {
    case FABRIC_SWITCH:
        if (f->capacity_Bps.given)
            buf_printf(out, "a switch that passes %s in all", rate(&f->capacity_Bps, a));
        else if (x->oversubscription.value > 1)
            buf_printf(out, "a switch; %s share uplinks, oversubscribed %g to 1", ends, x->oversubscription.value);
        else
            buf_text(out, "a switch that does not block");
        if (f->links.n)
            buf_printf(out, ", and %zu cables that join two ranks directly", f->links.n);
        break;
    case FABRIC_FULL_MESH:
        buf_printf(out, "a full mesh of %d %s, each pair with %s each way", m->ends, ends,
                   rate(&f->link_bandwidth_Bps, a));
        break;
    case FABRIC_RING:
        buf_printf(out, "a ring of %d %s, %s a link; opposite ends use both ways round evenly", m->ends,
                   ends, rate(&f->link_bandwidth_Bps, a));
        break;
    case FABRIC_TORUS:
        buf_printf(out, "a torus of %s %s, %s a link%s", f->dims, ends, rate(&f->link_bandwidth_Bps, a),
                   f->paths == PATHS_HASHED ? "" : "; equally long ways are used evenly");
        break;
    case FABRIC_GRAPH:
        buf_printf(out, "a graph of %zu cables between %d %s; routes have the fewest links", f->links.n,
                   m->ends, ends);
        break;
    case FABRIC_FAT_TREE:
        buf_printf(out, "a fat tree of %lld level%s of %lld-port switches, leaves oversubscribed %g to 1",
                   (long long)f->levels, f->levels == 1 ? "" : "s", (long long)f->ports, x->oversubscription.value);
        break;
    case FABRIC_RAIL:
        buf_printf(out, "rails: NIC i of every group on rail i, leaves oversubscribed %g to 1; other rails %s",
                   x->oversubscription.value,
                   f->cross_rail == CROSS_SPINE ? "through the spine" : "over the fast tier first");
        break;
    case FABRIC_MULTI_PLANE:
        buf_text(out, "planes: NIC i of every group on plane i; other planes over the fast tier first");
        break;
    case FABRIC_DRAGONFLY:
        buf_printf(out,
                   "a dragonfly of %d groups of %d routers, %s between routers, %s between groups; routing %s",
                   m->n_groups, m->routers, rate(&f->local_bandwidth_Bps, a),
                   rate(&f->global_bandwidth_Bps, b),
                   f->routing == ROUTING_SPREAD ? "spread evenly over all groups in between" : "minimal");
        break;
    }
}

static void say_nics(const struct plat_fabric *f, int64_t ranks, struct buf *out) {
    char a[UNIT_TEXT];
    if (f->nics)
        buf_printf(out, "; %lld NIC%s of %s for %lld ranks (%s)", (long long)f->nics,
                   f->nics == 1 ? "" : "s", rate(&f->nic_bandwidth_Bps, a), (long long)ranks, f->nic_map);
}

/* Appends how a tier divides a message over several paths, and how its packets get through. */
static void say_paths(const struct platform *p, enum tier tier, struct buf *out) {
    const struct plat_tier *x = &p->tier[tier];
    const struct plat_fabric *f = &x->fabric;
    int spines = tier > 0 ? fabric_spines(f, plat_span(p, (enum tier)(tier - 1)), x->oversubscription.value) : 1;
    if (f->paths == PATHS_HASHED) {
        buf_printf(out, "; paths hashed: %s draws one by the seed",
                   f->flows_per_message > 1 ? "each flow of a message" : "each message");
        if (spines > 1)
            buf_printf(out, ", of %d spines", spines);
        if (f->flows_per_message > 1)
            buf_printf(out, ", %lld flows a message", (long long)f->flows_per_message);
    } else if (tier > 0) {
        buf_printf(out, "; paths %s", fabric_paths[f->paths]);
    }
    if (f->transport_stated)
        buf_printf(out, "; transport %s", fabric_transports[f->transport]);
    if (f->ack_share.value > 0)
        buf_printf(out, ", acknowledgements of %.3g %%", 100 * f->ack_share.value);
}

void show_tiers(const struct topology *t, struct buf *out) {
    const struct platform *p = t->platform;
    for (int tier = 0; tier < p->n_tiers; tier++) {
        const struct plat_fabric *f = &p->tier[tier].fabric;
        char a[UNIT_TEXT];
        struct buf words = {0};
        if (plat_ends(p, (enum tier)tier) < 2)
            continue;
        say_kind(t, (enum tier)tier, &words);
        say_nics(f, p->ranks_per_group, &words);
        say_paths(p, (enum tier)tier, &words);
        table_paragraph(out, "%s tier: %s; a rank %s at most %s", p->tier[tier].name, words.text,
                        f->half_duplex ? "sends and receives in sum" : "sends, and receives,",
                        rate(&p->tier[tier].bandwidth_Bps, a));
        buf_clear(&words);
    }
    buf_text(out, p->port_bandwidth_Bps.given ? "both tiers share one port per rank and direction\n"
                                              : "each tier has its own port per rank and direction\n");
    char a[UNIT_TEXT];
    if (p->copy_bandwidth_Bps.given)
        buf_printf(out, "all that a rank sends and receives shares %s\n", rate(&p->copy_bandwidth_Bps, a));
}

/* --- links ------------------------------------------------------------------------------------ */

/* Links with the same name but for the numbers, and the same rate. */
struct sort {
    const struct link *first;
    int stem; /* characters of the name before the number */
    int n;
};

static int stem_of(const char *name) {
    int n = 0;
    while (name[n] && !(name[n] == '-' && isdigit((unsigned char)name[n + 1])))
        n++;
    return n;
}

static void count_link(const struct link *l, struct sort **sorts, size_t *n, size_t *room) {
    int stem = stem_of(l->name);
    for (size_t i = *n; i-- > 0;) {
        struct sort *s = &(*sorts)[i];
        if (s->stem == stem && strncmp(s->first->name, l->name, (size_t)stem) == 0 &&
            s->first->capacity_Bps == l->capacity_Bps && s->first->failed == l->failed) {
            s->n++;
            return;
        }
    }
    MEM_GROW(*sorts, *n, *room);
    (*sorts)[(*n)++] = (struct sort){l, stem, 1};
}

static const char *sharers(const struct link *l) {
    static const char *const words[] = {[LINK_EGRESS] = "one rank, sending",
                                        [LINK_INGRESS] = "one rank, receiving",
                                        [LINK_PORT_OUT] = "one rank, sending on both tiers",
                                        [LINK_PORT_IN] = "one rank, receiving on both tiers",
                                        [LINK_UP] = "ranks below, to those outside",
                                        [LINK_DOWN] = "ranks below, from those outside",
                                        [LINK_BOTH] = "ranks below, both directions",
                                        [LINK_MESH] = "all whose way it is on"};
    return words[l->role];
}

static int count_below(const struct topology *t, const struct link *l) {
    int n = 0;
    for (int rank = l->first_rank; rank < l->first_rank + l->n_ranks; rank++)
        n += topo_is_below(t, l, rank);
    return n;
}

void show_links(const struct topology *t, struct buf *out) {
    enum { SHOWN = 40 };
    struct sort *sorts = NULL;
    size_t n = 0, room = 0;
    struct table table;
    table_init(&table, 6);
    static const char *const head[] = {"links", "tier", "number", "rate", "ranks below", "shared by"};
    for (int i = 0; i < 6; i++)
        table_cell(&table, "%s", head[i]);
    for (int l = 0; l < t->n_links; l++)
        count_link(&t->links[l], &sorts, &n, &room);
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        const struct link *l = sorts[i].first;
        char text[UNIT_TEXT];
        bool one = sorts[i].n == 1;
        table_cell(&table, "%.*s%s", one ? TOPO_NAME : sorts[i].stem, l->name, one ? "" : "-N");
        table_cell(&table, "%s", t->platform->tier[l->tier].name);
        table_cell(&table, "%d", sorts[i].n);
        table_cell(&table, "%s", l->failed ? "failed" : unit_format(l->capacity_Bps, UNIT_RATE, text));
        table_cell(&table, "%d", count_below(t, l));
        table_cell(&table, "%s", sharers(l));
    }
    table_write(&table, true, out);
    if (n > SHOWN)
        buf_printf(out, "and %zu more sorts of links\n", n - SHOWN);
    table_clear(&table);
    free(sorts);
}

/* --- routes ----------------------------------------------------------------------------------- */

static void show_route(const struct topology *t, const char *what, int src, int dst, struct buf *out) {
    struct route route;
    struct buf words = {0};
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    buf_printf(&words, "  rank %d to rank %d (%s):", src, dst, what);
    for (int i = 0; i < route.end[0]; i++) {
        char text[UNIT_TEXT];
        const struct link *l = &t->links[route.links[i]];
        buf_printf(&words, "%s %s (%s)", i ? "," : "", l->name, unit_format(l->capacity_Bps, UNIT_RATE, text));
    }
    if (route.paths > 1)
        buf_printf(&words, "; and %d more paths, each with an equal share", route.paths - 1);
    table_paragraph(out, "%s", words.text);
    buf_clear(&words);
}

void show_routes(const struct topology *t, struct buf *out) {
    const struct platform *p = t->platform;
    buf_text(out, "sample routes:\n");
    for (int tier = 0; tier < p->n_tiers; tier++) {
        if (plat_ends(p, (enum tier)tier) < 2)
            continue;
        const int *first = p->domains[tier].first;
        while (tier == TIER_FAST && first[1] - first[0] < 2)
            first++; // a group of one rank
        int near = tier > 0 ? p->domains[tier - 1].first[1] : first[0] + 1, far = first[1] - 1;
        show_route(t, p->tier[tier].name, first[0], near, out);
        if (far > near)
            show_route(t, p->tier[tier].name, first[0], far, out);
    }
}

double show_bisection_Bps(const struct topology *t) {
    const struct platform *p = t->platform;
    enum tier widest = plat_widest(p);
    int ends = plat_ends(p, widest), half = widest > 0 ? p->domains[widest - 1].first[ends / 2] : ends / 2;
    double *load = mem_alloc((size_t)t->n_links, sizeof *load), pairs = 0, longest_s = 0;
    struct route route;
    for (int src = 0; src < half; src++)
        for (int dst = half; dst < t->ranks; dst++) {
            topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
            for (int k = 0; k < route.n; k++)
                load[route.links[k]] += route_share(&route);
            pairs++;
        }
    for (int l = 0; l < t->n_links; l++)
        if (load[l] / t->links[l].capacity_Bps > longest_s)
            longest_s = load[l] / t->links[l].capacity_Bps;
    free(load);
    return pairs / longest_s;
}

/* Adds a rank's message to the links that it leaves by, or finds the least that one of these leaves to it. */
static void way_out(const struct topology *t, int src, double *load, double *least_Bps) {
    enum tier widest = plat_widest(t->platform);
    int dst = (src + t->ranks / 2) % t->ranks;
    struct route route;
    if (topo_tier(t, src, dst) != widest)
        return;
    topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
    for (int k = 0; k < route.end[0]; k++) {
        const struct link *l = &t->links[route.links[k]];
        bool out = l->role == LINK_EGRESS || l->role == LINK_PORT_OUT || l->role == LINK_UP || l->role == LINK_BOTH;
        if (!out || l->tier != widest)
            continue;
        if (!least_Bps)
            load[route.links[k]]++;
        else if (l->capacity_Bps / load[route.links[k]] < *least_Bps)
            *least_Bps = l->capacity_Bps / load[route.links[k]];
    }
}

double show_share_Bps(const struct topology *t) {
    double *load = mem_alloc((size_t)t->n_links, sizeof *load);
    double least_Bps = t->platform->tier[plat_widest(t->platform)].bandwidth_Bps.value;
    for (int src = 0; src < t->ranks; src++)
        way_out(t, src, load, NULL);
    for (int src = 0; src < t->ranks; src++)
        way_out(t, src, load, &least_Bps);
    free(load);
    return least_Bps;
}
