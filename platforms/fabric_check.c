/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/fabric_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/topo_links.h"

/* A tier while it is checked. */
struct check {
    const struct platform *p;
    enum tier tier;
    const struct plat_fabric *f;
    const char *word;    /* of its ends */
    int64_t ends; /* of a domain */
    const struct yaml_node *node; /* its map in the file */
};

static const struct place *place_of(const struct check *c, const char *key) {
    const struct yaml_node *node = yaml_get(c->node, key);
    return node ? &node->at : &c->node->at;
}

static const struct place *item_of(const struct check *c, const char *list, size_t i) {
    return &yaml_get(c->node, list)->items[i]->at;
}

/* --- which keys a kind has --------------------------------------------------------------------- */

#define KIND(k) (1U << (k))
#define TREES (KIND(FABRIC_FAT_TREE) | KIND(FABRIC_RAIL) | KIND(FABRIC_MULTI_PLANE))

static const struct {
    const char *key;
    unsigned kinds; /* that may have it */
    unsigned needed;
} kind_keys[] = {
    {"link_bandwidth", KIND(FABRIC_FULL_MESH) | KIND(FABRIC_RING) | KIND(FABRIC_TORUS),
     KIND(FABRIC_FULL_MESH) | KIND(FABRIC_RING) | KIND(FABRIC_TORUS)},
    {"dims", KIND(FABRIC_TORUS), KIND(FABRIC_TORUS)},
    {"links", KIND(FABRIC_GRAPH) | KIND(FABRIC_SWITCH), KIND(FABRIC_GRAPH)},
    {"capacity", KIND(FABRIC_SWITCH), 0},
    {"ports", TREES, KIND(FABRIC_FAT_TREE)},
    {"levels", KIND(FABRIC_FAT_TREE), KIND(FABRIC_FAT_TREE)},
    {"cross_rail", KIND(FABRIC_RAIL), 0},
    {"routers", KIND(FABRIC_DRAGONFLY), KIND(FABRIC_DRAGONFLY)},
    {"router_groups", KIND(FABRIC_DRAGONFLY), KIND(FABRIC_DRAGONFLY)},
    {"local_bandwidth", KIND(FABRIC_DRAGONFLY), KIND(FABRIC_DRAGONFLY)},
    {"global_bandwidth", KIND(FABRIC_DRAGONFLY), KIND(FABRIC_DRAGONFLY)},
    {"routing", KIND(FABRIC_DRAGONFLY), 0},
    {"oversubscription", TREES | KIND(FABRIC_SWITCH), 0}};

static enum rc check_keys(const struct check *c, struct err *e) {
    const char *kind = fabric_kinds[c->f->kind], *tier = c->p->tier[c->tier].name;
    if (c->tier == TIER_FAST && c->f->kind >= FABRIC_FAT_TREE)
        return err_at(e, RC_SCHEMA, place_of(c, "kind"),
                      "kind '%s' belongs to tiers between groups; the fast one is a switch, full-mesh, ring, "
                      "torus or graph",
                      kind);
    for (size_t i = 0; i < sizeof kind_keys / sizeof *kind_keys; i++) {
        const struct yaml_node *node = yaml_get(c->node, kind_keys[i].key);
        if (node && !(kind_keys[i].kinds & KIND(c->f->kind)))
            return err_at(e, RC_SCHEMA, &node->at, "%s: '%s' has no meaning for kind '%s'", tier,
                          kind_keys[i].key, kind);
        if (!node && kind_keys[i].needed & KIND(c->f->kind))
            return err_at(e, RC_SCHEMA, &c->node->at, "%s: kind '%s' needs the key '%s'", tier, kind,
                          kind_keys[i].key);
    }
    return RC_OK;
}

/* --- numbers of ends --------------------------------------------------------------------------- */

static enum rc check_torus(const struct check *c, struct err *e) {
    int dim[FABRIC_DIMS], n = fabric_dims(c->f->dims, dim);
    int64_t product = 1;
    for (int i = 0; i < n; i++)
        product *= dim[i];
    if (n < 2)
        return err_at(e, RC_SCHEMA, place_of(c, "dims"),
                      "dims: '%.40s' found, expected two or three lengths such as 4x4x8", c->f->dims);
    if (product != c->ends && c->ends > 1)
        return err_at(e, RC_RANGE, place_of(c, "dims"), "dims: %s has %lld places for %lld %s",
                      c->f->dims, (long long)product, (long long)c->ends, c->word);
    return RC_OK;
}

/* Finds the largest number of paths between two ends, and of links on one path beside those of the ends. */
static void most_paths(const struct check *c, int64_t *paths, int64_t *hops) {
    int dim[FABRIC_DIMS] = {(int)c->ends}, n = 1;
    *paths = 1;
    *hops = c->f->kind == FABRIC_GRAPH ? c->ends - 1 : 6;
    if (c->f->kind == FABRIC_DRAGONFLY && c->f->routing == ROUTING_SPREAD)
        *paths = c->ends / c->f->routers / c->f->router_groups;
    if (c->f->kind != FABRIC_TORUS && c->f->kind != FABRIC_RING)
        return;
    if (c->f->kind == FABRIC_TORUS)
        n = fabric_dims(c->f->dims, dim);
    *hops = 0;
    for (int i = 0, orders = 0; i < n; i++) {
        *hops += dim[i] / 2;
        orders += dim[i] > 1;
        *paths *= (dim[i] > 1 ? orders : 1) * (dim[i] % 2 == 0 && dim[i] > 2 ? 2 : 1);
    }
}

static enum rc check_dragonfly(const struct check *c, struct err *e) {
    int64_t in_group = c->f->routers * c->f->router_groups;
    if (c->ends % in_group)
        return err_at(e, RC_RANGE, place_of(c, "routers"),
                      "routers: %lld routers of %lld groups each do not divide %lld groups evenly; a job on a part of "
                      "the machine is platform.used_groups",
                      (long long)c->f->routers, (long long)c->f->router_groups, (long long)c->ends);
    enum { SPREAD_MAX = 48 };
    if (c->f->routing == ROUTING_SPREAD && c->ends / in_group > SPREAD_MAX)
        return err_at(e, RC_RANGE, place_of(c, "routing"),
                      "routing: spread over %lld dragonfly groups, at most %d are possible",
                      (long long)(c->ends / in_group), SPREAD_MAX);
    return RC_OK;
}

static enum rc check_ports(const struct check *c, struct err *e) {
    const struct plat_fabric *f = c->f;
    int64_t nics = f->nics ? f->nics : c->p->ranks_per_group, groups = c->ends > 1 ? plat_groups_in(c->p, c->tier) : 1;
    int64_t ends = f->kind == FABRIC_FAT_TREE ? groups * nics : groups;
    int64_t levels = f->kind == FABRIC_FAT_TREE ? f->levels : 2;
    int64_t leaf = fabric_leaf_ends(f, c->p->tier[c->tier].oversubscription.value);
    int64_t most = leaf;
    if (!f->ports)
        return RC_OK;
    if (levels > 1 && (leaf < 1 || leaf == f->ports))
        return err_at(e, RC_RANGE, place_of(c, "ports"),
                      "ports: %lld ports leave no place for links down and up", (long long)f->ports);
    if (levels == 2)
        most = leaf * f->ports;
    if (levels == 3)
        most = leaf * (f->ports / 2) * f->ports;
    if (ends > most)
        return err_at(e, RC_RANGE, place_of(c, "ports"),
                      "ports: %lld-port switches in %lld level(s) join %lld ends, there are %lld",
                      (long long)f->ports, (long long)levels, (long long)most, (long long)ends);
    return RC_OK;
}

/* --- graphs ------------------------------------------------------------------------------------ */

/* Marks the ends that are reached from end 0 and returns their number. */
static int reach(const struct plat_edge *edges, size_t n_edges, bool *seen) {
    int n = 1;
    seen[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n_edges; i++)
            if (seen[edges[i].from] != seen[edges[i].to]) {
                seen[edges[i].from] = seen[edges[i].to] = more = true;
                n++;
            }
    }
    return n;
}

static enum rc check_edge(const struct check *c, size_t i, struct err *e) {
    const struct plat_edge *all = c->f->links.items, *x = &all[i];
    const struct place *at = item_of(c, "links", i);
    int64_t beyond = x->from >= c->ends ? x->from : x->to;
    if (beyond >= c->ends)
        return err_at(e, RC_RANGE, at, "links: %lld-%lld ends nowhere: there is no %lld among %lld %s",
                      (long long)x->from, (long long)x->to, (long long)beyond, (long long)c->ends,
                      c->word);
    if (x->from == x->to)
        return err_at(e, RC_RANGE, at, "links: %lld-%lld joins an end to itself", (long long)x->from,
                      (long long)x->to);
    for (size_t k = 0; k < i; k++)
        if ((all[k].from == x->from && all[k].to == x->to) ||
            (all[k].from == x->to && all[k].to == x->from))
            return err_at(e, RC_SCHEMA, at, "links: %lld-%lld is given twice, add up the rates",
                          (long long)x->from, (long long)x->to);
    return RC_OK;
}

static enum rc check_edges(const struct check *c, struct err *e) {
    enum rc rc = RC_OK;
    if (c->f->links.n && c->f->kind == FABRIC_SWITCH && c->tier != TIER_FAST)
        return err_at(e, RC_SCHEMA, place_of(c, "links"), "links: cables beside a switch belong to the fast tier");
    for (size_t i = 0; i < c->f->links.n && !rc && c->ends > 1; i++)
        rc = check_edge(c, i, e);
    return rc;
}

static enum rc check_graph(const struct check *c, struct err *e) {
    enum rc rc = check_edges(c, e);
    if (rc)
        return rc;
    bool *seen = mem_alloc((size_t)c->ends, sizeof *seen);
    if (reach(c->f->links.items, c->f->links.n, seen) < c->ends) {
        int lost = 0;
        while (seen[lost])
            lost++;
        rc = err_at(e, RC_RANGE, place_of(c, "links"), "links: no way from 0 to %d of the %lld %s", lost,
                    (long long)c->ends, c->word);
    }
    free(seen);
    return rc;
}

static enum rc check_ends(const struct check *c, struct err *e) {
    bool tables = c->f->kind == FABRIC_GRAPH || c->f->kind == FABRIC_FULL_MESH;
    if (tables && c->ends > FABRIC_GRAPH_ENDS)
        return err_at(e, RC_RANGE, place_of(c, "kind"), "kind '%s' joins %lld %s, at most %d",
                      fabric_kinds[c->f->kind], (long long)c->ends, c->word, FABRIC_GRAPH_ENDS);
    switch ((enum fabric_kind)c->f->kind) {
    case FABRIC_TORUS:
        return check_torus(c, e);
    case FABRIC_SWITCH:
        return check_edges(c, e);
    case FABRIC_GRAPH:
        return c->ends > 1 ? check_graph(c, e) : RC_OK;
    case FABRIC_DRAGONFLY:
        return check_dragonfly(c, e);
    case FABRIC_FAT_TREE:
    case FABRIC_RAIL:
    case FABRIC_MULTI_PLANE:
        return check_ports(c, e);
    default:
        return RC_OK;
    }
}

/* --- NICs and shared links --------------------------------------------------------------------- */

static bool is_word(const char *map) {
    return strcmp(map, "blocks") == 0 || strcmp(map, "round-robin") == 0 || strcmp(map, "pooled") == 0;
}

/* Checks that a list names a NIC of the group for each rank of the group. */
static enum rc check_map(const struct check *c, struct err *e) {
    const struct plat_fabric *f = c->f;
    int64_t n = 0;
    for (const char *at = f->nic_map; *at;) {
        char *end;
        long nic = strtol(at, &end, 10);
        if (end == at || nic < 0)
            return err_at(e, RC_SCHEMA, place_of(c, "nic_map"),
                          "nic_map: '%.40s' found, expected blocks, round-robin, pooled or a list of "
                          "NICs such as '0 0 1 1'",
                          f->nic_map);
        if (nic >= f->nics)
            return err_at(e, RC_RANGE, place_of(c, "nic_map"), "nic_map: there is no NIC %ld among %lld",
                          nic, (long long)f->nics);
        n++;
        at = end;
    }
    if (n != c->p->ranks_per_group)
        return err_at(e, RC_RANGE, place_of(c, "nic_map"), "nic_map: %lld NICs are named for %lld ranks",
                      (long long)n, (long long)c->p->ranks_per_group);
    return RC_OK;
}

static enum rc check_nics(const struct check *c, struct err *e) {
    static const char *const keys[] = {"nics", "nic_bandwidth", "nic_map"};
    for (int i = 0; i < 3; i++) {
        const struct yaml_node *node = yaml_get(c->node, keys[i]);
        if (node && c->tier == TIER_FAST)
            return err_at(e, RC_SCHEMA, &node->at, "'%s' belongs to tiers between groups", keys[i]);
        if (node && i > 0 && !c->f->nics)
            return err_at(e, RC_SCHEMA, &node->at, "'%s' is given without 'nics'", keys[i]);
    }
    if (c->f->nics && !c->f->nic_bandwidth_Bps.given)
        return err_at(e, RC_SCHEMA, place_of(c, "nics"), "'nics' needs the key 'nic_bandwidth'");
    bool rails = c->f->kind == FABRIC_RAIL || c->f->kind == FABRIC_MULTI_PLANE;
    if (rails && fabric_is_pooled(c->f))
        return err_at(e, RC_SCHEMA, place_of(c, "nic_map"),
                      "nic_map: 'pooled' found, but rails need NICs that are told apart");
    return c->f->nics && !is_word(c->f->nic_map) ? check_map(c, e) : RC_OK;
}

/* Returns whether blocks of so many consecutive ranks begin where domains do, or lie inside one, on each tier. */
static bool blocks_fit(const struct check *c, int ranks) {
    bool inside = true;
    for (int t = 0; t < c->p->n_tiers && inside; t++) {
        const struct plat_domains *d = &c->p->domains[t];
        for (int rank = 0; rank + ranks <= plat_ranks(c->p) && inside; rank += ranks) {
            int domain = d->of_rank[rank], last = d->of_rank[rank + ranks - 1];
            inside = domain == last || (d->first[domain] == rank && d->first[last + 1] == rank + ranks);
        }
    }
    bool useful = ranks < plat_span(c->p, c->tier) || c->tier == plat_slow(c->p);
    return inside && useful && plat_ranks(c->p) % ranks == 0;
}

static enum rc check_shared(const struct check *c, struct err *e) {
    const struct plat_shared *all = c->f->shared.items;
    enum { SHARED_MAX = 6 };
    if (c->f->shared.n > SHARED_MAX)
        return err_at(e, RC_RANGE, place_of(c, "shared"), "shared: %zu entries, at most %d are possible",
                      c->f->shared.n, SHARED_MAX);
    for (size_t i = 0; i < c->f->shared.n; i++) {
        const struct place *at = item_of(c, "shared", i);
        bool used = !fabric_is_name(all[i].name);
        for (int tier = 1; tier < (int)plat_slow(c->p); tier++)
            used = used || fabric_begins(all[i].name, c->p->tier[tier].name);
        for (int tier = 0; tier <= (int)c->tier; tier++) {
            const struct key_list *list = &c->p->tier[tier].fabric.shared;
            const struct plat_shared *before = list->items;
            for (size_t k = 0; k < (tier < (int)c->tier ? list->n : i); k++)
                used = used || strcmp(before[k].name, all[i].name) == 0;
        }
        if (used)
            return err_at(e, RC_SCHEMA, at,
                          "shared: the name '%.40s' is taken or not allowed (at most 16 small letters, digits and "
                          "dashes)",
                          all[i].name);
        if (!blocks_fit(c, (int)all[i].ranks))
            return err_at(e, RC_RANGE, at, "shared: '%s' joins %lld ranks, which does not fit %lld groups of %lld",
                          all[i].name, (long long)all[i].ranks, (long long)c->p->groups,
                          (long long)c->p->ranks_per_group);
    }
    return RC_OK;
}

/* Refuses groups of several sizes to kinds that are laid out for one: a small group has no rank on the last rails of a
 * large one. */
static enum rc check_sizes(const struct check *c, struct err *e) {
    bool any = c->tier == TIER_FAST ? c->f->kind == FABRIC_SWITCH : !fabric_is_apart(c->f);
    if (plat_is_even(c->p) || any)
        return RC_OK;
    return err_at(e, RC_RANGE, place_of(c, "kind"),
                  "kind '%s' needs groups of one size, but 'group_sizes' states several",
                  fabric_kinds[c->f->kind]);
}

/* Checks that the keys of hashed paths stand only where there are several paths to choose from. */
static enum rc check_paths(const struct check *c, struct err *e) {
    const struct plat_fabric *f = c->f;
    static const char *const keys[] = {"spines", "flows_per_message"};
    bool hashed = f->paths == PATHS_HASHED, switched = f->kind == FABRIC_SWITCH && c->tier != TIER_FAST;
    bool tree = f->kind == FABRIC_FAT_TREE && f->levels == 2, torus = f->kind == FABRIC_TORUS || f->kind == FABRIC_RING;
    bool dragonfly = f->kind == FABRIC_DRAGONFLY && f->routing == ROUTING_SPREAD;
    for (int i = 0; i < 2; i++)
        if (yaml_get(c->node, keys[i]) && !(hashed && (i > 0 || switched || tree)))
            return err_at(e, RC_SCHEMA, place_of(c, keys[i]), "%s belongs to 'paths: hashed'%s", keys[i],
                          i ? "" : " of a switch between groups or of a fat tree of 2 levels");
    if (hashed && !switched && !tree && !torus && !dragonfly)
        return err_at(e, RC_SCHEMA, place_of(c, "paths"),
                      "paths: '%s' has no several paths to draw from; hashed are a switch between groups, a fat tree "
                      "of 2 levels, a torus, and a dragonfly with 'routing: spread'",
                      fabric_kinds[f->kind]);
    return RC_OK;
}

static enum rc check_one(const struct check *c, struct err *e) {
    enum rc rc = check_keys(c, e);
    if (!rc)
        rc = check_paths(c, e);
    if (!rc)
        rc = check_sizes(c, e);
    if (!rc)
        rc = check_nics(c, e);
    if (!rc)
        rc = check_ends(c, e);
    return rc ? rc : check_shared(c, e);
}

enum rc fabric_check(const struct platform *p, struct err *e) {
    enum rc rc = RC_OK;
    int64_t most = 1, links = 0, longest = 0, before = 1, hops_before = 0;
    for (int t = 0; t < p->n_tiers && !rc; t++) {
        enum tier tier = (enum tier)t;
        char word[64];
        const char *end = t > 1 ? p->tier[t - 1].name : "group";
        snprintf(word, sizeof word, "%.20s%s%.20s", t == 0 ? "ranks of a group" : end, t == 0 ? "" : "s",
                 t == 0 || tier == plat_slow(p) ? "" : " of a domain");
        struct check c = {.p = p,
                          .tier = tier,
                          .f = &p->tier[t].fabric,
                          .word = word,
                          .ends = plat_ends(p, tier),
                          .node = plat_tier_node(p, tier)};
        int64_t paths = 1, hops = 0;
        rc = check_one(&c, e);
        if (rc)
            break;
        most_paths(&c, &paths, &hops);
        if (c.f->paths == PATHS_HASHED)
            paths = c.f->flows_per_message;
        // a route takes one tier, or before it one of those inside
        most = paths * before > most ? paths * before : most;
        int64_t now = paths * before * (hops + hops_before + TOPO_SPARE / 4) + TOPO_SPARE;
        links = now > links ? now : links;
        longest = hops + hops_before > longest ? hops + hops_before : longest;
        before = paths > before ? paths : before;
        hops_before = hops > hops_before ? hops : hops_before;
    }
    if (!rc && (most > TOPO_PATHS_MAX || links > TOPO_ROUTE_MAX))
        rc = err_at(e, RC_RANGE, &p->doc->root->at,
                    "routes of up to %lld paths with up to %lld links each are more than is possible",
                    (long long)most, (long long)longest);
    return rc;
}
