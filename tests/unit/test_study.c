/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions answered without a command line. */
#include "tests/support/folder.h"

#include <stdlib.h>

#include "sim/study/key.h"
#include "sim/study/sequence.h"
#include "sim/study/option.h"

static void ask(struct question *q, const char *const (*settings)[2]) {
    struct err e;
    question_init(q);
    q->platform.name = "synthetic";
    q->workload.name = "terrace-reference";
    for (; (*settings)[0]; settings++)
        assert_ok(question_set(q, (*settings)[0], (*settings)[1], &e), &e);
}

static const char *const small[][2] = {{"platform.groups", "4"}, {"platform.ranks_per_group", "2"}, {NULL, NULL}};

static void a_question_is_answered(void **state) {
    (void)state;
    struct study s;
    struct question q;
    struct result *r;
    struct err e;
    char text[CLAIM_TEXT];
    ask(&q, small);
    q.phases = ASK_BOTH;
    q.compare = q.causes = true;
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    assert_ok(study_answer(&s, &q, &r, &e), &e);
    assert_true(r->n_calls >= 4); // as asked, and the baselines of the gains
    for (int i = 0; i < 4; i++) {
        const struct result_call *c = &r->calls[i];
        assert_string_equal(c->strategy, i % 2 ? "two-hop" : "one-hop");
        assert_string_equal(c->phase, i / 2 ? "combine" : "dispatch");
        assert_true(claim_known(c->wire) && claim_known(c->bound) && claim_known(c->analytic.wire));
        // wire time over its bound is no less than 1
        assert_true(strtod(claim_text(c->slack, CLAIM_PLAIN, text), NULL) >= 1 - 1e-9);
        assert_int_equal(c->n_links, 0); // no detail was asked for
    }
    assert_true(r->calls[0].analytic.n_causes > 0);
    assert_string_equal(r->gain_of, "two-hop");
    assert_true(claim_known(r->gain[RESULT_ROUND_TRIP].wire));
    assert_true(r->flows > 0);
    result_free(r);
    question_clear(&q);
    study_close(&s);
}

static double opened(struct claim c) {
    char text[CLAIM_TEXT];
    assert_true(claim_known(c));
    return strtod(claim_text(c, CLAIM_PLAIN, text), NULL);
}

/* Whoever divides two rows of the table gets the gain that is printed. */
static void the_baseline_of_a_gain_is_a_call(void **state) {
    (void)state;
    static const struct {
        const char *dedup;
        int calls;
    } cases[] = {{"none", 6}, {"rank", 4}};
    struct study s;
    struct err e;
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    for (size_t i = 0; i < 2; i++)
        for (int analytic = 0; analytic < 2; analytic++) {
            struct question q;
            struct result *r;
            ask(&q, small);
            q.phases = ASK_BOTH;
            q.compare = true;
            q.analytic_only = analytic;
            assert_ok(question_set(&q, "implementation.dedup.one_hop", cases[i].dedup, &e), &e);
            assert_ok(study_answer(&s, &q, &r, &e), &e);
            assert_int_equal(r->n_calls, cases[i].calls);
            for (int phase = 0; phase < PHASE_COUNT; phase++) {
                const struct result_gain *g = &r->gain[phase];
                const struct result_call *one = &r->calls[g->against], *two = &r->calls[2 * phase + 1];
                assert_int_equal(one->dedup, DEDUP_RANK);
                assert_string_equal(one->phase, two->phase);
                assert_rel(opened(g->analytic_wire), opened(one->analytic.wire) / opened(two->analytic.wire), 1e-12);
                assert_int_equal(claim_known(g->wire), !analytic);
                if (!analytic)
                    assert_rel(opened(g->wire), opened(one->wire) / opened(two->wire), 1e-12);
                if (!analytic)
                    assert_rel(opened(g->time), opened(one->time) / opened(two->time), 1e-12);
            }
            result_free(r);
            question_clear(&q);
        }
    study_close(&s);
}

/* A memo changes nothing: the second answer says what the first one said. */
static void a_memo_changes_nothing(void **state) {
    (void)state;
    struct inputs_memo memo = inputs_memo();
    struct study s;
    struct question q;
    struct err e;
    char first[CLAIM_TEXT], again[CLAIM_TEXT];
    assert_ok(study_open(NULL, &memo, &s, &e), &e);
    ask(&q, small);
    for (int i = 0; i < 3; i++) {
        struct result *r;
        s.memo = i ? &memo : NULL;
        assert_ok(study_answer(&s, &q, &r, &e), &e);
        claim_text(r->calls[1].wire, CLAIM_PLAIN, i ? again : first);
        if (i)
            assert_string_equal(again, first);
        result_free(r);
    }
    question_clear(&q);
    study_close(&s);
    inputs_memo_clear(&memo);
}

static void a_wrong_input_is_an_error(void **state) {
    (void)state;
    struct study s;
    struct question q;
    struct result *r = NULL;
    struct err e;
    ask(&q, small);
    q.platform.name = "no-such-machine";
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    assert_int_not_equal(study_answer(&s, &q, &r, &e), RC_OK);
    assert_null(r);
    assert_non_null(strstr(e.text, "no-such-machine"));
    question_clear(&q);
    study_close(&s);
}

static void settings_bring_others_with_them(void **state) {
    (void)state;
    static const char *const set[][2] = {{"platform.chain", "fused"}, {"workload.routing.rho_max", "2"}, {NULL, NULL}};
    struct question q;
    struct arena arena = {0};
    struct buf line = {0};
    struct err e;
    const char **words;
    ask(&q, set);
    assert_int_equal(q.platform.n, 0);
    assert_string_equal(q.implementation.settings[0].key, "chain.preset");
    assert_string_equal(q.workload.settings[0].key, "routing.source"); // first: it gives way to one of the user
    assert_string_equal(q.workload.settings[0].value, "synthetic");
    assert_int_equal(question_set(&q, "platfrom.groups", "2", &e), RC_USAGE);
    assert_non_null(strstr(e.text, "platform"));
    assert_ok(option_take(&option_strategy, "two-hop", &q, &e), &e);
    assert_ok(option_take(&option_phase, "both", &q, &e), &e);
    int n = question_words(&q, &arena, &words);
    for (int i = 0; i < n; i++)
        buf_printf(&line, "%s ", words[i]);
    assert_string_equal(line.text, "simulate --platform synthetic --workload terrace-reference --phase both "
                                   "--strategy two-hop --set workload.routing.source=synthetic "
                                   "--set workload.routing.rho_max=2 "
                                   "--set implementation.chain.preset=fused --seed 1 ");
    buf_clear(&line);
    arena_clear(&arena);
    question_clear(&q);
}

/* --- the key ----------------------------------------------------------------------------------------- */

static void key_of(const struct question *q, const struct question_program *program, char key[static HASH_TEXT]) {
    struct inputs in = {0};
    struct err e;
    assert_ok(inputs_load(q, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_IMPLEMENTATION, &in, &e), &e);
    assert_ok(question_key(q, program, &in, NULL, key, &e), &e);
    inputs_clear(&in);
}

static const struct question_program program = {"1.0", "abc", "3.32", NULL, 0};

/* One field at a time is another one than in the question; a field that no row changes would be missed here. */
static void each_part_of_a_question_has_its_share_of_the_key(void **state) {
    (void)state;
    struct question q, other;
    char key[HASH_TEXT], again[HASH_TEXT];
    ask(&q, small);
    key_of(&q, &program, key);
    key_of(&q, &program, again);
    assert_string_equal(again, key);
    other = q;
    other.arguments = (const char *const[]){"compare"}; // how it was put is not what was asked
    other.n_arguments = 1;
    key_of(&other, &program, again);
    assert_string_equal(again, key);
    for (int i = 0; i < 17; i++) {
        other = q;
        struct setting set[2] = {q.platform.settings[0], q.platform.settings[1]};
        other.strategies.n = i == 0;
        other.phases = i == 1 ? ASK_BOTH : q.phases;
        other.seed += i == 2;
        other.host = i == 3 ? HOST_AHEAD : q.host;
        other.calls += i == 4;
        other.batches += i == 5;
        other.all_layers = i == 6;
        other.draws += i == 7;
        other.compare = i == 8;
        other.analytic_only = i == 9;
        other.causes = i == 10;
        other.detail += i == 11;
        other.links += i == 12;
        other.messages = i == 13;
        other.timeout_s += i == 14;
        other.corpus = i == 15 ? "own" : NULL;
        other.engine = i == 16 ? SIM_ENGINE_FLUID : q.engine;
        key_of(&other, &program, again);
        if (strcmp(again, key) == 0)
            fail_msg("part %d is not in the key", i);
        other = q;
        set[i % 2].value = "8"; // groups, then ranks
        other.platform.settings = set;
        key_of(&other, &program, again);
        assert_string_not_equal(again, key);
    }
    question_clear(&q);
}

static void each_part_of_the_program_has_its_share_of_the_key(void **state) {
    (void)state;
    static const struct gate gate = {.id = "g"};
    struct gate_result first = {.gate = &gate, .hash = "a"}, second = {.gate = &gate, .hash = "b"};
    const struct question_program all[] = {program,
                                           {"1.1", "abc", "3.32", NULL, 0},
                                           {"1.0", "abc-dirty", "3.32", NULL, 0},
                                           {"1.0", "abc", "3.36", NULL, 0},
                                           {"1.0", "abc", "3.32", &first, 1},
                                           {"1.0", "abc", "3.32", &second, 1}};
    enum { N = sizeof all / sizeof *all };
    char keys[N][HASH_TEXT];
    struct question q;
    ask(&q, small);
    for (int i = 0; i < N; i++) {
        key_of(&q, &all[i], keys[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(keys[i], keys[k]);
    }
    question_clear(&q);
}

#define MACHINE(name, rest)                                                                                    \
    "schema: moesim/platform/1\nname: " name "\nimplementation: collective-eager\ngroups: 4\n"                \
    "ranks_per_group: 2\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 50GBps}\n" rest

/* Files that are read through others count too: in key, provenance and gate scope. */
static void each_file_has_its_share_of_the_key(void **state) {
    (void)state;
    static const char *const lender[] = {
        MACHINE("lender", "alpha: [{implementation: collective-eager, entries: [{world: 8, time: 10us}]}]\n"),
        MACHINE("lender", "alpha: [{implementation: collective-eager, entries: [{world: 8, time: 20us}]}]\n")};
    char keys[2][HASH_TEXT], constants[2][HASH_TEXT];
    folder_put("borrower.yaml",
               MACHINE("borrower", "alpha: [{implementation: collective-eager, borrow: ./lender.yaml}]\n"));
    for (int i = 0; i < 2; i++) {
        struct question q;
        struct inputs in = {0};
        struct manifest files = {0};
        struct err e;
        folder_put("lender.yaml", lender[i]);
        question_init(&q);
        q.platform.name = "./borrower.yaml";
        q.workload.name = "terrace-reference";
        key_of(&q, &program, keys[i]);
        assert_ok(inputs_load(&q, INPUT_ALL, &in, &e), &e);
        assert_ok(inputs_files(&in, &files, &e), &e);
        assert_non_null(manifest_find(&files, "platform"));
        assert_non_null(manifest_find(&files, "borrowed platform"));
        assert_non_null(manifest_find(&files, "workload"));
        assert_non_null(manifest_find(&files, "implementation"));
        memcpy(constants[i], in.constants_sha256, HASH_TEXT);
        manifest_clear(&files);
        inputs_clear(&in);
        question_clear(&q);
    }
    assert_string_not_equal(keys[0], keys[1]);
    assert_string_not_equal(constants[0], constants[1]);
    unlink("borrower.yaml");
    unlink("lender.yaml");
}

/* The config.json that workload.model names counts as well; --model is the short form of that key. */
static void a_model_has_its_share_of_the_key(void **state) {
    (void)state;
    static const char *const models[] = {
        "{\"model_type\": \"qwen3_moe\", \"num_experts\": 128, \"num_experts_per_tok\": 8, \"hidden_size\": 4096,"
        " \"norm_topk_prob\": true, \"num_hidden_layers\": 94}",
        "{\"model_type\": \"qwen3_moe\", \"num_experts\": 128, \"num_experts_per_tok\": 4, \"hidden_size\": 4096,"
        " \"norm_topk_prob\": true, \"num_hidden_layers\": 94}"};
    char keys[2][HASH_TEXT];
    for (int i = 0; i < 2; i++) {
        struct question q;
        struct inputs in = {0};
        struct manifest files = {0};
        struct err e;
        folder_put("config.json", models[i]);
        ask(&q, small);
        assert_ok(option_take(&option_model, "./config.json", &q, &e), &e);
        key_of(&q, &program, keys[i]);
        assert_ok(inputs_load(&q, INPUT_WORKLOAD | INPUT_PLATFORM | INPUT_IMPLEMENTATION, &in, &e), &e);
        assert_ok(inputs_files(&in, &files, &e), &e);
        assert_non_null(manifest_find(&files, "model"));
        assert_string_equal(manifest_find(&files, "model")->path, "./config.json");
        manifest_clear(&files);
        inputs_clear(&in);
        question_clear(&q);
    }
    assert_string_not_equal(keys[0], keys[1]);
    unlink("config.json");
}

static void a_worst_layer_needs_a_number_that_may_be_shown(void **state) {
    (void)state;
    struct licences *all = licences_decide(NULL, 0);
    const struct licence *shown = licences_get(all, CAP_CALL_TIME), *withdrawn = licences_get(all, CAP_STEP_TIME);
    assert_int_equal(licence_state(withdrawn), CAPABILITY_WITHDRAWN);
    const struct {
        bool known; /* otherwise the times are those of the wire */
        const struct licence *time, *wire;
        int worst;
    } cases[] = {{true, shown, withdrawn, 1},  {true, withdrawn, shown, -1}, {false, shown, withdrawn, -1},
                 {false, withdrawn, shown, 1}, {true, shown, shown, 1},      {false, withdrawn, withdrawn, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sequence_times t = {.known = cases[i].known, .per_call_s = 2, .time_s = {1, 3, 2}};
        struct result_sequence s = {.host = "observed", .n_calls = 3, .by = "layer", .number = {4, 7, 9}};
        sequence_publish(&t, cases[i].time, cases[i].wire, &s);
        assert_int_equal(s.worst, cases[i].worst);
        assert_int_equal(claim_known(s.time[1]), cases[i].known && cases[i].worst >= 0);
        assert_int_equal(claim_known(s.wire[1]), !cases[i].known && cases[i].worst >= 0);
        assert_int_equal(claim_known(s.per_call), claim_known(s.time[1]));
        assert_int_equal(claim_known(s.per_call_wire), claim_known(s.wire[1]));
        assert_int_equal(s.number[1], 7);
    }
    licences_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_answered),
        cmocka_unit_test(the_baseline_of_a_gain_is_a_call),
        cmocka_unit_test(a_memo_changes_nothing),
        cmocka_unit_test(a_wrong_input_is_an_error),
        cmocka_unit_test(settings_bring_others_with_them),
        cmocka_unit_test(each_part_of_a_question_has_its_share_of_the_key),
        cmocka_unit_test(each_part_of_the_program_has_its_share_of_the_key),
        cmocka_unit_test(each_file_has_its_share_of_the_key),
        cmocka_unit_test(a_model_has_its_share_of_the_key),
        cmocka_unit_test(a_worst_layer_needs_a_number_that_may_be_shown),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
