/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/folder.h"

#include "workloads/draw/router.h"
#include "workloads/placement/placement.h"
#include "workloads/workload.h"

/* Loads a workload with a model by --set, on top of the built-in default. */
static enum rc load(const char *config, const struct setting *more, struct workload **w, struct err *e) {
    struct setting set[8] = {{"model", "config.json"}};
    size_t n = 1;
    for (; more && more->key; more++)
        set[n++] = *more;
    folder_put("config.json", config);
    *w = NULL;
    return workload_load(WORKLOAD_DEFAULT, set, n, w, e);
}

static struct workload *loaded(const char *config) {
    struct workload *w;
    struct err e;
    assert_ok(load(config, NULL, &w, &e), &e);
    return w;
}

#define V3                                                                                                           \
    "{\"model_type\": \"deepseek_v3\", \"first_k_dense_replace\": 3, \"hidden_size\": 7168, \"moe_layer_freq\": 1,"    \
    "\"n_group\": 8, \"n_routed_experts\": 256, \"n_shared_experts\": 1, \"num_experts_per_tok\": 8,"                  \
    "\"num_hidden_layers\": 61, \"topk_group\": 4, \"scoring_func\": \"sigmoid\","                                     \
    "\"torch_dtype\": \"bfloat16\", \"quantization_config\": {\"quant_method\": \"fp8\"}, \"topk_method\": "

/* One file of each family: what comes out, and what is printed. */
static void families_are_read(void **state) {
    static const struct {
        const char *config;
        int experts, top_k, hidden, n_group, topk_group, score;
        const char *name, *says;
    } cases[] = {
        {V3 "\"noaux_tc\"}", 256, 8, 7168, 8, 4, GROUP_TOP2_SUM, "deepseek_v3",
         "58 of 61 layers with experts, the first 3 dense"},
        {V3 "\"group_limited_greedy\"}", 256, 8, 7168, 8, 4, GROUP_MAX, "deepseek_v3", "router group_limited_greedy"},
        {V3 "\"greedy\"}", 256, 8, 7168, 0, 0, GROUP_TOP2_SUM, "deepseek_v3", "router greedy, no groups"},
        {V3 "null}", 256, 8, 7168, 8, 4, GROUP_TOP2_SUM, "deepseek_v3", "not named (taken as noaux_tc, assumed)"},
        {"{\"model_type\": \"kimi_k25\", \"text_config\": {\"model_type\": \"kimi_k2\", \"hidden_size\": 7168,"
         "\"n_routed_experts\": 384, \"num_experts_per_tok\": 8, \"n_group\": 1, \"topk_group\": 1,"
         "\"num_hidden_layers\": 61, \"first_k_dense_replace\": 1, \"n_shared_experts\": 1}}",
         384, 8, 7168, 0, 0, 0, "kimi_k2", "60 of 61 layers"},
        {"{\"model_type\": \"qwen3_moe\", \"num_experts\": 128, \"num_experts_per_tok\": 8, \"hidden_size\": 4096,"
         "\"num_hidden_layers\": 94, \"decoder_sparse_step\": 2, \"mlp_only_layers\": [1, 2]}",
         128, 8, 4096, 0, 0, 0, "qwen3_moe", "46 of 94 layers"}, // 1, 3, 5, .. without 1
        {"{\"model_type\": \"llama4\", \"text_config\": {\"model_type\": \"llama4_text\", \"num_local_experts\": 128,"
         "\"num_experts_per_tok\": 1, \"hidden_size\": 5120, \"num_hidden_layers\": 48,"
         "\"interleave_moe_layer_step\": 2}}",
         128, 1, 5120, 0, 0, 0, "llama4_text", "24 of 48 layers"},
        {"{\"model_type\": \"gpt_oss\", \"num_local_experts\": 128, \"num_experts_per_tok\": 4,"
         "\"experts_per_token\": 4, \"hidden_size\": 2880, \"num_hidden_layers\": 36}",
         128, 4, 2880, 0, 0, 0, "gpt_oss", "36 of 36 layers"},
        {"{\"model_type\": \"hunyuan\", \"num_experts\": [64, 64], \"moe_topk\": [8, 8], \"hidden_size\": 4096,"
         "\"num_hidden_layers\": 2, \"num_shared_expert\": [1, 1], \"moe_layer_freq\": [0, 1]}",
         64, 8, 4096, 0, 0, 0, "hunyuan", "1 of 2 layers"},
        {"{\"model_type\": \"qwen2_moe\", \"num_experts\": 60, \"num_experts_per_tok\": 4, \"hidden_size\": 2048,"
         "\"shared_expert_intermediate_size\": 5632}",
         60, 4, 2048, 0, 0, 0, "qwen2_moe", "shared experts 1"},
        {"{\"model_type\": \"dbrx\", \"d_model\": 6144, \"ffn_config\": {\"moe_num_experts\": 16, \"moe_top_k\": 4}}",
         16, 4, 6144, 0, 0, 0, "dbrx", "top 4 of 16 experts"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct workload *w = loaded(cases[i].config);
        assert_int_equal(w->experts, cases[i].experts);
        assert_int_equal(w->top_k, cases[i].top_k);
        assert_int_equal(w->hidden, cases[i].hidden);
        assert_int_equal(w->routing.n_group, cases[i].n_group);
        assert_int_equal(w->routing.topk_group, cases[i].topk_group);
        assert_int_equal(w->routing.group_score, cases[i].score);
        assert_string_equal(w->name, cases[i].name);
        // nothing is left of the record of the default workload
        assert_int_equal(w->routing.source, SOURCE_UNIFORM);
        assert_null(w->trace_path);
        if (!strstr(w->model_notes.text, cases[i].says))
            fail_msg("'%s' lacks '%s'", w->model_notes.text, cases[i].says);
        workload_free(w);
    }
}

static void what_is_missing_is_asked_for(void **state) {
    static const struct {
        const char *config, *says;
    } cases[] = {
        {"{\"hidden_size\": 8, \"num_experts_per_tok\": 2}",
         "no experts under any of the names n_routed_experts, num_experts, num_local_experts, moe_num_experts; give it "
         "with --set workload.experts="},
        {"{\"hidden_size\": 8, \"num_experts\": 8}", "give it with --set workload.top_k="},
        {"{\"num_experts_per_tok\": 2, \"num_experts\": 8}", "give it with --set workload.hidden="},
        {V3 "\"tc_max\"}", "topk_method 'tc_max' is not known; known are greedy, group_limited_greedy and noaux_tc"},
        {"{\"scoring_func\": \"tanh\"}", "scoring_func 'tanh' is not known"},
        {"{\"zero_expert_num\": 256}",
         "zero_expert_num 256: zero-compute experts are known in token-level records only"},
        {"{\"num_experts\": 8, \"n_routed_experts\": 16}", "num_experts is 8, but n_routed_experts is 16"},
        {"{\"num_experts\": [8, 16]}", "num_experts differs between layers, 8 and 16"},
        {"{\"num_experts\": 99999999999999999999}", "is not a count up to 1048576"},
        {"{\"num_experts\": \"8\"}", "num_experts: '8' is not a count"},
        {"{\"num_experts\": 8, \"num_experts_per_tok\": 2, \"hidden_size\": 8, \"torch_dtype\": \"int3\"}",
         "torch_dtype 'int3' is not known; give what is sent with --set workload.dtype="},
        {"{\"num_experts\": 8, \"num_experts_per_tok\": 2, \"hidden_size\": 8, \"n_group\": 4}",
         "no routing.topk_group under any of the names topk_group"},
        {"[]", "no config.json of a model: expected a map of keys"},
        {"{\"num_hidden_layers\": 5000}", "5000 layers, at most 4096 are read"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct workload *w;
        struct err e;
        if (load(cases[i].config, NULL, &w, &e) == RC_OK)
            fail_msg("accepted: %s", cases[i].config);
        if (!strstr(e.text, cases[i].says))
            fail_msg("'%s' lacks '%s'", e.text, cases[i].says);
        assert_null(w);
    }
}

static void settings_go_before_the_model(void **state) {
    const struct setting more[] = {{"top_k", "4"}, {"hidden", "128"}, {"routing.topk_group", "2"},
                                   {"routing.source", "synthetic"}, {"routing.exponent", "1"}, {0}};
    (void)state;
    struct workload *w;
    struct err e;
    // top_k and hidden need not be in the file then
    assert_ok(load("{\"num_experts\": 64, \"n_group\": 8, \"topk_group\": 4}", more, &w, &e), &e);
    assert_int_equal(w->top_k, 4);
    assert_int_equal(w->hidden, 128);
    assert_int_equal(w->routing.n_group, 8);
    assert_int_equal(w->routing.topk_group, 2);
    assert_int_equal(w->routing.source, SOURCE_SYNTHETIC);
    workload_free(w);
}

static void a_model_in_a_file_fills_in_what_it_leaves_out(void **state) {
    (void)state;
    struct workload *w;
    struct err e;
    folder_put("config.json", V3 "\"noaux_tc\"}");
    folder_put("w.yaml", "schema: moesim/workload/1\nname: mine\nmodel: config.json\ntokens_per_rank: 7\nhidden: 512\n"
                         "routing: {draw: sampled}\n");
    assert_ok(workload_load("./w.yaml", NULL, 0, &w, &e), &e);
    assert_string_equal(w->name, "mine");
    assert_int_equal(w->hidden, 512);
    assert_int_equal(w->experts, 256);
    assert_int_equal(w->tokens_per_rank, 7);
    assert_int_equal(w->routing.n_group, 8);
    workload_free(w);
}

/* The shipped files say what the config.json of the model says. */
static void shipped_models_are_valid(void **state) {
    static const struct {
        const char *name;
        int experts, top_k, hidden, n_group;
    } models[] = {{"deepseek-v3", 256, 8, 7168, 8},     {"kimi-k2", 384, 8, 7168, 0},
                  {"qwen3-235b-a22b", 128, 8, 4096, 0}, {"glm-4.5", 160, 8, 5120, 0},
                  {"gpt-oss-120b", 128, 4, 2880, 0},    {"mixtral-8x22b", 8, 2, 6144, 0},
                  {"llama-4-maverick", 128, 1, 5120, 0}, {"olmoe", 64, 8, 2048, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct workload *w;
        struct err e;
        assert_ok(workload_load(models[i].name, NULL, 0, &w, &e), &e);
        assert_string_equal(w->name, models[i].name);
        assert_int_equal(w->experts, models[i].experts);
        assert_int_equal(w->top_k, models[i].top_k);
        assert_int_equal(w->hidden, models[i].hidden);
        assert_int_equal(w->routing.n_group, models[i].n_group);
        workload_free(w);
    }
}

/* A count may say where it comes from; what is said must be known words. */
static void counts_can_be_annotated(void **state) {
    static const char head[] = "schema: moesim/workload/1\nname: w\ntokens_per_rank: 1\ntop_k: 1\nhidden: 8\n"
                               "routing: {source: uniform}\n";
    static const struct {
        const char *line, *says;
    } bad[] = {{"experts: {value: 8, status: certain}\n", "certain"},
               {"experts: {value: 8, from: here}\n", "experts: unknown key 'from'"},
               {"experts: {value: {}}\n", "expected"},
               {"experts: {status: nominal}\n", "expected"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        struct workload *w = NULL;
        struct err e;
        snprintf(text, sizeof text, "%s%s", head, bad[i].line);
        folder_put("w.yaml", text);
        if (workload_load("./w.yaml", NULL, 0, &w, &e) == RC_OK)
            fail_msg("accepted: %s", bad[i].line);
        if (!strstr(e.text, bad[i].says))
            fail_msg("'%s' lacks '%s'", e.text, bad[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_read),
        cmocka_unit_test(what_is_missing_is_asked_for),
        cmocka_unit_test(settings_go_before_the_model),
        cmocka_unit_test(a_model_in_a_file_fills_in_what_it_leaves_out),
        cmocka_unit_test(shipped_models_are_valid),
        cmocka_unit_test(counts_can_be_annotated),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
