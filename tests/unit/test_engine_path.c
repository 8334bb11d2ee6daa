/* SPDX-License-Identifier: BSD-3-Clause */
/* What a simulation says beside its time: the critical path in words, fairness, bytes over time. */
#include "tests/support/bed.h"

#define US 1e-6
#define EXACT 1e-9

static const char two_by_two[] =
    "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";
static const char star_of_four[] =
    "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";

static void check_path(const struct bed *b, const struct costs *costs, const char *expected) {
    struct outcome o = bed_run(b, costs);
    assert_string_equal(o.critical_path, expected);
    outcome_clear(&o);
}

/* Hop A: into rank 2 from 0, 4 us at 50 GB/s; from 1 to 3 only 1 us. Hop B: 2 -> 3 1 us, from 4 to 5 us; 3
 * -> 2 2 us, which rank 2 can take from 4 us on: to 6. With one-sided starts it goes from 1 to 3, and 2 ->
 * 3 is the last. */
static void the_way_goes_back_over_the_forwarder(void **state) {
    (void)state;
    const double hop_a[16] = {[0 * 4 + 2] = 2e5, [1 * 4 + 3] = 5e4};
    const double hop_b[16] = {[2 * 4 + 3] = 1e5, [3 * 4 + 2] = 2e5};
    struct bed b;
    bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "hop_a", hop_a);
    bed_stage(&b, "hop_b", hop_b);
    check_path(&b, &(struct costs){0},
               "rank 2 receives last in hop_b, from rank 3 (fast-out-3 busy 100 % of hop_b); "
               "rank 2 had waited for hop_a from rank 0 (slow-out-0 busy 100 % of hop_a)");
    b.how.start = START_ONE_SIDED;
    check_path(&b, &(struct costs){0},
               "rank 3 receives last in hop_b, from rank 2 (fast-out-2 busy 100 % of hop_b); "
               "rank 2 had waited for hop_a from rank 0 (slow-out-0 busy 100 % of hop_a)");
    bed_close(&b);
}

/* 0, 1 and 2 send to 3, 1e5, 1e5 and 2e5 B: the port of 3 is full for 4 us. Rank 2's port carries its 2 us
 * within them: half busy. */
static void an_incast_is_the_receivers_port(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 3] = 1e5, [1 * 4 + 3] = 1e5, [2 * 4 + 3] = 2e5};
    struct bed b;
    bed_open(&b, star_of_four, ORDER_SHIFT, 0, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    check_path(&b, &(struct costs){.alpha_s = {US}},
               "rank 3 receives last in one_hop, from rank 2 (fast-in-3 busy 100 % of one_hop)");
    bed_close(&b);
}

/* 0 -> 1 and 0 -> 2 in turn with o = 1 us: the sender's port is busy for all of 4 us, cost included. */
static void the_cost_of_messages_makes_a_port_busy(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 1] = 1e5, [0 * 4 + 2] = 1e5};
    struct bed b;
    bed_open(&b,
             "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 100GBps, message_cost: 1us}\n"
             "slow: {bandwidth: 50GBps}\n",
             ORDER_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    check_path(&b, &(struct costs){0},
               "rank 2 receives last in one_hop, from rank 0 (fast-out-0 busy 100 % of one_hop)");
    bed_close(&b);
}

/* 0 -> 1 1e5 B (1 us), 0 -> 2 1e5 B, window 1; rank 1 enters 3 us late. The message to 2 waits behind the
 * one to 1, which waits for rank 1. Hop B: 2 -> 3. From 3 us: 0 -> 1 to 4, 0 -> 2 to 5, 2 -> 3 to 6. */
static void slots_are_followed_to_the_entry(void **state) {
    (void)state;
    const double first[16] = {[0 * 4 + 1] = 1e5, [0 * 4 + 2] = 1e5},
                 second[16] = {[2 * 4 + 3] = 1e5};
    const double enter_s[] = {0, 3 * US, 0, 0};
    struct bed b;
    bed_open(&b, star_of_four, ORDER_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "first", first);
    bed_stage(&b, "second", second);
    b.call.enter_s = enter_s;
    struct outcome o = bed_run(&b, &(struct costs){0});
    assert_rel(o.time_s, 6 * US, EXACT);
    assert_string_equal(
        o.critical_path,
        "rank 3 receives last in second, from rank 2 (fast-out-2 busy 100 % of second); rank 2 had "
        "waited for first from rank 0 (fast-out-0 busy 100 % of first); rank 1 entered the call 3 "
        "us "
        "after the first rank");
    outcome_clear(&o);
    bed_close(&b);
}

static void with_nothing_to_wait_for_fixed_costs_end_a_call(void **state) {
    (void)state;
    const double hop_a[16] = {[0 * 4 + 2] = 2e5}, nothing[16] = {0};
    struct bed b;
    bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "hop_a", hop_a);
    bed_stage(&b, "hop_b", nothing);
    check_path(&b, &(struct costs){.alpha_s = {US, US}},
               "rank 2 enters hop_b last; rank 2 had waited for hop_a from rank 0 (slow-out-0 busy "
               "100 % of hop_a)");
    bed_close(&b);
}

/* Which tier's last arrival ends the call depends on latencies, which do not need a run of their own: fast
 * ends at 2 us, slow at 1 us. */
static void latency_may_decide_the_end(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 1] = 2e5, [2 * 4 + 0] = 5e4};
    const struct costs cases[] = {{.latency_s = {0, 0.5 * US}}, {.latency_s = {0, 5 * US}}};
    struct bed b;
    bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    struct outcome o[2];
    struct err e;
    assert_ok(sim_run(&b.call, cases, 2, &(struct sim_options){0}, o, &e), &e);
    assert_non_null(strstr(o[0].critical_path, "rank 1 receives last in one_hop, from rank 0"));
    assert_non_null(strstr(o[1].critical_path, "rank 0 receives last in one_hop, from rank 2"));
    for (int i = 0; i < 2; i++)
        outcome_clear(&o[i]);
    bed_close(&b);
}

/* Ends at 1 and 3 us, two ranks receive nothing: (1 + 3)^2 / (2 (1 + 9)) = 0.8. */
static void fairness_is_jains_index_of_arrivals(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 1] = 1e5, [2 * 4 + 3] = 3e5}, nothing[16] = {0};
    struct bed b;
    bed_open(&b, star_of_four, ORDER_SHIFT, 0, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    struct outcome o = bed_run(&b, &(struct costs){0});
    assert_rel(o.fairness, 0.8, EXACT);
    outcome_clear(&o);
    bed_close(&b);
    bed_open(&b, star_of_four, ORDER_SHIFT, 0, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", nothing);
    o = bed_run(&b, &(struct costs){0});
    assert_rel(o.fairness, 1, 0);
    outcome_clear(&o);
    bed_close(&b);
}

/* --- bytes over time -------------------------------------------------------------------------- */

static double sum_of_bins(const struct outcome *o, int link) {
    double sum = 0;
    for (int i = 0; i < o->link_bins; i++)
        sum += o->link_bin_bytes[link * o->link_bins + i];
    return sum;
}

/* 0 -> 1 1e5 B then 0 -> 2 3e5 B, o = 1 us each, alpha 5 us: port 0 sends from 1 to 2 us and from 3 to 6
 * us of its own time, rank 1 receives from 1 to 2. */
static void bytes_lie_where_they_were_sent(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 1] = 1e5, [0 * 4 + 2] = 3e5};
    struct bed b;
    bed_open(&b,
             "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 100GBps, message_cost: 1us}\n"
             "slow: {bandwidth: 50GBps}\n",
             ORDER_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(&b, "one_hop", bytes);
    const struct costs costs = {.alpha_s = {5 * US}};
    struct outcome o;
    struct err e;
    assert_ok(sim_run(&b.call, &costs, 1, &(struct sim_options){.link_bins = 60}, &o, &e), &e);
    assert_rel(o.time_s, 11 * US, EXACT);
    assert_int_equal(o.link_bins, 60);
    assert_rel(o.link_bins_start_s, 5 * US, EXACT);
    assert_true(60 * o.link_bin_s >= 6 * US * (1 - EXACT) &&
                60 * o.link_bin_s < 12 * US * (1 + EXACT));
    const struct topology *t = b.topology;
    int out = t->egress[TIER_FAST][0], in = t->ingress[TIER_FAST][1];
    assert_rel(sum_of_bins(&o, out), 4e5, EXACT);
    assert_rel(sum_of_bins(&o, in), 1e5, EXACT);
    for (int i = 0; i < o.link_bins; i++) {
        double from_s = i * o.link_bin_s, to_s = from_s + o.link_bin_s;
        double first_s = fmax(fmin(to_s, 2 * US) - fmax(from_s, 1 * US), 0);
        double second_s = fmax(fmin(to_s, 6 * US) - fmax(from_s, 3 * US), 0);
        assert_near(o.link_bin_bytes[out * 60 + i], 1e11 * (first_s + second_s), 1e-4);
        assert_near(o.link_bin_bytes[in * 60 + i], 1e11 * first_s, 1e-4);
    }
    struct outcome plain = bed_run(&b, &costs);
    assert_null(plain.link_bin_bytes);
    assert_rel(plain.time_s, o.time_s, EXACT); // counting changes nothing
    outcome_clear(&plain);
    outcome_clear(&o);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_goes_back_over_the_forwarder),
        cmocka_unit_test(an_incast_is_the_receivers_port),
        cmocka_unit_test(the_cost_of_messages_makes_a_port_busy),
        cmocka_unit_test(slots_are_followed_to_the_entry),
        cmocka_unit_test(with_nothing_to_wait_for_fixed_costs_end_a_call),
        cmocka_unit_test(latency_may_decide_the_end),
        cmocka_unit_test(fairness_is_jains_index_of_arrivals),
        cmocka_unit_test(bytes_lie_where_they_were_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
