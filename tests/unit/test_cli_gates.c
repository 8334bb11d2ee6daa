/* SPDX-License-Identifier: BSD-3-Clause */
/* gates from outside: the keys of the contract in JSON, the rows of CSV, one gate explained. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "validation/gate_table.h"

static const struct yaml_node *with_id(const struct yaml_node *list, const char *id) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(yaml_get(list->items[i], "id")->text, id) == 0)
            return list->items[i];
    fail_msg("no '%s'", id);
    return NULL;
}

static void is_text(const struct yaml_node *map, const char *key, const char *expected) {
    const struct yaml_node *value = yaml_get(map, key);
    if (!value || strcmp(value->text, expected) != 0)
        fail_msg("%s: '%s', expected '%s'", key, value ? value->text : "(none)", expected);
}

static void is_hash(const struct yaml_node *node) {
    assert_non_null(node);
    assert_int_equal(strlen(node->text), 64);
    assert_int_equal(strspn(node->text, "0123456789abcdef"), 64);
}

static bool is_known(const struct yaml_node *node) {
    return !(node->plain && strcmp(node->text, "null") == 0);
}

static void json_has_the_keys_of_the_contract(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("gates --analytic-only --format json", &d), 0);
    assert_string_equal(program_at(d, "schema")->text, "moesim/gates/1");
    // those that need no simulation, in the order of the table
    const struct yaml_node *gates = program_at(d, "gates");
    size_t n = 0, corpora = 0;
    for (size_t i = 0; i < gate_table_n; i++) {
        if (gate_table[i].simulates)
            continue;
        assert_true(n < gates->n);
        const struct yaml_node *gate = gates->items[n++];
        is_text(gate, "id", gate_table[i].id);
        is_hash(yaml_get(gate, "hash"));
        assert_int_equal(is_known(yaml_get(gate, "corpus")), gate_table[i].corpus != NULL);
        if (is_known(yaml_get(gate, "corpus_sha256"))) {
            is_hash(yaml_get(gate, "corpus_sha256"));
            is_text(gate, "corpus_sha256", gate_table[i].sha256);
            corpora++;
        }
    }
    assert_int_equal(gates->n, n);
    assert_true(corpora >= 12);
    const struct yaml_node *tier1 = with_id(gates, "tier1"), *tier2 = with_id(gates, "tier2");
    is_text(tier1, "passed", "true");
    is_text(tier1, "evaluated", "true");
    is_text(tier2, "passed", "false");
    is_text(tier2, "evaluated", "true");
    // the hash is that of the file, and no two gates have one outcome hash
    char *corpus = get_file(TEST_DATA_DIR "/../../validation/measured/c1_tier1.yaml"), found[HASH_TEXT];
    hash_bytes(corpus, strlen(corpus), found);
    is_text(tier1, "corpus_sha256", found);
    free(corpus);
    assert_string_not_equal(yaml_get(tier1, "hash")->text, yaml_get(tier2, "hash")->text);
    yaml_doc_free(d);
}

static void json_says_what_is_open(void **state) {
    (void)state;
    struct yaml_doc *d;
    assert_int_equal(program_run("gates --analytic-only --format json", &d), 0);
    const struct yaml_node *capabilities = program_at(d, "capabilities");
    is_text(with_id(capabilities, "step_time"), "open", "false");
    is_text(with_id(capabilities, "step_time"), "state", "withdrawn");
    is_text(with_id(capabilities, "throughput"), "open", "false");
    is_text(with_id(capabilities, "breakeven"), "open", "true");
    for (size_t i = 0; i < capabilities->n; i++) {
        const struct yaml_node *c = capabilities->items[i];
        is_text(c, "open", strcmp(yaml_get(c, "state")->text, "open") == 0 ? "true" : "false");
    }
    yaml_doc_free(d);
}

/* One row a metric, or one for a gate that has none. */
static void csv_has_a_row_a_metric(void **state) {
    (void)state;
    static const char head[] = "id,kind,corpus,metric,value,limit_kind,limit,kept,outcome\n";
    static const char first[] = "tier1,fit,c1-tier1,median_abs_error,";
    struct buf out = {0};
    struct yaml_doc *d;
    assert_int_equal(program_text("gates --analytic-only --format csv", &out), 0);
    assert_int_equal(program_run("gates --analytic-only --format json", &d), 0);
    const struct yaml_node *gates = program_at(d, "gates");
    size_t expected = 0, rows = 0;
    for (size_t i = 0; i < gates->n; i++) {
        size_t metrics = yaml_get(gates->items[i], "metrics")->n;
        expected += metrics ? metrics : 1;
    }
    assert_memory_equal(out.text, head, strlen(head));
    assert_memory_equal(out.text + strlen(head), first, strlen(first));
    assert_non_null(strstr(out.text, ",at_most,0.2,true,passed\n"));
    assert_non_null(strstr(out.text, "\ntier2,test,g1-geometries,"));
    for (const char *p = out.text; (p = strchr(p, '\n')); p++)
        rows++;
    assert_true(expected > 40);
    assert_int_equal(rows, 1 + expected);
    buf_clear(&out);
    yaml_doc_free(d);
}

static void one_gate_explained(void **state) {
    (void)state;
    static const struct {
        const char *id, *passed, *unit;
        size_t points; /* rows of its corpus */
    } all[] = {{"tier1b-c4", "true", "s", 14}, {"drift-c5", "false", "s", 13}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *arguments = mem_printf("gates explain %s --format json", all[i].id);
        struct yaml_doc *d;
        assert_int_equal(program_run(arguments, &d), 0);
        free(arguments);
        assert_string_equal(program_at(d, "schema")->text, "moesim/gate-result/1");
        is_text(d->root, "id", all[i].id);
        is_text(d->root, "passed", all[i].passed);
        is_text(d->root, "unit", all[i].unit);
        is_hash(program_at(d, "hash"));
        is_hash(program_at(d, "corpus_sha256"));
        assert_int_equal(program_at(d, "points")->n, all[i].points);
        if (i == 0) { // world 16, 32 KiB
            assert_rel(program_number(d, "points.0.measured"), 187e-6, 1e-12);
            assert_rel(program_number(d, "thresholds.median_abs_error.at_most"), 0.12, 0);
            assert_true(program_number(d, "metrics.median_abs_error") <= 0.12);
        }
        yaml_doc_free(d);
    }
    assert_int_equal(program_text("gates explain tier3 --format json", NULL), 2);
}

/* An engine that ends every simulation at once is not noticed; one gate alone says what it lacks. */
static void analytic_only_has_no_engine(void **state) {
    (void)state;
    static const char *const simulating[] = {"cross-check", "host-regime"};
    setenv("MOESIM_ENGINE_CRASH", "abort", 1);
    assert_int_equal(program_text("gates --analytic-only --check", NULL), 0);
    for (int i = 0; i < 2; i++) {
        struct buf out = {0};
        char *arguments = mem_printf("gates explain %s --analytic-only", simulating[i]);
        assert_int_equal(program_text(arguments, &out), 0);
        assert_non_null(strstr(out.text, "outcome: untried: no engine"));
        buf_clear(&out);
        free(arguments);
    }
    unsetenv("MOESIM_ENGINE_CRASH");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_keys_of_the_contract),
        cmocka_unit_test(json_says_what_is_open),
        cmocka_unit_test(csv_has_a_row_a_metric),
        cmocka_unit_test(one_gate_explained),
        cmocka_unit_test(analytic_only_has_no_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
