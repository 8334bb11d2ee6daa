/* SPDX-License-Identifier: BSD-3-Clause */
/* Every machine that ships: it loads, random traffic on it is never faster than its links allow, and what stays
 * inside a group never touches the slow fabric. */
#include "tests/support/bed.h"

#include "platforms/base/rng.h"
#include "platforms/constants.h"
#include "platforms/find.h"

/* Each rank sends to a few others, of its own group only or of all. */
static void random_traffic(struct bed *b, struct rng *r, bool inside) {
    enum { PEERS = 4 };
    int n = b->topology->ranks, local = (int)b->platform->ranks_per_group;
    double *bytes = calloc((size_t)n * (size_t)n, sizeof *bytes);
    for (int src = 0; src < n; src++)
        for (int k = 0; k < PEERS; k++) {
            int first = inside ? src / local * local : 0, many = inside ? local : n;
            int dst = first + (int)rng_below(r, (uint64_t)many);
            bytes[(size_t)src * (size_t)n + (size_t)dst] += 1e5 * (double)(1 + rng_below(r, 20));
        }
    bed_stage(b, "x", bytes);
    free(bytes);
}

static void open_machine(struct bed *b, const char *name) {
    struct err e;
    *b = (struct bed){.how = {.name = "bed", .start = START_ONE_SIDED}};
    assert_ok(plat_load(name, NULL, 0, &b->platform, &e), &e);
    b->topology = topo_build(b->platform);
    b->call = (struct call){
        .platform = b->platform, .topology = b->topology, .implementation = &b->how, .row_bytes = 1};
}

static void check_machine(const char *name, struct rng *r, bool inside) {
    struct bed b;
    struct costs c;
    open_machine(&b, name);
    random_traffic(&b, r, inside);
    costs_wire(&b.call, &c);
    struct outcome o = bed_run(&b, &c);
    double bound_s = bed_bound_s(&b);
    if (!(o.time_s >= bound_s * (1 - 1e-9)))
        fail_msg("%s: %.17g s is below the bound %.17g s", name, o.time_s, bound_s);
    for (int l = 0; inside && l < b.topology->n_links; l++) {
        const struct link *link = &b.topology->links[l];
        bool of_both = link->role == LINK_PORT_OUT || link->role == LINK_PORT_IN;
        if (link->tier == TIER_SLOW && !of_both && o.link_bytes[l] != 0)
            fail_msg("%s: %g bytes of a group on %s", name, o.link_bytes[l], link->name);
    }
    outcome_clear(&o);
    bed_close(&b);
}

static void no_machine_is_faster_than_its_links(void **state) {
    (void)state;
    struct find_names names;
    struct rng r;
    rng_init(&r, 4, "library", 0);
    find_names(FIND_PLATFORM, &names);
    assert_true(names.n > 25);
    for (size_t i = 0; i < names.n; i++) {
        check_machine(names.names[i], &r, false);
        check_machine(names.names[i], &r, true);
    }
    find_names_free(&names);
}

/* Every constant of a machine says how it is known; a treatment of alpha is an assumption by its name. */
static void check_source(const struct constant *c, void *context) {
    bool treatment = strncmp(c->name, "alpha_treatments.", 17) == 0;
    if (!c->derived && !treatment && !c->q->source)
        fail_msg("%s: %s has no source", (const char *)context, c->name);
}

static void every_constant_has_a_source(void **state) {
    (void)state;
    struct find_names names;
    find_names(FIND_PLATFORM, &names);
    for (size_t i = 0; i < names.n; i++) {
        struct platform *p;
        struct err e;
        assert_ok(plat_load(names.names[i], NULL, 0, &p, &e), &e);
        constants_visit(p, check_source, names.names[i]);
        plat_free(p);
    }
    find_names_free(&names);
}

/* Figures of the sources, GB/s a rank and direction; of a mesh or torus one link, of NICs one NIC; 0: none. What was
 * only recalled is assumed, and so are all cables of a graph. */
struct figure {
    const char *machine;
    double fast, link, slow, nic;
    bool recalled; /* the fast tier */
};
static const struct figure figures[] = {
    {"dgx-h100", 450, 0, 50, 0, false},      {"hgx-h200", 450, 0, 50, 0, false},
    {"h800", 200, 0, 50, 0, true},           {"h20", 450, 0, 25, 0, true},
    {"deepseek-mpft", 200, 0, 50, 0, true},  {"hgx-b200", 900, 0, 50, 0, false},
    {"hgx-b300", 900, 0, 100, 0, false},     {"gb200-nvl72", 900, 0, 50, 0, false},
    {"dgx-a100", 300, 0, 25, 0, false},      {"mi300x", 448, 64, 50, 0, false},
    {"mi355x", 537.6, 76.8, 50, 0, true},    {"perlmutter", 300, 100, 25, 0, true},
    {"alps", 450, 150, 25, 0, true},         {"aurora", 291.5, 26.5, 25, 25, true},
    {"frontier", 350, 0, 25, 25, true},      {"lumi-g", 350, 0, 25, 25, true},
    {"cloudmatrix384", 196, 0, 25, 0, false}, {"tpu-v5p", 600, 100, 6.25, 0, false},
    {"aws-p5", 450, 0, 50, 0, false},        {"aws-p5en", 450, 0, 50, 0, false},
    {"aws-p6-b200", 900, 0, 50, 0, false},   {"aws-p6-b300", 900, 0, 100, 0, false},
    {"gaudi3", 525, 75, 75, 0, false},       {"v100-edr", 150, 0, 12.5, 12.5, false}};

static void expect_figure(const struct figure *f, const char *what, const struct quantity *q, double value,
                          bool recalled) {
    if (fabs(q->value * 1e-9 - value) > 1e-9 * value)
        fail_msg("%s: %s is %g GB/s, the source says %g", f->machine, what, q->value * 1e-9, value);
    if (q->given && (q->status == STATUS_ASSUMED) != recalled)
        fail_msg("%s: %s is %s", f->machine, what, status_name(q->status));
}

static void machines_have_the_figures_of_their_sources(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct figure *f = &figures[i];
        struct platform *p;
        struct err e;
        assert_ok(plat_load(f->machine, NULL, 0, &p, &e), &e);
        const struct plat_tier *fast = &p->tier[TIER_FAST], *slow = &p->tier[plat_slow(p)];
        expect_figure(f, "fast.bandwidth", &fast->bandwidth_Bps, f->fast, f->recalled);
        expect_figure(f, "fast.link_bandwidth", &fast->fabric.link_bandwidth_Bps, f->link, f->recalled);
        expect_figure(f, "slow.bandwidth", &slow->bandwidth_Bps, f->slow, false);
        expect_figure(f, "slow.nic_bandwidth", &slow->fabric.nic_bandwidth_Bps, f->nic, false);
        const struct plat_edge *cables = fast->fabric.links.items;
        for (size_t k = 0; k < fast->fabric.links.n; k++)
            assert_int_equal(cables[k].bandwidth_Bps.status, STATUS_ASSUMED);
        plat_free(p);
    }
}

/* RoCE hashes a flow onto one path, InfiniBand and Slingshot choose by load, EFA sends packets over all. */
static void networks_choose_paths_as_their_kind_does(void **state) {
    (void)state;
    static const char *const machines[][4] = {
        [PATHS_SPREAD] = {"aws-p5", "aws-p6-b300"},
        [PATHS_HASHED] = {"h20", "gaudi3"},
        [PATHS_ADAPTIVE] = {"frontier", "alps", "deepseek-mpft", "v100-edr"},
    };
    for (int paths = PATHS_SPREAD; paths <= PATHS_ADAPTIVE; paths++)
        for (size_t i = 0; i < 4 && machines[paths][i]; i++) {
            struct platform *p;
            struct err e;
            assert_ok(plat_load(machines[paths][i], NULL, 0, &p, &e), &e);
            if (p->tier[plat_slow(p)].fabric.paths != paths)
                fail_msg("%s: %s", p->name, fabric_paths[p->tier[plat_slow(p)].fabric.paths]);
            plat_free(p);
        }
}

/* --- the boundaries of machine A --------------------------------------------------------------- */

/* Time of what is in bytes[] on the wire, without the cost per message: what a slope over the size measures. */
static double machine_s(const char *name, const double *bytes) {
    struct bed b;
    struct costs c;
    open_machine(&b, name);
    b.how.message_cost_s.fast.given = b.how.message_cost_s.slow.given = true;
    bed_stage(&b, "x", bytes);
    costs_wire(&b.call, &c);
    struct outcome o = bed_run(&b, &c);
    double time_s = o.time_s;
    outcome_clear(&o);
    bed_close(&b);
    return time_s;
}

enum { DIES = 128, NODE = 8, SUPERNODE = 64, SIZE = 64 << 20 };

/* One all-to-all for each of the first `pairs` node pairs (node i with node i + 8), total bytes a die. */
static void pairs_traffic(double *bytes, int pairs, double total) {
    memset(bytes, 0, DIES * DIES * sizeof *bytes);
    for (int pair = 0; pair < pairs; pair++)
        for (int i = 0; i < 2 * NODE; i++)
            for (int k = 0; k < 2 * NODE; k++) {
                int src = pair * NODE + i % NODE + i / NODE * SUPERNODE;
                int dst = pair * NODE + k % NODE + k / NODE * SUPERNODE;
                bytes[src * DIES + dst] = total / (2 * NODE);
            }
}

static void uniform_traffic(double *bytes, double total) {
    for (int i = 0; i < DIES * DIES; i++)
        bytes[i] = total / DIES;
}

static void contention_at_a_boundary(void **state) {
    (void)state;
    // measured, GB/s a die: slope over the size, alpha excluded. The first four rows are those that the two
    // uplink rates were fitted to, the last one is a check.
    static const struct {
        int pairs; /* 0: the all-to-all of all 128 dies */
        double rate;
    } rows[] = {{1, 39.7}, {2, 22.2}, {4, 22.1}, {8, 22.4}, {0, 23.1}};
    double *bytes = calloc(DIES * DIES, sizeof *bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double world = rows[i].pairs ? 2 * NODE : DIES;
        if (rows[i].pairs)
            pairs_traffic(bytes, rows[i].pairs, SIZE);
        else
            uniform_traffic(bytes, SIZE);
        double rate = 1e-9 * SIZE * (world - 1) / world / machine_s("terrace-a-boundary", bytes);
        print_message("pairs %d: measured %.1f GB/s, simulated %.2f\n", rows[i].pairs, rows[i].rate, rate);
        assert_rel(rate, rows[i].rate, 0.05);
    }
    free(bytes);
}

static void the_slow_boundary_is_flat(void **state) {
    (void)state;
    static const char name[] = "terrace-a-boundary-12";
    double *bytes = calloc(DIES * DIES, sizeof *bytes);
    static const int peers[] = {1, 8, 64};
    for (int i = 0; i < 3; i++) { // every die to `peers` dies on the other side, by rotation
        memset(bytes, 0, DIES * DIES * sizeof *bytes);
        for (int src = 0; src < DIES; src++)
            for (int p = 0; p < peers[i]; p++) {
                int dst = (src / SUPERNODE ? 0 : SUPERNODE) + (src + p) % SUPERNODE;
                bytes[src * DIES + dst] = (double)SIZE / peers[i];
            }
        double rate = 1e-9 * SIZE / machine_s(name, bytes);
        print_message("%d peers: %.2f GB/s\n", peers[i], rate);
        assert_true(rate >= 7.8 && rate <= 8.03);
    }
    uniform_traffic(bytes, SIZE);
    assert_rel(1e-9 * SIZE * (DIES - 1) / DIES / machine_s(name, bytes), 15.7, 0.05);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_machine_is_faster_than_its_links),
        cmocka_unit_test(every_constant_has_a_source),
        cmocka_unit_test(machines_have_the_figures_of_their_sources),
        cmocka_unit_test(networks_choose_paths_as_their_kind_does),
        cmocka_unit_test(contention_at_a_boundary),
        cmocka_unit_test(the_slow_boundary_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
