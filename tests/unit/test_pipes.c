/* SPDX-License-Identifier: BSD-3-Clause */
/* Every file may be a pipe: what comes out is what the file itself gives. */
#include "tests/support/program.h"

static const char *const trace = TEST_DATA_DIR "/routing/olmoe_mixtral_expert_counts.csv";

/* Runs a line of bash in which $m is the program, $d the folder of test data and $w the folder of workloads. */
static char *run(const char *line) {
    struct buf out = {0};
    char *command = mem_printf("m=%s d=%s w=%s bash -c '%s' 2>&1", MOESIM_BINARY, TEST_DATA_DIR,
                               TEST_DATA_DIR "/../../workloads", line);
    int code = program_shell(command, &out);
    if (code)
        print_error("%s: %s\n", line, out.text ? out.text : "");
    assert_int_equal(code, 0);
    free(command);
    return out.text;
}

static void same(const char *file, const char *pipe) {
    char *a = run(file), *b = run(pipe);
    assert_string_equal(a, b);
    assert_true(strlen(a) > 0);
    free(a);
    free(b);
}

static void records_come_out_of_pipes(void **state) {
    (void)state;
    assert_true(file_exists(trace));
    same("$m workload show --trace $w/traces/olmoe_github_counts.csv",
         "cat $w/traces/olmoe_github_counts.csv | $m workload show --trace /dev/stdin");
    same("$m workload show --trace $d/routing/npy_i8_c_v1.npy",
         "$m workload show --trace - <$d/routing/npy_i8_c_v1.npy");
    same("$m workload show --trace $d/routing/npy_i8_c_v1.npy",
         "$m workload show --trace <(cat $d/routing/npy_i8_c_v1.npy)");
}

/* 4,096 rows are longer than any first block. */
static void no_row_of_a_log_is_lost(void **state) {
    (void)state;
    char *text = run("for i in {1..512}; do for k in {0..7}; do "
                     "echo \"{\\\"topk_ids\\\":[$k,$((k+8*(1+i%7)))]}\"; done; done | $m workload show --experts 64 "
                     "--top-k 2 --trace - --format json");
    struct yaml_doc *doc;
    struct err e;
    assert_ok(yaml_parse(text, strlen(text), "t", &doc, &e), &e);
    assert_near(program_number(doc, "layers.0.tokens"), 4096, 0);
    yaml_doc_free(doc);
    free(text);
}

static void inputs_of_a_question_come_out_of_pipes(void **state) {
    (void)state;
    const char *what = "$m simulate --format csv --workload terrace-reference --set workload.tokens_per_rank=64";
    char *file = mem_printf("%s --platform $d/placement/two_by_two.yaml --set workload.experts=8 --set "
                            "workload.group_limit= --set workload.routing.mode=global_topk", what);
    char *pipe = mem_printf("cat $d/placement/two_by_two.yaml | %s --platform - --set workload.experts=8 --set "
                            "workload.group_limit= --set workload.routing.mode=global_topk", what);
    same(file, pipe);
    free(file);
    free(pipe);
}

static void a_report_comes_out_of_a_pipe(void **state) {
    (void)state;
    char *page = run("f=$(mktemp); $m simulate --set workload.tokens_per_rank=64 --format json >$f && "
                     "$m report $f -o $f.a >/dev/null && cat $f | "
                     "$m report /dev/stdin -o $f.b >/dev/null && wc -c <$f.a && wc -c <$f.b; "
                     "rm -f $f $f.a $f.b");
    char *rest;
    long a = strtol(page, &rest, 10), b = strtol(rest, &rest, 10);
    assert_true(a > 10000 && labs(a - b) < 500); // the page names its source
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_out_of_pipes),
        cmocka_unit_test(no_row_of_a_log_is_lost),
        cmocka_unit_test(inputs_of_a_question_come_out_of_pipes),
        cmocka_unit_test(a_report_comes_out_of_a_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
