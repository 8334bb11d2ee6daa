/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of posting, and how near uniform traffic comes to its bound with them. */
#include "tests/support/bed.h"

#include "sim/engine/messages.h"

static const char odd_shape[] =
    "groups: 3\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n";

/* Every order visits each peer once; a step of the order is a permutation: no two senders aim at
 * one receiver. */
static void an_order_visits_every_peer_once(void **state) {
    (void)state;
    struct platform *p = bed_platform(odd_shape);
    int ranks = plat_ranks(p);
    for (int order = ORDER_GROUP_SHIFT; order <= ORDER_SHIFT; order++) {
        int by_sender[12][12] = {{0}}, by_turn[12][12] = {{0}};
        for (int src = 0; src < ranks; src++)
            for (int k = 0; k < ranks; k++) {
                int dst = messages_peer(p, (enum order)order, src, k);
                by_sender[src][dst]++;
                by_turn[k][dst]++;
            }
        for (int i = 0; i < ranks; i++)
            for (int dst = 0; dst < ranks; dst++) {
                assert_int_equal(by_sender[i][dst], 1);
                assert_int_equal(by_turn[i][dst], 1);
            }
    }
    plat_free(p);
}

static void group_shift_takes_its_own_group_first(void **state) {
    (void)state;
    struct platform *p = bed_platform(odd_shape);
    // rank 6 = group 1, local 2: own group from local 3 on, then group 2 from local 2 on, then
    // group 0
    const int expected[] = {6, 7, 4, 5, 10, 11, 8, 9, 2, 3, 0, 1};
    for (int k = 0; k < 12; k++)
        assert_int_equal(messages_peer(p, ORDER_GROUP_SHIFT, 6, k), expected[k]);
    for (int k = 0; k < 12; k++)
        assert_int_equal(messages_peer(p, ORDER_SHIFT, 6, k), (6 + k) % 12);
    plat_free(p);
}

static void messages_are_listed_by_rank_stage_and_order(void **state) {
    (void)state;
    const double one[16] = {[1 * 4 + 0] = 8, [1 * 4 + 1] = 8, [1 * 4 + 2] = 16, [1 * 4 + 3] = 24};
    const double two[16] = {[1 * 4 + 0] = 8};
    struct bed b;
    bed_open(
        &b,
        "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n",
        ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
    bed_stage(&b, "one", one);
    bed_stage(&b, "two", two);
    struct messages m;
    struct err e;
    assert_ok(messages_build(&b.step, &m, &e), &e);
    assert_int_equal(m.n, 4); // the diagonal and zeros send nothing
    const int dst[] = {0, 3, 2, 0}, stage[] = {0, 0, 0, 1}, weight[] = {1, 3, 2, 1};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m.items[i].src, 1);
        assert_int_equal(m.items[i].dst, dst[i]);
        assert_int_equal(m.items[i].stage, stage[i]);
        assert_true(m.items[i].payload == weight[i] * m.items[0].payload);
    }
    assert_true(m.items[0].payload == (int64_t)8 << m.scale);
    assert_true(m.items[0].payload >= (int64_t)1 << 29);
    const size_t start[] = {0, 0, 0, 3, 4, 4, 4, 4, 4};
    for (int i = 0; i < 9; i++)
        assert_int_equal(m.start[i], start[i]);
    // 1 -> 0, 1 -> 2 and 1 -> 3 share no link with one another on this non-blocking platform but
    // rank 1's slow port
    assert_rel(messages_largest_share(&b.step, &m), 1, 0);
    messages_clear(&m);
    bed_close(&b);
}

static void rails_do_not_hang_together(void **state) {
    (void)state;
    // 2 groups of 4, rank i to rank i of the other group: four exchanges that share no link
    double bytes[64] = {0};
    for (int i = 0; i < 8; i++)
        bytes[i * 8 + (i + 4) % 8] = 1e6;
    for (int over = 1; over <= 2; over++) {
        char text[200];
        snprintf(text, sizeof text,
                 "groups: 2\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\n"
                 "slow: {bandwidth: 50GBps, oversubscription: %d}\n",
                 over);
        struct bed b;
        bed_open(&b, text, ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
        bed_stage(&b, "rails", bytes);
        struct messages m;
        struct err e;
        assert_ok(messages_build(&b.step, &m, &e), &e);
        // each direction has links of its own: 8 messages alone, or 4 by each uplink
        assert_rel(messages_largest_share(&b.step, &m), over == 1 ? 1.0 / 8 : 1.0 / 2, 1e-15);
        messages_clear(&m);
        bed_close(&b);
    }
}

static double slack(int ranks_per_group, int order) {
    char text[200];
    snprintf(
        text, sizeof text,
        "groups: 2\nranks_per_group: %d\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n",
        ranks_per_group);
    struct bed b;
    bed_open(&b, text, order, 8, START_RENDEZVOUS);
    bed_uniform(&b, "one_hop", 1e6);
    struct outcome o = bed_run(&b, &(struct costs){0});
    double ratio = o.time_s / bed_bound_s(&b);
    outcome_clear(&o);
    bed_close(&b);
    return ratio;
}

static void uniform_traffic_stays_near_its_bound(void **state) {
    (void)state;
    const int sizes[] = {8, 32, 64, 72};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double grouped = slack(sizes[i], ORDER_GROUP_SHIFT), plain = slack(sizes[i], ORDER_SHIFT);
        print_message("2 x %d ranks, window 8: group-shift %.4f, shift %.4f of the bound\n",
                      sizes[i], grouped, plain);
        assert_true(grouped >= 1 - 1e-9 && plain >= 1 - 1e-9);
        assert_true(grouped <= 1.15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_visits_every_peer_once),
        cmocka_unit_test(group_shift_takes_its_own_group_first),
        cmocka_unit_test(messages_are_listed_by_rank_stage_and_order),
        cmocka_unit_test(rails_do_not_hang_together),
        cmocka_unit_test(uniform_traffic_stays_near_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
