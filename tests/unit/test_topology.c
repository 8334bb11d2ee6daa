/* SPDX-License-Identifier: BSD-3-Clause */
/* Links and routes of small platforms, written out. */
#include "tests/support/bed.h"

/* The names of a route, joined by blanks. */
static const char *route(const struct topology *t, int src, int dst) {
    static char text[TOPO_ROUTE_MAX * TOPO_NAME + 1];
    int links[TOPO_ROUTE_MAX], n = topo_route(t, src, dst, links);
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 t->links[links[i]].name);
    return text;
}

struct built {
    struct platform *p;
    struct topology *t;
};

static struct built build(const char *text) {
    struct platform *p = bed_platform(text);
    return (struct built){p, topo_build(p)};
}

static void release(struct built *b) {
    topo_free(b->t);
    plat_free(b->p);
}

static const struct link *find(const struct topology *t, const char *name) {
    for (int l = 0; l < t->n_links; l++)
        if (strcmp(t->links[l].name, name) == 0)
            return &t->links[l];
    fail_msg("no link %s", name);
    return NULL;
}

static void two_tiers_have_separate_ports(void **state) {
    (void)state;
    struct built b = build(
        "groups: 2\nranks_per_group: 3\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n");
    assert_int_equal(b.t->ranks, 6);
    assert_int_equal(b.t->n_links, 6 * 4); // an uplink as wide as its ports never binds
    assert_string_equal(route(b.t, 3, 5), "fast-out-3 fast-in-5");
    assert_string_equal(route(b.t, 5, 2), "slow-out-5 slow-in-2");
    assert_int_equal(topo_tier(b.t, 3, 5), TIER_FAST);
    assert_int_equal(topo_tier(b.t, 5, 2), TIER_SLOW);
    const struct link *l = find(b.t, "slow-out-5");
    assert_int_equal(l->role, LINK_EGRESS);
    assert_int_equal(l->tier, TIER_SLOW);
    assert_int_equal(l->owner, 5);
    assert_rel(l->capacity_Bps, 50e9, 0);
    assert_rel(find(b.t, "fast-in-0")->capacity_Bps, 450e9, 0);
    release(&b);
}

static void an_oversubscribed_group_has_uplinks(void **state) {
    (void)state;
    struct built b = build("groups: 3\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\n"
                           "slow: {bandwidth: 50GBps, oversubscription: 2.5}\n");
    assert_int_equal(b.t->n_links, 12 * 4 + 3 * 2);
    assert_string_equal(route(b.t, 1, 11), "slow-out-1 uplink-0 downlink-2 slow-in-11");
    assert_string_equal(route(b.t, 1, 2), "fast-out-1 fast-in-2");
    assert_rel(find(b.t, "uplink-2")->capacity_Bps, 4 * 50e9 / 2.5, 1e-15);
    assert_int_equal(find(b.t, "downlink-1")->owner, 1);
    release(&b);
}

static void tiers_may_share_a_port(void **state) {
    (void)state;
    struct built b =
        build("groups: 2\nranks_per_group: 2\nport_bandwidth: 122.4GBps\n"
              "fast: {bandwidth: 122.4GBps}\nslow: {bandwidth: 114GBps, oversubscription: 2}\n");
    // the first link is always the sender's egress port of the tier used
    assert_string_equal(route(b.t, 0, 1), "fast-out-0 port-out-0 port-in-1 fast-in-1");
    assert_string_equal(route(b.t, 0, 3),
                        "slow-out-0 port-out-0 uplink-0 downlink-1 port-in-3 slow-in-3");
    assert_rel(find(b.t, "port-in-3")->capacity_Bps, 122.4e9, 0);
    assert_int_equal(find(b.t, "port-out-3")->tier, TIER_SLOW);
    release(&b);
}

static void a_tier_without_peers_has_no_links(void **state) {
    (void)state;
    struct built one = build(
        "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n");
    assert_int_equal(one.t->n_links, 4 * 2);
    assert_string_equal(route(one.t, 3, 0), "fast-out-3 fast-in-0");
    assert_int_equal(one.t->egress[TIER_SLOW][0], -1);
    release(&one);
    struct built flat = build("groups: 4\nranks_per_group: 1\nfast: {bandwidth: 450GBps}\n"
                              "slow: {bandwidth: 50GBps, oversubscription: 2}\n");
    assert_int_equal(flat.t->n_links, 4 * 2 + 4 * 2);
    assert_string_equal(route(flat.t, 3, 0), "slow-out-3 uplink-3 downlink-0 slow-in-0");
    assert_int_equal(flat.t->ingress[TIER_FAST][0], -1);
    release(&flat);
}

/* Any pair: between 2 and TOPO_ROUTE_MAX distinct links, sender's egress first, receiver's ingress
 * last. */
static void routes_run_from_port_to_port(void **state) {
    (void)state;
    struct built b =
        build("groups: 3\nranks_per_group: 3\nport_bandwidth: 500GBps\n"
              "fast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps, oversubscription: 3}\n");
    for (int src = 0; src < b.t->ranks; src++)
        for (int dst = 0; dst < b.t->ranks; dst++) {
            if (src == dst)
                continue;
            int links[TOPO_ROUTE_MAX], n = topo_route(b.t, src, dst, links);
            const struct link *first = &b.t->links[links[0]], *last = &b.t->links[links[n - 1]];
            assert_int_equal(first->role, LINK_EGRESS);
            assert_int_equal(last->role, LINK_INGRESS);
            assert_int_equal(first->owner, src);
            assert_int_equal(last->owner, dst);
            assert_int_equal(first->tier, topo_tier(b.t, src, dst));
            for (int i = 0; i < n; i++)
                for (int k = 0; k < i; k++)
                    assert_int_not_equal(links[i], links[k]);
        }
    release(&b);
}

/* Ways that are looked up are those that are worked out; where a pair has several, or routes are long,
 * there is no table. */
static void listed_routes_are_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        "groups: 3\nranks_per_group: 4\nport_bandwidth: 500GBps\n"
        "fast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps, oversubscription: 3}\n",
        "groups: 4\nranks_per_group: 4\nfast: {bandwidth: 450GBps, kind: full-mesh, link_bandwidth: 10GBps}\n"
        "slow: {bandwidth: 50GBps}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int path = TOPO_PATH_FAST; path <= TOPO_PATH_RAIL; path++) {
            struct built b = build(texts[i]);
            struct route route, room;
            topo_list_routes(b.t, (enum topo_path)path);
            assert_non_null(b.t->routes);
            for (int src = 0; src < b.t->ranks; src++)
                for (int dst = 0; dst < b.t->ranks; dst++) {
                    if (src == dst)
                        continue;
                    topo_find_route(b.t, src, dst, (enum topo_path)path, &route);
                    room.n = -1;
                    struct way way = route_way(b.t, (enum topo_path)path, src, dst, 0, &room);
                    assert_int_equal(room.n, -1); // looked up
                    assert_int_equal(way.n, route.n);
                    assert_memory_equal(way.links, route.links, (size_t)route.n * sizeof *way.links);
                    assert_int_equal(way.cost_link, route.cost_link);
                    assert_int_equal(way.tier, route.tier);
                    assert_rel(way.share, route_share(&route), 0);
                }
            release(&b);
        }
    struct built torus = build("groups: 4\nranks_per_group: 2\nfast: {bandwidth: 450GBps}\n"
                               "slow: {bandwidth: 50GBps, kind: torus, dims: 2x2, link_bandwidth: 9GBps}\n");
    topo_list_routes(torus.t, TOPO_PATH_FAST);
    assert_null(torus.t->routes);
    release(&torus);
    // a line of 300 ranks: a route has 100 links in the mean
    struct buf text = {0};
    buf_text(&text, "groups: 1\nranks_per_group: 300\nslow: {bandwidth: 1GBps}\n"
                    "fast: {bandwidth: 1GBps, kind: graph, links: [");
    for (int i = 1; i < 300; i++)
        buf_printf(&text, "%s{from: %d, to: %d, bandwidth: 1GBps}", i > 1 ? ", " : "", i - 1, i);
    buf_text(&text, "]}\n");
    struct built line = build(text.text);
    topo_list_routes(line.t, TOPO_PATH_FAST);
    assert_null(line.t->routes);
    release(&line);
    buf_clear(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_routes_are_the_same),
        cmocka_unit_test(two_tiers_have_separate_ports),
        cmocka_unit_test(an_oversubscribed_group_has_uplinks),
        cmocka_unit_test(tiers_may_share_a_port),
        cmocka_unit_test(a_tier_without_peers_has_no_links),
        cmocka_unit_test(routes_run_from_port_to_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
