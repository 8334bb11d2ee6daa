/* SPDX-License-Identifier: BSD-3-Clause */
/* One exchange on SimGrid against times worked out by hand. */
#include "tests/support/bed.h"

#define US 1e-6
#define EXACT 1e-9

static const double no_cost;
static const struct costs wire = {.name = "wire"};

static struct outcome run_dense(struct bed *b, const double *bytes, const struct costs *costs) {
    bed_stage(b, "one_hop", bytes);
    return bed_run(b, costs);
}

static void one_flow_takes_alpha_bytes_over_rate_and_latency(void **state) {
    (void)state;
    // 0 -> 1, 9e5 B at 450 GB/s = 2 us
    const double bytes[] = {7e9, 9e5, 0, 0}; // the diagonal is local
    const struct costs costs = {.alpha_s = {5 * US}, .latency_s = {3 * US, 99 * US}};
    struct bed b;
    bed_open(
        &b,
        "groups: 1\nranks_per_group: 2\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 50GBps}\n",
        ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
    struct outcome o = run_dense(&b, bytes, &costs);
    assert_rel(o.time_s, 10 * US, EXACT);
    assert_rel(o.send_end_s[0], 7 * US, EXACT); // latency comes after the last byte out
    assert_rel(o.recv_end_s[1], 10 * US, EXACT);
    assert_rel(o.send_end_s[1], no_cost, 0); // sends nothing
    assert_rel(o.recv_end_s[0], no_cost, 0); // receives nothing
    assert_int_equal(o.n_stages, 1);
    assert_string_equal(o.stages[0].name, "one_hop");
    assert_rel(o.stages[0].start_s, 0, 0);
    assert_rel(o.stages[0].end_s, 10 * US, EXACT);
    assert_rel(o.stages[0].bytes, 9e5, 0);
    assert_rel(o.stages[0].messages, 1, 0);
    assert_int_equal(o.flows, 1);
    assert_rel(o.link_bytes[b.topology->egress[TIER_FAST][0]], 9e5, EXACT);
    assert_near(o.link_bytes[b.topology->egress[TIER_FAST][1]], 0, 0);
    assert_true(o.peak_rss_bytes > 1e6);
    outcome_clear(&o);
    bed_close(&b);
}

static const char star_of_three[] =
    "groups: 1\nranks_per_group: 3\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n";

static void flows_of_one_sender_share_its_port(void **state) {
    (void)state;
    // 0 -> 1 1e5 B, 0 -> 2 3e5 B at 100 GB/s. All at once: 50 each until 2 us, then 2e5 B alone.
    const double bytes[] = {0, 1e5, 3e5, 0, 0, 0, 0, 0, 0};
    static const struct {
        int64_t window;
        double first_s, second_s;
    } expected[] = {{0, 2 * US, 4 * US}, {2, 2 * US, 4 * US}, {1, 1 * US, 4 * US}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bed b;
        bed_open(&b, star_of_three, ORDER_SHIFT, expected[i].window, START_RENDEZVOUS);
        struct outcome o = run_dense(&b, bytes, &wire);
        assert_rel(o.recv_end_s[1], expected[i].first_s, EXACT);
        assert_rel(o.recv_end_s[2], expected[i].second_s, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static void latency_holds_no_window_slot(void **state) {
    (void)state;
    const double bytes[] = {0, 1e5, 1e5, 0, 0, 0, 0, 0, 0};
    const struct costs costs = {.latency_s = {10 * US}};
    struct bed b;
    bed_open(&b, star_of_three, ORDER_SHIFT, 1, START_RENDEZVOUS);
    struct outcome o = run_dense(&b, bytes, &costs);
    assert_rel(o.recv_end_s[1], 11 * US, EXACT);
    assert_rel(o.recv_end_s[2], 12 * US, EXACT);
    assert_rel(o.send_end_s[0], 2 * US, EXACT);
    outcome_clear(&o);
    bed_close(&b);
}

static void incast_shares_the_receivers_port(void **state) {
    (void)state;
    // 1, 2, 3, 4 x 1e5 B into rank 4 at 100 GB/s: a quarter each to 4 us, a third to 7, a half to
    // 9, alone to 10
    double bytes[25] = {0};
    for (int src = 0; src < 4; src++)
        bytes[src * 5 + 4] = 1e5 * (src + 1);
    struct bed b;
    bed_open(
        &b,
        "groups: 5\nranks_per_group: 1\nfast: {bandwidth: 450GBps}\nslow: {bandwidth: 100GBps}\n",
        ORDER_GROUP_SHIFT, 1, START_ONE_SIDED);
    struct outcome o = run_dense(&b, bytes, &wire);
    const double end_s[] = {4 * US, 7 * US, 9 * US, 10 * US};
    for (int src = 0; src < 4; src++)
        assert_rel(o.send_end_s[src], end_s[src], EXACT);
    assert_rel(o.recv_end_s[4], 10 * US, EXACT);
    assert_rel(o.time_s, 10 * US, EXACT);
    outcome_clear(&o);
    bed_close(&b);
}

static void an_uplink_is_shared_by_its_group(void **state) {
    (void)state;
    // 0 -> 2 and 1 -> 3, 1e5 B at 50 GB/s a port; the uplink carries 50 instead of 100
    double bytes[16] = {0};
    bytes[0 * 4 + 2] = bytes[1 * 4 + 3] = 1e5;
    static const struct {
        const char *oversubscription;
        double time_s;
    } expected[] = {{"1", 2 * US}, {"2", 4 * US}, {"1.25", 2.5 * US}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "groups: 2\nranks_per_group: 2\nfast: {bandwidth: 450GBps}\n"
                 "slow: {bandwidth: 50GBps, oversubscription: %s}\n",
                 expected[i].oversubscription);
        struct bed b;
        bed_open(&b, text, ORDER_GROUP_SHIFT, 8, START_RENDEZVOUS);
        struct outcome o = run_dense(&b, bytes, &wire);
        assert_rel(o.time_s, expected[i].time_s, EXACT);
        if (i > 0)
            assert_rel(o.link_bytes[b.topology->blocks[0].out], 2e5, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static void a_shared_port_is_shared_by_both_tiers(void **state) {
    (void)state;
    // 0 -> 1 fast and 0 -> 2 slow, 1e5 B each. Port 120: slow takes its 50, fast the other 70. Port
    // 80: 40 each.
    double bytes[16] = {0};
    bytes[0 * 4 + 1] = bytes[0 * 4 + 2] = 1e5;
    static const struct {
        const char *port;
        double fast_s, slow_s;
    } expected[] = {{"", 1 * US, 2 * US},
                    {"port_bandwidth: 120GBps\n", 1e5 / 70e9, 2 * US},
                    {"port_bandwidth: 80GBps\n", 2.5 * US, 2.5 * US}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "groups: 2\nranks_per_group: 2\n%sfast: {bandwidth: 100GBps}\nslow: {bandwidth: "
                 "50GBps}\n",
                 expected[i].port);
        struct bed b;
        bed_open(&b, text, ORDER_GROUP_SHIFT, 0, START_RENDEZVOUS);
        struct outcome o = run_dense(&b, bytes, &wire);
        assert_rel(o.recv_end_s[1], expected[i].fast_s, EXACT);
        assert_rel(o.recv_end_s[2], expected[i].slow_s, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static void a_message_costs_time_on_the_senders_port_only(void **state) {
    (void)state;
    // o = 1 us, 1e5 B at 100 GB/s = 1 us. Incast 0 -> 2, 1 -> 2: both costs run side by side, then
    // the payloads share rank 2's port to 3 us; a cost on that port too would give 4.
    const char text[] =
        "groups: 1\nranks_per_group: 3\nfast: {bandwidth: 100GBps, message_cost: 1us}\n"
        "slow: {bandwidth: 50GBps}\n";
    const double incast[] = {0, 0, 1e5, 0, 0, 1e5, 0, 0, 0};
    struct bed b;
    bed_open(&b, text, ORDER_SHIFT, 0, START_RENDEZVOUS);
    struct outcome o = run_dense(&b, incast, &wire);
    assert_rel(o.time_s, 3 * US, EXACT);
    assert_int_equal(o.flows, 4);
    assert_rel(o.link_bytes[b.topology->egress[TIER_FAST][0]], 1e5, EXACT); // costs are not bytes
    assert_rel(o.link_bytes[b.topology->ingress[TIER_FAST][2]], 2e5, EXACT);
    outcome_clear(&o);
    bed_close(&b);
    // 0 -> 1, 0 -> 2. In turn: arrivals at 2 and 4 us. Together: the costs share the port to 2 us,
    // the payloads to 4.
    const double fan_out[] = {0, 1e5, 1e5, 0, 0, 0, 0, 0, 0};
    for (int window = 0; window < 2; window++) {
        bed_open(&b, text, ORDER_SHIFT, window, START_RENDEZVOUS);
        o = run_dense(&b, fan_out, &wire);
        assert_rel(o.recv_end_s[1], window == 1 ? 2 * US : 4 * US, EXACT);
        assert_rel(o.recv_end_s[2], 4 * US, EXACT);
        outcome_clear(&o);
        bed_close(&b);
    }
}

static void fractional_bytes_keep_their_value(void **state) {
    (void)state;
    // a third of a byte, 40 bits above it, and a per-message cost of 1e-3 bytes' time
    const double bytes[] = {0, 1.0 / 3, 1e5 / 7, 0, 0, 0, 0, 0, 0};
    struct bed b;
    bed_open(&b,
             "groups: 1\nranks_per_group: 3\nfast: {bandwidth: 1GBps, message_cost: 0.001ns}\n"
             "slow: {bandwidth: 50GBps}\n",
             ORDER_SHIFT, 1, START_RENDEZVOUS);
    struct outcome o = run_dense(&b, bytes, &wire);
    assert_rel(o.recv_end_s[1], 1e-12 + 1e-9 / 3, EXACT);
    assert_rel(o.recv_end_s[2], 2e-12 + 1e-9 / 3 + 1e-4 / 7, EXACT);
    assert_rel(o.link_bytes[b.topology->ingress[TIER_FAST][2]], 1e5 / 7, EXACT);
    outcome_clear(&o);
    bed_close(&b);
}

static void nothing_to_move_costs_the_fixed_cost(void **state) {
    (void)state;
    const double bytes[] = {5, 0, 0, 0, 5, 0, 0, 0, 5};
    const struct costs costs = {.alpha_s = {5 * US}, .latency_s = {3 * US}};
    struct bed b;
    bed_open(&b, star_of_three, ORDER_SHIFT, 1, START_RENDEZVOUS);
    struct outcome o = run_dense(&b, bytes, &costs);
    assert_rel(o.time_s, 5 * US, EXACT);
    assert_int_equal(o.flows, 0);
    outcome_clear(&o);
    bed_close(&b);
}

/* Time of a balanced exchange of w ranks on one non-blocking switch: alpha + (w - 1)(o + x / beta)
 * + one latency. */
static void check_closed_form(const char *shape, int w, int64_t window, double x_half) {
    const double x = 1e6, beta = 50e9, latency_s[] = {0, 2 * US};
    char text[300];
    snprintf(text, sizeof text,
             "%s: %d\n%s: 1\nfast: {bandwidth: 50GBps, x_half: %.0fB}\n"
             "slow: {bandwidth: 50GBps, x_half: %.0fB}\n",
             shape, w, shape[0] == 'g' ? "ranks_per_group" : "groups", x_half, x_half);
    struct bed b;
    bed_open(&b, text, ORDER_GROUP_SHIFT, window, START_RENDEZVOUS);
    bed_uniform(&b, "one_hop", x);
    struct costs cases[2];
    struct outcome o[2];
    for (int i = 0; i < 2; i++)
        cases[i] = (struct costs){.alpha_s = {30 * US}, .latency_s = {latency_s[i], latency_s[i]}};
    struct err e;
    assert_ok(sim_run(&b.call, cases, 2, &(struct sim_options){0}, o, &e), &e);
    for (int i = 0; i < 2; i++) {
        assert_rel(o[i].time_s, 30 * US + (w - 1) * (x_half + x) / beta + latency_s[i], 1e-6);
        outcome_clear(&o[i]);
    }
    bed_close(&b);
}

static void balanced_exchange_meets_the_closed_form(void **state) {
    (void)state;
    const int ranks[] = {8, 64, 128};
    const int64_t windows[] = {1, 8, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int half = 0; half < 2; half++) {
                check_closed_form("groups", ranks[i], windows[k], half * 55296.0);
                check_closed_form("ranks_per_group", ranks[i], windows[k], half * 55296.0);
            }
}

/* Without meters on the links nothing moves at another time. */
static void times_only_changes_no_time(void **state) {
    (void)state;
    struct bed b;
    struct costs c;
    struct err e;
    struct outcome metered, bare = {0};
    bed_open(&b, "groups: 3\nranks_per_group: 3\nfast: {bandwidth: 7GBps}\n"
                 "slow: {bandwidth: 1GBps, oversubscription: 2, x_half: 10KiB}\n",
             ORDER_SHIFT, 2, START_RENDEZVOUS);
    double bytes[81];
    for (int i = 0; i < 81; i++)
        bytes[i] = 1e4 * (1 + i * i % 17);
    bed_stage(&b, "a", bytes);
    costs_wire(&b.call, &c);
    metered = bed_run(&b, &c);
    assert_ok(sim_run(&b.call, &c, 1, &(struct sim_options){.times_only = true}, &bare, &e), &e);
    assert_true(metered.time_s == bare.time_s);
    for (int rank = 0; rank < 9; rank++)
        assert_true(metered.recv_end_s[rank] == bare.recv_end_s[rank]);
    assert_non_null(metered.link_bytes);
    assert_null(bare.link_bytes);
    assert_int_equal(metered.events, bare.events);
    outcome_clear(&metered);
    outcome_clear(&bare);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_only_changes_no_time),
        cmocka_unit_test(one_flow_takes_alpha_bytes_over_rate_and_latency),
        cmocka_unit_test(flows_of_one_sender_share_its_port),
        cmocka_unit_test(latency_holds_no_window_slot),
        cmocka_unit_test(incast_shares_the_receivers_port),
        cmocka_unit_test(an_uplink_is_shared_by_its_group),
        cmocka_unit_test(a_shared_port_is_shared_by_both_tiers),
        cmocka_unit_test(a_message_costs_time_on_the_senders_port_only),
        cmocka_unit_test(fractional_bytes_keep_their_value),
        cmocka_unit_test(nothing_to_move_costs_the_fixed_cost),
        cmocka_unit_test(balanced_exchange_meets_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
