/* SPDX-License-Identifier: BSD-3-Clause */
/* Slowed links and ranks, background traffic, late ranks. */
#include "tests/support/bed.h"
#include "tests/support/folder.h"

#include "platforms/base/stat.h"
#include "workloads/workload.h"

#define TWO_TIERS                                                                                  \
    "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100GBps}\n"                                  \
    "slow: {bandwidth: 10GBps, oversubscription: 2}\n"

static const double all[TIER_MAX] = {1, 1};

/* Time of 1 GB from rank 0 to rank 2 on a platform with these lines added. */
static double one_flow_s(const char *more) {
    struct bed b;
    struct err e;
    struct outcome o = {0};
    double bytes[16] = {[0 * 4 + 2] = 1e9};
    char *text = mem_printf(TWO_TIERS "%s", more);
    bed_open(&b, text, ORDER_GROUP_SHIFT, 0, START_ONE_SIDED);
    free(text);
    assert_ok(topo_apply(b.topology, all, &e), &e);
    bed_stage(&b, "one_hop", bytes);
    const struct costs c = {.name = "wire"};
    const struct sim_options options = {0};
    assert_ok(sim_run(&b.call, &c, 1, &options, &o, &e), &e);
    double time_s = o.time_s;
    outcome_clear(&o);
    bed_close(&b);
    return time_s;
}

static void slow_links_and_ranks(void **state) {
    (void)state;
    assert_rel(one_flow_s(""), 0.1, 1e-9);
    assert_rel(one_flow_s("degraded: [{link: slow-out-0, factor: 0.5}]\n"), 0.2, 1e-9);
    assert_rel(one_flow_s("degraded: [{link: slow-out-1, factor: 0.5}]\n"), 0.1, 1e-9);
    assert_rel(one_flow_s("degraded: [{link: rank-2, factor: 0.25}]\n"), 0.4, 1e-9);
    assert_rel(one_flow_s("degraded: [{link: uplink-0, factor: 0.1}]\n"), 1, 1e-9); // 10 GB/s a group
    assert_rel(one_flow_s("background: [{link: uplink-0, rate: 8GBps}]\n"), 0.5, 1e-9);
    assert_rel(one_flow_s("degraded: [{link: uplink-0, factor: 0.5}]\n"
                          "background: [{link: uplink-0, rate: 4GBps}]\n"),
               1, 1e-9);
}

static void efficiency_scales_a_tier(void **state) {
    (void)state;
    struct platform *p = bed_platform(TWO_TIERS);
    struct topology *t = topo_build(p);
    struct err e;
    const double reached[TIER_MAX] = {0.5, 0.8};
    assert_ok(topo_apply(t, reached, &e), &e);
    assert_rel(t->links[t->egress[TIER_FAST][3]].capacity_Bps, 50e9, 1e-12);
    assert_rel(t->links[t->ingress[TIER_SLOW][3]].capacity_Bps, 8e9, 1e-12);
    topo_free(t);
    plat_free(p);
}

static void links_that_do_not_exist(void **state) {
    (void)state;
    static const struct {
        const char *more;
        enum rc rc;
        const char *message;
    } bad[] = {{"degraded: [{link: slow-ot-0, factor: 0.5}]\n", RC_SCHEMA,
                "no link named 'slow-ot-0', did you mean 'slow-out-0'?"},
               {"degraded: [{link: rank-4, factor: 0.5}]\n", RC_SCHEMA, "no link named 'rank-4'"},
               {"background: [{link: slow-out-0, rate: 10GBps}]\n", RC_RANGE,
                "background traffic leaves nothing of link 'slow-out-0'"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = mem_printf(TWO_TIERS "%s", bad[i].more);
        struct platform *p = bed_platform(text);
        struct topology *t = topo_build(p);
        struct err e;
        assert_fails(topo_apply(t, all, &e), bad[i].rc, &e, bad[i].message);
        topo_free(t);
        plat_free(p);
        free(text);
    }
}

/* --set platform.degraded.LINK=FACTOR and platform.background.LINK=RATE: one link, whether the file names it or not. */
static void links_are_slowed_by_settings(void **state) {
    (void)state;
    static const struct setting all_of[] = {{"degraded.slow-out-0", "0.5"},    {"degraded.group-0..1", "0.9"},
                                            {"degraded.slow-out-0", "0.25"},   {"background.uplink-0", "4GBps"},
                                            {"degraded.0.factor", "0.75"},     {"degraded.rank-3", "0.1"}},
                                wrong[] = {{"degraded.slow-out-0", "2GBps"}};
    struct platform *p;
    struct err e;
    folder_put("p.yaml", "schema: moesim/platform/1\nname: p\n" TWO_TIERS
                         "degraded:\n  - {link: rank-3, factor: 0.5}\n  - {link: rank-2, factor: 0.5}\n");
    assert_ok(plat_load("p.yaml", all_of, 6, &p, &e), &e);
    const struct plat_degraded *slowed = p->degraded.items;
    static const struct {
        const char *link;
        double factor;
    } expected[] = {{"rank-3", 0.1}, {"rank-2", 0.5}, {"slow-out-0", 0.25}, {"group-0..1", 0.9}};
    assert_int_equal(p->degraded.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(slowed[i].link, expected[i].link);
        assert_rel(slowed[i].factor.value, expected[i].factor, 0);
    }
    assert_int_equal(slowed[2].factor.status, STATUS_ASSUMED);
    const struct plat_background *taken = p->background.items;
    assert_int_equal(p->background.n, 1);
    assert_string_equal(taken[0].link, "uplink-0");
    assert_rel(taken[0].rate_Bps.value, 4e9, 0);
    plat_free(p);
    assert_fails(plat_load("p.yaml", wrong, 1, &p, &e), RC_UNIT, &e, "--set: factor: ");
}

static void late_ranks(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    enum { RANKS = 4000 };
    static double enter_s[RANKS], again_s[RANKS];
    bool skewed;
    assert_ok(workload_load("olmoe-github", NULL, 0, &w, &e), &e);
    assert_ok(workload_arrival(w, 4, 1, enter_s, &skewed, &e), &e);
    assert_false(skewed);
    workload_free(w);
    static const struct setting sigma = {"arrival.sigma", "50us"};
    assert_ok(workload_load("olmoe-github", &sigma, 1, &w, &e), &e);
    assert_ok(workload_arrival(w, RANKS, check_seed("late_ranks"), enter_s, &skewed, &e), &e);
    assert_true(skewed);
    // mean of |normal| x sigma is sigma sqrt(2 / pi); its standard deviation 0.603 sigma
    double mean_s = stat_sum(enter_s, RANKS) / RANKS;
    assert_near(mean_s, 50e-6 * 0.79788, 5 * 50e-6 * 0.603 / sqrt(RANKS));
    assert_ok(workload_arrival(w, RANKS, check_seed("late_ranks"), again_s, &skewed, &e), &e);
    assert_memory_equal(enter_s, again_s, sizeof enter_s);
    const struct late_rank late[] = {{.rank = 1, .by_s = {.value = 2e-3}}, {.rank = 7}};
    w->arrival = (struct arrival_keys){.late = {(void *)(uintptr_t)late, 1}};
    assert_ok(workload_arrival(w, 4, 1, enter_s, &skewed, &e), &e);
    assert_true(skewed && enter_s[0] == 0 && enter_s[1] == 2e-3);
    w->arrival.late.n = 2;
    assert_fails(workload_arrival(w, 4, 1, enter_s, &skewed, &e), RC_RANGE, &e,
                 "arrival: rank 7, but there are 4 ranks");
    workload_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_links_and_ranks),
        cmocka_unit_test(efficiency_scales_a_tier),
        cmocka_unit_test(links_that_do_not_exist),
        cmocka_unit_test(links_are_slowed_by_settings),
        cmocka_unit_test(late_ranks),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
