/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of posting, and how near uniform traffic comes to its bound with them. */
#include "tests/support/bed.h"

#include "platforms/base/rng.h"
#include "sim/engine/messages.h"
#include "sim/engine/order.h"

static const char odd_shape[] =
    "groups: 3\nranks_per_group: 4\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n";
static const char even_shape[] =
    "groups: 2\nranks_per_group: 8\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n";

/* Every order visits each peer once. In the shifts a turn is a permutation: no two senders aim at
 * one receiver; so it is with xor where ranks are a power of two. */
static void check_order(const char *shape, int order, bool turns_are_permutations) {
    struct bed b;
    bed_open(&b, shape, order, 8, START_RENDEZVOUS);
    enum { MOST = 16 };
    int ranks = b.topology->ranks, by_sender[MOST][MOST] = {{0}}, by_turn[MOST][MOST] = {{0}};
    for (int src = 0; src < ranks; src++) {
        int peers[MOST];
        order_peers(&b.call, 0, src, peers);
        for (int k = 0; k < ranks; k++) {
            by_sender[src][peers[k]]++;
            by_turn[k][peers[k]]++;
        }
    }
    bool permutations = true;
    for (int i = 0; i < ranks; i++)
        for (int dst = 0; dst < ranks; dst++) {
            assert_int_equal(by_sender[i][dst], 1);
            permutations = permutations && by_turn[i][dst] == 1;
        }
    assert_int_equal(permutations, turns_are_permutations);
    bed_close(&b);
}

static void an_order_visits_every_peer_once(void **state) {
    (void)state;
    check_order(odd_shape, ORDER_GROUP_SHIFT, true);
    check_order(odd_shape, ORDER_SHIFT, true);
    check_order(odd_shape, ORDER_XOR, false);
    check_order(odd_shape, ORDER_RANDOM, false);
    check_order(even_shape, ORDER_XOR, true);
}

static void check_peers(int order, uint64_t seed, int src, const int *expected) {
    struct bed b;
    bed_open(&b, odd_shape, order, 8, START_RENDEZVOUS);
    b.call.order_seed = seed;
    int peers[12];
    order_peers(&b.call, 0, src, peers);
    for (int k = 0; k < 12; k++)
        assert_int_equal(peers[k], expected[k]);
    bed_close(&b);
}

static void orders_go_as_their_names_say(void **state) {
    (void)state;
    // rank 6 = group 1, local 2: own group from local 3 on, then group 2 from local 2 on, then
    // group 0
    check_peers(ORDER_GROUP_SHIFT, 0, 6, (int[]){6, 7, 4, 5, 10, 11, 8, 9, 2, 3, 0, 1});
    check_peers(ORDER_SHIFT, 0, 6, (int[]){6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5});
    // 6 xor 8, .., 6 xor 11; 6 xor 12 = 10, 11, 8, 9 come first
    check_peers(ORDER_XOR, 0, 6, (int[]){6, 7, 4, 5, 2, 3, 0, 1, 10, 11, 8, 9});
}

static void a_random_order_belongs_to_its_seed_and_sender(void **state) {
    (void)state;
    struct bed b;
    bed_open(&b, odd_shape, ORDER_RANDOM, 8, START_RENDEZVOUS);
    int first[12], again[12], other_rank[12], other_seed[12];
    order_peers(&b.call, 0, 3, first);
    order_peers(&b.call, 0, 3, again);
    order_peers(&b.call, 0, 4, other_rank);
    b.call.order_seed = 1;
    order_peers(&b.call, 0, 3, other_seed);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other_rank, sizeof first);
    assert_memory_not_equal(first, other_seed, sizeof first);
    bed_close(&b);
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
    struct plan p;
    struct messages m;
    struct err e;
    plan_init(&p, &b.call);
    assert_ok(messages_build(&p, &m, &e), &e);
    assert_int_equal(m.n, 4); // the diagonal and zeros send nothing
    const int dst[] = {0, 3, 2, 0}, stage[] = {0, 0, 0, 1}, weight[] = {1, 3, 2, 1};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m.items[i].src, 1);
        assert_int_equal(m.items[i].dst, dst[i]);
        assert_int_equal(m.items[i].exchange, stage[i]);
        assert_true(m.items[i].payload == weight[i] * m.items[0].payload);
    }
    assert_true(m.items[0].payload == (int64_t)8 << m.scale);
    assert_true(m.items[0].payload >= (int64_t)1 << 29);
    const size_t start[] = {0, 0, 0, 3, 4, 4, 4, 4, 4};
    for (int i = 0; i < 9; i++)
        assert_int_equal(m.start[i], start[i]);
    // 1 -> 0, 1 -> 2 and 1 -> 3 share no link with one another on this non-blocking platform but
    // rank 1's slow port
    assert_rel(messages_largest_share(&p, &m), 1, 0);
    messages_clear(&m);
    plan_clear(&p);
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
        struct plan p;
        struct messages m;
        struct err e;
        plan_init(&p, &b.call);
        assert_ok(messages_build(&p, &m, &e), &e);
        // each direction has links of its own: 8 messages alone, or 4 by each uplink
        assert_rel(messages_largest_share(&p, &m), over == 1 ? 1.0 / 8 : 1.0 / 2, 1e-15);
        messages_clear(&m);
        plan_clear(&p);
        bed_close(&b);
    }
}

/* Time over bound of a one-hop exchange between two groups. sigma: of the logarithm of a message's size, 0
 * = uniform. */
static double slack(int ranks_per_group, int order, int64_t window, double sigma) {
    char text[200];
    snprintf(text, sizeof text,
             "groups: 2\nranks_per_group: %d\nfast: {bandwidth: 450GBps}\n"
             "slow: {bandwidth: 50GBps}\n",
             ranks_per_group);
    struct bed b;
    bed_open(&b, text, order, window, START_RENDEZVOUS);
    struct stage *s = bed_uniform(&b, "one_hop", 1e6);
    struct rng r;
    rng_init(&r, 1, "sizes", 0);
    for (size_t i = 0; i < s->bytes.start[s->bytes.ranks] && sigma > 0; i++)
        s->bytes.value[i] *= exp(sigma * rng_normal(&r));
    // one engine: with window 1 and 64 ranks rounding is amplified beyond what two engines have in common
    struct outcome o = bed_run_with(&b, &(struct costs){0}, SIM_ENGINE_AUTO);
    double ratio = o.time_s / bed_bound_s(&b);
    outcome_clear(&o);
    bed_close(&b);
    return ratio;
}

/* The figures of ORDERS.md; MOESIM_ORDERS=1 adds the skewed ones above 8 ranks a group, which take a minute. */
static void uniform_traffic_stays_near_its_bound(void **state) {
    (void)state;
    const int sizes[] = {8, 32, 64, 72};
    for (int i = 0; i < 4; i++)
        for (int64_t window = 1; window <= 8; window += 7)
            for (int order = ORDER_GROUP_SHIFT; order <= ORDER_RANDOM; order++) {
                double uniform = slack(sizes[i], order, window, 0);
                print_message("2 x %d ranks, window %d, %s: %.3f of the bound\n", sizes[i],
                              (int)window, order_name(order), uniform);
                assert_true(uniform >= 1 - 1e-9);
                assert_true(order != ORDER_GROUP_SHIFT || uniform <= 1.15);
                // convoys: shift on large groups, xor where groups are no power of two
                bool convoy = order == ORDER_SHIFT || (order == ORDER_XOR && sizes[i] == 72);
                assert_true(!convoy || sizes[i] == 8 || uniform > 2);
            }
}

static void a_window_serves_skewed_traffic_better_than_an_order(void **state) {
    (void)state;
    const int sizes[] = {8, 32, 64, 72};
    for (int i = 0; i < (getenv("MOESIM_ORDERS") ? 4 : 1); i++)
        for (int64_t window = 1; window <= 8; window += 7)
            for (int order = ORDER_GROUP_SHIFT; order <= ORDER_RANDOM; order++) {
                double skewed = slack(sizes[i], order, window, 1);
                print_message("2 x %d ranks, window %d, %s, skewed: %.3f of the bound\n", sizes[i],
                              (int)window, order_name(order), skewed);
                assert_true(skewed >= 1 - 1e-9);
                assert_true(window == 1 ? skewed > 1.2 : skewed < 1.5);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_visits_every_peer_once),
        cmocka_unit_test(orders_go_as_their_names_say),
        cmocka_unit_test(a_random_order_belongs_to_its_seed_and_sender),
        cmocka_unit_test(messages_are_listed_by_rank_stage_and_order),
        cmocka_unit_test(rails_do_not_hang_together),
        cmocka_unit_test(uniform_traffic_stays_near_its_bound),
        cmocka_unit_test(a_window_serves_skewed_traffic_better_than_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
