/* SPDX-License-Identifier: BSD-3-Clause */
/* Public bug reports of people who simulate, benchmark or predict MoE all-to-all, B01 .. B25, as far as
 * they are about routing, matrices and their readers. Each test names its case. */
#include "tests/support/records.h"

#include "workloads/placement/placement_build.h"
#include "workloads/placement/placement_file.h"

/* --- sizes ---------------------------------------------------------------------------------------- */

static double bytes_of(const char *tokens) {
    const struct setting set[] = {{"tokens_per_rank", tokens},
                                  {"hidden", "7168"},
                                  {"routing.draw", "expected"},
                                  {NULL, NULL}};
    struct asked a = get_traffic("8", "8", set);
    double bytes = matrix_total(&a.t->one_hop, true) * 14336;
    done(&a);
    return bytes;
}

static void b01_sums_are_64_bit_and_checked(void **state) {
    (void)state;
    // 114,688 bytes a token: 18,724 tokens are just below 2^31 bytes a rank
    assert_true(bytes_of("18720") / 64 < 0x1p31 && bytes_of("18728") / 64 > 0x1p31);
    assert_rel(bytes_of("18728") / bytes_of("18720"), 18728.0 / 18720, 1e-12);
    refuse_text("src,dst,bytes\n0,1,9007199254740992\n2,3,1\n", 0, 0, RC_RANGE,
                "the sum of all bytes passes 2^53 with rank 2 to rank 3");
    refuse_text("Number of ranks: 2\nDatatype size: 1000000\nBEGINNING DATA\n"
                "Rank(s) 0: 1 18446744073709551615\nRank(s) 1: 0 0\nEND DATA\n",
                0, 0, RC_RANGE, "rank 0 to rank 1: more than 2^64 bytes");
}

static void b02_limits_of_libraries_are_no_physics(void **state) {
    (void)state;
    const struct setting set[] = {{"tokens_per_rank", "18728"},
                                  {"hidden", "7168"},
                                  {"routing.draw", "expected"},
                                  {NULL, NULL}};
    struct asked a = get_traffic("8", "8", set);
    assert_non_null(strstr(a.t->notes.text, "library limit: a rank sends 2.148e+09 bytes"));
    done(&a);
    const struct setting large[] = {{"tokens_per_rank", "4096"},
                                    {"hidden", "7168"},
                                    {"experts", "256"},
                                    {"routing.draw", "expected"},
                                    {NULL, NULL}};
    a = get_traffic("32", "8", large);
    assert_rel(matrix_total(&a.t->one_hop, true), 256.0 * 4096 * 8, 1e-12);
    done(&a);
}

/* --- idle ranks ------------------------------------------------------------------------------------ */

static void b03_idle_ranks_take_part(void **state) {
    (void)state;
    const struct setting one[] = {{"tokens_list", "256x7, 0"}, {NULL, NULL}};
    struct asked a = get_traffic("1", "8", one);
    double sums[8];
    matrix_sums(&a.t->one_hop, true, true, sums);
    assert_rel(sums[7], 0, 0);
    assert_rel(sums[0], 256 * 8, 0);
    assert_rel(a.t->fan_out, 1, 0);
    done(&a);
    for (int expected = 0; expected < 2; expected++) {
        const struct setting all[] = {{"tokens_per_rank", "0"},
                                      {"routing.draw", expected ? "expected" : "sampled"},
                                      {NULL, NULL}};
        struct traffic_rho rho;
        a = get_traffic("2", "4", all);
        traffic_rho(a.t, &rho);
        assert_rel(matrix_total(&a.t->one_hop, true), 0, 0);
        assert_rel(rho.rank, -1, 0);
        assert_rel(rho.hop_b_in, -1, 0);
        assert_rel(a.t->fan_out, 0, 0);
        done(&a);
    }
    struct record *r = parse_text("[[0, 5, 5, 5]]", 4, 0);
    assert_rel(r->counts->counts[0], 0, 0);
    record_free(r);
}

/* --- experts that do not divide --------------------------------------------------------------------- */

static void b04_remainders_have_a_policy(void **state) {
    (void)state;
    static const struct {
        int experts, ranks;
        int first[2], last[2], pad[2]; /* slots of rank 0 and of the last rank */
    } cases[] = {{30, 8, {4, 3}, {3, 9}, {4, 2}},
                 {128, 6, {22, 21}, {21, 23}, {22, 18}},
                 {256, 24, {11, 10}, {10, 26}, {11, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct placement_ask ask = {
            .ranks = cases[i].ranks, .groups = 1, .experts = cases[i].experts};
        struct placement *p = NULL;
        struct err e;
        assert_fails(placement_build(&ask, &p, &e), RC_SHAPE, &e, "cannot be placed evenly");
        const int *want[] = {NULL, cases[i].first, cases[i].last, cases[i].pad};
        for (int policy = REMAINDER_FIRST; policy <= REMAINDER_PAD; policy++) {
            ask.remainder = policy;
            assert_ok(placement_build(&ask, &p, &e), &e);
            assert_int_equal(p->slot_start[1], want[policy][0]);
            assert_int_equal(p->slots - p->slot_start[p->ranks - 1], want[policy][1]);
            assert_int_equal(p->slots, cases[i].experts);
            for (int x = 0; x < p->experts; x++)
                assert_int_equal(placement_replicas(p, x), 1);
            placement_free(p);
        }
    }
    const struct setting set[] = {
        {"experts", "30"}, {"placement_remainder", "first"}, {NULL, NULL}};
    struct asked a = get_traffic("1", "8", set);
    assert_rel(matrix_total(&a.t->one_hop, true), 8 * 256 * 8, 0);
    done(&a);
}

/* --- rows that are no routing ------------------------------------------------------------------------ */

static void b05_an_expert_twice_is_refused(void **state) {
    (void)state;
    refuse_text("{\"topk_ids\":[1,2,3,4]}\n{\"topk_ids\":[5,5,7,9]}\n", 16, 4, RC_RANGE,
                "t.jsonl:2:1: row 2: expert 5 twice; a token chooses distinct experts");
}

/* `real` rows of distinct content, then or before them `same` equal ones. */
static struct record *padded(const int *same, int n_same, int real, bool first) {
    struct buf b = {0};
    struct rng r;
    rng_init(&r, 7, "padded", 0);
    for (int i = 0; i < real + n_same; i++) {
        bool dummy = first ? i < n_same : i >= real;
        int ids[4], n = 0;
        while (n < 4) {
            ids[n] = (int)rng_below(&r, 64);
            bool fresh = true;
            for (int k = 0; k < n; k++)
                fresh = fresh && ids[k] != ids[n];
            n += fresh;
        }
        route_line(&b, dummy ? same : ids, 4);
    }
    struct record *record = parse_text(b.text, 64, 4);
    buf_clear(&b);
    return record;
}

static void b06_padding_rows_are_counted(void **state) {
    (void)state;
    static const int old[] = {3, 9, 27, 41}, minus[] = {-1, -1, -1, -1}, zero[] = {0, 0, 0, 0};
    struct record *r = padded(old, 67, 61, false);
    assert_int_equal(routes_suspected(r->routes), 67);
    assert_int_equal(routes_dropped(r->routes), 0);
    assert_int_equal(r->routes->layers[0].n, 128);
    assert_non_null(strstr(record_notes(r), "67 rows suspected of padding"));
    record_free(r);
    r = padded(minus, 67, 61, false);
    assert_int_equal(routes_suspected(r->routes), 0);
    assert_int_equal(r->routes->padding_rows, 67);
    assert_int_equal(r->routes->layers[0].n, 61);
    record_free(r);
    r = padded(zero, 67, 61, false);
    assert_int_equal(r->routes->zero_rows, 67);
    assert_int_equal(routes_dropped(r->routes), 67);
    assert_int_equal(r->routes->layers[0].n, 61);
    record_free(r);
    // a tail of -1, and the valid length of each batch
    r = parse_text("{\"topk_ids\":[1,2,-1]}\n", 8, 3);
    double load[8];
    routes_count(r->routes, 0, true, load);
    assert_rel(stat_sum(load, 8), 2, 0);
    record_free(r);
    struct record_ask ask = asking(8, 1);
    ask.routes.batch_rows = 3;
    ask.routes.batch_valid = 2;
    static const char text[] =
        "{\"topk_ids\":[1]}{\"topk_ids\":[2]}{\"topk_ids\":[7]}{\"topk_ids\":[3]}";
    struct err e;
    assert_ok(record_parse(text, strlen(text), "t", &ask, &r, &e), &e);
    assert_int_equal(r->routes->layers[0].n, 3);
    assert_int_equal(r->routes->invalid_rows, 1);
    record_free(r);
}

static void b06_scattered_padding_is_suspected(void **state) {
    (void)state;
    // every fourth row is the same: no run, but a quarter of all
    struct buf b = {0};
    for (int i = 0; i < 80; i++) {
        int ids[] = {i % 4 == 3 ? 1 : 10 + i % 37, i % 4 == 3 ? 2 : 50 + i % 11};
        route_line(&b, ids, 2);
    }
    struct record *r = parse_text(b.text, 64, 2);
    assert_int_equal(routes_suspected(r->routes), 20);
    record_free(r);
    // 16 on end are enough, be it few of many; 15 are not
    static const int same[] = {5, 6, 7, 8};
    r = padded(same, 16, 2000, true);
    assert_int_equal(routes_suspected(r->routes), 16);
    record_free(r);
    // with 12 possible rows every one makes up 8 %
    b.n = 0;
    for (int i = 0; i < 1200; i++) {
        int ids[] = {i * 7 % 12 / 3, (i * 7 % 12 / 3 + 1 + i * 7 % 12 % 3) % 4};
        route_line(&b, ids, 2);
    }
    struct record *few = parse_text(b.text, 4, 2);
    assert_int_equal(routes_suspected(few->routes), 0);
    record_free(few);
    r = padded(same, 15, 2000, true);
    assert_int_equal(routes_suspected(r->routes), 0);
    record_free(r);
    buf_clear(&b);
}

static void b07_fill_of_first_experts_makes_a_hot_rank(void **state) {
    (void)state;
    static const int first[] = {0, 1, 2, 3};
    struct record *r = padded(first, 60, 240, true);
    double load[64];
    assert_int_equal(routes_suspected(r->routes), 60);
    routes_count(r->routes, 0, true, load);
    double with = skew_rho(load, 64, 16);
    routes_count(r->routes, 0, false, load);
    assert_rel(stat_sum(load, 64), 240 * 4, 0);
    double without = skew_rho(load, 64, 16);
    assert_true(with > 3 && without < 1.5);
    record_free(r);
}

static void b08_warm_up_rows_are_reported_and_left_out_on_request(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    sample("synthetic_route_log.jsonl", path);
    const struct setting keep[] = {{"experts", "16"},
                                   {"top_k", "4"},
                                   {"routing.trace", path},
                                   {"routing.source", "trace"},
                                   {NULL, NULL}};
    struct asked a = get_traffic("1", "4", keep);
    assert_int_equal(a.t->suspected_rows, 60);
    assert_int_equal(a.t->tokens_total, 300);
    struct traffic_rho rho;
    traffic_rho(a.t, &rho);
    assert_true(rho.rank > a.t->rho_kept + 0.3);
    double kept = a.t->rho_kept;
    done(&a);
    const struct setting drop[] = {{"experts", "16"},
                                   {"top_k", "4"},
                                   {"routing.trace", path},
                                   {"routing.source", "trace"},
                                   {"routing.suspected", "drop"},
                                   {NULL, NULL}};
    a = get_traffic("1", "4", drop);
    assert_int_equal(a.t->dropped_rows, 60);
    assert_int_equal(a.t->suspected_rows, 0);
    assert_int_equal(a.t->tokens_total, 240);
    traffic_rho(a.t, &rho);
    assert_rel(rho.rank, kept, 1e-12);
    done(&a);
}

static void b09_rows_hold_k_ids_of_e(void **state) {
    (void)state;
    struct buf b = {0};
    buf_text(&b, "{\"topk_ids\":[0");
    for (int i = 1; i < 64; i++)
        buf_printf(&b, ",%d", i);
    buf_text(&b, "]}");
    refuse_text(b.text, 64, 6, RC_SHAPE,
                "row 1 has 64 ids, expected top_k 6; all experts instead of the");
    buf_clear(&b);
    refuse_text("{\"topk_ids\":[3,256]}", 256, 2, RC_RANGE,
                "row 1: expert 256, expected 0 to 255; a fused shared expert?");
    refuse_text("{\"topk_ids\":[3,287]}", 256, 2, RC_RANGE,
                "physical ids of a replicated placement");
    struct record_ask ask = asking(256, 2);
    struct record *r = NULL;
    struct err e;
    ask.routes.slots = 288;
    assert_fails(record_parse("{\"topk_ids\":[3,287]}", 20, "t", &ask, &r, &e), RC_RANGE, &e,
                 "physical ids? the placement has that many slots");
    refuse_text("{\"topk_ids\":[3,7]}", 0, 2, RC_SHAPE, "does not say how many experts");
}

static void b10_dense_layers_are_absent(void **state) {
    (void)state;
    static const char *const names[] = {"sglang_style_logical_count_LE.json",
                                        "sglang_style_logical_count_SLE.json",
                                        "sglang_style_layer_expert_count.csv"};
    for (int i = 0; i < 3; i++) {
        struct record *r = load_sample(names[i], 64, 8);
        assert_int_equal(record_layers(r), 3);
        assert_int_equal(record_layer(r, 0), 2);
        assert_non_null(strstr(record_notes(r), "layers without any count (dense) left out: 0, 1"));
        assert_rel(skew_rho(r->counts->counts + 64, 64, 64), 6.157, 1e-3);
        assert_rel(r->counts->counts[0], 32373, 0); // the steps of [S, L, E] summed
        record_free(r);
    }
}

/* --- geometry ------------------------------------------------------------------------------------------
 * */

static void b18_geometry_is_checked_up_front(void **state) {
    (void)state;
    const struct setting limited[] = {
        {"experts", "32"}, {"group_limit", "1"}, {"routing.mode", "group_limited"}, {NULL, NULL}};
    refuse_traffic("8", "4", limited, RC_RANGE,
                   "group_limit 1 with groups of 4 experts allows 4 experts, fewer than top_k 8");
    const struct setting quota[] = {{"top_k", "6"}, {"routing.mode", "quota_only"}, {NULL, NULL}};
    refuse_traffic("8", "8", quota, RC_RANGE, "the number of groups 8 does not divide top_k 6");
    const struct setting above[] = {{"experts", "4"}, {NULL, NULL}};
    refuse_traffic("1", "4", above, RC_RANGE, "top_k 8 is above experts 4");
    const struct setting none[] = {{"experts", "0"}, {NULL, NULL}};
    refuse_traffic("1", "4", none, RC_RANGE, "experts: 0 is below the smallest allowed value 1");
    char path[RECORDS_PATH];
    sample("synthetic_placement.npy", path);
    const struct setting place[] = {
        {"experts", "16"}, {"placement", "file"}, {"placement_file", path}, {NULL, NULL}};
    refuse_traffic("1", "4", place, RC_SHAPE, "expert 6 of 16 has no rank");
}

static void b19_small_id_types_are_refused(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    struct record_ask ask = asking(384, 4);
    struct record *r = NULL;
    struct err e;
    assert_fails(record_load(sample("synthetic_ids_u1.npy", path), &ask, &r, &e), RC_RANGE, &e,
                 "8-bit ids cannot name 384 experts");
    r = load_sample("synthetic_ids_u1.npy", 32, 4);
    assert_int_equal(r->routes->layers[0].n, 96);
    record_free(r);
    // 96 rows on 4 ranks of 25 tokens: fewer rows than tokens are used as they are
    const struct setting set[] = {{"experts", "32"},         {"top_k", "4"},
                                  {"tokens_per_rank", "25"}, {"routing.source", "trace"},
                                  {"routing.trace", path},   {NULL, NULL}};
    struct asked a = get_traffic("1", "4", set);
    assert_int_equal(a.t->tokens_total, 96);
    assert_non_null(strstr(a.t->notes.text, "96 of 96 rows used"));
    done(&a);
}

static void b20_a_wrong_shape_shows(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    struct record_ask ask = asking(64, 8);
    struct record *r = NULL;
    struct err e;
    assert_fails(record_load(sample("synthetic_blob_wrong_shape.npy", path), &ask, &r, &e),
                 RC_RANGE, &e, "twice; a token chooses distinct experts");
}

static void b22_elements_are_not_bytes(void **state) {
    (void)state;
    struct record *half = parse_text("Number of ranks: 1\nDatatype size: 2\nBEGINNING DATA\n"
                                     "Rank(s) 0: 300\nEND DATA\n",
                                     0, 0);
    struct record *byte = parse_text("Number of ranks: 1\nDatatype size: 1\nBEGINNING DATA\n"
                                     "Rank(s) 0: 600\nEND DATA\n",
                                     0, 0);
    assert_rel(half->bytes.value[0], byte->bytes.value[0], 0);
    record_free(half);
    record_free(byte);
    refuse_text("Number of ranks: 1\nBEGINNING DATA\nRank(s) 0: 300\nEND DATA\n", 0, 0, RC_SYNTAX,
                "counts are elements, bytes need the size of one");
}

static void b24_fractions_are_normalised(void **state) {
    (void)state;
    struct record *r = load_sample("gptoss20b_count_frequency_sample.json", 32, 4);
    assert_int_equal(record_layers(r), 24);
    assert_non_null(strstr(record_notes(r), "values are fractions: layers sum to"));
    record_free(r);
    r = load_sample("mixtral_expert_frequencies.npy", 8, 2);
    assert_non_null(strstr(record_notes(r), "values are fractions: each layer sums to 1"));
    record_free(r);
    refuse_text("[[0.5, NaN]]", 2, 1, RC_SYNTAX,
                "t.jsonl:1:8: JSON: 'N', expected a finite number");
    refuse_text("[[0.5, -0.5]]", 2, 1, RC_RANGE, "count -0.5 of layer 0, expert 1");
    refuse_text("{\"layer_3\":{\"1\":-2}}", 2, 1, RC_RANGE,
                "t.jsonl:1:17: count -2 of layer 3, expert 1");
}

static void b25_zero_compute_experts_send_nothing(void **state) {
    (void)state;
    static const char row[] = "{\"topk_ids\":[3,0,0,7],\"topk_weights\":[0.6,0,0.0,0.4]}";
    refuse_text(row, 64, 4, RC_RANGE,
                "expert 0 twice; a token chooses distinct experts; one has weight 0");
    struct record_ask ask = asking(64, 4);
    struct record *r = NULL;
    struct err e;
    ask.routes.drop_zero_weight = true;
    assert_ok(record_parse(row, strlen(row), "t", &ask, &r, &e), &e);
    assert_int_equal(r->routes->zero_weight_ids, 2);
    double load[64];
    routes_count(r->routes, 0, true, load);
    assert_rel(stat_sum(load, 64), 2, 0);
    assert_rel(load[0], 0, 0);
    record_free(r);
    static const char extra[] = "{\"topk_ids\":[3,64,95,7]}";
    ask = asking(64, 4);
    ask.routes.router_experts = 96;
    assert_ok(record_parse(extra, strlen(extra), "t", &ask, &r, &e), &e);
    assert_int_equal(r->routes->zero_compute_ids, 2);
    assert_non_null(strstr(record_notes(r), "2 choices of zero-compute experts not sent"));
    record_free(r);
    refuse_text(extra, 64, 4, RC_RANGE, "expert 64");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b01_sums_are_64_bit_and_checked),
        cmocka_unit_test(b02_limits_of_libraries_are_no_physics),
        cmocka_unit_test(b03_idle_ranks_take_part),
        cmocka_unit_test(b04_remainders_have_a_policy),
        cmocka_unit_test(b05_an_expert_twice_is_refused),
        cmocka_unit_test(b06_padding_rows_are_counted),
        cmocka_unit_test(b06_scattered_padding_is_suspected),
        cmocka_unit_test(b07_fill_of_first_experts_makes_a_hot_rank),
        cmocka_unit_test(b08_warm_up_rows_are_reported_and_left_out_on_request),
        cmocka_unit_test(b09_rows_hold_k_ids_of_e),
        cmocka_unit_test(b10_dense_layers_are_absent),
        cmocka_unit_test(b18_geometry_is_checked_up_front),
        cmocka_unit_test(b19_small_id_types_are_refused),
        cmocka_unit_test(b20_a_wrong_shape_shows),
        cmocka_unit_test(b22_elements_are_not_bytes),
        cmocka_unit_test(b24_fractions_are_normalised),
        cmocka_unit_test(b25_zero_compute_experts_send_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
