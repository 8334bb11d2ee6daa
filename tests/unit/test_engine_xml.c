/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform file for other tools, read back by SimGrid itself: links, rates and latencies of
 * every route. */
#include "tests/support/bed.h"

#include <sys/wait.h>

#include "platforms/base/file.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/version.h>
#include <xbt/dynar.h>

/* The links of a route, in the words of each SimGrid. */
#if SIMGRID_VERSION_MAJOR >= 4
typedef const_sg_link_t *route_links;
static route_links links_between(const char *from, const char *to, int *n) {
    return sg_host_get_route_links(sg_host_by_name(from), sg_host_by_name(to), n);
}
static void release_links(route_links links) {
    (void)links; // the list is SimGrid's
}
#else
typedef sg_link_t *route_links;
static route_links links_between(const char *from, const char *to, int *n) {
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(sg_host_by_name(from), sg_host_by_name(to), route);
    *n = (int)xbt_dynar_length(route);
    route_links links = mem_alloc((size_t)*n, sizeof *links);
    for (int i = 0; i < *n; i++)
        links[i] = xbt_dynar_get_as(route, (unsigned long)i, sg_link_t);
    xbt_dynar_free(&route);
    return links;
}
static void release_links(route_links links) {
    free(links);
}
#endif

/* Prints one line per pair: each link with rate and latency. Links that cannot bind are not part of
 * our routes. */
static void print_routes(FILE *out, const char *xml, int ranks) {
    int argc = 2;
    char name[] = "test", quiet[] = "--log=root.thres:critical", *argv[] = {name, quiet, NULL};
    simgrid_init(&argc, argv);
    simgrid_load_platform(xml);
    for (int src = 0; src < ranks; src++)
        for (int dst = 0; dst < ranks; dst++) {
            char from[20], to[20];
            snprintf(from, sizeof from, "rank-%d", src);
            snprintf(to, sizeof to, "rank-%d", dst);
            if (src == dst)
                continue;
            int n = 0;
            route_links links = links_between(from, to, &n);
            fprintf(out, "%d %d", src, dst);
            for (int i = 0; i < n; i++)
                if (strcmp(sg_link_get_name(links[i]), "core") != 0)
                    fprintf(out, " %s %.17g %.17g", sg_link_get_name(links[i]),
                            sg_link_get_bandwidth(links[i]), sg_link_get_latency(links[i]));
            fprintf(out, "\n");
            release_links(links);
        }
}

/* The same lines from the topology. */
static void expect_routes(struct buf *out, const struct topology *t) {
    for (int src = 0; src < t->ranks; src++)
        for (int dst = 0; dst < t->ranks; dst++) {
            if (src == dst)
                continue;
            int links[TOPO_ROUTE_MAX], n = topo_route(t, src, dst, links);
            buf_printf(out, "%d %d", src, dst);
            for (int i = 0; i < n; i++) {
                const struct link *l = &t->links[links[i]];
                double latency_s =
                    i == 0 ? t->platform->tier[topo_tier(t, src, dst)].latency_s.value : 0;
                buf_printf(out, " %s %.17g %.17g", l->name, l->capacity_Bps, latency_s);
            }
            buf_text(out, "\n");
        }
}

static void check_platform(const char *text) {
    struct platform *p = bed_platform(text);
    struct topology *t = topo_build(p);
    struct buf xml = {0}, expected = {0};
    struct err e;
    assert_ok(sim_xml(t, &xml, &e), &e);
    expect_routes(&expected, t);
    char folder[] = "/tmp/moesim-xml-XXXXXX", path[80], routes[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/platform.xml", folder);
    snprintf(routes, sizeof routes, "%s/routes", folder);
    assert_ok(file_write(path, xml.text, xml.n, &e), &e);
    fflush(NULL);
    pid_t pid = fork(); // SimGrid keeps one platform per process, and aborts on a bad one
    if (pid == 0) {
        FILE *out = fopen(routes, "w");
        print_routes(out, path, t->ranks);
        fclose(out);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    char *got;
    size_t n;
    assert_ok(file_read(routes, 1 << 20, &got, &n, &e), &e);
    assert_string_equal(got, expected.text);
    free(got);
    unlink(path);
    unlink(routes);
    rmdir(folder);
    buf_clear(&xml);
    buf_clear(&expected);
    topo_free(t);
    plat_free(p);
}

static void simgrid_reads_the_routes_back(void **state) {
    (void)state;
    check_platform("groups: 3\nranks_per_group: 2\nfast: {bandwidth: 450GBps, latency: 0.3us}\n"
                   "slow: {bandwidth: 50GBps, latency: 2us}\n");
    check_platform("groups: 2\nranks_per_group: 3\nport_bandwidth: 122.4GBps\n"
                   "fast: {bandwidth: 122.4GBps}\n"
                   "slow: {bandwidth: 114.7372GBps, latency: 2us, oversubscription: 1.5}\n");
    check_platform(
        "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n");
    check_platform(
        "groups: 4\nranks_per_group: 1\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n");
    check_platform("groups: 4\nranks_per_group: 4\ncopy_bandwidth: 900GBps\n"
                   "fast: {kind: full-mesh, bandwidth: 448GBps, link_bandwidth: 64GBps, latency: 1us}\n"
                   "slow: {kind: rail-optimised, bandwidth: 50GBps, nics: 2, nic_bandwidth: 50GBps}\n");
}

static void several_paths_are_refused(void **state) {
    (void)state;
    struct platform *p = bed_platform("groups: 1\nranks_per_group: 4\nslow: {bandwidth: 50GBps}\n"
                                      "fast: {kind: ring, bandwidth: 90GBps, link_bandwidth: 45GBps}\n");
    struct topology *t = topo_build(p);
    struct buf xml = {0};
    struct err e;
    assert_int_equal(sim_xml(t, &xml, &e), RC_UNSUPPORTED);
    assert_string_equal(e.text, "platform xml: ranks 0 and 2 use 2 paths evenly, SimGrid's files have one "
                                "route a pair");
    buf_clear(&xml);
    topo_free(t);
    plat_free(p);
}

static void the_header_names_units_and_what_is_left_out(void **state) {
    (void)state;
    struct platform *p = bed_platform(
        "groups: 1\nranks_per_group: 2\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n");
    struct topology *t = topo_build(p);
    struct buf xml = {0};
    p->name = "a--b---c"; // two hyphens would end the comment
    struct err e;
    assert_ok(sim_xml(t, &xml, &e), &e);
    assert_non_null(strstr(xml.text, "Platform 'a_-b__-c' for SimGrid"));
    assert_non_null(strstr(xml.text, "Bandwidths are bytes per second"));
    assert_non_null(strstr(xml.text, "Not in here: fixed costs of a call"));
    assert_non_null(
        strstr(xml.text, "<link id=\"fast-out-1\" bandwidth=\"450000000000Bps\" latency=\"0s\"/>"));
    assert_null(strstr(xml.text, "core"));
    buf_clear(&xml);
    topo_free(t);
    plat_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simgrid_reads_the_routes_back),
        cmocka_unit_test(several_paths_are_refused),
        cmocka_unit_test(the_header_names_units_and_what_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
