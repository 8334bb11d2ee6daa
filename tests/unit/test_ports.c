/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/question.h"

#include "model/bound.h"
#include "platforms/base/mem.h"

/* One of the messages of rank 0's port is the last; each of its receivers still has work before it. */
static void what_follows_the_last_message_counts(void **state) {
    (void)state;
    const struct costs c = {
        .alpha_s = {1, 2}, .latency_s = {0.125, 0.25}, .splits_s = 4, .chain_s_per_pair = 0.8};
    struct question q;
    ask_platform(&q, 3, 2);
    ask(&q, 2);
    double a[RANKS][RANKS] = {{0}}, b[RANKS][RANKS] = {{0}};
    a[0][2] = 20;
    a[0][4] = 30;
    b[2][3] = 300;
    b[4][5] = 100;
    set_matrix(&q.call.stages[0].bytes, 6, a);
    set_matrix(&q.call.stages[1].bytes, 6, b);
    q.call.stages[1].splits = true;
    q.call.stages[1].pairs = mem_alloc(6, sizeof(double));
    q.call.stages[1].pairs[2] = 10;
    q.call.stages[1].pairs[4] = 5;
    q.implementation.start = START_ONE_SIDED;
    // whoever is last at 1 + 5: rank 2 needs 0.25 + 4 + 8 + 2 + 3.125 more, rank 4 0.25 + 4 + 4 + 2 + 1.125
    // rank 2 alone: 1 + 2 + 17.375; both, rank 4 last: 1 + 5 + 11.375
    assert_rel(bound_call_s(&q.call, &c), 1 + 2 + 17.375, 1e-14);
    q.call.stages[1].pairs[4] = 9; // rank 4 last: 1 + 5 + 0.25 + 4 + 7.2 + 2 + 1.125
    assert_rel(bound_call_s(&q.call, &c), 1 + 5 + 14.575, 1e-14);
    forget(&q);
}

static void the_straggler_is_named(void **state) {
    (void)state;
    struct question q;
    struct bound_rank ranks[RANKS];
    struct bound_straggler s;
    const struct costs c = {.alpha_s = {1}, .latency_s = {0.5, 0.25}};
    ask_platform(&q, 3, 2);
    ask(&q, 1);
    double bytes[RANKS][RANKS] = {{0}};
    bytes[0][2] = bytes[4][2] =
        20; // rank 2 receives 40 B at 10 B/s, rank 0 sends 20 B, and 100 B to 1
    bytes[0][1] = 100;
    set_matrix(&q.call.stages[0].bytes, 6, bytes);
    bound_ports(&q.call, &c, ranks, &s);
    assert_int_equal(s.rank, 2);
    assert_int_equal(s.side, BOUND_RECEIVE);
    assert_string_equal(bound_side_name(s.side), "receive");
    assert_rel(s.end_s, 1 + 4 + 0.25, 1e-14);
    assert_rel(s.end_s, bound_call_s(&q.call, &c), 1e-14);
    assert_rel(ranks[0].end_s[BOUND_SEND], 1 + 2 + 0.25,
               1e-14); // its slow port, the fast one takes 1 s
    assert_rel(ranks[0].end_s[BOUND_RECEIVE], 0, 0);
    assert_rel(ranks[1].end_s[BOUND_RECEIVE], 1 + 1 + 0.5, 1e-14);
    assert_int_equal(ranks[3].link[BOUND_SEND], -1);
    assert_int_equal(ranks[2].link[BOUND_RECEIVE], s.link);
    forget(&q);
    // the uplink of group 0 carries 40 B at 5 B/s
    ask_platform(&q, 2, 2);
    q.platform.tier[TIER_SLOW].oversubscription.value = 4;
    ask(&q, 1);
    double up[RANKS][RANKS] = {{0}};
    up[0][2] = up[1][3] = 20;
    set_matrix(&q.call.stages[0].bytes, 4, up);
    bound_ports(&q.call, &c, ranks, &s);
    assert_int_equal(s.side, BOUND_SHARED);
    assert_rel(s.end_s, 1 + 8 + 0.25, 1e-14);
    assert_rel(ranks[1].end_s[BOUND_SHARED], 9.25, 1e-14);
    assert_rel(ranks[1].end_s[BOUND_SEND], 3.25, 1e-14);
    bound_ports(&q.call, &c, NULL, &s); // ranks are optional
    assert_rel(s.end_s, 9.25, 1e-14);
    forget(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_the_last_message_counts),
        cmocka_unit_test(the_straggler_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
