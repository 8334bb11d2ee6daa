/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/keytable.h"
#include "tests/support/platforms.h"

#include "platforms/find.h"

static struct platform *load_set(const char *name, const char *key, const char *value) {
    struct platform *p;
    struct err e;
    const struct setting s = {key, value};
    assert_ok(plat_load(name, &s, 1, &p, &e), &e);
    return p;
}

/* --- what ships -------------------------------------------------------------------------------- */

static void built_in_platforms(void **state) {
    (void)state;
    struct find_names names;
    find_names(FIND_PLATFORM, &names);
    static const char *const known[] = {
        "alps", "ascend-supernode-pair", "aurora", "aws-p5", "aws-p5en", "aws-p6-b200",
        "aws-p6-b300", "cloudmatrix384", "deepseek-mpft", "dgx-a100", "dgx-h100", "frontier",
        "gaudi3", "gb200-nvl72", "h20", "h800", "hgx-b200", "hgx-b300", "hgx-h200", "lumi-g",
        "mi300x", "mi355x", "perlmutter", "rtx-pro-6000", "synthetic", "synthetic-racks", "terrace-a",
        "terrace-a-boundary", "terrace-a-boundary-12", "terrace-b", "tpu-v5p", "v100-edr"};
    assert_int_equal(names.n, sizeof known / sizeof *known);
    for (size_t i = 0; i < names.n; i++) {
        struct platform *p;
        struct err e;
        assert_string_equal(names.names[i], known[i]);
        assert_ok(plat_load(names.names[i], NULL, 0, &p, &e), &e);
        assert_string_equal(p->name, known[i]);
        assert_int_equal(strlen(p->doc->sha256), 64);
        plat_free(p);
    }
    find_names_free(&names);
    plat_free(NULL);
}

static void the_default_platform(void **state) {
    (void)state;
    struct platform *p = load_set(PLATFORM_DEFAULT, "groups", "8");
    assert_string_equal(p->implementation, "deepep-normal");
    assert_int_equal(plat_ranks(p), 64);
    assert_int_equal(plat_group_of(p, 63), 7);
    assert_int_equal(plat_local_of(p, 62), 6);
    assert_rel(p->tier[TIER_FAST].bandwidth_Bps.value, 450e9, 0);
    assert_int_equal(p->tier[TIER_FAST].bandwidth_Bps.status, STATUS_NOMINAL);
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 50e9, 0);
    assert_rel(plat_hierarchy_ratio(p), 9, 1e-15);
    assert_rel(plat_message_cost_s(p, TIER_SLOW), 55296 / 50e9, 1e-15);
    assert_rel(plat_collective_bandwidth_Bps(p), 50e9, 0);
    assert_false(p->port_bandwidth_Bps.given);
    assert_int_equal(p->alpha.n, 0);
    struct alpha_answer a;
    plat_alpha(p, "nccl-p2p", 64, TIER_SLOW, REGIME_AHEAD, &a);
    assert_false(a.known);
    assert_string_equal(a.reason,
                        "dgx-h100 has no alpha for implementation nccl-p2p, host regime ahead");
    assert_int_equal(p->alpha_treatments.n, 2);
    assert_rel(plat_treatment_alpha_s(p, 0, 64, TIER_SLOW), 0, 0);
    assert_rel(plat_treatment_alpha_s(p, 1, 64, TIER_SLOW), 0.157e-3 + 48 / 112.0 * 0.221e-3,
               1e-12);
    assert_rel(plat_treatment_alpha_s(p, 1, 1, TIER_SLOW), 0, 0);
    plat_free(p);
}

/* The artifact's machines, against its numbers. */
static void the_papers_machines(void **state) {
    (void)state;
    struct platform *p = load_set("terrace-a", "groups", "16");
    assert_rel(p->port_bandwidth_Bps.value, (6 * 112.1 + 185) / 7 * 1e9, 1e-3);
    assert_rel(p->tier[TIER_FAST].bandwidth_Bps.value, 122.4e9, 1e-15);
    assert_rel(plat_message_cost_s(p, TIER_FAST), 0, 0);
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 0.974 * 117.8e9, 1e-15);
    assert_rel(plat_collective_bandwidth_Bps(p), 117.8e9, 1e-15);
    assert_rel(p->ratio_probed.value, 1 / 0.974, 1e-3);
    assert_rel(p->splits_sync_s.low, 0.042e-3, 1e-12);
    const struct plat_alpha *table = p->alpha.items;
    assert_int_equal(table->regime, REGIME_AHEAD);
    static const double alpha_a[][2] = {{2, .090},   {8, .111},   {16, .157},
                                        {128, .378}, {256, .735}, {512, 1.859}};
    assert_int_equal(table->entries.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_rel(plat_alpha_clamped_s(table->entries.items, 6, (int)alpha_a[i][0], TIER_SLOW),
                   alpha_a[i][1] * 1e-3, 1e-12);
    static const double at_512[] = {2.888e-3, 1.859e-3, 0.378e-3, 4.4868e-3};
    assert_int_equal(p->alpha_treatments.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_rel(plat_treatment_alpha_s(p, i, 512, TIER_SLOW), at_512[i], 1e-12);
    plat_free(p);
    p = load_set("terrace-b", "groups", "16");
    static const double alpha_b[][2] = {{8, .130}, {16, .141}, {32, .252}, {64, .231}, {128, .394}};
    table = p->alpha.items;
    for (size_t i = 0; i < 5; i++)
        assert_rel(plat_alpha_clamped_s(table->entries.items, 5, (int)alpha_b[i][0], TIER_SLOW),
                   alpha_b[i][1] * 1e-3, 1e-12);
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 111.9e9, 1e-15);
    plat_free(p);
}

static void the_synthetic_cluster_has_a_ratio(void **state) {
    (void)state;
    struct platform *p = load_set("synthetic", "ratio", "3.2");
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 100e9 / 3.2, 1e-15);
    assert_rel(plat_hierarchy_ratio(p), 3.2, 1e-15);
    struct alpha_answer a;
    plat_alpha(p, "collective-eager", 128, TIER_SLOW, REGIME_AHEAD, &a);
    assert_true(a.known);
    assert_rel(a.time_s, 0.378e-3, 1e-12);
    assert_int_equal(a.status, STATUS_BORROWED); // measured there, borrowed here
    plat_alpha(p, "collective-eager", 256, TIER_SLOW, REGIME_AHEAD, &a);
    assert_false(a.known); // low confidence stays so
    plat_free(p);
    // the slow bandwidth replaces the file's ratio, and the ratio follows
    p = load_set("synthetic", "slow.bandwidth", "25GBps");
    assert_rel(plat_hierarchy_ratio(p), 4, 1e-15);
    assert_false(p->ratio.given);
    plat_free(p);
}

/* --- bad files --------------------------------------------------------------------------------- */

#define FAST(value) HEAD SHAPE "fast:\n  bandwidth: " value "\nslow: {bandwidth: 10GBps}\n"

static void bad_values(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {FAST("450"), RC_UNIT,
         "p.yaml:6:14: bandwidth: '450' has no unit, expected a rate such as 50GBps or 400Gbps"},
        {FAST("50 GB"), RC_UNIT,
         "p.yaml:6:14: bandwidth: '50 GB' is a size, expected a rate such as 50GBps or 400Gbps"},
        {FAST("50GB/s"), RC_UNIT,
         "p.yaml:6:14: bandwidth: '50GB/s': unknown unit 'GB/s', expected a rate such as 50GBps or "
         "400Gbps; "
         "did you mean 'GBps'?"},
        {FAST("-5GBps"), RC_RANGE, "p.yaml:6:14: bandwidth: '-5GBps' is negative"},
        {FAST("0GBps"), RC_RANGE, "p.yaml:6:14: bandwidth: a rate must be above zero"},
        {FAST("1e999GBps"), RC_RANGE, "p.yaml:6:14: bandwidth: '1e999GBps' is not finite"},
        {FAST("inf"), RC_UNIT,
         "p.yaml:6:14: bandwidth: 'inf' is not a rate, expected a number with a unit such as "
         "50GBps or 400Gbps"},
        {FAST("nan GBps"), RC_UNIT,
         "p.yaml:6:14: bandwidth: 'nan GBps' is not a rate, expected a number with a unit such as "
         "50GBps or "
         "400Gbps"},
        {FAST("[1GBps]"), RC_SCHEMA,
         "p.yaml:6:14: bandwidth: found a list, expected a single value"},
        {FAST("&a 1GBps"), RC_SYNTAX, "p.yaml:6:14: anchors are not allowed; write the value out"},
        {FAST("*a"), RC_SYNTAX, "p.yaml:6:14: aliases are not allowed; write the value out"},
        {FAST("{value: 1GBps, status: maesured}"), RC_SCHEMA,
         "p.yaml:6:37: status: 'maesured' is not one of measured, fitted, derived, borrowed, "
         "nominal, assumed, "
         "low-confidence; did you mean 'measured'?"},
        {HEAD "groups: 2GB\nranks_per_group: 4\n" TIERS, RC_UNIT,
         "p.yaml:3:9: groups: '2GB': expected a plain number, without unit"},
        {HEAD "groups: 0\nranks_per_group: 4\n" TIERS, RC_RANGE,
         "p.yaml:3:9: groups: 0 is below the smallest allowed value 1"},
        {HEAD "groups: 2\nranks_per_group: 2.5\n" TIERS, RC_SCHEMA,
         "p.yaml:4:18: ranks_per_group: '2.5' is not a whole number"},
        {GOOD "splits_sync: 5\n", RC_UNIT,
         "p.yaml:7:14: splits_sync: '5' has no unit, expected a time such as 2us or 0s"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_bad);
}

static void bad_structure(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"", RC_SYNTAX, "p.yaml:1:1: the file is empty"},
        {"\x7f"
         "ELF\x02\x01",
         RC_SYNTAX, "p.yaml: not a YAML text: control characters are not allowed at byte 0"},
        {"just words\n", RC_SCHEMA,
         "p.yaml:1:1: found a value, expected keys beginning with 'schema: moesim/platform/1'"},
        {"name: x\n", RC_SCHEMA,
         "p.yaml:1:1: missing key 'schema', expected 'schema: moesim/platform/1'"},
        {"schema: moesim/workload/1\n", RC_SCHEMA,
         "p.yaml:1:9: schema: 'moesim/workload/1' found, expected 'moesim/platform/1'"},
        {GOOD "---\n" GOOD, RC_SYNTAX, "p.yaml:7:1: only one document a file is allowed"},
        {GOOD "groups: 3\n", RC_SYNTAX, "p.yaml:7:1: key 'groups' appears twice, first in line 3"},
        {GOOD "spilts_sync: 1us\n", RC_SCHEMA,
         "p.yaml:7:1: unknown key 'spilts_sync', did you mean 'splits_sync'?"},
        {HEAD SHAPE "fast: {bandwith: 1GBps}\nslow: {bandwidth: 10GBps}\n", RC_SCHEMA,
         "p.yaml:5:8: unknown key 'bandwith', did you mean 'bandwidth'?"},
        {HEAD "ranks_per_group: 4\n" TIERS, RC_SCHEMA,
         "p.yaml:1:1: missing key 'groups' (fast domains)"},
        {HEAD SHAPE "fast: {bandwidth: 1GBps}\n", RC_SCHEMA,
         "p.yaml:1:1: missing key 'slow' (fabric between groups)"},
        {HEAD SHAPE "fast: {latency: 1us}\nslow: {bandwidth: 10GBps}\n", RC_SCHEMA,
         "p.yaml:1:1: missing key 'fast.bandwidth'"},
        {HEAD SHAPE "fast: {bandwidth: 1GBps}\nslow: {latency: 1us}\n", RC_SCHEMA,
         "p.yaml:1:1: missing key 'slow.bandwidth' (or 'ratio')"},
        {HEAD "groups: 1\nranks_per_group: 1\n" TIERS, RC_RANGE,
         "p.yaml:1:1: a platform needs at least 2 ranks"},
        {HEAD "groups: 4096\nranks_per_group: 8\n" TIERS, RC_RANGE,
         "p.yaml:1:1: groups x ranks_per_group is 32768, at most 16384 ranks"},
        {GOOD "ratio: 8\n", RC_SCHEMA,
         "p.yaml:7:8: 'ratio' and 'slow.bandwidth' are both given; give one of them"},
        {HEAD SHAPE
         "fast: {bandwidth: 1GBps, x_half: 1B, message_cost: 1us}\nslow: {bandwidth: 10GBps}\n",
         RC_SCHEMA, "p.yaml:5:34: 'x_half' and 'message_cost' are both given; give one of them"},
        {HEAD SHAPE "fast: {bandwidth: 1GBps, oversubscription: 2}\nslow: {bandwidth: 10GBps}\n",
         RC_SCHEMA, "p.yaml:5:44: 'oversubscription' belongs to tiers between groups"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_bad);
    struct err e;
    struct platform *p = NULL;
    char deep[400] = GOOD "ratio: ";
    memset(deep + strlen(deep), '[', 50);
    assert_fails(load_text(deep, &p, &e), RC_SYNTAX, &e, "p.yaml:7:40: nested too deeply");
}

static void names_that_do_not_exist(void **state) {
    (void)state;
    struct platform *p = NULL;
    struct err e;
    assert_fails(plat_load("dgx-h10", NULL, 0, &p, &e), RC_IO, &e,
                 "no platform named 'dgx-h10', did you mean 'dgx-h100'?");
    assert_fails(plat_load("none.yaml", NULL, 0, &p, &e), RC_IO, &e,
                 "none.yaml: cannot open: No such file or directory");
    assert_fails(plat_load("SOURCES", NULL, 0, &p, &e), RC_IO, &e, "no platform named 'SOURCES'");
    assert_fails(plat_load("", NULL, 0, &p, &e), RC_IO, &e, "no platform named ''");
    assert_null(p);
}

/* --- --set ------------------------------------------------------------------------------------- */

static void settings_override(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    const struct setting s[] = {
        {"slow.bandwidth", "25GBps"}, {"slow.bandwidth", "20GBps"}, {"groups", "4"}};
    assert_ok(plat_load("dgx-h100", s, 3, &p, &e), &e);
    assert_int_equal(p->groups, 4);
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 20e9, 0); // the last one counts
    assert_int_equal(p->tier[TIER_SLOW].bandwidth_Bps.status, STATUS_ASSUMED);
    assert_string_equal(p->tier[TIER_SLOW].bandwidth_Bps.source, "--set");
    plat_free(p);
    p = load_set("dgx-h100", "slow.message_cost", "3us"); // replaces the file's x_half
    assert_rel(plat_message_cost_s(p, TIER_SLOW), 3e-6, 1e-15);
    assert_false(p->tier[TIER_SLOW].x_half_bytes.given);
    plat_free(p);
    p = load_set("dgx-h100", "ratio", "18"); // replaces the file's slow.bandwidth
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 25e9, 1e-15);
    plat_free(p);
}

static void settings_that_fail(void **state) {
    (void)state;
    static const struct {
        struct setting s[2];
        enum rc rc;
        const char *message;
    } bad[] = {
        {{{"slwo.bandwidth", "1GBps"}, {0}},
         RC_SCHEMA,
         "--set: unknown key 'slwo', did you mean 'slow'?"},
        {{{"slow.bandwith", "1GBps"}, {0}},
         RC_SCHEMA,
         "--set: unknown key 'bandwith', did you mean 'bandwidth'?"},
        {{{"slow.bandwidth.x.y", "1GBps"}, {0}},
         RC_SCHEMA,
         "--set: bandwidth: unknown key 'x', expected value, status, source, on, interval or note"},
        {{{"groups.x", "1"}, {0}}, RC_SCHEMA, "--set: 'groups.x': no such key"},
        {{{"slow.bandwidth", "50"}, {0}},
         RC_UNIT,
         "--set: bandwidth: '50' has no unit, expected a rate such as 50GBps or 400Gbps"},
        {{{"groups", "many"}, {0}}, RC_SCHEMA, "--set: groups: 'many' is not a number"},
        {{{"slow", "1GBps"}, {0}}, RC_SCHEMA, "--set: found a value, expected a map of keys"},
        {{{"ratio", "4"}, {"slow.bandwidth", "1GBps"}},
         RC_SCHEMA,
         "--set: 'ratio' and 'slow.bandwidth' are both given; give one of them"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct platform *p = NULL;
        struct err e;
        enum rc rc = plat_load("dgx-h100", bad[i].s, bad[i].s[1].key ? 2 : 1, &p, &e);
        if (rc == RC_OK)
            fail_msg("was accepted: %s=%s", bad[i].s[0].key, bad[i].s[0].value);
        assert_string_equal(e.text, bad[i].message);
        assert_int_equal(rc, bad[i].rc);
    }
}

/* --- queries ----------------------------------------------------------------------------------- */

static void tiers_and_ratios(void **state) {
    (void)state;
    struct platform *p = load_good("collective_bandwidth: 12GBps\n");
    assert_int_equal(plat_widest(p), TIER_SLOW);
    assert_string_equal(p->tier[TIER_SLOW].name, "slow");
    assert_rel(plat_collective_bandwidth_Bps(p), 12e9, 0);
    assert_rel(plat_hierarchy_ratio(p), 10, 1e-15);
    assert_rel(plat_message_cost_s(p, TIER_FAST), 0, 0);
    assert_string_equal(p->implementation, "collective-eager");
    plat_free(p);
    struct err e;
    assert_ok(load_text(HEAD "groups: 1\nranks_per_group: 4\n" TIERS, &p, &e), &e);
    assert_rel(plat_hierarchy_ratio(p), -1, 0);
    assert_rel(plat_collective_bandwidth_Bps(p), 100e9, 0);
    plat_free(p);
    // a ratio is as weak as the bandwidth it is taken of
    assert_ok(load_text(HEAD SHAPE "ratio: {value: 4, status: measured}\n"
                                   "fast: {bandwidth: {value: 8GBps, status: nominal}}\nslow: {}\n",
                        &p, &e),
              &e);
    assert_rel(p->tier[TIER_SLOW].bandwidth_Bps.value, 2e9, 1e-15);
    assert_int_equal(p->tier[TIER_SLOW].bandwidth_Bps.status, STATUS_NOMINAL);
    plat_free(p);
}

/* --- documentation ----------------------------------------------------------------------------- */

static void the_readme_has_the_key_table(void **state) {
    (void)state;
    check_key_table("platforms/README.md", "keys", platform_keys);
}

static void the_schema_is_that_of_the_key_table(void **state) {
    (void)state;
    char *text;
    size_t n;
    struct err e;
    struct buf expected = {0};
    const char *path = TEST_DATA_DIR "/../../platforms/platform.schema.json";
    assert_ok(file_read(path, 1 << 20, &text, &n, &e), &e);
    keys_json_schema(platform_keys, PLATFORM_SCHEMA, &expected);
    bool same = strcmp(text, expected.text) == 0;
    if (!same && getenv("MOESIM_UPDATE_DOCS"))
        assert_ok(file_write(path, expected.text, expected.n, &e), &e);
    else if (!same)
        fail_msg("platforms/platform.schema.json is not what `moesim platform schema` prints; run this test with "
                 "MOESIM_UPDATE_DOCS=1");
    buf_clear(&expected);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_platforms),
        cmocka_unit_test(the_default_platform),
        cmocka_unit_test(the_papers_machines),
        cmocka_unit_test(the_synthetic_cluster_has_a_ratio),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(bad_structure),
        cmocka_unit_test(names_that_do_not_exist),
        cmocka_unit_test(settings_override),
        cmocka_unit_test(settings_that_fail),
        cmocka_unit_test(tiers_and_ratios),
        cmocka_unit_test(the_readme_has_the_key_table),
        cmocka_unit_test(the_schema_is_that_of_the_key_table),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
