/* SPDX-License-Identifier: BSD-3-Clause */
/* Which constants a result rests on, and which of them weighs most. */
#include "tests/support/platforms.h"

#include <stdlib.h>

#include "model/bound.h"
#include "model/effect.h"
#include "model/model.h"
#include "platforms/constants.h"
#include "platforms/find.h"
#include "sim/study/one_call.h"
#include "sim/study/option.h"
#include "sim/study/study.h"
#include "workloads/strategy.h"

/* --- a call by its loads ------------------------------------------------------------------------- */

static struct platform *platform_of(const char *text) {
    struct platform *p;
    struct err e;
    assert_ok(load_text(text, &p, &e), &e);
    return p;
}

static void dense(struct matrix *m, int ranks, double bytes) {
    matrix_init(m, ranks, (size_t)(ranks * ranks), false);
    for (int src = 0; src < ranks; src++) {
        m->start[src + 1] = m->start[src] + (size_t)ranks;
        for (int dst = 0; dst < ranks; dst++) {
            m->dst[src * ranks + dst] = dst;
            m->value[src * ranks + dst] = bytes;
        }
    }
}

/* Two ranks of two groups send 100 MB to each other at 1 GB/s, twice: 100 ms each, 1 ms per message, 2 ms latency and
 * 3 ms alpha; of two pieces the second hop's half runs beside. */
static void a_call_by_its_loads(void **state) {
    (void)state;
    struct platform *p = platform_of(HEAD "groups: 2\nranks_per_group: 1\nfast: {bandwidth: 100GBps}\n"
                                          "slow: {bandwidth: 1GBps, message_cost: 1ms, latency: 2ms}\n");
    struct topology *t = topo_build(p);
    struct implementation how = {.name = "x"};
    struct call call = {.platform = p, .topology = t, .implementation = &how, .row_bytes = 1, .chunks = 1};
    dense(&call_add_stage(&call, "one_hop")->bytes, 2, 100e6);
    struct effect cases[3] = {{0}};
    struct link *slower = mem_alloc((size_t)t->n_links, sizeof *slower);
    for (int l = 0; l < t->n_links; l++) {
        slower[l] = t->links[l];
        slower[l].capacity_Bps /= 2;
    }
    for (int i = 0; i < 3; i++) {
        cases[i].costs = (struct costs){.alpha_s = {3e-3, 3e-3}, .latency_s = {0, 2e-3}};
        effect_as_is(&call, &cases[i]);
    }
    cases[1].links = slower;
    cases[2].message_cost_s[1] = 5e-3;
    effect_times(&call, NULL, cases, 3);
    assert_rel(cases[0].time_s, 106e-3, 1e-12);
    assert_rel(cases[0].time_s, bound_call_s(&call, &cases[0].costs), 1e-12); // of one stage it is the bound
    assert_rel(cases[1].time_s, 206e-3, 1e-12);
    assert_rel(cases[2].time_s, 110e-3, 1e-12);
    dense(&call_add_stage(&call, "again")->bytes, 2, 100e6);
    effect_times(&call, NULL, cases, 1);
    assert_rel(cases[0].time_s, 212e-3, 1e-12);
    call.chunks = 2; // each message now pays twice
    effect_times(&call, NULL, cases, 1);
    assert_rel(cases[0].time_s, 6e-3 + 2 * 104e-3 / 2 + 206e-3 / 2, 1e-12);
    // a cost where the call has none, from loads that are kept
    call.chunks = 1;
    call.n_stages = 1;
    how.message_cost_s.slow = (struct quantity){.given = true, .set = true};
    struct effect_loads *loads = effect_loads_new(&call);
    effect_as_is(&call, &cases[0]);
    effect_as_is(&call, &cases[1]);
    cases[1].links = NULL;
    cases[1].message_cost_s[1] = 1e-3;
    effect_times(&call, loads, cases, 2);
    assert_rel(cases[0].time_s, 105e-3, 1e-12);
    assert_rel(cases[1].time_s, 106e-3, 1e-12);
    effect_loads_free(loads);
    call.n_stages = 2; // to be cleared
    free(slower);
    call_clear(&call);
    topo_free(t);
    plat_free(p);
}

/* --- results ------------------------------------------------------------------------------------- */

#define MEASURED(value) "{value: " value ", status: measured, source: s}"
#define ASSUMED(value) "{value: " value ", status: assumed, source: s}"
#define GROUPS "groups: 4\nranks_per_group: 2\n"
#define FAST "fast: {bandwidth: " MEASURED("100GBps") ", latency: " MEASURED("1us") "}\n"
#define SLOW "slow: {bandwidth: " MEASURED("10GBps") ", latency: " MEASURED("1us") "}\n"
#define ENTRY(world, time) "{world: " #world ", time: " time "}"
#define ALPHA(a, b, c)                                                                                                 \
    "alpha: [{implementation: collective-eager, entries: [" ENTRY(2, a) ", " ENTRY(4, b) ", " ENTRY(8, c) "]}]\n"
#define KNOWN ALPHA(MEASURED("1us"), MEASURED("1us"), MEASURED("1us"))

struct asked {
    struct study study;
    struct question q;
    struct result *r;
};

enum { ONE = 1 << STRATEGY_ONE_HOP, TWO = 1 << STRATEGY_TWO_HOP, PIPELINED = 1 << STRATEGY_TWO_HOP_PIPELINED };

static void answer(struct asked *a, const char *platform, unsigned strategies, const char *setting) {
    struct err e;
    folder_put("p.yaml", platform);
    assert_ok(study_open(NULL, NULL, &a->study, &e), &e);
    question_init(&a->q);
    a->q.platform.name = "./p.yaml";
    a->q.workload.name = "terrace-reference";
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (strategies >> i & 1u)
            a->q.strategies.items[a->q.strategies.n++] = i;
    if (setting)
        assert_ok(question_set(&a->q, setting, "4", &e), &e);
    assert_ok(study_answer(&a->study, &a->q, &a->r, &e), &e);
}

static void forget(struct asked *a) {
    result_free(a->r);
    question_clear(&a->q);
    study_close(&a->study);
}

static void expect(const char *platform, unsigned strategies, const char *setting, const char *assumed) {
    struct asked a = {0};
    answer(&a, platform, strategies, setting);
    assert_string_equal(a.r->assumed.n ? a.r->assumed.text : "", assumed);
    size_t n = strcspn(assumed, "\n");
    if (n) {
        assert_int_equal(strlen(a.r->weakest.constant), n);
        assert_memory_equal(a.r->weakest.constant, assumed, n);
    }
    forget(&a);
}

/* The world of hop A is 4, that of hop B 2, that of a one hop 8; those of EP groups of 4 are 4, 2 and 2. */
static void alpha_of_every_launch_counts(void **state) {
    (void)state;
    expect(HEAD GROUPS FAST SLOW ALPHA(MEASURED("1us"), ASSUMED("10ms"), MEASURED("1us")), ONE | TWO, NULL,
           "platform.alpha.collective-eager.4\n");
    expect(HEAD GROUPS FAST SLOW ALPHA(MEASURED("1us"), ASSUMED("10ms"), MEASURED("1us")), ONE, NULL, "");
    expect(HEAD GROUPS FAST SLOW ALPHA(ASSUMED("1us"), ASSUMED("10ms"), ASSUMED("1us")), TWO, NULL,
           "platform.alpha.collective-eager.4\nplatform.alpha.collective-eager.2\n");
    expect(HEAD GROUPS FAST SLOW ALPHA(MEASURED("1us"), ASSUMED("1us"), ASSUMED("1us")), ONE, "workload.ep",
           "platform.alpha.collective-eager.4\n");
}

static void a_degraded_link_counts(void **state) {
    (void)state;
    expect(HEAD GROUPS FAST SLOW KNOWN "degraded: [{link: slow-out-3, factor: " ASSUMED("0.5") "}]\n", ONE | TWO,
           NULL, "platform.degraded.slow-out-3.factor\n");
    expect(HEAD GROUPS FAST SLOW KNOWN "background: [{link: slow-in-3, rate: " ASSUMED("5GBps") "}]\n", ONE, NULL,
           "platform.background.slow-in-3.rate\n");
}

/* A tenth of 5 ms is 0.5 ms, one of 1 us is 0.1 us, wherever they stand in the file. */
static void the_heavier_of_two_is_the_weakest(void **state) {
    (void)state;
    expect(HEAD GROUPS "fast: {bandwidth: " MEASURED("100GBps") ", latency: " ASSUMED("1us") "}\n"
           "slow: {bandwidth: " MEASURED("10GBps") ", latency: " ASSUMED("5ms") "}\n" KNOWN, TWO, NULL,
           "platform.slow.latency\nplatform.fast.latency\n");
    expect(HEAD GROUPS "fast: {bandwidth: " MEASURED("100GBps") ", latency: " ASSUMED("5ms") "}\n"
           "slow: {bandwidth: " MEASURED("10GBps") ", latency: " ASSUMED("1us") "}\n" KNOWN, TWO, NULL,
           "platform.fast.latency\nplatform.slow.latency\n");
}

/* Cables and shared links that carry nothing are not what a number rests on. */
static void links_count_that_carry_bytes(void **state) {
    (void)state;
    static const char graph[] =
        HEAD GROUPS FAST "slow: {bandwidth: " MEASURED("100GBps") ", kind: graph, links: ["
        "{from: 0, to: 1, bandwidth: " ASSUMED("1GBps") "}, {from: 1, to: 2, bandwidth: " ASSUMED("50GBps") "}, "
        "{from: 2, to: 3, bandwidth: " MEASURED("50GBps") "}]}\n" KNOWN;
    expect(graph, ONE, NULL, "platform.slow.links.0-1.bandwidth\nplatform.slow.links.1-2.bandwidth\n");
    expect(HEAD GROUPS FAST "slow: {bandwidth: " MEASURED("10GBps") ", shared: [{name: node, ranks: 8, bandwidth: "
           ASSUMED("1GBps") "}]}\n" KNOWN, ONE, NULL, "");
}

static void choices_stand_apart(void **state) {
    (void)state;
    struct asked a = {0};
    answer(&a, HEAD GROUPS FAST SLOW KNOWN, ONE | PIPELINED, NULL);
    assert_string_equal(a.r->weakest.constant, "implementation.chain"); // measured on another machine
    assert_int_equal(a.r->weakest.status, STATUS_BORROWED);
    assert_int_equal(a.r->assumed.n, 0);
    assert_string_equal(a.r->assumed_choices.text,
                        "implementation.order\nimplementation.window\nimplementation.chunks\n");
    forget(&a);
}

/* --- property ------------------------------------------------------------------------------------ */

struct named {
    const char *name;
    double factor;
    bool found;
};

static void scale_named(const struct constant *c, void *context) {
    struct named *n = context;
    if (strcmp(c->name, n->name) != 0)
        return;
    c->q->value *= n->factor;
    n->found = true;
}

/* Fills times[8] with the bounds and closed forms of a call of a question. */
static void times_of(const struct inputs *in, const struct topology *t, const struct implementation *how, int strategy,
                     double *times_s) {
    struct call call;
    struct costs costs[1 + RESULT_TREATMENTS];
    struct outcome o;
    char reason[200];
    call_build(t, in->workload, how, in->traffic, (enum strategy)strategy, PHASE_DISPATCH, &call);
    size_t n = costs_known(&call, REGIME_AHEAD, &costs[0], NULL, reason) ? 1 : t->platform->alpha_treatments.n;
    for (size_t i = 0; n > 1 && i < n; i++)
        costs_treatment(&call, i, &costs[i]);
    bound_calls(&call, costs, n, times_s, NULL);
    for (size_t i = 0; i < n; i++) {
        times_s[RESULT_TREATMENTS + i] = 0;
        if (!model_covers(&call))
            continue;
        model_call(&call, &costs[i], &o);
        times_s[RESULT_TREATMENTS + i] = o.time_s;
        outcome_clear(&o);
    }
    call_clear(&call);
}

static bool moves(const struct inputs *in, int strategy, const char *name, double factor) {
    enum { TIMES = 2 * RESULT_TREATMENTS };
    double before[TIMES] = {0}, after[TIMES] = {0};
    struct implementation how = *in->implementation;
    struct platform *copy = constants_copy(in->platform);
    struct named n = {strchr(name, '.') + 1, factor, false};
    struct err e;
    if (strncmp(name, "platform.", 9) == 0)
        constants_visit(copy, scale_named, &n);
    else
        constants_visit_keys(implementation_keys, &how, scale_named, &n);
    assert_true(n.found);
    plat_settle(copy);
    struct topology *t = topo_build(copy);
    assert_ok(implementation_apply(&how, t, &e), &e);
    times_of(in, in->topology, in->implementation, strategy, before);
    times_of(in, t, &how, strategy, after);
    topo_free(t);
    constants_copy_free(copy);
    return memcmp(before, after, sizeof before) != 0;
}

static void check_order(const struct result *r, const char *machine, int strategy) {
    char name[120];
    bool still = false;
    for (const char *at = r->assumed.text; at && *at; at += strcspn(at, "\n") + 1) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\n"), at);
        bool moved = moves(&r->in, strategy, name, 0.9) || moves(&r->in, strategy, name, 1.1);
        if (moved && still)
            fail_msg("%s, %s: %s moves the bound and stands behind one that does not", machine,
                     strategy_name((enum strategy)strategy), name);
        still = still || !moved;
    }
}

/* On every machine, for every strategy: what is listed moves a bound or a closed form, or stands behind all that do. */
static void what_is_listed_moves_the_bound(void **state) {
    (void)state;
    struct find_names names;
    struct study s;
    struct err e;
    int answered = 0;
    find_names(FIND_PLATFORM, &names);
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    for (size_t i = 0; i < names.n; i++)
        for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
            struct question q;
            struct result *r;
            question_init(&q);
            q.platform.name = names.names[i];
            q.workload.name = "terrace-reference";
            q.analytic_only = true;
            q.strategies.items[q.strategies.n++] = strategy;
            assert_ok(question_set(&q, "workload.placement_remainder", "pad", &e), &e);
            if (study_answer(&s, &q, &r, &e) == RC_OK) {
                answered++;
                check_order(r, names.names[i], strategy);
                result_free(r);
            }
            question_clear(&q);
        }
    assert_true(answered > 100);
    study_close(&s);
    find_names_free(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_by_its_loads),
        cmocka_unit_test(alpha_of_every_launch_counts),
        cmocka_unit_test(a_degraded_link_counts),
        cmocka_unit_test(the_heavier_of_two_is_the_weakest),
        cmocka_unit_test(links_count_that_carry_bytes),
        cmocka_unit_test(choices_stand_apart),
        cmocka_unit_test(what_is_listed_moves_the_bound),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
