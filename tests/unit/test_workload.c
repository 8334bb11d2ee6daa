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

/* --- settings and what a file says ------------------------------------------------------------------ */

static struct workload *load_set(const char *text, const char *key, const char *value) {
    const struct setting set = {key, value};
    struct workload *w;
    struct err e;
    assert_ok(load_text(text, &set, 1, &w, &e), &e);
    return w;
}

#define LISTED "schema: moesim/workload/1\nname: x\ntokens_per_rank: [5, 7]\n" SHAPE "routing: {source: uniform}\n"

/* Of several ways to say how many tokens ranks have, the one that was set holds. */
static void a_set_number_of_tokens_outranks_the_files(void **state) {
    (void)state;
    static const char *const files[] = {LISTED, GOOD "tokens_list: 5, 7\n", GOOD "tokens_file: t\n",
                                        GOOD "tokens_cv: 0.5\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct workload *w = load_set(files[i], "tokens_list", "1000x4");
        assert_string_equal(w->tokens_list, "1000x4");
        assert_true(!w->tokens_file && w->tokens_cv.value <= 0);
        workload_free(w);
        w = load_set(files[i], "tokens_file", "mine");
        assert_string_equal(w->tokens_path, "mine");
        assert_true(!w->tokens_list && w->tokens_cv.value <= 0);
        workload_free(w);
        w = load_set(files[i], "tokens_idle", "0.25");
        assert_rel(w->tokens_idle.value, 0.25, 0);
        assert_true(!w->tokens_list && !w->tokens_file);
        workload_free(w);
        w = load_set(files[i], "tokens_per_rank", "9");
        assert_int_equal(w->tokens_per_rank, 9);
        assert_true(!w->tokens_list && !w->tokens_file);
        workload_free(w);
    }
    struct workload *w = load_set(LISTED, "tokens_list", "1000x4");
    assert_int_equal(w->tokens_per_rank, 7);
    workload_free(w);
    struct err e;
    assert_fails(load_text(GOOD "tokens_list: 5, 7\ntokens_file: t\n", NULL, 0, &w, &e), RC_SCHEMA, &e,
                 "w.yaml:1:1: tokens_list, tokens_file and tokens_cv with tokens_idle are three ways to say the same, "
                 "2 of them are given");
}

static void a_hot_ratio_has_a_hot_rank(void **state) {
    (void)state;
    static const char zipf[] = HEAD SHAPE "routing: {source: synthetic, family: zipf, rho_max: 1.5}\n";
    struct workload *w = load_set(zipf, "routing.hot_ratio", "3");
    assert_false(w->routing.family_given);
    workload_free(w);
    static const struct setting both[] = {{"routing.hot_ratio", "3"}, {"routing.family", "zipf"}};
    struct err e;
    assert_fails(load_text(zipf, both, 2, &w, &e), RC_SCHEMA, &e,
                 "w.yaml:1:1: routing.hot_ratio is the load of one rank: routing.family must be 'hot-rank', found "
                 "'zipf'");
}

static void another_placement_drops_the_files_list(void **state) {
    (void)state;
    struct workload *w = load_set(GOOD "placement: file\nplacement_file: p\n", "placement", "lpt");
    assert_null(w->placement_file);
    workload_free(w);
}

/* Files that say all that can be said together. */
static const char *const sayings[] = {
    GOOD,
    GOOD "description: d\ntokens_list: 5, 7\ndtype: fp8\narrival: {sigma: 1us, late: [{rank: 1, by: 2us}]}\n",
    LISTED,
    HEAD SHAPE "routing: {source: uniform, batch: 3, batch_rows: 4, batch_valid: 2, router_experts: 9, "
               "assign: request, fill: repeat, suspected: drop, zero_weight: drop, pair_sigma: 0.1}\n"
               "tokens_file: t\nplacement: file\nplacement_file: p\nplacement_remainder: pad\n",
    HEAD SHAPE "routing: {source: synthetic, family: dirichlet, rho_max: 1.5, rho_ep: 4, drift: 0.1}\n"
               "tokens_cv: 0.5\ntokens_idle: 0.1\nplacement: eplb\nplacement_slots: 16\nplacement_packing: global\n"
               "capacity_factor: 1.5\ncapacity_policy: pad\n",
    HEAD SHAPE "routing: {source: synthetic, preset: mixed-web, mode: quota_only, draw: expected}\n",
    HEAD SHAPE "routing: {source: synthetic, hot_ratio: 2, mode: full}\ngroup_limit: 2\n",
    HEAD SHAPE "routing: {source: synthetic, exponent: 2, mode: group_limited}\ngroup_limit: 2\n",
    HEAD SHAPE "routing: {source: synthetic, cv: 0.5}\n",
    HEAD SHAPE "routing: {source: trace, trace: t.csv, model: m, corpus: c, layer: 3}\n",
};

/* A valid value that no file above has, and what must come with it. */
static const struct {
    const char *key, *value;
    struct setting with;
} values[] = {{"schema", "moesim/workload/1", {0}},
              {"model", "model.json", {0}},
              {"routing.n_group", "4", {"routing.topk_group", "2"}},
              {"routing.topk_group", "2", {"routing.n_group", "4"}},
              {"placement", "file", {"placement_file", "mine"}},
              {"placement_file", "mine", {"placement", "file"}},
              {"group_limit", "4", {"routing.mode", "full"}},
              {"routing.source", "synthetic", {"routing.rho_max", "1.25"}},
              {"routing.mode", "full", {"group_limit", "4"}},
              {"routing.trace", "mine", {"routing.source", "trace"}},
              {"routing.rho_max", "1.25", {"routing.source", "synthetic"}},
              {"routing.cv", "0.25", {"routing.source", "synthetic"}},
              {"routing.exponent", "1.25", {"routing.source", "synthetic"}},
              {"routing.hot_ratio", "1.25", {"routing.source", "synthetic"}},
              {"routing.preset", "one-domain", {"routing.source", "synthetic"}},
              {"routing.family", "hot-rank", {0}},
              {"routing.batch_rows", "6", {"routing.batch_valid", "5"}},
              {"routing.batch_valid", "6", {"routing.batch_rows", "7"}}};

static const char *value_for(const struct key *key, const char *path, struct setting *with) {
    *with = (struct setting){0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].key, path) == 0) {
            *with = values[i].with;
            return values[i].value;
        }
    size_t last = 0;
    switch (key->kind) {
    case KEY_TEXT:
        return strstr(path, "list") ? "1000x4" : "mine";
    case KEY_COUNT:
        return strcmp(path, "top_k") == 0 ? "2" : "24";
    case KEY_NUMBER:
        return key->min > 0.25 ? "1.25" : "0.25";
    case KEY_TIME:
        return "7us";
    case KEY_CHOICE:
        while (key->choices[last + 1])
            last++;
        return key->choices[last];
    default:
        fail_msg("%s: a kind without a value", path);
        return NULL;
    }
}

static void assert_holds(const struct key *key, const void *field, const char *path, const char *value) {
    char found[80] = "";
    if (key->kind == KEY_TEXT)
        snprintf(found, sizeof found, "%s", *(const char *const *)field ? *(const char *const *)field : "nothing");
    else if (key->kind == KEY_COUNT)
        snprintf(found, sizeof found, "%lld", (long long)*(const int64_t *)field);
    else if (key->kind == KEY_CHOICE)
        snprintf(found, sizeof found, "%s", key->choices[*(const int *)field]);
    else if (key->kind == KEY_TIME)
        snprintf(found, sizeof found, "%gus", ((const struct quantity *)field)->value * 1e6);
    else
        snprintf(found, sizeof found, "%g", ((const struct quantity *)field)->value);
    if (strcmp(found, value) != 0)
        fail_msg("--set %s=%s, but the workload has %s", path, value, found);
}

/* Sets one key over every file; returns how many of them go with it: the others must say why not. */
static int set_over_all(const struct key *key, const char *path, size_t offset) {
    struct setting set[2];
    set[0] = (struct setting){path, value_for(key, path, &set[1])};
    int loaded = 0;
    for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
        struct workload *w;
        struct err e;
        if (load_text(sayings[i], set, set[1].key ? 2 : 1, &w, &e)) {
            assert_true(*e.text);
            continue;
        }
        loaded++;
        assert_holds(key, (const char *)w + offset, path, set[0].value);
        workload_free(w);
    }
    return loaded;
}

static void set_each(const struct key *table, const char *prefix, size_t offset) {
    for (const struct key *key = table; key->name; key++) {
        char path[80];
        snprintf(path, sizeof path, "%s%s", prefix, key->name);
        if (key->kind == KEY_MAP) {
            char deeper[82];
            snprintf(deeper, sizeof deeper, "%s.", path);
            set_each(key->table, deeper, offset + key->offset);
        } else if (key->kind != KEY_LIST && set_over_all(key, path, offset + key->offset) == 0) {
            fail_msg("--set %s goes with no file", path);
        }
    }
}

static void what_is_set_is_what_holds(void **state) {
    (void)state;
    folder_put("model.json", "{\"num_experts\": 8, \"num_experts_per_tok\": 2, \"hidden_size\": 64}");
    set_each(workload_keys, "", 0);
    struct workload *w = load_set(sayings[1], "arrival.late.0.by", "9us");
    assert_rel(((const struct late_rank *)w->arrival.late.items)->by_s.value, 9e-6, 1e-12);
    workload_free(w);
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
        cmocka_unit_test(a_set_number_of_tokens_outranks_the_files),
        cmocka_unit_test(a_hot_ratio_has_a_hot_rank),
        cmocka_unit_test(another_placement_drops_the_files_list),
        cmocka_unit_test(what_is_set_is_what_holds),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
