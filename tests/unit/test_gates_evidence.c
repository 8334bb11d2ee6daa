/* SPDX-License-Identifier: BSD-3-Clause */
/* Evidence that is altered, missing or unreadable withdraws; gates and corpora of the user. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "gates/licence.h"
#include "platforms/base/hash.h"
#include "validation/corpus.h"
#include "validation/gate_run.h"

static void shell(const char *format, const char *folder) {
    char *command = mem_printf(format, folder);
    assert_int_equal(system(command), 0);
    free(command);
}

static char *scratch(void) {
    char *folder = mem_copy("/tmp/moesim-gates-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

/* State of one gate and of capabilities with $MOESIM_DATA_DIR as it is. */
static enum gate_state state_of(const char *id, const char *folder, struct gate_run *run) {
    const struct gate_run_options options = {.analytic_only = true, .folder = folder};
    struct err e;
    assert_ok(gate_run(&options, run, &e), &e);
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->results[i].gate->id, id) == 0)
            return run->results[i].state;
    fail_msg("no gate %s", id);
    return GATE_FAILED;
}

static void evidence_that_is_not_intact_withdraws(void **state) {
    (void)state;
    static const struct {
        const char *harm; /* a shell command on the copy of the data */
        const char *gate;
    } all[] = {{"sed -i 's/0.1870, 6/0.1871, 6/; s/0.187, 6/0.188, 6/' %s/validation/measured/c4_machine_a_w16.yaml",
                "tier1b-c4"},
               {"rm %s/validation/measured/c2_machine_a_w128.yaml", "tier1b-c2"},
               {"echo 'rows: [' > %s/validation/measured/c1_tier1.yaml", "tier1"},
               {"echo '# a comment is a change' >> %s/validation/measured/c3_machine_b.yaml", "tier1b-c3"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *folder = scratch();
        char *copy = mem_printf("cp -r %s/../../platforms %s/../../workloads %s/../../validation %%s",
                                TEST_DATA_DIR, TEST_DATA_DIR, TEST_DATA_DIR);
        shell(copy, folder);
        free(copy);
        setenv("MOESIM_DATA_DIR", folder, 1);
        struct gate_run run;
        assert_int_equal(state_of(all[i].gate, NULL, &run), GATE_PASSED);
        gate_run_clear(&run);
        shell(all[i].harm, folder);
        assert_int_equal(state_of(all[i].gate, NULL, &run), GATE_NOT_EVALUATED);
        struct licences *l = licences_decide(run.results, run.n);
        assert_int_equal(licence_state(licences_get(l, CAP_EXTRAPOLATION)), CAPABILITY_WITHDRAWN);
        assert_int_equal(licence_state(licences_get(l, CAP_BREAKEVEN)), CAPABILITY_WITHDRAWN);
        licences_free(l);
        gate_run_clear(&run);
        // from outside: no ratio, exit 3, nothing on stdout; gates --check notices
        struct buf out = {0};
        assert_int_equal(program_text("breakeven --platform synthetic --workload terrace-reference", &out), 3);
        assert_int_equal(out.n, 0);
        assert_int_equal(program_text("gates --analytic-only --check", &out), 3);
        // at a ratio that nobody measured there is no gain on call times either, but there are wire times
        struct yaml_doc *d;
        assert_int_equal(program_run("simulate --platform synthetic --workload terrace-reference "
                                     "--set platform.groups=2 --set workload.experts=16 --format json", &d), 0);
        assert_string_equal(program_at(d, "gain.dispatch")->text, "null");
        assert_non_null(strstr(program_at(d, "gain.withdrawn.dispatch")->text, all[i].gate));
        assert_true(program_number(d, "gain.wire.dispatch") > 0);
        yaml_doc_free(d);
        buf_clear(&out);
        unsetenv("MOESIM_DATA_DIR");
        shell("rm -r %s", folder);
        free(folder);
    }
}

static void call_time_opens_in_scope_only(void **state) {
    (void)state;
    // 16 ranks, 4096 x 2 rows of 4 KiB: 32 MiB in each send buffer, inside C4
    const char *question = "simulate --platform terrace-a --workload terrace-reference --set "
                           "platform.groups=2 --set workload.experts=16 --set workload.top_k=2 "
                           "--set workload.group_limit=none --set workload.routing.mode=global_topk "
                           "--format json";
    struct yaml_doc *d;
    assert_int_equal(program_run(question, &d), 0);
    assert_string_equal(program_at(d, "calls.0.conditional")->text, "false"); // one hop
    assert_string_equal(program_at(d, "calls.1.conditional")->text, "true");  // two hops
    assert_true(program_number(d, "calls.1.time_s") > 0); // conditional is still a number
    yaml_doc_free(d);
    // other constants, skew, another host regime, ranks that come late: nobody measured these
    static const char *const outside[] = {"--set platform.splits_sync=0s", "--set workload.routing.rho_max=1.5",
                                          "--host observed", "--set workload.arrival.sigma=10us"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        char *changed = mem_printf("%s %s", question, outside[i]);
        assert_int_equal(program_run(changed, &d), 0);
        if (strcmp(program_at(d, "calls.0.conditional")->text, "true") != 0)
            fail_msg("%s: not conditional", outside[i]);
        yaml_doc_free(d);
        free(changed);
    }
    char *both = mem_printf("%s --strategy one-hop --phase both", question);
    assert_int_equal(program_run(both, &d), 0);
    assert_string_equal(program_at(d, "calls.0.phase")->text, "dispatch");
    assert_string_equal(program_at(d, "calls.0.conditional")->text, "false");
    assert_string_equal(program_at(d, "calls.1.phase")->text, "combine");
    assert_string_equal(program_at(d, "calls.1.conditional")->text, "true");
    yaml_doc_free(d);
    free(both);
}

/* --- the user's own ------------------------------------------------------------------------------ */

static const char corpus_text_of_the_user[] =
    "schema: moesim/corpus/1\nname: mine\nmachine: my-cluster\nimplementation: collective-eager\n"
    "kind: %s\nsupports: a test\nconditions: a test\norigin: a test\nlicence: facts\n"
    "columns:\n  - {name: world, unit: count}\n  - {name: total_bytes, unit: MiB}\n"
    "  - {name: time, unit: ms}\n"
    "rows:\n%s";
static const char platform_of_the_user[] =
    "schema: moesim/platform/1\nname: my-cluster\nimplementation: collective-eager\ngroups: 1\n"
    "ranks_per_group: 4\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n"
    "alpha:\n  - implementation: collective-eager\n    entries: [{world: 4, time: 0.1ms}]\n";
/* alpha 0.1 ms, 3/4 of the bytes at 100 GB/s: 1, 64 MiB */
static const char rows_right[] = "  - [4, 1, 0.107864]\n  - [4, 64, 0.603316]\n";
static const char rows_wrong[] = "  - [4, 1, 0.3]\n  - [4, 64, 1.8]\n";

static void put_in(const char *folder, const char *name, const char *text) {
    char *path = mem_printf("%s/%s", folder, name);
    put_file(path, text);
    free(path);
}

/* Corpus, platform and gate of the user; sha256 is the corpus' unless given. */
static void write_own(const char *folder, const char *corpus_kind, const char *rows,
                      const char *withdraws, const char *sha256) {
    char *corpus = mem_printf(corpus_text_of_the_user, corpus_kind, rows), found[HASH_TEXT];
    hash_bytes(corpus, strlen(corpus), found);
    char *gate = mem_printf(
        "schema: moesim/gate/1\nid: mine-w4\nkind: test\nclaim: my sweep\nestimand: all-to-all\n"
        "corpus: mine\nsha256: %s\nplatform: my_cluster.yaml\nmachine: my-cluster\n"
        "registration: before the sweep\nwithdraws: %s\n"
        "scope: {implementation: collective-eager, strategy: one-hop, world_min: 4, world_max: 4,\n"
        "        bytes_min: 1MiB, bytes_max: 64MiB}\n"
        "limits:\n  - {metric: median_abs_error, at_most: 0.12}\n",
        sha256 ? sha256 : found, withdraws);
    put_in(folder, "mine.yaml", corpus);
    put_in(folder, "mine_w4.yaml", gate);
    put_in(folder, "my_cluster.yaml", platform_of_the_user);
    free(corpus);
    free(gate);
}

static void a_gate_of_the_user_decides_for_its_machine(void **state) {
    (void)state;
    static const struct {
        const char *kind, *rows, *sha256;
        enum gate_state gate;
        const char *conditional;
        enum capability_state breakeven;
    } all[] = {{"test", rows_right, NULL, GATE_PASSED, "false", CAPABILITY_OPEN},
               {"test", rows_wrong, NULL, GATE_FAILED, "true", CAPABILITY_WITHDRAWN},
               {"fit", rows_right, NULL, GATE_NOT_EVALUATED, "true", CAPABILITY_WITHDRAWN},
               {"test", rows_right, "0000", GATE_NOT_EVALUATED, "true", CAPABILITY_WITHDRAWN}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *folder = scratch();
        struct gate_run run;
        write_own(folder, all[i].kind, all[i].rows, "call_time absolute_time breakeven", all[i].sha256);
        if (state_of("mine-w4", folder, &run) != all[i].gate)
            fail_msg("case %zu: %s", i, run.results[run.n - 1].reason);
        struct licences *l = licences_decide(run.results, run.n);
        const struct gate_scope mine = {.machine = "my-cluster"}, other = {.machine = "terrace-a"};
        assert_int_equal(licence_state(licences_for(l, CAP_BREAKEVEN, &mine)), all[i].breakeven);
        assert_int_equal(licence_state(licences_for(l, CAP_BREAKEVEN, &other)), CAPABILITY_OPEN);
        licences_free(l);
        gate_run_clear(&run);
        char *question = mem_printf(
            "simulate --corpus %s --platform %s/my_cluster.yaml --workload terrace-reference --strategy "
            "one-hop --set workload.group_limit=none --set workload.routing.mode=global_topk --set "
            "workload.experts=16 --set workload.top_k=2 --set workload.tokens_per_rank=1024 --format json",
            folder, folder);
        struct yaml_doc *d;
        assert_int_equal(program_run(question, &d), 0);
        assert_string_equal(program_at(d, "calls.0.conditional")->text, all[i].conditional);
        yaml_doc_free(d);
        free(question);
        shell("rm -r %s", folder);
        free(folder);
    }
}

/* Corpora of packet-level times need no gate file; one that does not hold takes the allowance away. */
static void a_packet_corpus_of_the_user_is_scored(void **state) {
    (void)state;
    static const struct {
        const char *change; /* of the shipped corpus, by sed */
        int code;
        const char *outcome, *capability;
    } all[] = {{"s/^name: packet/name: mine/", 0, "passed", "conditional"},
               {"s/^name: packet/name: mine/; s/time_us: .11.555./time_us: [1.555]/", 0, "FAILED", "withdrawn"},
               {"s/^name: packet/name: mine/; s/fluid_us: 9.318/fluid_us: 9.4/", 0, "FAILED", "withdrawn"},
               {"s/^name: packet/name: mine/; s/hot: 0,/hot: 99,/", 1, "", ""}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *folder = scratch();
        char *make = mem_printf("sed '%s' %s/../../validation/measured/packet/packet.yaml > %s/mine.yaml",
                                all[i].change, TEST_DATA_DIR, folder);
        assert_int_equal(system(make), 0);
        char *ask = mem_printf("gates --corpus %s | grep -E '^(mine|allowance) '", folder);
        struct buf out = {0};
        program_text(ask, &out);
        assert_true(!*all[i].outcome || (strstr(out.text, all[i].outcome) && strstr(out.text, all[i].capability)));
        char *plain = mem_printf("gates --analytic-only --corpus %s", folder);
        assert_int_equal(program_text(plain, NULL), all[i].code);
        buf_clear(&out);
        free(plain);
        free(ask);
        free(make);
        shell("rm -r %s", folder);
        free(folder);
    }
}

static void the_step_level_is_not_for_users_to_open(void **state) {
    (void)state;
    static const char *const capabilities[] = {"step_time", "call_time throughput",
                                               "worlds_above_coverage", "no_such_thing"};
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        char *folder = scratch();
        struct gate_run run;
        struct err e;
        write_own(folder, "test", rows_right, capabilities[i], NULL);
        const struct gate_run_options options = {.analytic_only = true, .folder = folder};
        assert_int_equal(gate_run(&options, &run, &e), RC_SCHEMA);
        assert_non_null(strstr(e.text, "mine_w4.yaml"));
        char *question = mem_printf("gates --analytic-only --corpus %s", folder);
        struct buf out = {0};
        assert_int_equal(program_text(question, &out), 1);
        assert_int_equal(out.n, 0);
        buf_clear(&out);
        free(question);
        shell("rm -r %s", folder);
        free(folder);
    }
}

static void every_shipped_corpus_reads(void **state) {
    (void)state;
    static const char *const names[] = {
        "alpha-above-128",   "boundary-sweep",  "c1-tier1",           "c2-machine-a-w128",
        "c3-machine-b",      "c4-machine-a-w16", "c5-machine-a-w8",   "chain-live",
        "chain-rows-august", "chain-rows-september", "chain-widths-august", "chain-widths-september",
        "contention",        "g1-geometries",   "host-regime",        "launch-payload",
        "launch-scan",       "one-sided",       "peer-sweep",         "phase-collectives",
        "phase-dispatch",    "two-hop-measured", "world128-across"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct corpus *c;
        struct err e;
        assert_ok(corpus_load(NULL, names[i], &c, &e), &e);
        assert_string_equal(c->name, names[i]);
        assert_string_equal(c->licence, "facts");
        assert_true(c->n_rows > 1);
        corpus_free(c);
    }
}

static void a_corpus_says_where_it_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *rows, *message;
    } all[] = {{"  - [4, 1]\n", "found 2 cells, expected 3"},
               {"  - [4, 1, fast]\n", "'fast' found, expected a number in ms"},
               {"  - [4, 1, \"0.1\"]\n", "expected a number in ms"},
               {"  - [4, [1], 0.1]\n", "expected a single value"},
               {"  []\n", "at least one row"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *folder = scratch();
        char *text = mem_printf(corpus_text_of_the_user, "test", all[i].rows);
        put_in(folder, "mine.yaml", text);
        struct corpus *c;
        struct err e;
        assert_int_equal(corpus_load(folder, "mine", &c, &e), RC_SCHEMA);
        if (!strstr(e.text, all[i].message) || !strstr(e.text, "mine.yaml:"))
            fail_msg("%s", e.text);
        free(text);
        shell("rm -r %s", folder);
        free(folder);
    }
}

static void readme_has(const char *file, const char *name, const struct key *table) {
    char *path = mem_printf("%s/../../%s", TEST_DATA_DIR, file), *text;
    size_t n;
    struct err e;
    struct buf expected = {0};
    assert_ok(file_read(path, 1 << 20, &text, &n, &e), &e);
    buf_printf(&expected, "<!-- keys: %s -->\n", name);
    keys_markdown(table, &expected);
    buf_text(&expected, "<!-- /keys -->\n");
    if (!strstr(text, expected.text))
        fail_msg("%s lacks the key table, which is\n%s", file, expected.text);
    buf_clear(&expected);
    free(text);
    free(path);
}

static void the_readmes_have_the_key_tables(void **state) {
    (void)state;
    readme_has("gates/README.md", "gate", gate_file_keys);
    readme_has("validation/README.md", "corpus", corpus_keys);
}

/* The step level, whatever else is asked: exit 3 and nothing on stdout. */
static void no_path_leads_to_a_step_time(void **state) {
    (void)state;
    static const char *const ways[] = {
        "simulate --level step",
        "simulate --level step --format json",
        "simulate --level step --format csv",
        "compare --level step --format json",
        "compare --level step --analytic-only",
        "simulate --level step --phase round-trip --platform terrace-a --workload terrace-reference",
        "simulate --level call --level step --set platform.groups=2"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct buf out = {0};
        if (program_text(ways[i], &out) != 3 || out.n)
            fail_msg("%s: %s", ways[i], out.n ? out.text : "exit code");
        buf_clear(&out);
    }
    // nor is there a key for it to set, or a number under its name in a result
    struct buf out = {0};
    assert_int_equal(program_text("simulate --set workload.level=step", &out), 1);
    assert_int_equal(program_text("simulate --set workload.micro_batches=4", &out), 1);
    assert_int_equal(out.n, 0);
    assert_int_equal(program_text("simulate --set platform.groups=2 --format json", &out), 0);
    assert_null(strstr(out.text, "\"step_time\":"));
    assert_null(strstr(out.text, "\"step_s\":"));
    assert_null(strstr(out.text, "\"throughput\":"));
    assert_non_null(strstr(out.text, "\"id\": \"step_time\""));
    buf_clear(&out);
}

/* What is written beside a result is not written either, nor does a sweep have a step level. */
static void no_file_holds_a_step_time(void **state) {
    (void)state;
    char *made = scratch(), *spec = mem_printf("%s/spec.yaml", made), *out = mem_printf("%s/out.jsonl", made);
    char *html = mem_printf("%s/page.html", made), *trace = mem_printf("%s/trace.json", made);
    put_file(spec, "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"
                   "set: {platform.groups: 4, platform.ranks_per_group: 2}\nlevel: step\n"
                   "axes: [{key: platform.ratio, values: [4]}]\n");
    char *sweep = mem_printf("sweep %s -o %s", spec, out);
    struct buf text = {0};
    assert_int_equal(program_text(sweep, &text), 1);
    assert_false(file_exists(out));
    char *beside = mem_printf("simulate --level step --html %s --timeline %s", html, trace);
    assert_int_equal(program_text(beside, &text), 3);
    assert_false(file_exists(html));
    assert_false(file_exists(trace));
    assert_int_equal(text.n, 0);
    unlink(spec);
    assert_int_equal(rmdir(made), 0); // nothing else was left behind
    buf_clear(&text);
    free(beside);
    free(sweep);
    free(trace);
    free(html);
    free(out);
    free(spec);
    free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_that_is_not_intact_withdraws),
        cmocka_unit_test(call_time_opens_in_scope_only),
        cmocka_unit_test(a_gate_of_the_user_decides_for_its_machine),
        cmocka_unit_test(a_packet_corpus_of_the_user_is_scored),
        cmocka_unit_test(the_step_level_is_not_for_users_to_open),
        cmocka_unit_test(every_shipped_corpus_reads),
        cmocka_unit_test(a_corpus_says_where_it_is_wrong),
        cmocka_unit_test(the_readmes_have_the_key_tables),
        cmocka_unit_test(no_path_leads_to_a_step_time),
        cmocka_unit_test(no_file_holds_a_step_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
