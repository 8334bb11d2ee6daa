/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/platforms.h"

/* --- bad tables ------------------------------------------------------------------------------- */

#define ALPHA(entries)                                                                             \
    GOOD "alpha:\n  - implementation: lib\n    " entries "\n" /* the list begins in line 8 */

static void bad_tables(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {ALPHA("entries: [{world: 8, time: 1us}, {world: 4, time: 1us}, {world: 8, time: 2us}]"),
         RC_SCHEMA, "p.yaml:9:78: alpha: world 8 appears twice"},
        {ALPHA("entries: [{world: 1, time: 1us}]"), RC_RANGE,
         "p.yaml:9:23: world: 1 is below the smallest allowed value 2"},
        {ALPHA("entries: [{world: 8, time: 1}]"), RC_UNIT,
         "p.yaml:9:32: time: '1' has no unit, expected a time such as 2us or 0s"},
        {ALPHA("entries: [{world: 8, span: slaw, time: 1us}]"), RC_SCHEMA,
         "p.yaml:9:32: span: 'slaw' found, expected any, fast or slow; did you mean 'slow'?"},
        {ALPHA("entries: [{time: 1us}]"), RC_SCHEMA,
         "p.yaml:9:15: missing key 'world' (ranks in the collective)"},
        {ALPHA("regime: eager"), RC_SCHEMA,
         "p.yaml:9:13: regime: 'eager' found, expected ahead or observed"},
        {ALPHA("includes: latency of the cables"), RC_SCHEMA,
         "p.yaml:9:15: includes: 'latency of the cables' found, expected latency or counts"},
        {ALPHA("includes: [counts, Latency]"), RC_SCHEMA,
         "p.yaml:9:24: includes: 'Latency' found, expected latency or counts; did you mean 'latency'?"},
        {ALPHA("borrow: terrace-a\n    entries: [{world: 8, time: 1us}]"), RC_SCHEMA,
         "p.yaml:9:13: 'borrow' and 'entries' are both given; give one of them"},
        {ALPHA("borrow: terrace-c"), RC_IO,
         "p.yaml:9:13: borrow: no platform named 'terrace-c', did you mean 'terrace-a'? (known: "
         "alps, ascend-supernode-pair, aurora, aws-p5, aws-p5en, aws-p6-b200, aws-p6-b300,"
         " cloudmatrix384, deepseek-mpft, dgx-a100, dgx-h100, frontier, gaudi3, "
         "gb200-nvl72, h20, h800, hgx-b200, hgx-b300, hgx-h200, lumi-g, mi300x, mi355x, "
         "perlmutter, rtx-pro-6000, synthetic, synthetic-racks, terrace-a, terrace-a-boundary, terrace-a-"
         "boundary-12, terrace-b, tpu-v5p, v100-edr"
         "; a file needs a path ending in .yaml)"},
        {ALPHA("borrow: dgx-h100"), RC_SCHEMA,
         "p.yaml:9:13: borrow: platform 'dgx-h100' has no alpha table of its own"},
        {ALPHA("borrow: synthetic"), RC_SCHEMA,
         "p.yaml:9:13: borrow: platform 'synthetic' has no alpha table of its own"},
        {ALPHA("borrow: p.yaml"), RC_SCHEMA, // itself
         "p.yaml:9:13: borrow: platform 'p.yaml' has no alpha table of its own"},
        {ALPHA("regime: ahead\n  - implementation: lib"), RC_SCHEMA,
         "p.yaml:10:21: alpha: two tables for implementation 'lib' and host regime ahead"},
        {GOOD "alpha_treatments:\n  - name: a\n    borrow: dgx-h100\n", RC_SCHEMA,
         "p.yaml:9:13: borrow: platform 'dgx-h100' has no alpha table of its own"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_bad);
    // two files that borrow from each other end, too
    struct err e;
    struct platform *p = NULL;
    folder_put("q.yaml", ALPHA("borrow: p.yaml"));
    assert_fails(load_text(ALPHA("borrow: q.yaml"), &p, &e), RC_SCHEMA, &e,
                 "p.yaml:9:13: borrow: platform 'q.yaml' has no alpha table of its own");
}

/* --- answers ----------------------------------------------------------------------------------- */

static struct alpha_answer ask(const struct platform *p, int world, enum tier span) {
    struct alpha_answer a;
    plat_alpha(p, "lib", world, span, REGIME_AHEAD, &a);
    return a;
}

static void coverage_of_alpha(void **state) {
    (void)state;
    struct platform *p =
        load_good("alpha:\n"
                  "  - implementation: lib\n"
                  "    entries:\n" // not in order
                  "      - {world: 64, time: {value: 6ms, status: fitted}}\n"
                  "      - {world: 8, time: {value: 2ms, status: measured}}\n"
                  "      - {world: 16, time: {value: 4ms, status: measured}}\n"
                  "      - {world: 128, time: {value: 9ms, status: low-confidence}}\n");
    struct alpha_answer a = ask(p, 16, TIER_SLOW);
    assert_true(a.known && !a.interpolated);
    assert_rel(a.time_s, 4e-3, 1e-12);
    assert_int_equal(a.status, STATUS_MEASURED);
    a = ask(p, 12, TIER_FAST);
    assert_true(a.known && a.interpolated);
    assert_rel(a.time_s, 3e-3, 1e-12);
    assert_string_equal(a.reason, "alpha at world 12 interpolated between 8 and 16");
    a = ask(p, 40, TIER_SLOW);
    assert_rel(a.time_s, 5e-3, 1e-12);
    assert_int_equal(a.status, STATUS_FITTED); // the weaker of the two
    a = ask(p, 65, TIER_SLOW);
    assert_false(a.known);
    assert_string_equal(
        a.reason,
        "alpha of lib on x does not cover world 65 over the slow tier: largest entry is 64");
    assert_false(ask(p, 128, TIER_SLOW).known); // low confidence is outside
    a = ask(p, 7, TIER_FAST);
    assert_false(a.known);
    assert_string_equal(
        a.reason,
        "alpha of lib on x does not cover world 7 over the fast tier: smallest entry is 8");
    a = ask(p, 1, TIER_FAST);
    assert_true(a.known);
    assert_rel(a.time_s, 0, 0);
    plat_alpha(p, "lib", 16, TIER_SLOW, REGIME_OBSERVED, &a);
    assert_string_equal(a.reason, "x has no alpha for implementation lib, host regime observed");
    // the clamped rule uses every entry and has an answer everywhere
    const struct plat_alpha *table = p->alpha.items;
    assert_rel(plat_alpha_clamped_s(table->entries.items, 4, 2, TIER_SLOW), 2e-3, 1e-12);
    assert_rel(plat_alpha_clamped_s(table->entries.items, 4, 96, TIER_SLOW), 7.5e-3, 1e-12);
    assert_rel(plat_alpha_clamped_s(table->entries.items, 4, 4096, TIER_SLOW), 9e-3, 1e-12);
    plat_free(p);
}

static void alpha_by_span(void **state) {
    (void)state;
    struct platform *p = load_good("alpha:\n"
                                   "  - implementation: lib\n"
                                   "    entries:\n"
                                   "      - {world: 8, span: slow, time: 4ms}\n"
                                   "      - {world: 8, span: fast, time: 1ms}\n"
                                   "      - {world: 16, span: slow, time: 8ms}\n");
    assert_rel(ask(p, 8, TIER_FAST).time_s, 1e-3, 1e-12);
    assert_rel(ask(p, 8, TIER_SLOW).time_s, 4e-3, 1e-12);
    assert_rel(ask(p, 12, TIER_SLOW).time_s, 6e-3, 1e-12);
    assert_false(ask(p, 12, TIER_FAST).known);
    plat_free(p);
    p = load_good("alpha: [{implementation: lib, entries: [{world: 8, span: slow, time: 4ms}]}]\n");
    assert_string_equal(ask(p, 8, TIER_FAST).reason,
                        "alpha of lib on x does not cover world 8 over the fast tier: no entry");
    plat_free(p);
}

/* An entry of a tier goes before one of any tier, world by world and in any order of the file. */
static void exact_span_goes_first(void **state) {
    (void)state;
    static const char *const entries[] = {"{world: 8, span: any, time: 1us}", "{world: 8, span: slow, time: 900us}",
                                          "{world: 16, span: any, time: 100us}", "{world: 4, span: any, time: 300us}"};
    static const int orders[][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int *o = orders[i];
        char *text = mem_printf("alpha:\n  - implementation: lib\n    entries: [%s, %s, %s, %s]\n"
                                "alpha_treatments:\n  - name: t\n    entries: [%s, %s, %s, %s]\n",
                                entries[o[0]], entries[o[1]], entries[o[2]], entries[o[3]], entries[o[0]],
                                entries[o[1]], entries[o[2]], entries[o[3]]);
        struct platform *p = load_good(text);
        assert_rel(ask(p, 8, TIER_SLOW).time_s, 900e-6, 1e-12);
        assert_rel(ask(p, 8, TIER_FAST).time_s, 1e-6, 1e-12);
        assert_rel(ask(p, 12, TIER_SLOW).time_s, 500e-6, 1e-12); // between 900 and 100
        assert_rel(ask(p, 6, TIER_SLOW).time_s, 600e-6, 1e-12);  // between 300 and 900
        assert_rel(ask(p, 6, TIER_FAST).time_s, 150.5e-6, 1e-12);
        assert_rel(plat_treatment_alpha_s(p, 0, 8, TIER_SLOW), 900e-6, 1e-12);
        assert_rel(plat_treatment_alpha_s(p, 0, 8, TIER_FAST), 1e-6, 1e-12);
        plat_free(p);
        free(text);
    }
    // also where the entry of the tier is outside the coverage
    struct platform *p = load_good("alpha:\n  - implementation: lib\n    entries:\n"
                                   "      - {world: 8, span: any, time: 1us}\n"
                                   "      - {world: 8, span: slow, time: {value: 900us, status: low-confidence}}\n");
    assert_true(ask(p, 8, TIER_FAST).known);
    assert_false(ask(p, 8, TIER_SLOW).known);
    plat_free(p);
}

/* Of several tables the one of the same library, host regime and direction is borrowed, else the first. */
static void borrows_the_table_of_the_same_library(void **state) {
    (void)state;
    folder_put("other.yaml", GOOD "alpha:\n"
                                  "  - {implementation: a, entries: [{world: 8, time: 1us}]}\n"
                                  "  - {implementation: lib, regime: observed, entries: [{world: 8, time: 2us}]}\n"
                                  "  - {implementation: lib, phase: combine, entries: [{world: 8, time: 3us}]}\n"
                                  "  - {implementation: lib, borrow: terrace-a}\n"
                                  "  - {implementation: b, entries: [{world: 8, time: 4us}]}\n");
    static const struct {
        const char *keys;
        double time_s;
    } cases[] = {{"regime: observed", 2e-6},
                 {"phase: combine", 3e-6},
                 {"phase: dispatch", 1e-6},
                 {"phase: any", 1e-6}}; // borrowed there already
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *more = mem_printf("alpha:\n  - {implementation: lib, %s, borrow: other.yaml}\n", cases[i].keys);
        struct platform *p = load_good(more);
        const struct plat_alpha *table = p->alpha.items;
        const struct plat_alpha_entry *entry = table->entries.items;
        assert_rel(entry->time_s.value, cases[i].time_s, 0);
        plat_free(p);
        free(more);
    }
}

/* A borrowed entry keeps its span, by the name that the tier has here too. */
static void borrowed_entries_keep_their_span(void **state) {
    (void)state;
    folder_put("other.yaml", GOOD "alpha:\n  - implementation: lib\n"
                                  "    entries: [{world: 8, span: slow, time: 4ms},\n"
                                  "              {world: 8, span: fast, time: 1ms}]\n");
    struct platform *p = load_good("middle: [{name: rack, joins: 1, bandwidth: 50GBps}]\n"
                                   "alpha: [{implementation: lib, borrow: other.yaml}]\n");
    assert_rel(ask(p, 8, (enum tier)2).time_s, 4e-3, 1e-12);
    assert_rel(ask(p, 8, TIER_FAST).time_s, 1e-3, 1e-12);
    assert_false(ask(p, 8, (enum tier)1).known);
    const struct plat_alpha *table = p->alpha.items;
    const struct plat_alpha_entry *entry = table->entries.items;
    assert_string_equal(entry[1].span_name, "slow");
    plat_free(p);
}

/* What a table says of itself goes before what the borrowed one says. */
static void contents_of_alpha(void **state) {
    (void)state;
    folder_put("other.yaml", ALPHA("includes: latency, counts\n    entries: [{world: 8, time: 1us}]"));
    static const struct {
        const char *table;
        bool latency, counts;
    } cases[] = {{"entries: [{world: 8, time: 1us}]", false, false},
                 {"includes: [latency]\n    note: counts", true, false},
                 {"includes: counts", false, true},
                 {"includes: []", false, false},
                 {"borrow: other.yaml", true, true},
                 {"includes: [counts]\n    borrow: other.yaml", false, true},
                 {"includes: []\n    borrow: other.yaml", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *more = mem_printf("alpha:\n  - implementation: lib\n    %s\n", cases[i].table);
        struct platform *p = load_good(more);
        assert_int_equal(plat_alpha_includes(p, "lib", ALPHA_ANY, REGIME_AHEAD, ALPHA_LATENCY), cases[i].latency);
        assert_int_equal(plat_alpha_includes(p, "lib", ALPHA_ANY, REGIME_AHEAD, ALPHA_COUNTS), cases[i].counts);
        assert_false(plat_alpha_includes(p, "other", ALPHA_ANY, REGIME_AHEAD, ALPHA_LATENCY));
        plat_free(p);
        free(more);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tables),
        cmocka_unit_test(coverage_of_alpha),
        cmocka_unit_test(alpha_by_span),
        cmocka_unit_test(contents_of_alpha),
        cmocka_unit_test(borrowed_entries_keep_their_span),
        cmocka_unit_test(exact_span_goes_first),
        cmocka_unit_test(borrows_the_table_of_the_same_library),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
