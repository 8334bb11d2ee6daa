/* SPDX-License-Identifier: BSD-3-Clause */
/* What packet transports may add: the form by hand, where nothing is claimed, of whole calls, and who takes it away. */
#include "tests/support/bed.h"
#include "tests/support/gates.h"
#include "tests/support/program.h"

#include "gates/licence.h"
#include "model/allowance.h"

/* 1 ms on a port of 50 GB/s, round trip 4 us; messages of 10 bandwidth-delay products. */
static const struct allowance_ask one_ms = {.transport = TRANSPORT_SPRAYED,
                                            .class = ALLOWANCE_SWITCH,
                                            .wire_s = 1e-3,
                                            .bound_s = 0.9995e-3,
                                            .rtt_short_s = 2e-6,
                                            .rtt_s = 4e-6,
                                            .message_bytes = 2e6,
                                            .rate_Bps = 50e9};

static struct allowance find(struct allowance_ask ask) {
    struct allowance a;
    allowance_find(&ask, &a);
    return a;
}

static void the_form_by_hand(void **state) {
    (void)state;
    const struct allowance_fit fit = {.e = 0.05, .k = 3};
    assert_near(allowance_high_s(&fit, 10, 2), 12 * 1.1 + 2 * 3 * 2, 1e-12);
    struct allowance a = find(one_ms);
    const struct allowance_fit *f = &allowance_fits[TRANSPORT_SPRAYED][ALLOWANCE_SWITCH];
    assert_true(a.claimed);
    assert_near(a.lo_s, 0.9995e-3 + 2e-6, 1e-15);
    assert_near(a.hi_s, 1.004e-3 * (1 + 2 * f->e) + 2 * f->k * 4e-6, 1e-15);
    assert_string_equal(a.basis, "sprayed on one switch, messages of 10 bandwidth-delay products, round trip 4 us");
    // a transport that is not stated gets the widest
    struct allowance_ask any = one_ms;
    any.transport = -1;
    double widest_s = 0;
    for (int t = TRANSPORT_SPRAYED; t < TRANSPORT_COUNT; t++) {
        struct allowance_ask known = one_ms;
        known.transport = t;
        known.message_bytes = any.message_bytes = 4e6; // 20 products: drops are claimed too
        widest_s = fmax(widest_s, find(known).hi_s);
    }
    assert_near(find(any).hi_s, widest_s, 0);
    // no round trip stated: none below, the longest of the corpus above
    struct allowance_ask unknown = one_ms;
    unknown.rtt_s = unknown.rtt_short_s = 0;
    assert_near(find(unknown).lo_s, 0.9995e-3, 1e-15);
    assert_near(find(unknown).hi_s, allowance_high_s(f, 1e-3, 4.50944e-6), 1e-15);
    assert_non_null(strstr(find(unknown).basis, "round trip assumed at 4.51 us"));
    struct allowance_ask ideal = one_ms;
    ideal.transport = TRANSPORT_IDEAL;
    assert_near(find(ideal).hi_s, 1e-3, 0);
}

static void where_nothing_is_claimed(void **state) {
    (void)state;
    struct allowance_ask all[9];
    static const char *const why[9] = {
        "no claim: the corpus supports none for drops on one switch with messages of 4 bandwidth",
        "no claim: the corpus supports none for drops on an oversubscribed tree with messages of 40",
        "no claim: the corpus has switches and trees only",
        "no claim: with window 1 each message waits for a round trip",
        "no claim: the window, not a link, decides the wire time, which bounds packets neither way",
        "no claim: a window of less than one bandwidth-delay product",
        "no claim: the corpus supports none for sprayed on one switch with messages of 0.5 bandwidth",
        "no claim: nothing is sent",
        "no claim: the corpus supports none for any transport on one switch with messages of 0.5 bandwidth"};
    for (int i = 0; i < 9; i++)
        all[i] = one_ms;
    all[0].transport = all[1].transport = TRANSPORT_DROPS;
    all[0].message_bytes = 0.8e6;
    all[1].message_bytes = 8e6;
    all[1].class = ALLOWANCE_OVERSUBSCRIBED;
    all[2].class = ALLOWANCE_NO_CLASS;
    all[3].window = 1;
    all[4].window = 8;
    all[4].bound_s = 0.99e-3;
    all[5].window = 8;
    all[5].message_bytes = 0.02e6;
    all[6].message_bytes = all[8].message_bytes = 0.1e6;
    all[7].wire_s = all[7].bound_s = 0;
    all[8].transport = -1;
    for (int i = 0; i < 9; i++) {
        struct allowance a = find(all[i]);
        if (a.claimed || strncmp(a.basis, why[i], strlen(why[i])) != 0)
            fail_msg("case %d: %d '%s'", i, a.claimed, a.basis);
    }
    all[4].bound_s = one_ms.bound_s; // the window does not bind: as with all in flight
    assert_true(find(all[4]).claimed);
}

/* --- of calls ---------------------------------------------------------------------------------- */

#define RATES "fast: {bandwidth: 100GBps, latency: 1us}\nslow: {bandwidth: 50GBps, latency: 2us"
#define FOUR_BY_TWO "groups: 4\nranks_per_group: 2\n" RATES

static struct allowance of_call(const char *platform, double bytes, double wire_s) {
    struct bed b;
    struct allowance a;
    bed_open(&b, platform, ORDER_SHIFT, 0, START_ONE_SIDED);
    b.how.efficiency.fast.value = b.how.efficiency.slow.value = 1;
    bed_uniform(&b, "one_hop", bytes);
    struct allowance_call known = {.wire_s = wire_s, .bound_s = bed_bound_s(&b)};
    call_tier_traffic(&b.call, 0, known.tier_bytes, known.tier_messages);
    allowance_of_call(&b.call, &known, &a);
    bed_close(&b);
    return a;
}

static void of_whole_calls(void **state) {
    (void)state;
    static const struct {
        const char *platform, *part;
    } all[] = {
        {FOUR_BY_TWO ", transport: one-path}\n", "one-path on one switch, messages of 10 "},
        {FOUR_BY_TWO ", oversubscription: 2}\n",
         "transport not stated, the widest of sprayed, one-path on an oversubscribed tree"},
        {FOUR_BY_TWO ", kind: fat-tree, levels: 2, ports: 4, transport: sprayed}\n", "sprayed on a 1:1 tree"},
        {FOUR_BY_TWO ", paths: hashed, spines: 2, transport: one-path}\n", "one-path on a 1:1 tree"},
        {FOUR_BY_TWO ", kind: fat-tree, levels: 1, ports: 8, transport: sprayed}\n", "sprayed on one switch"},
        {FOUR_BY_TWO ", kind: full-mesh, link_bandwidth: 50GBps}\n", "no claim: the corpus has switches"},
        {FOUR_BY_TWO ", transport: ideal}\n", "ideal, as the platform states"},
        {"groups: 1\nranks_per_group: 8\n" RATES ", transport: drops}\n", "transport not stated, the widest of"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct allowance a = of_call(all[i].platform, 2e6, 1e-3); // 50 GB/s x 4 us = 200 kB
        if (strncmp(a.basis, all[i].part, strlen(all[i].part)) != 0)
            fail_msg("case %zu: '%s'", i, a.basis);
    }
    // 6 messages of 2 MB at 50 GB/s, and the round trip of the fast tier
    struct allowance a = of_call(all[0].platform, 2e6, 240e-6);
    assert_near(a.lo_s, 240e-6 + 2e-6, 1e-12);
    // acknowledgements of 1 % on the same ports
    assert_near(of_call(FOUR_BY_TWO ", ack_share: 0.01}\n", 2e6, 240e-6).lo_s, 1.01 * 240e-6 + 2e-6, 1e-12);
}

/* --- gates ------------------------------------------------------------------------------------- */

static enum capability_state state_after(const struct gate_result *results, size_t n) {
    struct licences *l = licences_decide(results, n);
    enum capability_state s = licence_state(licences_get(l, CAP_ALLOWANCE));
    licences_free(l);
    return s;
}

static void a_failed_gate_takes_it_away(void **state) {
    (void)state;
    const struct gates_bent late = {1 + 2e-6, 1, 0, 0};
    const struct simulator wrong = {gates_bent_run, (void *)&late};
    struct gate_result both[2] = {gates_try("packet-allowance", &(struct estimand_tools){0}),
                                  gates_try("packet", &(struct estimand_tools){.simulator = &gates_engine})};
    struct gate_result failed = gates_try("packet", &(struct estimand_tools){.simulator = &wrong});
    assert_int_equal(both[0].state, GATE_PASSED);
    assert_int_equal(both[1].state, GATE_PASSED);
    assert_int_equal(failed.state, GATE_FAILED);
    assert_true(gates_metric(&failed, "worst_wire_difference") > 1e-6);
    assert_int_equal(state_after(NULL, 0), CAPABILITY_WITHDRAWN);
    assert_int_equal(state_after(both, 1), CAPABILITY_CONDITIONAL); // without simulations
    assert_int_equal(state_after(both, 2), CAPABILITY_CONDITIONAL);
    gate_result_clear(&both[1]);
    both[1] = failed;
    assert_int_equal(state_after(both, 2), CAPABILITY_WITHDRAWN);
    gate_result_clear(&both[0]);
    gate_result_clear(&both[1]);
    // a corpus that is not the registered one is not tried
    struct gate altered = *gates_find("packet-allowance");
    struct gate_result r;
    altered.sha256 = "another";
    gate_evaluate(&altered, NULL, &(struct estimand_tools){0}, &r);
    assert_int_equal(r.state, GATE_NOT_EVALUATED);
    assert_int_equal(state_after(&r, 1), CAPABILITY_WITHDRAWN);
    gate_result_clear(&r);
}

/* Each call has its line, and calls of which the same is true share one. */
static void text_says_it_of_every_call(void **state) {
    (void)state;
    static const struct {
        const char *options, *lines[3];
    } cases[] = {
        {"", {"with packets, all calls: no claim: the window, not a link", NULL}},
        {"--window all", {"with packets, dispatch one-hop: ", "with packets, dispatch two-hop: ", NULL}},
        {"--set platform.slow.transport=sprayed --strategy one-hop",
         {"with packets, dispatch one-hop: no claim", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};
        char *line = mem_printf("simulate %s", cases[i].options);
        int n = 0, said = 0;
        assert_int_equal(program_text(line, &out), 0);
        for (; cases[i].lines[n]; n++)
            if (!strstr(out.text, cases[i].lines[n]))
                fail_msg("%s: no '%s' in\n%s", line, cases[i].lines[n], out.text);
        for (const char *at = out.text; (at = strstr(at, "with packets, ")); at++)
            said++;
        assert_int_equal(said, n);
        free(line);
        buf_clear(&out);
    }
}

static void a_machine_says_its_paths(void **state) {
    (void)state;
    struct yaml_doc *doc;
    assert_int_equal(program_run("platform show frontier --format json", &doc), 0);
    assert_string_equal(program_at(doc, "slow_paths")->text, "adaptive");
    assert_string_equal(program_at(doc, "fast_paths")->text, "spread");
    yaml_doc_free(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_by_hand),
        cmocka_unit_test(where_nothing_is_claimed),
        cmocka_unit_test(of_whole_calls),
        cmocka_unit_test(a_failed_gate_takes_it_away),
        cmocka_unit_test(text_says_it_of_every_call),
        cmocka_unit_test(a_machine_says_its_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
