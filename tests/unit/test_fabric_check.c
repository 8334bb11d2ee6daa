/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics that do not fit their platform are refused, and the message names what is wrong and where. */
#include "tests/support/check.h"

#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "platforms/topology.h"

static enum rc load_text(const char *text, struct err *e) {
    char folder[] = "/tmp/moesim-fabric-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = mem_printf("%s/p.yaml", folder);
    char *all = mem_printf("schema: " PLATFORM_SCHEMA "\nname: p\n%s\n", text);
    assert_ok(file_write(path, all, strlen(all), e), e);
    struct platform *p = NULL;
    enum rc rc = plat_load(path, NULL, 0, &p, e);
    if (!rc)
        plat_free(p);
    unlink(path);
    rmdir(folder);
    free(path);
    free(all);
    return rc;
}

#define FAST(text) "groups: 2\nranks_per_group: 4\nslow: {bandwidth: 1GBps}\nfast: {bandwidth: 9GBps, " text "}"
#define SLOW(text) "groups: 4\nranks_per_group: 4\nfast: {bandwidth: 9GBps}\nslow: {bandwidth: 1GBps, " text "}"
#define LINK(a, b) "{from: " #a ", to: " #b ", bandwidth: 1GBps}"
#define GRAPH(links) FAST("kind: graph, links: [" links "]")
#define FLY(rest) "kind: dragonfly, local_bandwidth: 1GBps, global_bandwidth: 1GBps, " rest

static const struct {
    const char *text;
    enum rc rc;
    const char *message; /* its end */
} bad[] = {
    {GRAPH(LINK(0, 1) ", " LINK(2, 3)), RC_RANGE, ":6:46: links: no way from 0 to 2 of the 4 ranks of a group"},
    {GRAPH(LINK(0, 1) ", " LINK(1, 4)), RC_RANGE,
     "links: 1-4 ends nowhere: there is no 4 among 4 ranks of a group"},
    {GRAPH(LINK(0, 1) ", " LINK(1, 0)), RC_SCHEMA, "links: 1-0 is given twice, add up the rates"},
    {GRAPH(LINK(2, 2)), RC_RANGE, "links: 2-2 joins an end to itself"},
    {FAST("kind: torus, link_bandwidth: 1GBps, dims: 2x3"), RC_RANGE,
     "dims: 2x3 has 6 places for 4 ranks of a group"},
    {FAST("kind: torus, link_bandwidth: 1GBps, dims: 4"), RC_SCHEMA,
     "dims: '4' found, expected two or three lengths such as 4x4x8"},
    {FAST("kind: torus, link_bandwidth: 1GBps, dims: 2x2x"), RC_SCHEMA,
     "dims: '2x2x' found, expected two or three lengths such as 4x4x8"},
    {FAST("kind: ring"), RC_SCHEMA, "fast: kind 'ring' needs the key 'link_bandwidth'"},
    {FAST("link_bandwidth: 1GBps"), RC_SCHEMA, "fast: 'link_bandwidth' has no meaning for kind 'switch'"},
    {FAST("kind: fat-tree"), RC_SCHEMA,
     "kind 'fat-tree' belongs to tiers between groups; the fast one is a switch, full-mesh, ring, torus or graph"},
    {FAST("kind: rign"), RC_SCHEMA, "did you mean 'ring'?"},
    {SLOW("links: [{from: 0, to: 1, bandwidth: 1GBps}]"), RC_SCHEMA,
     "links: cables beside a switch belong to the fast tier"},
    {FAST("links: [{from: 0, to: 9, bandwidth: 1GBps}]"), RC_RANGE,
     "links: 0-9 ends nowhere: there is no 9 among 4 ranks of a group"},
    {FAST("nics: 2, nic_bandwidth: 1GBps"), RC_SCHEMA, "'nics' belongs to tiers between groups"},
    {SLOW("nic_bandwidth: 1GBps"), RC_SCHEMA, "'nic_bandwidth' is given without 'nics'"},
    {SLOW("nics: 2"), RC_SCHEMA, "'nics' needs the key 'nic_bandwidth'"},
    {SLOW("nics: 2, nic_bandwidth: 1GBps, nic_map: 0 0 1"), RC_RANGE, "nic_map: 3 NICs are named for 4 ranks"},
    {SLOW("nics: 2, nic_bandwidth: 1GBps, nic_map: 0 0 1 2"), RC_RANGE, "nic_map: there is no NIC 2 among 2"},
    {SLOW("nics: 2, nic_bandwidth: 1GBps, nic_map: block"), RC_SCHEMA,
     "nic_map: 'block' found, expected blocks, round-robin, pooled or a list of NICs such as '0 0 1 1'"},
    {SLOW("kind: rail-optimised, nics: 2, nic_bandwidth: 1GBps, nic_map: pooled"), RC_SCHEMA,
     "nic_map: 'pooled' found, but rails need NICs that are told apart"},
    {SLOW("kind: fat-tree, levels: 1, ports: 8"), RC_RANGE,
     "ports: 8-port switches in 1 level(s) join 8 ends, there are 16"},
    {SLOW("kind: fat-tree, levels: 2, ports: 4"), RC_RANGE,
     "ports: 4-port switches in 2 level(s) join 8 ends, there are 16"},
    {SLOW(FLY("routers: 3, router_groups: 1")), RC_RANGE,
     "routers: 3 routers of 1 groups each do not divide 4 groups evenly; a job on a part of the machine is "
     "platform.used_groups"},
    {SLOW("kind: torus, link_bandwidth: 1GBps, dims: 2x2, oversubscription: 2"), RC_SCHEMA,
     "slow: 'oversubscription' has no meaning for kind 'torus'"},
    {SLOW("shared: [{name: a, ranks: 3, bandwidth: 1GBps}]"), RC_RANGE,
     "shared: 'a' joins 3 ranks, which does not fit 4 groups of 4"},
    {SLOW("shared: [{name: a, ranks: 4, bandwidth: 1GBps}, {name: a, ranks: 8, bandwidth: 1GBps}]"), RC_SCHEMA,
     "shared: the name 'a' is taken or not allowed (at most 16 small letters, digits and dashes)"},
    {SLOW("shared: [{name: nic, ranks: 4, bandwidth: 1GBps}]"), RC_SCHEMA,
     "shared: the name 'nic' is taken or not allowed (at most 16 small letters, digits and dashes)"},
    {SLOW("shared: [{name: slow-out, ranks: 4, bandwidth: 1GBps}]"), RC_SCHEMA,
     "shared: the name 'slow-out' is taken or not allowed (at most 16 small letters, digits and dashes)"},
    {SLOW("shared: [{name: tray, ranks: 2, bandwidth: 1GBps}, {name: tray-out, ranks: 4, bandwidth: 1GBps}]"),
     RC_SCHEMA,
     "shared: the name 'tray-out' is taken or not allowed (at most 16 small letters, digits and dashes)"},
    {"groups: 1\nranks_per_group: 16000\nslow: {bandwidth: 1GBps}\n"
     "fast: {kind: ring, bandwidth: 9GBps, link_bandwidth: 1GBps}",
     RC_RANGE, "routes of up to 2 paths with up to 8006 links each are more than is possible"},
    {"groups: 1\nranks_per_group: 2000\nslow: {bandwidth: 1GBps}\n"
     "fast: {kind: full-mesh, bandwidth: 9GBps, link_bandwidth: 1GBps}",
     RC_RANGE, "kind 'full-mesh' joins 2000 ranks of a group, at most 1024"},
};

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        enum rc rc = load_text(bad[i].text, &e);
        size_t n = strlen(e.text), m = strlen(bad[i].message);
        if (rc != bad[i].rc || n < m || strcmp(e.text + n - m, bad[i].message) != 0)
            fail_msg("%s\n gives %d '%s', expected %d '%s'", bad[i].text, rc, e.text, bad[i].rc, bad[i].message);
        assert_non_null(strstr(e.text, "/p.yaml:"));
    }
}

static void what_fits_is_taken(void **state) {
    (void)state;
    static const char *const good[] = {
        GRAPH(LINK(0, 1) ", " LINK(1, 2) ", " LINK(2, 3)),
        FAST("kind: torus, link_bandwidth: 1GBps, dims: 2x2"),
        SLOW("kind: fat-tree, levels: 3, ports: 4"),
        SLOW(FLY("routers: 2, router_groups: 1, routing: spread")),
        SLOW("nics: 3, nic_bandwidth: 1GBps, nic_map: 0 1 2 2, half_duplex: true"),
        SLOW("shared: [{name: node-cap, ranks: 2, bandwidth: 1GBps}]")};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err e;
        assert_ok(load_text(good[i], &e), &e);
    }
}

static void sizes_and_nics(void **state) {
    (void)state;
    int dim[FABRIC_DIMS];
    assert_int_equal(fabric_dims("4x4x8", dim), 3);
    assert_int_equal(dim[2], 8);
    assert_int_equal(fabric_dims("16", dim), 1);
    static const char *const not_sizes[] = {"", "x", "4x", "x4", "4x0", "-4x4", "4x4x4x4", "4 x 4", "4x+4"};
    for (size_t i = 0; i < sizeof not_sizes / sizeof *not_sizes; i++)
        assert_int_equal(fabric_dims(not_sizes[i], dim), 0);
    static const int blocks[] = {0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7}, turns[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3};
    for (int i = 0; i < 12; i++) {
        assert_int_equal(fabric_nic_of(&(struct plat_fabric){.nics = 8, .nic_map = "blocks"}, 12, i), blocks[i]);
        assert_int_equal(fabric_nic_of(&(struct plat_fabric){.nics = 8, .nic_map = "round-robin"}, 12, i), turns[i]);
    }
    assert_int_equal(fabric_nic_of(&(struct plat_fabric){.nics = 2, .nic_map = "1 0 1"}, 3, 2), 1);
    assert_int_equal(fabric_nic_of(&(struct plat_fabric){.nics = 2, .nic_map = "1 0 1"}, 4, 3), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_fits_is_taken),
        cmocka_unit_test(sizes_and_nics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
