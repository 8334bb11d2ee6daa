/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/engine.h"

#include <stdlib.h>

#include "platforms/base/json.h"

static const char header[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<!-- Platform '%s' for SimGrid, written by moesim.\n"
    "     Hosts are ranks; their speed has no meaning. Bandwidths are bytes per second, one "
    "direction; latencies are\n"
    "     seconds and sit on the sender's egress link. Links that can never bind are left out.\n"
    "     Not in here: fixed costs of a call (alpha, splits, chain) and the per-message cost "
    "x_half.\n"
    "     Plain max-min sharing needs: network/model:CM02 network/crosstraffic:0 "
    "network/TCP-gamma:1e30; latencies\n"
    "     other than 0 make SimGrid weigh flows by them. -->\n";

static void write_link(const struct topology *t, const struct link *l, struct buf *out) {
    char rate[JSON_NUMBER], latency[JSON_NUMBER];
    double latency_s = l->latency_s + (l->role == LINK_EGRESS ? t->platform->tier[l->tier].latency_s.value : 0);
    buf_printf(out, "      <link id=\"%s\" bandwidth=\"%sBps\" latency=\"%ss\"/>\n", l->name,
               json_format(l->capacity_Bps, rate), json_format(latency_s, latency));
}

/* Returns whether a link is a port in the zone of a group: ports stand in the zone of their rank's group. */
static bool is_port_in(const struct topology *t, const struct link *l, int group) {
    bool is_port = l->role != LINK_UP && l->role != LINK_DOWN;
    return is_port && plat_group_of(t->platform, l->owner) == group;
}

/* Appends the links of a route, but those numbered -1, which do not exist. */
static void write_links(const struct topology *t, const int *links, int n, struct buf *out) {
    for (int i = 0; i < n; i++)
        if (links[i] >= 0)
            buf_printf(out, "<link_ctn id=\"%s\"/>", t->links[links[i]].name);
}

static void write_inside(const struct topology *t, int src, int dst, struct buf *out) {
    int links[TOPO_ROUTE_MAX], n = topo_route(t, src, dst, links);
    buf_printf(out, "      <route src=\"rank-%d\" dst=\"rank-%d\" symmetrical=\"NO\">", src, dst);
    write_links(t, links, n, out);
    buf_text(out, "</route>\n");
}

/* Appends a rank's own share of its routes to and from other groups: between the rank and the router of its group. */
static void write_to_router(const struct topology *t, int group, int rank, struct buf *out) {
    const int outwards[] = {t->egress[plat_slow(t->platform)][rank], t->port_out[rank]};
    const int inwards[] = {t->port_in[rank], t->ingress[plat_slow(t->platform)][rank]};
    buf_printf(out, "      <route src=\"rank-%d\" dst=\"router-%d\" symmetrical=\"NO\">", rank,
               group);
    write_links(t, outwards, 2, out);
    buf_printf(out, "</route>\n      <route src=\"router-%d\" dst=\"rank-%d\" symmetrical=\"NO\">",
               group, rank);
    write_links(t, inwards, 2, out);
    buf_text(out, "</route>\n");
}

static void write_group(const struct topology *t, int group, struct buf *out) {
    const int *firsts = t->platform->domains[TIER_FAST].first;
    int first = firsts[group], local = firsts[group + 1] - first;
    bool has_router = t->platform->groups > 1;
    buf_printf(out, "    <zone id=\"group-%d\" routing=\"Full\">\n", group);
    for (int rank = first; rank < first + local; rank++)
        buf_printf(out, "      <host id=\"rank-%d\" speed=\"1Gf\"/>\n", rank);
    if (has_router)
        buf_printf(out, "      <router id=\"router-%d\"/>\n", group);
    for (int l = 0; l < t->n_links; l++)
        if (is_port_in(t, &t->links[l], group))
            write_link(t, &t->links[l], out);
    for (int src = first; src < first + local; src++)
        for (int dst = first; dst < first + local; dst++)
            if (src != dst)
                write_inside(t, src, dst, out);
    for (int rank = first; rank < first + local && has_router; rank++)
        write_to_router(t, group, rank, out);
    buf_text(out, "    </zone>\n");
}

/* Appends the route between two groups. SimGrid wants a link on every route between zones: where no uplink binds, the
 * core stands in, which does not bind either. */
static void write_between(const struct topology *t, int src, int dst, struct buf *out) {
    const struct block *up = t->n_blocks ? &t->blocks[0] : NULL; // of a plain platform there are no others
    const int links[] = {up ? up->out + src : -1, up ? up->in + dst : -1};
    buf_printf(out,
               "    <zoneRoute src=\"group-%d\" dst=\"group-%d\" gw_src=\"router-%d\" "
               "gw_dst=\"router-%d\" symmetrical=\"NO\">",
               src, dst, src, dst);
    if (links[0] < 0 && links[1] < 0)
        buf_text(out, "<link_ctn id=\"core\"/>");
    write_links(t, links, 2, out);
    buf_text(out, "</zoneRoute>\n");
}

/* Appends what connects the groups: uplinks, and a core that is at least as fast as any port. */
static void write_core(const struct topology *t, struct buf *out) {
    double fastest_Bps = 0;
    char rate[JSON_NUMBER];
    for (int l = 0; l < t->n_links; l++) {
        if (t->links[l].role == LINK_UP || t->links[l].role == LINK_DOWN)
            write_link(t, &t->links[l], out);
        if (t->links[l].capacity_Bps > fastest_Bps)
            fastest_Bps = t->links[l].capacity_Bps;
    }
    buf_printf(
        out,
        "      <link id=\"core\" bandwidth=\"%sBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n",
        json_format(fastest_Bps, rate));
}

/* Appends the routes of all pairs in one zone; SimGrid's files have one route a pair. */
static enum rc write_flat(const struct topology *t, struct buf *out, struct err *e) {
    struct route route;
    buf_text(out, "    <zone id=\"all\" routing=\"Full\">\n");
    for (int rank = 0; rank < t->ranks; rank++)
        buf_printf(out, "      <host id=\"rank-%d\" speed=\"1Gf\"/>\n", rank);
    for (int l = 0; l < t->n_links; l++)
        write_link(t, &t->links[l], out);
    for (int src = 0; src < t->ranks; src++)
        for (int dst = 0; dst < t->ranks; dst++) {
            if (src == dst)
                continue;
            topo_find_route(t, src, dst, TOPO_PATH_FAST, &route);
            if (route.paths > 1)
                return err_set(e, RC_UNSUPPORTED,
                               "platform xml: ranks %d and %d use %d paths evenly, SimGrid's files have "
                               "one route a pair",
                               src, dst, route.paths);
            write_inside(t, src, dst, out);
        }
    buf_text(out, "    </zone>\n");
    return RC_OK;
}

enum rc sim_xml(const struct topology *topology, struct buf *out, struct err *e) {
    int groups = (int)topology->platform->groups;
    char *name = mem_copy(topology->platform->name);
    for (char *c = name; *c; c++)
        if (*c == '-' && c[1] == '-')
            *c = '_'; // two hyphens may not stand in a comment
    buf_printf(out, header, name);
    free(name);
    buf_text(out, "<platform version=\"4.1\">\n  <zone id=\"moesim\" routing=\"Full\">\n");
    enum rc rc = topology->plain ? RC_OK : write_flat(topology, out, e);
    for (int group = 0; group < groups && topology->plain; group++)
        write_group(topology, group, out);
    if (groups > 1 && topology->plain)
        write_core(topology, out);
    for (int src = 0; src < groups && topology->plain; src++)
        for (int dst = 0; dst < groups; dst++)
            if (src != dst)
                write_between(topology, src, dst, out);
    buf_text(out, "  </zone>\n</platform>\n");
    return rc;
}
