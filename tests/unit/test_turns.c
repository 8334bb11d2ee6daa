/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders from a file, rounds made from a matrix, the farthest first: what they do, and what they are worth. */
#include "tests/support/folder.h"

#include "platforms/base/mem.h"
#include "sim/engine/order.h"
#include "tests/support/wire.h"
#include "validation/bench.h"
#include "workloads/rounds.h"
#include "workloads/strategy.h"
#include "workloads/turns.h"

#define EXACT 1e-9
#define HEAD "schema: moesim/platform/1\nname: x\nimplementation: collective-eager\n"
#define RING HEAD "groups: 1\nranks_per_group: 8\nslow: {bandwidth: 10GBps}\n"                                         \
                  "fast: {kind: ring, bandwidth: 200GBps, link_bandwidth: 100GBps}\n"
/* 2 bytes a row, no fixed cost */
static const char workload[] = "schema: moesim/workload/1\nname: w\ntokens_per_rank: 80000\nexperts: 8\ntop_k: 1\n"
                               "hidden: 1\nrouting: {source: uniform, draw: expected}\n";
static const double block_s = 80000 / 8 * 2 / 100e9; /* of one rank for one other, on a link of the ring */

/* All eight in seven rounds: all four apart at once, which takes two blocks a link; two rounds two apart, even ranks
 * one way and odd ones the other; four rounds of three and one apart both ways round. No link is idle in any. */
#define ROUNDS                                                                                                         \
    "0>4 1>5 2>6 3>7 4>0 5>1 6>2 7>3\n"                                                                                \
    "0>2 1>7 2>4 3>1 4>6 5>3 6>0 7>5\n0>6 1>3 2>0 3>5 4>2 5>7 6>4 7>1\n"                                               \
    "0>3 1>6 2>1 3>4 4>7 5>2 6>5 7>0\n0>1 1>4 2>7 3>2 4>5 5>0 6>3 7>6\n"                                               \
    "0>7 1>2 2>5 3>0 4>3 5>6 6>1 7>4\n0>5 1>0 2>3 3>6 4>1 5>4 6>7 7>2\n"

static void open_set(const char *platform, const char *how, struct bench *b) {
    struct err e;
    folder_put("p.yaml", platform);
    folder_put("w.yaml", workload);
    const struct bench_ask ask = {.platform = "p.yaml",
                                  .workload = "w.yaml",
                                  .implementation = "collective-eager",
                                  .implementation_set = how,
                                  .strategy = STRATEGY_ONE_HOP,
                                  .seed = 1};
    assert_ok(bench_open(&ask, b, &e), &e);
}

static double ring_s(const char *how) {
    struct bench b;
    open_set(RING, how, &b);
    double time_s = wire_simulated_s(&b.call);
    bench_close(&b);
    return time_s;
}

/* System: a ring of 8, uniform, one message a link at a time. Every rank has 16 blocks of way for others and two links:
 * 8 blocks a link are the least. By turns: k apart takes k blocks, one way 1 + 2 + 3, at the same time the other way
 * 3 + 2 + 1, and then 2 for four apart. Seven rounds of a file fill every link too, 2 + 6 x 1. */
static void a_ring_of_eight(void **state) {
    (void)state;
    assert_rel(ring_s("order=shift window=1"), 8 * block_s, EXACT);
    folder_put("o.txt", "# all of them\nbarriers\n" ROUNDS);
    assert_rel(ring_s("order=file order_file=o.txt window=1"), 8 * block_s, EXACT);
}

/* The farthest first, every second rank the other way round. */
static void the_farthest_come_first(void **state) {
    (void)state;
    static const int want[2][8] = {{4, 3, 5, 2, 6, 1, 7, 0}, {5, 6, 4, 7, 3, 0, 2, 1}};
    struct bench b;
    int peers[8];
    open_set(RING, "order=farthest", &b);
    for (int src = 0; src < 2; src++) {
        assert_int_equal(order_peers(&b.call, 0, src, peers), 8);
        assert_memory_equal(peers, want[src], sizeof peers);
    }
    bench_close(&b);
}

#define STAR HEAD "groups: 1\nranks_per_group: 4\nfast: {bandwidth: 1GBps}\nslow: {bandwidth: 1GBps}\n"

/* Four ranks, 1 GB/s: 3 GB between 0 and 1 and between 2 and 3, 1 GB between the others. */
static void two_pairs(const char *how, struct bench *b) {
    double dense[16];
    open_set(STAR, how, b);
    for (int i = 0; i < 16; i++)
        dense[i] = i / 4 == i % 4 ? 0 : (i / 4 ^ i % 4) == 1 ? 3e9 : 1e9;
    matrix_clear(&b->call.stages[0].bytes);
    matrix_from_dense(dense, 4, false, &b->call.stages[0].bytes);
}

/* Expectation: one round of the long messages, two of the short ones: 5 s, what each port has; in turns of a shift long
 * and short ones stand in each other's way. */
static void rounds_put_messages_of_one_size_together(void **state) {
    (void)state;
    struct bench b;
    two_pairs("order=shift window=1", &b);
    assert_true(wire_simulated_s(&b.call) > 6);
    bench_close(&b);
    two_pairs("order=rounds window=1", &b);
    // made from the matrix: the call is built once more
    struct call call;
    call_copy(&b.call, &call);
    turns_free(call.stages[0].turns);
    call.stages[0].turns = rounds_build(&call, 0);
    int peers[4];
    for (int src = 0; src < 4; src++) {
        order_peers(&call, 0, src, peers);
        assert_int_equal(peers[0], src ^ 1);
    }
    assert_rel(wire_simulated_s(&call), 5, EXACT);
    call_clear(&call);
    bench_close(&b);
}

/* 0 has 8 GB for 1, all others 1 GB in each of two rounds. With a barrier the second round begins for all at 8 s.
 * Without one 3 sends to 1 after 1 s and takes half of its port for 2 s: 0 is through with 1 after 9 s, and then sends
 * to 2. */
static void a_barrier_holds_all_ranks(void **state) {
    (void)state;
    static const char order[] = "0>1 1>0 2>3 3>2\n0>2 2>0 1>3 3>1\n0>3 3>0 1>2 2>1\n";
    static const double gigabytes[16] = {[1] = 8, [4] = 1, [11] = 1, [14] = 1, [8] = 1, [7] = 1, [2] = 1, [13] = 1};
    for (int with = 0; with < 2; with++) {
        char text[200];
        struct bench b;
        snprintf(text, sizeof text, "%s%s", with ? "barriers\n" : "", order);
        folder_put("o.txt", text);
        open_set(STAR, "order=file order_file=o.txt window=1", &b);
        assert_int_equal(b.call.n_stages, with ? 3 : 1);
        for (int i = 0; i < b.call.n_stages; i++) { // the third round carries nothing
            double dense[16] = {0};
            for (int k = 0; k < 16; k++)
                dense[k] = !with || (k / 4 ^ k % 4) == i + 1 ? 1e9 * gigabytes[k] : 0;
            matrix_clear(&b.call.stages[i].bytes);
            matrix_from_dense(dense, 4, false, &b.call.stages[i].bytes);
        }
        struct outcome o = wire_simulated(&b.call);
        assert_rel(o.time_s, with ? 9 : 10, EXACT);
        // 1 has sent its first message after 1 s
        assert_rel(o.recv_end_s[3], with ? 9 : 2, EXACT);
        outcome_clear(&o);
        bench_close(&b);
    }
}

/* System: a full mesh of 8, each link 1 GB/s; 1 GB of each rank for each other. Window 4, and window 1 by any order:
 * every link has its own window, so all seven carry at once: 1 s, the bound. On the star of four the one port has one
 * window: 3 s either way. */
static void a_window_belongs_to_a_link_of_a_mesh(void **state) {
    (void)state;
    static const char mesh[] = HEAD "groups: 1\nranks_per_group: 8\nslow: {bandwidth: 10GBps}\n"
                                    "fast: {kind: full-mesh, bandwidth: 7GBps, link_bandwidth: 1GBps}\n";
    static const char *const how[] = {"window=4", "window=1", "window=1 order=random", "window=all"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        struct bench b;
        open_set(mesh, how[i], &b);
        bench_all_to_all(&b, 8e9);
        assert_rel(wire_simulated_s(&b.call), 1, EXACT);
        bench_close(&b);
    }
}

/* On a ring two links leave a rank: with window 1 it has one message each way under way. 0 has 1 GB for 1, 2, 3 and 7:
 * clockwise 3 GB one after the other, the other way 1 GB from the start; with a window for all of them 1 GB later. */
static void a_full_link_does_not_hold_back_another(void **state) {
    (void)state;
    double dense[64] = {[1] = 100e9, [2] = 100e9, [3] = 100e9, [7] = 100e9};
    struct bench b;
    open_set(RING, "window=1 order=shift", &b);
    matrix_clear(&b.call.stages[0].bytes);
    matrix_from_dense(dense, 8, false, &b.call.stages[0].bytes);
    struct outcome o = wire_simulated(&b.call);
    assert_rel(o.recv_end_s[7], 1, EXACT);
    assert_rel(o.time_s, 3, EXACT);
    outcome_clear(&o);
    bench_close(&b);
}

static void a_file_that_cannot_be_is_refused(void **state) {
    (void)state;
    static const struct {
        enum rc code;
        const char *text, *says;
    } all[] = {{RC_SYNTAX, "a\n", "o:1: expected a rank with its destinations"},
               {RC_SYNTAX, "0: 1\n\n0>1\n", "o:3: destinations of ranks and pairs of rounds do not go together"},
               {RC_SYNTAX, "0>1 2\n", "o:1: expected '>' behind rank 2"},
               {RC_SYNTAX, "0: 1 x\n", "o:1: expected a rank"},
               {RC_SYNTAX, "barriers 0\n", "o:1: '0' found, expected the end of the line"},
               {RC_SYNTAX, "barriers\n0: 1\n", "o: barriers are for rounds of pairs"},
               {RC_RANGE, "0: 1 1\n", "o:1: rank 1 is a destination twice"},
               {RC_RANGE, "0: 1\n0: 1\n", "o: rank 0 sends to rank 1 twice"},
               {RC_RANGE, "0>1 2>1\n", "o:1: rank 1 receives twice"},
               {RC_RANGE, "0>1 0>2\n", "o:1: rank 0 sends twice"},
               {RC_RANGE, "3: 3\n", "o:1: rank 3 sends to itself"},
               {RC_RANGE, "0: 65536\n", "o:1: a rank above 65535"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct turns *t;
        struct err e;
        assert_fails(turns_parse(all[i].text, strlen(all[i].text), "o", &t, &e), all[i].code, &e, all[i].says);
    }
    struct turns *t;
    struct err e;
    assert_ok(turns_parse("# x\n2: 0, 1\r\n", 13, "o", &t, &e), &e);
    assert_int_equal(t->ranks, 3);
    assert_int_equal(t->dst[t->start[2] + 1], 1);
    turns_free(t);
}

static void where_an_order_does_not_fit(void **state) {
    (void)state;
    struct bench b;
    struct err e;
    folder_put("o.txt", "barriers\n0>8\n");
    open_set(RING, NULL, &b);
    const struct setting set[] = {{"order", "file"}, {"order_file", "o.txt"}};
    struct implementation *how;
    assert_fails(implementation_load("nccl-p2p", set, 1, &how, &e), RC_SCHEMA, &e,
                 "order: 'file' and order_file go together");
    assert_ok(implementation_load("nccl-p2p", set, 2, &how, &e), &e);
    assert_fails(call_check(b.platform, how, STRATEGY_ONE_HOP, &e), RC_RANGE, &e,
                 "o.txt: rank 8 is named, but there are 8 ranks");
    assert_fails(call_check(b.platform, how, STRATEGY_TWO_HOP, &e), RC_RANGE, &e,
                 "o.txt: rounds with barriers are those of one-hop, not of two-hop");
    implementation_free(how);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_of_eight),
        cmocka_unit_test(the_farthest_come_first),
        cmocka_unit_test(rounds_put_messages_of_one_size_together),
        cmocka_unit_test(a_barrier_holds_all_ranks),
        cmocka_unit_test(a_window_belongs_to_a_link_of_a_mesh),
        cmocka_unit_test(a_full_link_does_not_hold_back_another),
        cmocka_unit_test(a_file_that_cannot_be_is_refused),
        cmocka_unit_test(where_an_order_does_not_fit),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
