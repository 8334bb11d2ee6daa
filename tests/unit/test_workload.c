/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/folder.h"
#include "tests/support/keytable.h"

#include "platforms/find.h"
#include "workloads/workload.h"

static enum rc load_text(const char *text, const struct setting *settings, size_t n_settings,
                         struct workload **w, struct err *e) {
    folder_put("w.yaml", text);
    return workload_load("w.yaml", settings, n_settings, w, e);
}

#define HEAD "schema: moesim/workload/1\nname: x\ntokens_per_rank: 16\n" /* lines 1 to 3 */
#define SHAPE "experts: 8\ntop_k: 4\nhidden: 64\n" /* 4 to 6 */
#define GOOD HEAD SHAPE "routing: {source: uniform}\n" /* 7 */

static void built_in_workloads(void **state) {
    (void)state;
    struct find_names names;
    find_names(FIND_WORKLOAD, &names);
    static const char *const known[] = {"deepseek-v3",      "glm-4.5",       "gpt-oss-120b",    "kimi-k2",
                                        "llama-4-maverick", "mixtral-8x22b", "olmoe",           "olmoe-github",
                                        "qwen3-235b-a22b",  "terrace-reference"};
    assert_int_equal(names.n, sizeof known / sizeof *known); // and not SOURCES.yaml
    for (size_t i = 0; i < names.n; i++) {
        struct workload *w;
        struct err e;
        assert_string_equal(names.names[i], known[i]);
        assert_ok(workload_load(names.names[i], NULL, 0, &w, &e), &e);
        assert_string_equal(w->name, known[i]);
        workload_free(w);
    }
    find_names_free(&names);
    workload_free(NULL);
}

static void the_default_workload(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    assert_ok(workload_load(WORKLOAD_DEFAULT, NULL, 0, &w, &e), &e);
    assert_int_equal(w->tokens_per_rank, 4096);
    assert_int_equal(w->experts, 64);
    assert_int_equal(w->top_k, 8);
    assert_int_equal(w->group_limit, 0);
    assert_int_equal(w->hidden, 2048);
    assert_string_equal(workload_dtype_name(w), "bf16");
    assert_rel(workload_element_bytes(w), 2, 0);
    assert_int_equal(w->routing.source, SOURCE_TRACE);
    assert_string_equal(w->routing.model, "olmoe");
    assert_string_equal(w->routing.corpus, "github");
    assert_true(w->routing.layer_given);
    assert_int_equal(w->routing.layer, 1);
    assert_true(file_exists(w->trace_path)); // beside the workload's file
    workload_free(w);
}

static void the_papers_geometry(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    assert_ok(workload_load("terrace-reference", NULL, 0, &w, &e), &e);
    assert_int_equal(w->experts, 128);
    assert_int_equal(w->top_k, 6);
    assert_int_equal(w->group_limit, 2);
    assert_int_equal(w->routing.mode, MODE_FULL);
    assert_int_equal(w->routing.draw, DRAW_EXPECTED);
    assert_null(w->trace_path);
    workload_free(w);
}

static void defaults(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    assert_ok(load_text(GOOD, NULL, 0, &w, &e), &e);
    assert_string_equal(workload_dtype_name(w), "bf16");
    assert_int_equal(w->routing.mode, MODE_GLOBAL_TOPK);
    assert_int_equal(w->routing.draw, DRAW_SAMPLED);
    assert_false(w->routing.layer_given);
    assert_int_equal(w->group_limit, 0);
    workload_free(w);
    static const struct {
        const char *name;
        double bytes;
    } types[] = {{"bf16", 2}, {"fp16", 2}, {"fp8", 1}, {"fp32", 4}};
    for (size_t i = 0; i < 4; i++) {
        const struct setting s = {"dtype", types[i].name};
        assert_ok(load_text(GOOD, &s, 1, &w, &e), &e);
        assert_rel(workload_element_bytes(w), types[i].bytes, 0);
        workload_free(w);
    }
}

static void traces_lie_where_they_are_named(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    const struct setting s[] = {{"routing.trace", "here.npy"}, {"routing.layer", "0"}};
    const char *text =
        HEAD SHAPE "routing: {source: trace, trace: a/b.csv, model: m, corpus: c, layer: 3}\n";
    assert_ok(load_text(text, NULL, 0, &w, &e), &e);
    assert_string_equal(w->trace_path, "a/b.csv"); // w.yaml has no folder in its name
    assert_string_equal(w->routing.model, "m");
    workload_free(w);
    char *path = mem_printf("%s/w.yaml", test_folder.path);
    assert_ok(workload_load(path, NULL, 0, &w, &e), &e);
    assert_string_equal(w->trace_path + strlen(test_folder.path), "/a/b.csv");
    workload_free(w);
    // another trace: relative to the current folder, and the old one's selection is gone
    assert_ok(workload_load(path, s, 1, &w, &e), &e);
    assert_string_equal(w->trace_path, "here.npy");
    assert_null(w->routing.model);
    assert_null(w->routing.corpus);
    assert_false(w->routing.layer_given);
    workload_free(w);
    assert_ok(workload_load(path, s, 2, &w, &e), &e);
    assert_true(w->routing.layer_given); // given with it
    assert_int_equal(w->routing.layer, 0);
    workload_free(w);
    free(path);
}

static enum rc load_bad(const char *text, struct err *e) {
    struct workload *x = NULL;
    enum rc rc = load_text(text, NULL, 0, &x, e);
    assert_true(rc == RC_OK || !x);
    return rc;
}

static void bad_workloads(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"schema: moesim/platform/1\n", RC_SCHEMA,
         "w.yaml:1:9: schema: 'moesim/platform/1' found, expected 'moesim/workload/1'"},
        {"[]", RC_SCHEMA,
         "w.yaml:1:1: found a list, expected keys beginning with 'schema: moesim/workload/1'"},
        {HEAD SHAPE, RC_SCHEMA, "w.yaml:1:1: missing key 'routing' (which experts tokens choose)"},
        {GOOD "hiden: 3\n", RC_SCHEMA, "w.yaml:8:1: unknown key 'hiden', did you mean 'hidden'?"},
        {HEAD "experts: 8\ntop_k: 9\nhidden: 64\nrouting: {}\n", RC_RANGE,
         "w.yaml:1:1: top_k 9 is above experts 8; a token chooses distinct experts"},
        {HEAD "experts: 8\ntop_k: 0\nhidden: 64\nrouting: {}\n", RC_RANGE,
         "w.yaml:5:8: top_k: 0 is below the smallest allowed value 1"},
        {HEAD "experts: 8\ntop_k: 4\nhidden: 64KiB\nrouting: {}\n", RC_UNIT,
         "w.yaml:6:9: hidden: '64KiB': expected a plain number, without unit"},
        {GOOD "dtype: bf32\n", RC_SCHEMA,
         "w.yaml:8:8: dtype: 'bf32' found, expected bf16, fp16, fp8 or fp32; did you mean 'bf16'?"},
        {GOOD "group_limit: some\n", RC_SCHEMA,
         "w.yaml:8:14: group_limit: 'some' found, expected a whole number or 'none'"},
        {HEAD SHAPE "routing: {mode: full}\n", RC_SCHEMA,
         "w.yaml:1:1: routing.mode 'full' needs group_limit"},
        {HEAD SHAPE "routing: {mode: full}\ngroup_limit: 3\n", RC_RANGE,
         "w.yaml:1:1: group_limit 3 does not divide top_k 4"},
        {GOOD "group_limit: 2\n", RC_SCHEMA,
         "w.yaml:1:1: group_limit 2 needs routing.mode 'full' or 'group_limited'; global_topk has no limit"},
        {HEAD SHAPE "routing: {source: trace}\n", RC_SCHEMA,
         "w.yaml:1:1: routing.source is 'trace', but routing.trace is missing"},
        {HEAD SHAPE "routing: {mode: group_limited, draw: expected}\ngroup_limit: 2\n", RC_SCHEMA,
         "w.yaml:1:1: routing.mode 'group_limited' has no closed form: use routing.draw 'sampled'"},
        {HEAD SHAPE "routing: {source: synthetic}\n", RC_SCHEMA,
         "w.yaml:1:1: routing.source 'synthetic' with 0 targets, expected one of rho_max, cv, exponent, "
         "hot_ratio and preset"},
        {HEAD SHAPE "routing: {source: synthetic, rho_max: 2, cv: 1}\n", RC_SCHEMA,
         "w.yaml:1:1: routing.source 'synthetic' with 2 targets, expected one of rho_max, cv, exponent, "
         "hot_ratio and preset"},
        {HEAD SHAPE "routing: {rho_max: 2}\n", RC_SCHEMA,
         "w.yaml:1:1: routing.rho_max, cv, exponent, hot_ratio or preset is given, but routing.source is "
         "'uniform'"},
        {GOOD "placement: file\n", RC_SCHEMA,
         "w.yaml:1:1: placement 'file' and placement_file go together"},
        {"schema: moesim/workload/1\nname: x\ntokens_per_rank: [1, x]\n" SHAPE "routing: {}\n", RC_SCHEMA,
         "w.yaml:3:22: tokens_per_rank: 'x' is not a number of tokens"},
        {HEAD SHAPE "routing: {source: uniform, layer: -1}\n", RC_RANGE,
         "w.yaml:7:35: layer: -1 is below the smallest allowed value 0"},
        {HEAD SHAPE "routing: {source: unifrom}\n", RC_SCHEMA,
         "w.yaml:7:19: source: 'unifrom' found, expected uniform, trace or synthetic; did you mean "
         "'uniform'?"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_bad);
}

static void settings(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    const struct setting good[] = {{"tokens_per_rank", "8192"}, {"routing.draw", "expected"}};
    assert_ok(workload_load("olmoe-github", good, 2, &w, &e), &e);
    assert_int_equal(w->tokens_per_rank, 8192);
    assert_int_equal(w->routing.draw, DRAW_EXPECTED);
    workload_free(w);
    const struct setting skew[] = {{"routing.source", "synthetic"}, {"routing.rho_max", "2"}};
    assert_ok(workload_load("olmoe-github", skew, 2, &w, &e), &e);
    assert_int_equal(w->routing.source, SOURCE_SYNTHETIC);
    assert_null(w->trace_path); // the file's own trace went with its source
    workload_free(w);
    const struct setting bad = {"routing.lyer", "1"};
    assert_fails(workload_load("olmoe-github", &bad, 1, &w, &e), RC_SCHEMA, &e,
                 "--set: unknown key 'lyer', did you mean 'layer'?");
    assert_fails(workload_load("olmo-github", NULL, 0, &w, &e), RC_IO, &e,
                 "no workload named 'olmo-github', did you mean 'olmoe-github'?");
}

static void the_readme_has_the_key_table(void **state) {
    (void)state;
    check_key_table("workloads/README.md", "keys workload", workload_keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_workloads),
        cmocka_unit_test(the_default_workload),
        cmocka_unit_test(the_papers_geometry),
        cmocka_unit_test(defaults),
        cmocka_unit_test(traces_lie_where_they_are_named),
        cmocka_unit_test(bad_workloads),
        cmocka_unit_test(settings),
        cmocka_unit_test(the_readme_has_the_key_table),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
