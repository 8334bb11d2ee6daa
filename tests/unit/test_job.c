/* SPDX-License-Identifier: BSD-3-Clause */
/* EP groups and jobs on a part of the machine: who sends to whom, what links carry, when each EP group is done. */
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/program.h"

#include "model/bound.h"
#include "model/model.h"
#include "sim/engine/engine.h"
#include "sim/engine/order.h"
#include "validation/bench.h"
#include "workloads/strategy.h"

#define EXACT 1e-9 /* payloads are rounded to as much */
#define HEAD "schema: moesim/platform/1\nname: x\nimplementation: collective-eager\n"
/* 2 bytes a row; no fixed cost */
static const char workload[] = "schema: moesim/workload/1\nname: w\ntokens_per_rank: 1000\nexperts: 8\ntop_k: 1\n"
                               "hidden: 1\nrouting: {source: uniform, draw: expected}\n";

static struct bench open_set(const char *platform, const char *platform_set, const char *workload_set,
                             enum strategy strategy) {
    folder_put("p.yaml", platform);
    folder_put("w.yaml", workload);
    struct bench b;
    struct err e;
    const struct bench_ask ask = {.platform = "p.yaml",
                                  .platform_set = platform_set,
                                  .workload = "w.yaml",
                                  .workload_set = workload_set,
                                  .implementation = "collective-eager",
                                  .implementation_set = "window=all",
                                  .strategy = strategy,
                                  .seed = 1};
    assert_ok(bench_open(&ask, &b, &e), &e);
    return b;
}

/* The wire time of the whole and of each EP group, by an engine whose rates are checked. */
static double run(const struct call *call, double *group_s) {
    struct costs wire;
    struct outcome o = {0};
    struct err e;
    costs_wire(call, &wire);
    const struct sim_options options = {.engine = SIM_ENGINE_FLUID, .checked = true};
    assert_ok(sim_run(call, &wire, 1, &options, &o, &e), &e);
    assert_true(o.time_s >= bound_call_s(call, &wire) * (1 - 1e-9));
    if (group_s)
        job_times(call->traffic->job, &o, group_s);
    double time_s = o.time_s;
    outcome_clear(&o);
    return time_s;
}

static double run_set(const char *platform, const char *platform_set, const char *workload_set, double *group_s) {
    struct bench b = open_set(platform, platform_set, workload_set, STRATEGY_ONE_HOP);
    double time_s = run(&b.call, group_s);
    bench_close(&b);
    return time_s;
}

#define FLAT "fast: {bandwidth: 100GBps}\nslow: {bandwidth: 10GBps}\n"
static const double slow_Bps = 10e9;

/* All ranks in one EP group is the call of today; and the union of one EP group is that EP group. */
static void one_ep_group_of_all_ranks_changes_nothing(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 4\nranks_per_group: 2\n" FLAT;
    static const char sampled[] = "routing.draw=sampled top_k=3";
    for (int s = 0; s < STRATEGY_COUNT; s++) {
        if (s == STRATEGY_THREE_HOP)
            continue;
        struct bench plain = open_set(platform, NULL, sampled, (enum strategy)s);
        struct bench all = open_set(platform, "used_groups=4", "routing.draw=sampled top_k=3 ep=8", (enum strategy)s);
        struct bench united =
            open_set(platform, NULL, "routing.draw=sampled top_k=3 senders=0-7", (enum strategy)s);
        assert_null(all.traffic->job);
        assert_non_null(united.traffic->job);
        assert_true(same_matrix(&plain.traffic->one_hop, &united.traffic->one_hop));
        assert_int_equal(plain.call.n_stages, united.call.n_stages);
        for (int i = 0; i < plain.call.n_stages; i++) {
            const struct stage *a = &plain.call.stages[i], *b = &united.call.stages[i];
            assert_true(same_matrix(&a->bytes, &b->bytes));
            assert_true(same_matrix(&a->bytes, &all.call.stages[i].bytes));
            assert_true(a->world == b->world && a->span == b->span && a->peers == b->peers && a->launch == b->launch);
            assert_int_equal(!a->pairs, !b->pairs);
            assert_true(!a->pairs || memcmp(a->pairs, b->pairs, 8 * sizeof *a->pairs) == 0);
        }
        double group_s[1], time_s = run(&plain.call, NULL);
        assert_true(time_s == run(&all.call, NULL));
        assert_true(time_s == run(&united.call, group_s));
        assert_true(group_s[0] == time_s);
        bench_close(&plain);
        bench_close(&all);
        bench_close(&united);
    }
}

/* Returns the bytes that an EP group puts on a link in a stage. */
static double bytes_on(const struct bench *b, int stage, int group, const char *name) {
    const struct matrix *m = &b->call.stages[stage].bytes;
    const struct job *job = b->traffic->job;
    double bytes = 0;
    struct route route;
    for (int src = 0; src < m->ranks; src++)
        for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
            if (m->dst[i] == src || (job && job->group_of[src] != group))
                continue;
            struct way way = call_way(&b->call, src, m->dst[i], &route);
            for (int k = 0; k < way.n; k++)
                if (strcmp(b->topology->links[way.links[k]].name, name) == 0)
                    bytes += m->value[i] * way.share;
        }
    return bytes;
}

/* Two ranks a NIC. With TP 2 they belong to two EP groups, each of which sends half as much through it. */
static void tp_inside_a_node_halves_what_an_ep_group_sends_through_a_nic(void **state) {
    (void)state;
    static const char platform[] =
        HEAD "groups: 2\nranks_per_group: 4\nfast: {bandwidth: 100GBps}\n"
             "slow: {bandwidth: 10GBps, nics: 2, nic_bandwidth: 10GBps}\n";
    for (int two = 0; two < 2; two++) {
        enum strategy s = two ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP;
        struct bench all = open_set(platform, NULL, NULL, s), tp = open_set(platform, NULL, "ep=4 ep_layout=tp2", s);
        // 2 ranks x 1000 rows of 2 bytes, half of them across; of one rank: half of that
        assert_rel(bytes_on(&all, 0, 0, "nic-out-0"), 2000, EXACT);
        assert_rel(bytes_on(&tp, 0, 0, "nic-out-0"), 1000, EXACT);
        assert_rel(bytes_on(&tp, 0, 1, "nic-out-0"), 1000, EXACT);
        assert_int_equal(tp.call.stages[0].world, two ? 2 : 4);
        assert_int_equal(tp.call.stages[0].span, TIER_SLOW);
        const struct matrix *m = &tp.call.stages[0].bytes;
        for (int src = 0; src < 8; src++)
            for (size_t i = m->start[src]; i < m->start[src + 1]; i++) {
                assert_int_equal(m->dst[i] % 2, src % 2);
                assert_true(!two || m->dst[i] % 4 == src % 4); // hop A goes to the sender's index
            }
        bench_close(&all);
        bench_close(&tp);
    }
}

#define RACKS                                                                                                          \
    HEAD "groups: 4\nranks_per_group: 1\nfast: {bandwidth: 100GBps}\n"                                                 \
         "middle: [{name: rack, joins: 2, bandwidth: 10GBps}]\nslow: {bandwidth: 10GBps, oversubscription: 2}\n"

/* Ranks 0, 2 and 1, 3, each pair in both racks: with 2 : 1 the uplink of a rack is as fast as one rank. */
static void ep_groups_slow_each_other_where_the_spine_binds(void **state) {
    (void)state;
    const double alone_s = 1000 * 2 / 2 / slow_Bps; // half of a rank's rows go to the other one
    double group_s[2];
    assert_rel(run_set(RACKS, NULL, "ep=2 ep_layout=tp2 tokens_list=1000,0,1000,0", group_s), alone_s, EXACT);
    assert_rel(group_s[0], alone_s, EXACT);
    assert_true(group_s[1] == 0);
    assert_rel(run_set(RACKS, NULL, "ep=2 ep_layout=tp2", group_s), 2 * alone_s, EXACT);
    assert_rel(group_s[0], 2 * alone_s, EXACT);
    assert_rel(group_s[1], 2 * alone_s, EXACT);
    // not with a full spine, and not where each EP group stays in its rack
    assert_rel(run_set(RACKS, "slow.oversubscription=1", "ep=2 ep_layout=tp2", group_s), alone_s, EXACT);
    assert_rel(run_set(RACKS, NULL, "ep=2", group_s), alone_s, EXACT);
    // the fastest has less to send: the first 500 tokens of each share the spine, then it is free
    assert_rel(run_set(RACKS, NULL, "ep=2 ep_layout=tp2 tokens_list=1000,500,1000,500", group_s), 1.5 * alone_s, EXACT);
    assert_rel(group_s[0], 1.5 * alone_s, EXACT);
    assert_rel(group_s[1], alone_s, EXACT);
}

static void ep_groups_that_share_no_link_are_as_if_alone(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 4\nranks_per_group: 2\n" FLAT;
    static const enum strategy all[] = {STRATEGY_ONE_HOP, STRATEGY_TWO_HOP, STRATEGY_TWO_HOP_PIPELINED,
                                        STRATEGY_GATHER_FIRST};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct bench both = open_set(platform, NULL, "routing.draw=sampled top_k=2 ep=4", all[i]);
        struct bench one = open_set(platform, "used_groups=2", "routing.draw=sampled top_k=2", all[i]);
        double both_s[2], one_s[1];
        double slowest_s = run(&both.call, both_s);
        run(&one.call, one_s);
        assert_rel(both_s[0], one_s[0], 1e-12);
        assert_rel(slowest_s, fmax(both_s[0], both_s[1]), EXACT);
        assert_false(both_s[0] == both_s[1]); // each draws its own tokens
        bench_close(&both);
        bench_close(&one);
    }
}

/* 3 nodes of 4 and EP groups of 6: nodes 0 and half of 1, the other half of 1 and 2. Each has indices of its own. */
static void ep_groups_that_lie_differently_have_their_own_view(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 3\nranks_per_group: 4\n" FLAT;
    struct bench b = open_set(platform, NULL, "ep=6 experts=6", STRATEGY_TWO_HOP);
    static const struct {
        int src, dst;
        double rows;
    } across[] = {{0, 4, 2}, {1, 5, 2}, {2, 4, 2}, {4, 0, 4}, {5, 1, 4}, {6, 8, 4}, {7, 9, 4}, {8, 6, 2}, {11, 7, 2}};
    double *bytes = matrix_dense(&b.call.stages[0].bytes);
    for (size_t i = 0; i < sizeof across / sizeof *across; i++)
        assert_rel(bytes[across[i].src * 12 + across[i].dst], across[i].rows / 6 * 1000 * 2, EXACT);
    free(bytes);
    assert_string_equal(model_no_form(&b.call), "EP groups that lie differently on the machine");
    double group_s[2], time_s = run(&b.call, group_s);
    assert_rel(time_s, fmax(group_s[0], group_s[1]), EXACT);
    struct err e;
    assert_fails(call_check_traffic(b.platform, b.traffic, b.implementation, STRATEGY_LEVELLED, &e), RC_RANGE, &e,
                 "levelled needs groups of one size; x has EP groups that reach into groups by unequal numbers of "
                 "ranks");
    bench_close(&b);
}

/* Inside first: the same EP groups. A destination in a domain of n ranks goes through its index modulo the size of the
 * sender's own domain, of 4 and 2 ranks in the first EP group and of 2 and 4 in the second. */
static void each_ep_group_is_built_on_its_own_platform(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 3\nranks_per_group: 4\n" FLAT;
    static const struct {
        int stage, src, dst;
        double blocks;
    } want[] = {{0, 0, 1, 2}, {0, 0, 2, 1}, {0, 4, 5, 3}, {1, 0, 4, 4}, {1, 4, 0, 2}, {1, 4, 2, 2}, {1, 5, 3, 2},
                {0, 6, 7, 3}, {0, 8, 9, 2}, {0, 8, 10, 1}, {1, 6, 8, 2}, {1, 6, 10, 2}, {1, 7, 11, 2}, {1, 8, 6, 4}};
    struct bench b = open_set(platform, NULL, "ep=6 experts=6", STRATEGY_INSIDE_FIRST);
    for (int stage = 0; stage < 2; stage++) {
        double *bytes = matrix_dense(&b.call.stages[stage].bytes), across = 0;
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            if (want[i].stage == stage)
                assert_rel(bytes[want[i].src * 12 + want[i].dst], want[i].blocks * 2000 / 6, EXACT);
        for (int src = 0; src < 12; src++)
            for (int dst = 0; dst < 12; dst++)
                across += src / 4 != dst / 4 ? bytes[src * 12 + dst] : 0;
        assert_rel(across + 1, stage * 32 * 2000 / 6.0 + 1, EXACT); // 2 EP groups, 8 pairs each way
        free(bytes);
    }
    bench_close(&b);
}

/* On the way back each EP group's bytes turn round, and so do its strategies' stages. */
static void ep_groups_combine(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 4\nranks_per_group: 2\n" FLAT;
    static const enum strategy all[] = {STRATEGY_ONE_HOP, STRATEGY_TWO_HOP, STRATEGY_GATHER_FIRST,
                                        STRATEGY_INSIDE_FIRST};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        // as many tokens a rank of an EP group, half as many in the second one
        struct bench b = open_set(platform, NULL, "ep=4 tokens_list=1000,1000,1000,1000,500,500,500,500", all[i]);
        struct call back;
        double out_s[2], back_s[2];
        run(&b.call, out_s);
        call_build(b.topology, b.workload, b.implementation, b.traffic, all[i], PHASE_COMBINE, &back);
        run(&back, back_s);
        assert_int_equal(back.n_stages, b.call.n_stages);
        if (all[i] == STRATEGY_ONE_HOP) // the port between groups has half of 2000 bytes
            assert_rel(back_s[0], 1000 / slow_Bps, EXACT);
        assert_rel(back_s[0], out_s[0], EXACT);
        assert_rel(back_s[1], out_s[0] / 2, EXACT);
        call_clear(&back);
        bench_close(&b);
    }
    struct bench b = open_set(platform, NULL, "ep=2 ep_layout=tp4 tokens_list=1000,0,0,0,500,0,0,0", STRATEGY_ONE_HOP);
    struct call back;
    call_build(b.topology, b.workload, b.implementation, b.traffic, STRATEGY_ONE_HOP, PHASE_COMBINE, &back);
    double *bytes = matrix_dense(&back.stages[0].bytes);
    assert_rel(bytes[4 * 8 + 0], 1000, EXACT); // of 1000 tokens of rank 0 half were there
    assert_rel(bytes[0 * 8 + 4], 500, EXACT);
    free(bytes);
    call_clear(&back);
    bench_close(&b);
}

/* Two EP groups of 4 on two nodes each: what compare says of them is what it says of one. */
static void ep_groups_are_compared(void **state) {
    (void)state;
    folder_put("p.yaml", HEAD "groups: 4\nranks_per_group: 2\n" FLAT);
    folder_put("w.yaml", workload);
    static const char *const fields[] = {"simulated_wire_s", "analytic_wire_s", "bound_s"};
    static const char *const sets[] = {"--set workload.ep=4", "--set platform.used_groups=2"};
    // half of 2000 bytes leave the node; two hops then have as many inside, at ten times the rate
    const double one_s = 1000 / slow_Bps, two_s = 1.1 * one_s, simulated_s[] = {one_s, two_s, one_s, two_s};
    double first[4][3];
    for (int alone = 0; alone < 2; alone++) {
        struct yaml_doc *doc;
        char *arguments = mem_printf("compare --platform p.yaml --workload w.yaml --phase both --window all %s "
                                     "--format json",
                                     sets[alone]);
        assert_int_equal(program_run(arguments, &doc), 0);
        for (int call = 0; call < 4; call++)
            for (int f = 0; f < 3; f++) {
                char path[64];
                snprintf(path, sizeof path, "calls.%d.%s", call, fields[f]);
                double value = program_number(doc, path);
                first[call][f] = alone ? first[call][f] : value;
                assert_rel(value, f == 0 ? simulated_s[call] : first[call][f], EXACT);
            }
        assert_string_equal(program_at(doc, "calls.2.phase")->text, "combine");
        yaml_doc_free(doc);
        free(arguments);
    }
}

/* The closed form of one EP group of 4 ranks: 3 messages of a quarter of 1000 rows. */
static double closed_s(const char *platform, const char *platform_set, const char *workload_set) {
    struct bench b = open_set(platform, platform_set, workload_set, STRATEGY_ONE_HOP);
    struct costs wire;
    struct outcome o;
    costs_wire(&b.call, &wire);
    assert_true(model_covers(&b.call));
    model_call(&b.call, &wire, &o);
    bench_close(&b);
    return o.time_s;
}

/* 8 groups in leaves of 4, whose uplinks are as fast as one rank. */
static void a_job_on_a_part_of_a_fat_tree(void **state) {
    (void)state;
    static const char platform[] =
        HEAD "groups: 8\nranks_per_group: 1\nfast: {bandwidth: 100GBps}\n"
             "slow: {bandwidth: 10GBps, kind: fat-tree, levels: 2, ports: 5, oversubscription: 4}\n";
    const double message_s = 1000 * 2 / 4.0 / slow_Bps;
    assert_rel(run_set(platform, "used_groups=4", NULL, NULL), 3 * message_s, EXACT);
    // two ranks a leaf, each with two messages out of it
    assert_rel(run_set(platform, "used_groups=4 used_layout=spread", NULL, NULL), 4 * message_s, EXACT);
    assert_rel(closed_s(platform, "used_groups=4 used_layout=spread", NULL), 3 * message_s, EXACT);
    assert_rel(closed_s(platform, NULL, "ep=4"), 3 * message_s, EXACT);
}

/* Two routers of two groups, each a dragonfly group of its own, with 1 GB/s between them. */
static void a_job_on_a_part_of_a_dragonfly(void **state) {
    (void)state;
    static const char platform[] =
        HEAD "groups: 4\nranks_per_group: 1\nfast: {bandwidth: 100GBps}\n"
             "slow: {bandwidth: 10GBps, kind: dragonfly, routers: 1, router_groups: 2, local_bandwidth: 10GBps, "
             "global_bandwidth: 1GBps}\n";
    const double bytes = 1000 * 2 / 2;
    assert_rel(run_set(platform, "used_groups=2", NULL, NULL), bytes / 10e9, EXACT);
    assert_rel(run_set(platform, "used_groups=2 used_layout=spread", NULL, NULL), bytes / 1e9, EXACT);
    struct bench b = open_set(platform, "used_groups=2 used_layout=spread", NULL, STRATEGY_TWO_HOP);
    assert_int_equal(b.traffic->ranks, 2);
    assert_int_equal(b.call.stages[0].bytes.ranks, 4);
    assert_int_equal(b.traffic->job->groups[0].machine_rank[1], 2);
    int peers[4];
    assert_int_equal(order_peers(&b.call, 0, 1, peers), 0);
    assert_int_equal(order_peers(&b.call, 0, 2, peers), 2);
    assert_int_equal(peers[1], 0);
    bench_close(&b);
}

/* Attention on the first node, experts on the second. */
static void senders_and_experts_on_ranks_of_their_own(void **state) {
    (void)state;
    static const char platform[] = HEAD "groups: 2\nranks_per_group: 4\n" FLAT;
    struct bench b = open_set(platform, NULL, "senders=0-3 expert_ranks=4-7", STRATEGY_ONE_HOP);
    double *rows = matrix_dense(&b.traffic->one_hop);
    for (int src = 0; src < 8; src++)
        for (int dst = 0; dst < 8; dst++)
            assert_rel(rows[src * 8 + dst], src < 4 && dst >= 4 ? 250 : 0, EXACT);
    free(rows);
    assert_int_equal(b.traffic->tokens_total, 4000);
    assert_rel(b.traffic->rank_load[7], 1000, EXACT);
    assert_rel(run(&b.call, NULL), 2000 / slow_Bps, EXACT);
    bench_close(&b);
    // of each EP group the second rank sends and the first has the experts
    struct bench pairs = open_set(platform, NULL, "ep=2 ep_layout=tp4 senders=1 expert_ranks=0", STRATEGY_ONE_HOP);
    assert_rel(bytes_on(&pairs, 0, 2, "slow-out-6"), 2000, EXACT);
    assert_rel(bytes_on(&pairs, 0, 2, "slow-out-2"), 0, EXACT);
    bench_close(&pairs);
}

/* A rank that enters late has all of its own call still before it: the call ends that much later, not sooner, and not
 * later than that. */
static void a_late_rank_costs_what_it_is_late(void **state) {
    (void)state;
    static const struct bench_ask ask = {.platform = "h800",
                                         .platform_set = "groups=2",
                                         .workload = "terrace-reference",
                                         .implementation = "nccl-p2p",
                                         .seed = 1};
    enum { RANKS = 16 };
    for (int two = 0; two < 2; two++) {
        struct bench_ask own = ask;
        own.strategy = two ? STRATEGY_TWO_HOP : STRATEGY_ONE_HOP;
        struct bench b;
        struct err e;
        assert_ok(bench_open(&own, &b, &e), &e);
        struct costs wire;
        costs_wire(&b.call, &wire);
        const struct sim_options options = {.engine = SIM_ENGINE_FLUID};
        struct outcome on_time = {0}, late = {0};
        const double late_s = 3000e-6;
        double enter_s[RANKS] = {[3] = late_s};
        assert_ok(sim_run(&b.call, &wire, 1, &options, &on_time, &e), &e);
        b.call.enter_s = enter_s;
        assert_ok(sim_run(&b.call, &wire, 1, &options, &late, &e), &e);
        assert_near(late.time_s - on_time.time_s, late_s, 1e-6 * late_s);
        assert_rel(bound_call_s(&b.call, &wire), late.time_s, 1e-3);
        assert_non_null(strstr(late.critical_path, "rank 3 entered the call 3 ms after the first rank"));
        outcome_clear(&on_time);
        outcome_clear(&late);
        bench_close(&b);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *platform_set, *workload_set, *message;
    } all[] = {
        {NULL, "ep=3", "ep: EP groups of 3 ranks, but the job has 8; expected a divisor of that, at least 2"},
        {"used_groups=2", "ep=8", "ep: EP groups of 8 ranks, but the job has 4"},
        {"used_groups=5", NULL, "used_groups: the job is to run on 5 groups, but the machine has 4"},
        {NULL, "ep=4 ep_layout=tp4", "ep_layout: 'tp4' needs a multiple of 4 EP groups, but 8 ranks are 2 groups of 4"},
        {NULL, "ep=2 ep_layout=tp2-ep-pp4", "ep_layout: 'tp2-ep-pp4' needs a multiple of 8 EP groups"},
        {NULL, "ep_layout=2", "ep_layout: '2' found, expected 'contiguous' or dimensions"},
        {NULL, "ep_layout=tp2-", "ep_layout: 'tp2-' found"},
        {NULL, "ep_layout=ep-ep", "ep_layout: 'ep-ep' found"},
        {NULL, "senders=0-8", "senders: rank 8 is named, but an EP group has 8 ranks"},
        {NULL, "senders=3-1", "senders: '3-1' found, expected ranks such as '0-7, 12' or '0-31/8'"},
        {NULL, "expert_ranks=a", "expert_ranks: 'a' found, expected ranks"},
        {NULL, "expert_ranks=0-2", "8 experts cannot be placed evenly on 3 ranks"},
    };
    folder_put("p.yaml", HEAD "groups: 4\nranks_per_group: 2\n" FLAT);
    folder_put("w.yaml", workload);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct bench b;
        struct err e;
        const struct bench_ask ask = {.platform = "p.yaml",
                                      .platform_set = all[i].platform_set,
                                      .workload = "w.yaml",
                                      .workload_set = all[i].workload_set};
        assert_true(bench_open(&ask, &b, &e) != RC_OK);
        bench_close(&b);
        if (!strstr(e.text, all[i].message))
            fail_msg("%s instead of %s", e.text, all[i].message);
    }
}

/* Jobs of 2, 4 and 8 groups on the shipped machines that people ask about: the closed form and the bound see the part,
 * whose one hop grows with it towards (n - 1) / n of the rows. */
static void shipped_machines_run_small_jobs(void **state) {
    (void)state;
    static const char *const machines[] = {"alps", "perlmutter", "frontier", "lumi-g", "aurora"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        double before_s = 0;
        for (int groups = 2; groups <= 8; groups *= 2) {
            struct yaml_doc *doc;
            char *arguments = mem_printf("compare --analytic-only --platform %s --set platform.used_groups=%d "
                                         "--set workload.routing.source=uniform --set workload.experts=192 "
                                         "--format json",
                                         machines[i], groups);
            assert_int_equal(program_run(arguments, &doc), 0);
            double wire_s = program_number(doc, "calls.0.analytic_wire_s");
            double bound_s = program_number(doc, "calls.0.bound_s");
            assert_true(wire_s > before_s && bound_s > 0);
            before_s = wire_s;
            yaml_doc_free(doc);
            free(arguments);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ep_group_of_all_ranks_changes_nothing),
        cmocka_unit_test(tp_inside_a_node_halves_what_an_ep_group_sends_through_a_nic),
        cmocka_unit_test(ep_groups_slow_each_other_where_the_spine_binds),
        cmocka_unit_test(ep_groups_that_share_no_link_are_as_if_alone),
        cmocka_unit_test(ep_groups_that_lie_differently_have_their_own_view),
        cmocka_unit_test(each_ep_group_is_built_on_its_own_platform),
        cmocka_unit_test(ep_groups_combine),
        cmocka_unit_test(ep_groups_are_compared),
        cmocka_unit_test(a_job_on_a_part_of_a_fat_tree),
        cmocka_unit_test(a_job_on_a_part_of_a_dragonfly),
        cmocka_unit_test(senders_and_experts_on_ranks_of_their_own),
        cmocka_unit_test(a_late_rank_costs_what_it_is_late),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(shipped_machines_run_small_jobs),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
