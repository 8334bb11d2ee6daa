/* SPDX-License-Identifier: BSD-3-Clause */
/* What the keys of simulate's JSON mean, held against files, other keys and other commands. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

static void inputs_are_hashed(void **state) {
    (void)state;
    static const char *const roles[] = {"platform", "workload", "implementation", "trace"};
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --strategy one-hop --seed 5 --format json", &d), 0);
    assert_rel(program_number(d, "provenance.seed"), 5, 0);
    const struct yaml_node *inputs = program_at(d, "provenance.inputs");
    assert_int_equal(inputs->n, sizeof roles / sizeof *roles);
    for (size_t i = 0; i < inputs->n; i++) {
        char *text, found[HASH_TEXT];
        size_t n;
        struct err e;
        assert_ok(file_read(yaml_get(inputs->items[i], "file")->text, 1 << 26, &text, &n, &e), &e);
        hash_bytes(text, n, found);
        assert_string_equal(yaml_get(inputs->items[i], "role")->text, roles[i]);
        assert_string_equal(yaml_get(inputs->items[i], "sha256")->text, found);
        free(text);
    }
    yaml_doc_free(d);
}

static void the_evidence_stands_beside_the_result(void **state) {
    (void)state;
    struct yaml_doc *d, *g;
    assert_int_equal(program_run("simulate --strategy one-hop --format json", &d), 0);
    assert_int_equal(program_run("gates --analytic-only --format json", &g), 0);
    const struct yaml_node *gates = program_at(d, "gates"), *listed = program_at(g, "gates");
    assert_int_equal(strlen(program_at(d, "gates.0.hash")->text), 64);
    assert_int_equal(gates->n, listed->n);
    for (size_t i = 0; i < gates->n; i++)
        assert_string_equal(yaml_get(gates->items[i], "hash")->text, yaml_get(listed->items[i], "hash")->text);
    const struct yaml_node *capabilities = program_at(d, "capabilities");
    size_t open = 0;
    for (size_t i = 0; i < capabilities->n; i++) {
        const struct yaml_node *c = capabilities->items[i];
        bool is_open = strcmp(yaml_get(c, "state")->text, "open") == 0;
        assert_string_equal(yaml_get(c, "open")->text, is_open ? "true" : "false");
        open += is_open;
    }
    assert_true(open > 0 && open < capabilities->n);
    // no alpha for 64 ranks: what would give a time
    assert_non_null(strstr(program_at(d, "calls.0.reopen.time_s")->text, " world 64,"));
    yaml_doc_free(d);
    yaml_doc_free(g);
}

/* No rank can end before its bound; the straggler is the rank and side with the latest. */
static void the_straggler_has_the_latest_bound(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("simulate --seed 5 --format json", &d), 0);
    for (int i = 0; i < 2; i++) {
        char path[60];
        double latest_s[2] = {0, 0}, apart_s = 0;
        snprintf(path, sizeof path, "calls.%d.ranks", i);
        const struct yaml_node *ranks = program_at(d, path);
        assert_int_equal(ranks->n, 64);
        snprintf(path, sizeof path, "calls.%d.straggler.rank", i);
        size_t straggler = (size_t)program_number(d, path);
        snprintf(path, sizeof path, "calls.%d.straggler.side", i);
        int side = strcmp(program_at(d, path)->text, "receive") == 0;
        for (size_t r = 0; r < ranks->n; r++) {
            double sent_s = strtod(yaml_get(ranks->items[r], "send_bound_s")->text, NULL);
            double received_s = strtod(yaml_get(ranks->items[r], "recv_bound_s")->text, NULL);
            assert_true(sent_s > 0 && received_s > 0);
            assert_true(strtod(yaml_get(ranks->items[r], "send_end_s")->text, NULL) >= sent_s * (1 - 1e-9));
            assert_true(strtod(yaml_get(ranks->items[r], "recv_end_s")->text, NULL) >= received_s * (1 - 1e-9));
            latest_s[0] = fmax(latest_s[0], sent_s);
            latest_s[1] = fmax(latest_s[1], received_s);
            apart_s = fmax(apart_s, fabs(sent_s - received_s));
            if (r == straggler) {
                snprintf(path, sizeof path, "calls.%d.straggler.bound_s", i);
                assert_rel(side ? received_s : sent_s, program_number(d, path), 1e-12);
            }
        }
        assert_rel(fmax(latest_s[0], latest_s[1]), program_number(d, path), 1e-12);
        assert_true(latest_s[side] > latest_s[!side]);
        assert_true(apart_s > 0.1 * latest_s[side]); // two sides, not one twice
    }
    yaml_doc_free(d);
}

/* A token crosses to fan_out groups: rows of hop A over tokens. */
static void fan_out_is_that_of_the_matrix(void **state) {
    (void)state;
    char made[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(made));
    char *arguments = mem_printf("matrix -o %s --seed 5 --format json", made);
    struct yaml_doc *d, *m;
    assert_int_equal(program_run(arguments, &m), 0);
    assert_int_equal(program_run("simulate --strategy one-hop --seed 5 --format json", &d), 0);
    assert_string_equal(program_at(m, "matrices.1.name")->text, "hop_a");
    double rows = program_number(m, "matrices.1.rows"), fan_out = program_number(d, "workload.fan_out");
    assert_rel(fan_out, rows / (64.0 * 4096), 1e-12);
    assert_true(fan_out > 1 && fan_out < 8);
    const struct yaml_node *matrices = program_at(m, "matrices");
    for (size_t i = 0; i < matrices->n; i++) {
        unlink(yaml_get(matrices->items[i], "npy")->text);
        unlink(yaml_get(matrices->items[i], "csv")->text);
    }
    assert_int_equal(rmdir(made), 0);
    free(arguments);
    yaml_doc_free(d);
    yaml_doc_free(m);
}

/* A matrix of bytes says nothing about tokens. */
static void without_tokens_there_is_no_fan_out(void **state) {
    (void)state;
#define MATRIX "--set platform.groups=2 --set platform.ranks_per_group=2 --trace " TEST_DATA_DIR \
               "/routing/synthetic_matrix.csv"
    static const char call[] = "simulate " MATRIX;
    char *json = mem_printf("%s --format json", call);
    struct yaml_doc *d;
    struct buf text = {0};
    assert_int_equal(program_run(json, &d), 0);
    program_is_null(d, "workload.fan_out");
    assert_int_equal(program_text(call, &text), 0);
    assert_null(strstr(text.text, "fan-out"));
    yaml_doc_free(d);
    char made[] = "/tmp/moesim-test-XXXXXX";
    assert_non_null(mkdtemp(made));
    char *matrix = mem_printf("matrix " MATRIX " -o %s --format json", made), *drop = mem_printf("rm -r %s", made);
    assert_int_equal(program_run(matrix, &d), 0);
    program_is_null(d, "fan_out");
    assert_int_equal(program_shell(drop, NULL), 0);
    free(matrix);
    free(drop);
#undef MATRIX
    free(json);
    buf_clear(&text);
    yaml_doc_free(d);
}

/* Calls back to back have a mean; nothing adds them up. */
static void a_sequence_has_no_total(void **state) {
    (void)state;
    static const char *const keys[] = {"host", "calls", "per_call_s", "per_call_wire_s"};
    struct yaml_doc *d;
    struct buf out = {0};
    const char *call = "simulate --platform terrace-a --set platform.groups=2 --calls 3 --format json";
    assert_int_equal(program_run(call, &d), 0);
    assert_int_equal(program_text(call, &out), 0);
    for (int i = 0; i < 2; i++) {
        char path[40];
        snprintf(path, sizeof path, "calls.%d.sequence", i);
        const struct yaml_node *sequence = program_at(d, path);
        assert_int_equal(sequence->n, sizeof keys / sizeof *keys);
        for (size_t k = 0; k < sequence->n; k++)
            assert_string_equal(sequence->keys[k], keys[k]);
        assert_string_equal(yaml_get(sequence, "calls")->text, "3");
    }
    assert_null(strstr(out.text, "total"));
    buf_clear(&out);
    yaml_doc_free(d);
}

/* Of tiers whose first domain has one end, too. */
static void sample_routes_are_of_their_tier(void **state) {
    (void)state;
    struct buf out = {0};
    assert_int_equal(program_text("platform show synthetic --set platform.groups=2 "
                                  "--set 'platform.group_sizes=1 8'", &out), 0);
    assert_non_null(strstr(out.text, "  rank 1 to rank 2 (fast): fast-out-1"));
    assert_non_null(strstr(out.text, "  rank 1 to rank 8 (fast): fast-out-1"));
    assert_non_null(strstr(out.text, "  rank 0 to rank 1 (slow): slow-out-0"));
    assert_null(strstr(out.text, "(fast): slow"));
    buf_clear(&out);
}

/* Where there is no closed form the result says why, whether the call time is known or not. */
static void no_closed_form_has_its_reason(void **state) {
    (void)state;
    static const struct {
        const char *call, *reason, *text;
    } cases[] = {{"compare --platform synthetic --set platform.groups=2 --set workload.tokens_per_rank=64 "
                  "--strategy gather-first",
                  "closed form: none of gather-first", "no closed form of gather-first"},
                 {"compare --platform synthetic-racks --set platform.groups=4 --set workload.tokens_per_rank=64 "
                  "--set 'platform.group_sizes=4 2 1 1' --strategy two-hop",
                  "closed form: none of groups that differ in size", "no closed form of groups that differ in size"}};
    for (size_t i = 0; i < 2; i++) {
        struct yaml_doc *d;
        struct buf out = {0};
        char *json = mem_printf("%s --format json", cases[i].call);
        assert_int_equal(program_run(json, &d), 0);
        program_is_null(d, "calls.0.analytic_wire_s");
        assert_string_equal(program_at(d, "calls.0.withdrawn.analytic_wire_s")->text, cases[i].reason);
        assert_string_equal(program_at(d, "calls.0.withdrawn.analytic_s")->text, cases[i].reason);
        assert_int_equal(program_text(cases[i].call, &out), 0);
        assert_non_null(strstr(out.text, cases[i].text));
        buf_clear(&out);
        free(json);
        yaml_doc_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_hashed),
        cmocka_unit_test(the_evidence_stands_beside_the_result),
        cmocka_unit_test(the_straggler_has_the_latest_bound),
        cmocka_unit_test(fan_out_is_that_of_the_matrix),
        cmocka_unit_test(without_tokens_there_is_no_fan_out),
        cmocka_unit_test(a_sequence_has_no_total),
        cmocka_unit_test(sample_routes_are_of_their_tier),
        cmocka_unit_test(no_closed_form_has_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
