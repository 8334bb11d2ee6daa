/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces, windows of receivers, paths, units of cost and late ranks, against times worked out by hand. */
#include "tests/support/bed.h"

#define US 1e-6
#define EXACT 1e-9

static const char two_by_two[] =
    "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";
static const char star_of_five[] =
    "groups: 1\nranks_per_group: 5\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";

/* Hop A: 0 -> 2 and 1 -> 3, 4 us each at 50 GB/s; hop B: 2 -> 3, 4 us at 100 GB/s, and 3 -> 2, 2 us. */
static void open_forwarders(struct bed *b, int chunks) {
    const double hop_a[16] = {[0 * 4 + 2] = 2e5, [1 * 4 + 3] = 2e5};
    const double hop_b[16] = {[2 * 4 + 3] = 4e5, [3 * 4 + 2] = 2e5};
    bed_open(b, two_by_two, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
    bed_stage(b, "hop_a", hop_a);
    bed_stage(b, "hop_b", hop_b);
    b->call.chunks = chunks;
}

/* Pieces of one message leave one after the other, whatever the window. */
static void check_forwarders(int chunks, const struct costs *costs, double into_2_s,
                             double into_3_s) {
    for (int window = 0; window <= 3; window++) {
        struct bed b;
        open_forwarders(&b, chunks);
        b.how.window = window;
        struct outcome o = bed_run(&b, costs);
        assert_rel(o.recv_end_s[2], into_2_s, EXACT);
        assert_rel(o.recv_end_s[3], into_3_s, EXACT);
        assert_rel(o.time_s, fmax(into_2_s, into_3_s), EXACT);
        assert_rel(o.link_bytes[b.topology->ingress[TIER_FAST][3]], 4e5, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* Pieces of hop A arrive at 1, 2, 3, 4 us. From 2 to 3 each takes 1 us and goes on as the next one comes:
 * 5 us. From 3 to 2 each takes half a microsecond: 4.5 us. Serial: 8 and 6. */
static void pieces_are_forwarded_as_they_arrive(void **state) {
    (void)state;
    check_forwarders(1, &(struct costs){0}, 6 * US, 8 * US);
    check_forwarders(4, &(struct costs){0}, 4.5 * US, 5 * US);
    check_forwarders(2, &(struct costs){0}, 5 * US, 6 * US);
    // latency of both tiers: pieces arrive half a microsecond later, the last one another 0.1
    check_forwarders(4, &(struct costs){.latency_s = {0.1 * US, 0.5 * US}}, 5.1 * US, 5.6 * US);
}

/* alpha 0.5 us once, before piece 0: released at 1.5 us, the others at 2, 3, 4. 2 -> 3 runs from 1.5 to
 * 5.5; 3 -> 2 from 1.5, and its last piece from 4 to 4.5. A readback of 0.25 us makes both 0.25 later for
 * piece 0 only. */
static void alpha_and_splits_are_paid_before_the_first_piece(void **state) {
    (void)state;
    struct bed b;
    open_forwarders(&b, 4);
    b.call.stages[1].splits = true;
    struct costs costs = {.alpha_s = {3 * US, 0.5 * US}};
    struct outcome o = bed_run(&b, &costs);
    assert_rel(o.recv_end_s[3], 8.5 * US, EXACT);
    assert_rel(o.recv_end_s[2], 7.5 * US, EXACT);
    assert_int_equal(o.n_stages, 2); // the readback costs nothing and is no stage
    outcome_clear(&o);
    costs.splits_s = 0.25 * US;
    o = bed_run(&b, &costs);
    assert_rel(o.recv_end_s[3], 8.75 * US, EXACT);
    assert_rel(o.recv_end_s[2], 7.5 * US, EXACT);
    assert_int_equal(o.n_stages, 3);
    assert_string_equal(o.stages[1].name, "splits");
    outcome_clear(&o);
    bed_close(&b);
}

/* A chain of 4 us at rank 2 and 8 us at rank 3 is worked off piece by piece, 1 and 2 us each: rank 2
 * releases at 2, 3, 4, 5, but rank 3 enters at 3: 3 to 7. Rank 3 releases at 3, 5, 7, 9 and ends at
 * 9.5. With a floor of 6 us rank 2 takes 1.5 us a piece, 2.5, 4, 5.5, 7, and ends at 8. */
static void the_chain_is_shared_by_the_pieces(void **state) {
    (void)state;
    for (int floor = 0; floor < 2; floor++) {
        struct bed b;
        open_forwarders(&b, 4);
        double *pairs = calloc(4, sizeof *pairs);
        pairs[2] = 4000;
        pairs[3] = 8000;
        b.call.stages[1].pairs = pairs;
        const struct costs costs = {.chain_s_per_pair = 1e-9, .chain_floor_s = floor * 6 * US};
        struct outcome o = bed_run(&b, &costs);
        assert_rel(o.recv_end_s[3], floor ? 8 * US : 7 * US, EXACT);
        assert_rel(o.recv_end_s[2], 9.5 * US, EXACT);
        assert_string_equal(o.stages[1].name, "chain");
        assert_rel(o.stages[1].end_s, 9 * US, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* 0 sends 2e5 B each to 1 and 2: in two pieces, window 1, they leave in the order 1, 2, 1, 2. */
static void pieces_leave_chunk_by_chunk(void **state) {
    (void)state;
    double bytes[25] = {[0 * 5 + 1] = 2e5, [0 * 5 + 2] = 2e5};
    for (int chunks = 1; chunks <= 2; chunks++) {
        struct bed b;
        bed_open(&b, star_of_five, ORDER_SHIFT, 1, START_RENDEZVOUS);
        bed_stage(&b, "one_hop", bytes);
        b.call.chunks = chunks;
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.recv_end_s[1], chunks == 1 ? 2 * US : 3 * US, EXACT);
        assert_rel(o.recv_end_s[2], 4 * US, EXACT);
        assert_int_equal(o.flows, 2 * chunks);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* 0 -> 1 inside, 1 -> 3 between, 3 -> 2 inside, 4 us each. In four pieces of 1 us they run beside one
 * another: 4 + 1 + 1. */
static void three_stages_flow(void **state) {
    (void)state;
    const double gather[16] = {[0 * 4 + 1] = 4e5}, exchange[16] = {[1 * 4 + 3] = 2e5},
                 scatter[16] = {[3 * 4 + 2] = 4e5};
    for (int chunks = 1; chunks <= 4; chunks += 3) {
        struct bed b;
        bed_open(&b, two_by_two, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
        bed_stage(&b, "gather", gather);
        bed_stage(&b, "exchange", exchange);
        bed_stage(&b, "scatter", scatter);
        b.call.chunks = chunks;
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.time_s, chunks == 1 ? 12 * US : 6 * US, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* --- receivers -------------------------------------------------------------------------------- */

/* 0 .. 3 send 1, 2, 3, 4 x 1e5 B to 4. One at a time they end at 1, 3, 6, 10 us; two at a time: 0 and 1
 * share to 2 us (0 ends), 1 and 2 to 4 (1 ends: 1e5 left of it at 2), 2 has 2e5 left: to 8, when 3 ends
 * with it 2e5 short: 10. All at once: see test_engine.c. */
static void a_receive_window_serialises_an_incast(void **state) {
    (void)state;
    double bytes[25] = {0};
    for (int src = 0; src < 4; src++)
        bytes[src * 5 + 4] = 1e5 * (src + 1);
    const double one_s[] = {1 * US, 3 * US, 6 * US, 10 * US};
    const double two_s[] = {2 * US, 4 * US, 8 * US, 10 * US};
    for (int start = START_RENDEZVOUS; start <= START_ONE_SIDED; start++)
        for (int window = 1; window <= 2; window++) {
            struct bed b;
            bed_open(&b, star_of_five, ORDER_SHIFT, 0, start);
            b.how.receive_window = window;
            bed_stage(&b, "one_hop", bytes);
            struct outcome o = bed_run(&b, &(struct costs){0});
            for (int src = 0; src < 4; src++)
                assert_rel(o.send_end_s[src], window == 1 ? one_s[src] : two_s[src], EXACT);
            outcome_clear(&o);
            bed_close(&b);
        }
}

/* 0 -> 4 and 1 -> 4, then 1 -> 2, 1 us each. 1 -> 4 waits for the slot of 4 to 1 us and holds 1's only
 * slot. */
static void a_message_that_waits_for_a_receiver_holds_its_slot(void **state) {
    (void)state;
    const double bytes[25] = {[0 * 5 + 4] = 1e5, [1 * 5 + 4] = 1e5, [1 * 5 + 0] = 1e5};
    for (int window = 1; window <= 2; window++) {
        struct bed b;
        bed_open(&b, star_of_five, ORDER_SHIFT, window, START_RENDEZVOUS);
        b.how.receive_window = 1;
        bed_stage(&b, "one_hop", bytes);
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.recv_end_s[4], 2 * US, EXACT);
        assert_rel(o.recv_end_s[0], window == 1 ? 3 * US : 1 * US, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* --- paths and costs -------------------------------------------------------------------------- */

static const char costly[] =
    "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 100GBps, message_cost: 1us}\n"
    "slow: {bandwidth: 50GBps, message_cost: 3us}\n";

/* 0 -> 3, 1e5 B: straight over the slow tier, or over the fast tier to rank 1 and on from there. 2 us at
 * 50 GB/s in each case; the per-message cost is that of the slow tier, on the port used. 0 -> 1: 1 us
 * fast, 2 us slow. */
static void a_path_decides_links_cost_and_latency(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 3] = 1e5, [2 * 4 + 3] = 1e5};
    const struct costs costs = {.latency_s = {0.25 * US, 0.5 * US}};
    static const struct {
        int path;
        double into_3_s, sent_2_s;
    } expected[] = {
        {TOPO_PATH_FAST, 5.5 * US, 2 * US},
        {TOPO_PATH_SLOW, 7.5 * US, 7 * US}, // both share rank 3's slow port from 3 us to 7
        {TOPO_PATH_RAIL, 5.75 * US, 2 * US},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bed b;
        bed_open(&b, costly, ORDER_GROUP_SHIFT, 0, START_RENDEZVOUS);
        b.how.intra_group_path = expected[i].path;
        bed_stage(&b, "one_hop", bytes);
        struct outcome o = bed_run(&b, &costs);
        assert_rel(o.recv_end_s[3], expected[i].into_3_s, EXACT);
        assert_rel(o.send_end_s[2], expected[i].sent_2_s, EXACT);
        bool rail = expected[i].path == TOPO_PATH_RAIL;
        const struct topology *t = b.topology;
        assert_rel(o.link_bytes[t->egress[TIER_SLOW][rail ? 1 : 0]], 1e5, EXACT);
        assert_near(o.link_bytes[t->egress[TIER_SLOW][rail ? 0 : 1]], 0, 0);
        assert_near(o.link_bytes[t->egress[TIER_FAST][0]], rail ? 1e5 : 0, 1e-4);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* 0 -> 1, 3.5e5 B = 3.5 us with o = 1 us per 1e5 B begun: 4 us. The same in two pieces: each pays two. An
 * implementation that reaches half the rate pays as much time per message, and one with a cost of its own
 * that. */
static void a_message_pays_per_unit(void **state) {
    (void)state;
    const double bytes[16] = {[0 * 4 + 1] = 3.5e5};
    static const struct {
        double unit_bytes, reached, own_s;
        int chunks;
        double time_s;
    } expected[] = {
        {0, 1, 0, 1, 4.5 * US}, {1e5, 1, 0, 1, 7.5 * US}, {1e5, 1, 0, 2, 7.5 * US},
        {0, 1, 0, 2, 5.5 * US}, {0, 0.5, 0, 1, 8 * US},   {1e5, 1, 0.5 * US, 1, 5.5 * US},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bed b;
        bed_open(&b, costly, ORDER_GROUP_SHIFT, 1, START_RENDEZVOUS);
        bed_stage(&b, "one_hop", bytes)->unit_bytes = expected[i].unit_bytes;
        b.call.chunks = expected[i].chunks;
        b.how.message_cost_s.fast =
            (struct quantity){.value = expected[i].own_s, .given = expected[i].own_s > 0};
        b.topology->links[b.topology->egress[TIER_FAST][0]].capacity_Bps *= expected[i].reached;
        struct outcome o = bed_run(&b, &(struct costs){0});
        assert_rel(o.time_s, expected[i].time_s, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static struct outcome run_incast(const double *bytes, bool second_stage) {
    struct bed b;
    bed_open(&b, star_of_five, ORDER_SHIFT, 0, START_ONE_SIDED);
    b.how.receive_window = 1;
    if (second_stage)
        bed_uniform(&b, "hop_a", 0); // nothing: all enter the next one when its alpha is paid
    bed_stage(&b, "last", bytes);
    struct outcome o = bed_run(&b, &(struct costs){.alpha_s = {US, US}});
    bed_close(&b);
    return o;
}

/* All send to rank 4, which takes one at a time: by rank, as each of them posts it first. With 0 -> 1 before it in the
 * order of rank 0, 0 -> 4 is in the second turn, and the others go first. */
static void turns_and_then_ranks_decide_who_is_served(void **state) {
    (void)state;
    const double first[25] = {[0 * 5 + 4] = 1e5, [1 * 5 + 4] = 2e5, [2 * 5 + 4] = 3e5, [3 * 5 + 4] = 4e5};
    const double second[25] = {[0 * 5 + 1] = 1e5, [0 * 5 + 4] = 1e5, [1 * 5 + 4] = 2e5, [2 * 5 + 4] = 3e5,
                               [3 * 5 + 4] = 4e5};
    const double *const bytes[] = {first, second};
    static const double ends_us[2][4] = {{1, 3, 6, 10}, {10, 2, 5, 9}};
    for (int turn = 0; turn < 2; turn++) {
        struct outcome o = run_incast(bytes[turn], false);
        for (int rank = 0; rank < 4; rank++)
            assert_rel(o.send_end_s[rank], (1 + ends_us[turn][rank]) * US, EXACT);
        outcome_clear(&o);
    }
}

/* In a later stage the order is the timers', one after the other and the same whenever it is played. */
static void a_later_stage_serves_in_the_same_order_again(void **state) {
    (void)state;
    const double bytes[25] = {[0 * 5 + 4] = 1e5, [1 * 5 + 4] = 2e5, [2 * 5 + 4] = 3e5, [3 * 5 + 4] = 4e5};
    struct outcome o[] = {run_incast(bytes, true), run_incast(bytes, true)};
    assert_rel(o[0].time_s, 12 * US, EXACT); // alpha twice, then 1 + 2 + 3 + 4 us
    assert_memory_equal(o[0].send_end_s, o[1].send_end_s, 5 * sizeof *o[0].send_end_s);
    for (int i = 0; i < 2; i++)
        outcome_clear(&o[i]);
}

/* --- late ranks ------------------------------------------------------------------------------- */

/* 0 -> 1 and 1 -> 0, 1 us each, alpha 2 us; rank 1 enters at 3 us. */
static void peers_wait_for_a_late_rank(void **state) {
    (void)state;
    const double bytes[25] = {[0 * 5 + 1] = 1e5, [1 * 5 + 0] = 1e5};
    const double enter_s[] = {0, 3 * US, 0, 1 * US, 0};
    for (int start = START_RENDEZVOUS; start <= START_ONE_SIDED; start++) {
        struct bed b;
        bed_open(&b, star_of_five, ORDER_SHIFT, 1, start);
        bed_stage(&b, "one_hop", bytes);
        b.call.enter_s = enter_s;
        struct outcome o = bed_run(&b, &(struct costs){.alpha_s = {2 * US}});
        assert_rel(o.recv_end_s[0], 6 * US, EXACT);
        assert_rel(o.recv_end_s[1], start == START_RENDEZVOUS ? 6 * US : 3 * US, EXACT);
        assert_rel(o.time_s, 6 * US, EXACT);
        assert_rel(o.from_last_s, 3 * US, EXACT);
        assert_rel(o.stages[0].start_s, 0, 0);
        outcome_clear(&o);
        bed_close(&b);
    }
}

/* All late alike: the call as it is, later. */
static void a_common_delay_only_shifts(void **state) {
    (void)state;
    const double enter_s[] = {7 * US, 7 * US, 7 * US, 7 * US, 7 * US};
    struct outcome o[2];
    for (int late = 0; late < 2; late++) {
        struct bed b;
        bed_open(&b, star_of_five, ORDER_XOR, 2, START_RENDEZVOUS);
        b.how.receive_window = 1;
        bed_uniform(&b, "one_hop", 1e5);
        b.call.enter_s = late ? enter_s : NULL;
        o[late] = bed_run(&b, &(struct costs){.alpha_s = {2 * US}});
        bed_close(&b);
    }
    assert_rel(o[1].time_s, o[0].time_s + 7 * US, EXACT);
    assert_rel(o[1].from_last_s, o[0].time_s, EXACT);
    assert_rel(o[1].stages[0].start_s, 7 * US, EXACT);
    for (int rank = 0; rank < 5; rank++)
        assert_rel(o[1].recv_end_s[rank], o[0].recv_end_s[rank] + 7 * US, EXACT);
    for (int late = 0; late < 2; late++)
        outcome_clear(&o[late]);
}

static void an_entry_that_is_no_time_is_refused(void **state) {
    (void)state;
    const double enter_s[] = {0, 0, -1e-6, 0, 0};
    struct bed b;
    bed_open(&b, star_of_five, ORDER_SHIFT, 1, START_RENDEZVOUS);
    bed_uniform(&b, "one_hop", 1e5);
    b.call.enter_s = enter_s;
    struct outcome o;
    struct err e;
    assert_fails(sim_run(&b.call, &(struct costs){0}, 1, &(struct sim_options){0}, &o, &e),
                 RC_RANGE, &e, "rank 2 enters the call at -1e-06 s, which is not a time");
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_forwarded_as_they_arrive),
        cmocka_unit_test(alpha_and_splits_are_paid_before_the_first_piece),
        cmocka_unit_test(the_chain_is_shared_by_the_pieces),
        cmocka_unit_test(pieces_leave_chunk_by_chunk),
        cmocka_unit_test(three_stages_flow),
        cmocka_unit_test(a_receive_window_serialises_an_incast),
        cmocka_unit_test(a_message_that_waits_for_a_receiver_holds_its_slot),
        cmocka_unit_test(a_path_decides_links_cost_and_latency),
        cmocka_unit_test(a_message_pays_per_unit),
        cmocka_unit_test(peers_wait_for_a_late_rank),
        cmocka_unit_test(a_common_delay_only_shifts),
        cmocka_unit_test(an_entry_that_is_no_time_is_refused),
        cmocka_unit_test(turns_and_then_ranks_decide_who_is_served),
        cmocka_unit_test(a_later_stage_serves_in_the_same_order_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
