/* SPDX-License-Identifier: BSD-3-Clause */
/* Two stages with dependencies per rank, against times worked out by hand. */
#include "tests/support/bed.h"

#define US 1e-6
#define EXACT 1e-9

static const char two_by_two[] =
    "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";

/* Hop A: 0 -> 2 2 us, 1 -> 3 4 us, 2 -> 0 1 us; rank 1 receives nothing.
 * Hop B: 0 -> 1 1 us, 1 -> 0 2 us, 2 -> 3 3 us, 3 -> 2 1 us, if nothing else is under way. */
static void open_example(struct bed *b, int start) {
    const double hop_a[16] = {
        [0 * 4 + 2] = 1e5, [1 * 4 + 3] = 2e5, [2 * 4 + 0] = 5e4, [3 * 4 + 3] = 9e9};
    const double hop_b[16] = {
        [0 * 4 + 1] = 1e5, [1 * 4 + 0] = 2e5, [2 * 4 + 3] = 3e5, [3 * 4 + 2] = 1e5};
    const double pairs[] = {1000, 0, 2000, 500};
    bed_open(b, two_by_two, ORDER_GROUP_SHIFT, 1, start);
    bed_stage(b, "hop_a", hop_a);
    struct stage *s = bed_stage(b, "hop_b", hop_b);
    s->splits = true;
    s->pairs = malloc(sizeof pairs);
    memcpy(s->pairs, pairs, sizeof pairs);
}

static const struct costs example_costs = {.alpha_s = {10 * US, 5 * US},
                                           .latency_s = {0.1 * US, 0.5 * US},
                                           .splits_s = 3 * US,
                                           .chain_s_per_pair = 1e-9};

static void check_stage(const struct outcome *o, int i, const char *name, double start_s,
                        double end_s) {
    assert_string_equal(o->stages[i].name, name);
    assert_rel(o->stages[i].start_s, start_s, EXACT);
    assert_rel(o->stages[i].end_s, end_s, EXACT);
}

/* Arrivals of hop A are complete at 11.5, 10, 12.5, 14.5 us (alpha 10, latency 0.5). With splits 3,
 * chains of 1, 0, 2, 0.5 and alpha 5 the ranks enter hop B at 20.5, 18, 22.5, 23. */
static void both_ends_must_have_entered(void **state) {
    (void)state;
    struct bed b;
    open_example(&b, START_RENDEZVOUS);
    struct outcome o = bed_run(&b, &example_costs);
    const double received_s[] = {22.6 * US, 21.6 * US, 24.1 * US, 26.1 * US};
    const double sent_s[] = {21.5 * US, 22.5 * US, 26 * US, 24 * US};
    for (int rank = 0; rank < 4; rank++) {
        assert_rel(o.recv_end_s[rank], received_s[rank], EXACT);
        assert_rel(o.send_end_s[rank], sent_s[rank], EXACT);
    }
    assert_rel(o.time_s, 26.1 * US, EXACT);
    assert_int_equal(o.n_stages, 4);
    check_stage(&o, 0, "hop_a", 0, 14.5 * US);
    check_stage(&o, 1, "splits", 10 * US, 17.5 * US);
    check_stage(&o, 2, "chain", 13 * US, 18 * US);
    check_stage(&o, 3, "hop_b", 13 * US, 26.1 * US);
    assert_rel(o.stages[0].bytes, 3.5e5, 0);
    assert_rel(o.stages[0].messages, 3, 0);
    assert_rel(o.stages[1].bytes + o.stages[2].messages, 0, 0);
    assert_rel(o.stages[3].bytes, 7e5, 0);
    outcome_clear(&o);
    bed_close(&b);
}

static void one_sided_needs_the_sender_only(void **state) {
    (void)state;
    struct bed b;
    open_example(&b, START_ONE_SIDED);
    struct outcome o = bed_run(&b, &example_costs);
    const double received_s[] = {20.1 * US, 21.6 * US, 24.1 * US, 25.6 * US};
    for (int rank = 0; rank < 4; rank++)
        assert_rel(o.recv_end_s[rank], received_s[rank], EXACT);
    assert_rel(o.time_s, 25.6 * US, EXACT);
    outcome_clear(&o);
    bed_close(&b);
}

static void the_chain_has_a_floor_where_there_are_pairs(void **state) {
    (void)state;
    struct bed b;
    open_example(&b, START_ONE_SIDED);
    struct costs costs = example_costs;
    costs.chain_floor_s = 1.5 * US;
    struct outcome o = bed_run(&b, &costs);
    // rank 0 enters half a microsecond later, ranks 1 and 2 as before, rank 3 one later
    const double received_s[] = {20.1 * US, 22.1 * US, 25.1 * US, 25.6 * US};
    for (int rank = 0; rank < 4; rank++)
        assert_rel(o.recv_end_s[rank], received_s[rank], EXACT);
    check_stage(&o, 2, "chain", 13 * US, 19 * US);
    outcome_clear(&o);
    bed_close(&b);
}

/* The slow rank decides when each tier's last arrival counts: the later latency, not the later last
 * byte. */
static void the_last_arrival_releases_not_the_last_byte(void **state) {
    (void)state;
    // into rank 0: 1 -> 0 fast, ends at 3 us, latency 0.1; 2 -> 0 slow, ends at 2 us, latency 5:
    // arrivals 3.1 and 7
    const double first[16] = {[1 * 4 + 0] = 3e5, [2 * 4 + 0] = 1e5};
    const double second[16] = {[0 * 4 + 1] = 1e5};
    const struct costs costs = {.latency_s = {0.1 * US, 5 * US}};
    struct bed b;
    bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
    bed_stage(&b, "first", first);
    bed_stage(&b, "second", second);
    struct outcome o = bed_run(&b, &costs);
    assert_rel(o.recv_end_s[0], 7 * US, EXACT);
    assert_rel(o.recv_end_s[1], 8.1 * US, EXACT);
    assert_int_equal(o.n_stages, 2); // no splits, no chain
    outcome_clear(&o);
    bed_close(&b);
}

/* Hop A: 2 -> 1, 4 us. Hop B: 0 -> 1 and 0 -> 2, 1 us each; ranks 0 and 2 enter at 0, rank 1 at 4
 * us. */
static void a_waiting_message_holds_its_slot(void **state) {
    (void)state;
    const double hop_a[9] = {[2 * 3 + 1] = 4e5};
    const double hop_b[9] = {[0 * 3 + 1] = 1e5, [0 * 3 + 2] = 1e5};
    static const struct {
        int64_t window;
        int start;
        double into_1_s, into_2_s;
    } expected[] = {
        {1, START_RENDEZVOUS, 5 * US, 6 * US}, // 0 -> 2 is behind 0 -> 1, which waits for rank 1
        {2, START_RENDEZVOUS, 5 * US, 1 * US},
        {0, START_RENDEZVOUS, 5 * US, 1 * US},
        // 0 -> 1 starts at 0 and shares rank 1's port with hop A: 2 us; then 0 -> 2; 2 -> 1 ends at
        // 5 us
        {1, START_ONE_SIDED, 5 * US, 3 * US},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bed b;
        bed_open(&b,
                 "groups: 1\nranks_per_group: 3\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: "
                 "50GBps}\n",
                 ORDER_SHIFT, expected[i].window, expected[i].start);
        bed_stage(&b, "hop_a", hop_a);
        bed_stage(&b, "hop_b", hop_b);
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.recv_end_s[1], expected[i].into_1_s, EXACT);
        assert_rel(o.recv_end_s[2], expected[i].into_2_s, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* Each stage has a window of its own: rank 0's hop B does not stand behind its own unfinished hop
 * A. */
static void a_window_belongs_to_a_stage(void **state) {
    (void)state;
    const double hop_a[16] = {[0 * 4 + 2] = 2e5}; // 4 us at 50 GB/s; rank 0 itself receives nothing
    const double hop_b[16] = {[0 * 4 + 1] = 1e5}; // 1 us
    for (int window = 1; window <= 2; window++) {
        struct bed b;
        bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, window, START_RENDEZVOUS);
        bed_stage(&b, "hop_a", hop_a);
        bed_stage(&b, "hop_b", hop_b);
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.recv_end_s[1], 1 * US, EXACT);
        assert_rel(o.recv_end_s[2], 4 * US, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static void nothing_to_move_costs_the_fixed_costs(void **state) {
    (void)state;
    const double nothing[16] = {0};
    struct bed b;
    bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
    bed_stage(&b, "hop_a", nothing);
    bed_stage(&b, "hop_b", nothing)->splits = true;
    struct outcome o = bed_run(&b, &example_costs);
    assert_rel(o.time_s, 18 * US, EXACT); // 10 + 3 + 5
    assert_int_equal(o.flows, 0);
    outcome_clear(&o);
    bed_close(&b);
}

/* Cases are answered together or one by one with the same result; those that only shift times share
 * a run. */
static void cases_are_independent(void **state) {
    (void)state;
    struct bed b;
    open_example(&b, START_RENDEZVOUS);
    struct costs cases[4] = {{.name = "wire"}, example_costs, example_costs, example_costs};
    cases[2].alpha_s[0] = 25 * US;
    cases[3].alpha_s[1] = 1 * US;
    struct outcome o[4];
    struct err e;
    assert_ok(sim_run(&b.call, cases, 4, &(struct sim_options){0}, o, &e), &e);
    for (int i = 0; i < 4; i++) {
        struct outcome alone = bed_run(&b, &cases[i]);
        assert_rel(o[i].time_s, alone.time_s, 1e-12);
        for (int rank = 0; rank < 4; rank++)
            assert_rel(o[i].recv_end_s[rank], alone.recv_end_s[rank], 1e-12);
        for (int s = 0; s < o[i].n_stages; s++)
            check_stage(&o[i], s, alone.stages[s].name, alone.stages[s].start_s,
                        alone.stages[s].end_s);
        outcome_clear(&alone);
    }
    assert_rel(o[0].time_s, 7 * US, EXACT); // wire: 3 enters at 4, 2 -> 3 takes 3
    assert_rel(o[2].time_s, 41.1 * US, EXACT); // 15 later than case 1
    assert_rel(o[3].time_s, 22.1 * US, EXACT); // 4 earlier
    assert_rel(o[2].wall_s, o[1].wall_s, 0); // one run for both
    for (int i = 0; i < 4; i++)
        outcome_clear(&o[i]);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_must_have_entered),
        cmocka_unit_test(one_sided_needs_the_sender_only),
        cmocka_unit_test(the_chain_has_a_floor_where_there_are_pairs),
        cmocka_unit_test(the_last_arrival_releases_not_the_last_byte),
        cmocka_unit_test(a_waiting_message_holds_its_slot),
        cmocka_unit_test(a_window_belongs_to_a_stage),
        cmocka_unit_test(nothing_to_move_costs_the_fixed_costs),
        cmocka_unit_test(cases_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
