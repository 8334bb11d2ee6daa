/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/platforms.h"

#include "model/intervals.h"
#include "platforms/constants.h"

/* --- what is visited ----------------------------------------------------------------------------- */

static void list_name(const struct constant *c, void *context) {
    buf_printf(context, "%s%s\n", c->name, c->derived ? " (derived)" : "");
}

#define KINDS                                                                                                          \
    HEAD "groups: 4\nranks_per_group: 2\n"                                                                             \
    "fast: {bandwidth: 100GBps, kind: ring, link_bandwidth: 50GBps, x_half: 1KiB}\n"                                   \
    "middle: [{name: rack, joins: 2, bandwidth: 40GBps, kind: graph, latency: 1us, links: [{from: 0, to: 1, "          \
    "bandwidth: 10GBps, latency: 2us}]}]\n"                                                                            \
    "slow: {nics: 1, nic_bandwidth: 10GBps, message_cost: 1us, oversubscription: 2, shared: [{name: node, ranks: 2, "  \
    "bandwidth: 9GBps}]}\nratio: 4\nratio_probed: 5\nport_bandwidth: 1GBps\ncopy_bandwidth: 2GBps\n"                   \
    "collective_bandwidth: 3GBps\nsplits_sync: 1us\n"                                                                  \
    "degraded: [{link: nic-out-0, factor: 0.5}]\nbackground: [{link: nic-in-0, rate: 1GBps}]\n"                        \
    "alpha:\n  - {implementation: lib, entries: [{world: 8, time: 2us}, {world: 4, time: 1us}]}\n"                     \
    "  - {implementation: lib, regime: observed, phase: combine, entries: [{world: 8, span: rack, time: 3us}]}\n"      \
    "alpha_treatments: [{name: none}, {name: guess, entries: [{world: 4, time: 1us}, {world: 8, time: 5us}]}]\n"

#define KINDS_NAMES                                                                                                    \
    "fast.bandwidth\nfast.x_half\nfast.link_bandwidth\nrack.bandwidth\nrack.latency\nrack.links.0-1.bandwidth\n"       \
    "rack.links.0-1.latency\nslow.bandwidth (derived)\nslow.message_cost\nslow.oversubscription\n"                     \
    "slow.shared.node.bandwidth\nslow.nic_bandwidth\nratio\nport_bandwidth\ncopy_bandwidth\n"                          \
    "collective_bandwidth\nsplits_sync\ndegraded.nic-out-0.factor\nbackground.nic-in-0.rate\n"

static void every_constant_once(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    struct buf names = {0};
    assert_ok(load_text(KINDS, &p, &e), &e);
    constants_visit(p, list_name, &names);
    assert_string_equal(names.text, KINDS_NAMES "alpha.lib.4\nalpha.lib.8\nalpha.lib.observed.combine.rack.8\n"
                                                "alpha_treatments.guess.4\nalpha_treatments.guess.8\n");
    buf_clear(&names);
    plat_free(p);
}

/* Only those entries of alpha are visited that an answer is made of, each once. */
static void only_the_entries_that_answer(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    assert_ok(load_text(KINDS, &p, &e), &e);
    const struct alpha_ask between = {.implementation = "lib", .world = 6, .span = TIER_SLOW},
                           at_end = {.implementation = "lib", .world = 8, .span = TIER_SLOW},
                           host = {.implementation = "lib", .regime = REGIME_OBSERVED, .phase = ALPHA_COMBINE,
                                   .world = 8, .span = (enum tier)1},
                           beyond = {.implementation = "lib", .world = 9, .span = TIER_SLOW},
                           other = {.implementation = "other", .world = 8, .span = TIER_SLOW},
                           alone = {.implementation = "lib", .world = 1, .span = TIER_SLOW},
                           guess = {.treatment = 2, .world = 100, .span = TIER_SLOW},
                           none = {.treatment = 1, .world = 8, .span = TIER_SLOW};
    const struct {
        struct alpha_ask asks[2];
        size_t n;
        const char *names;
    } cases[] = {{{between, at_end}, 2, "alpha.lib.4\nalpha.lib.8\n"},
                 {{at_end, host}, 2, "alpha.lib.8\nalpha.lib.observed.combine.rack.8\n"},
                 {{beyond, other}, 2, ""},
                 {{alone, none}, 2, ""},
                 {{guess}, 1, "alpha_treatments.guess.8\n"},
                 {{at_end}, 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf names = {0};
        char *expected = mem_printf("%s%s", KINDS_NAMES, cases[i].names);
        constants_visit_used(p, cases[i].asks, cases[i].n, list_name, &names);
        assert_string_equal(names.text, expected);
        buf_clear(&names);
        free(expected);
    }
    plat_free(p);
}

/* --- copies -------------------------------------------------------------------------------------- */

static void scale(const struct constant *c, void *context) {
    if (!c->derived)
        c->q->value *= *(const double *)context;
}

static void add_value(const struct constant *c, void *context) {
    *(double *)context += c->q->value;
}

/* Whatever is changed in a copy, lists too, leaves the original as it is; what follows from a ratio follows. */
static void copies_change_alone(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    double twice = 2, before = 0, after = 0, copied = 0;
    assert_ok(load_text(KINDS, &p, &e), &e);
    constants_visit(p, add_value, &before);
    struct platform *copy = constants_copy(p);
    constants_visit(copy, scale, &twice);
    plat_settle(copy);
    constants_visit(p, add_value, &after);
    constants_visit(copy, add_value, &copied);
    assert_rel(after, before, 0);
    assert_rel(p->tier[plat_slow(p)].bandwidth_Bps.value, 25e9, 1e-15);
    assert_rel(copy->tier[plat_slow(p)].bandwidth_Bps.value, 25e9, 1e-15); // twice the fast rate, twice the ratio
    assert_rel(copied - 25e9, 2 * (before - 25e9), 1e-12);
    assert_rel(plat_treatment_alpha_s(copy, 1, 8, TIER_SLOW), 10e-6, 1e-12);
    constants_copy_free(copy);
    constants_copy_free(NULL);
    plat_free(p);
}

/* --- intervals ----------------------------------------------------------------------------------- */

/* No number of constants with an interval is too large, and those in lists have one too. */
static void intervals_have_no_limit(void **state) {
    (void)state;
    enum { WORLDS = 100 };
    struct buf text = {0};
    buf_text(&text, GOOD "degraded: [{link: slow-out-0, factor: {value: 0.5, source: s, interval: [0.4, 0.6]}}]\n"
                         "alpha:\n  - implementation: lib\n    entries:\n");
    for (int world = 2; world < 2 + WORLDS; world++)
        buf_printf(&text, "      - {world: %d, time: {value: %dus, source: s, interval: [1us, 1s]}}\n", world, world);
    struct platform *p;
    struct err e;
    assert_ok(load_text(text.text, &p, &e), &e);
    struct intervals found;
    intervals_find(p, &found);
    assert_int_equal(found.n, WORLDS + 1);
    assert_string_equal(found.inputs[0].name, "degraded.slow-out-0.factor");
    assert_string_equal(found.inputs[WORLDS].name, "alpha.lib.101");
    double values[WORLDS + 1];
    for (int i = 0; i <= WORLDS; i++)
        values[i] = found.inputs[i].low;
    struct platform *low = intervals_apply(p, &found, values);
    const struct plat_alpha *table = low->alpha.items;
    const struct plat_degraded *slowed = low->degraded.items, *original = p->degraded.items;
    assert_rel(plat_alpha_clamped_s(table->entries.items, WORLDS, 101, TIER_SLOW), 1e-6, 1e-12);
    assert_rel(slowed->factor.value, 0.4, 0);
    assert_rel(original->factor.value, 0.5, 0);
    intervals_free(low);
    intervals_clear(&found);
    buf_clear(&text);
    plat_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constant_once),
        cmocka_unit_test(only_the_entries_that_answer),
        cmocka_unit_test(copies_change_alone),
        cmocka_unit_test(intervals_have_no_limit),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
