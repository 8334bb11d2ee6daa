/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of every kind: their layouts, the figures of public sets, streams longer than memory. */
#include "tests/support/records.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "workloads/placement/balance.h"
#include "workloads/records/csv.h"

/* --- the figures of 15 public sets ------------------------------------------------------------------ */

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* rho_max after the greedy placement of equal numbers. */
static double balanced_rho(const double *load, int experts, int ranks) {
    int bin[256], place[256];
    double sum[256] = {0};
    balance_pack(load, experts, ranks, bin, place);
    for (int i = 0; i < experts; i++)
        sum[bin[i]] += load[i];
    return stat_max_over_mean(sum, (size_t)ranks);
}

enum { FIGURES = 9 };

static double figure(const double *load, int experts, int which) {
    static const int ranks[] = {8, 32, 64};
    size_t n = (size_t)experts;
    return which == 0   ? stat_max_over_mean(load, n)
           : which == 1 ? stat_gini(load, n)
           : which == 2 ? stat_cv(load, n)
           : which < 6  ? skew_rho(load, experts, ranks[which - 3])
                        : balanced_rho(load, experts, ranks[which - 6]);
}

/* Median and worst over the layers against two columns; empty ones do not exist. */
static void compare(const struct counts *c, int which, const struct csv_field *columns) {
    double value[64], want;
    if (!csv_number(&columns[0], &want))
        return;
    size_t n = (size_t)c->n_layers;
    for (size_t l = 0; l < n; l++)
        value[l] = figure(c->counts + l * (size_t)c->n_experts, c->n_experts, which);
    qsort(value, n, sizeof *value, by_value);
    assert_near((value[n / 2] + value[(n - 1) / 2]) / 2, want, 0.0011); // three digits were kept
    assert_true(csv_number(&columns[1], &want));
    assert_near(value[n - 1], want, 0.0006);
}

static void public_sets_have_their_figures(void **state) {
    (void)state;
    char path[RECORDS_PATH], *text;
    size_t n;
    struct csv csv;
    struct err e;
    int sets = 0;
    assert_ok(file_read(sample("stats.csv", path), 1 << 20, &text, &n, &e), &e);
    csv_init(&csv, text, n, "stats.csv");
    assert_ok(csv_next(&csv, &e), &e);
    assert_int_equal(csv.n_fields, 6 + 2 * FIGURES);
    for (; csv_next(&csv, &e) == RC_OK && csv.n_fields; sets++) {
        struct csv_field f[6 + 2 * FIGURES];
        memcpy(f, csv.fields, sizeof f);
        struct record_ask ask =
            asking((int)strtol(f[4].text, NULL, 10), (int)strtol(f[5].text, NULL, 10));
        ask.counts.model = f[2].n ? f[2].text : NULL;
        ask.counts.corpus = f[3].n ? f[3].text : NULL;
        struct record *r;
        assert_ok(record_load(sample(f[1].text, path), &ask, &r, &e), &e);
        for (int which = 0; which < FIGURES; which++)
            compare(r->counts, which, &f[6 + 2 * which]);
        record_free(r);
    }
    assert_int_equal(sets, 15);
    csv_clear(&csv);
    free(text);
}

/* --- layouts ------------------------------------------------------------------------------------------ */

static void ids_come_in_two_shapes(void **state) {
    (void)state;
    struct record *flat = load_sample("synthetic_ids_tk.npy", 32, 4);
    struct record *layered = load_sample("synthetic_ids_tlk.npy", 32, 4);
    assert_int_equal(flat->kind, RECORD_ROUTES);
    assert_int_equal(record_layers(layered), 2);
    const struct routes_layer *all = &flat->routes->layers[0];
    for (int l = 0; l < 2; l++) {
        const struct routes_layer *own = &layered->routes->layers[l];
        assert_int_equal(own->n, 48);
        for (size_t t = 0; t < own->n; t++) // the same rows, layers alternating
            assert_memory_equal(own->ids + 4 * t, all->ids + 4 * (2 * t + (size_t)l),
                                4 * sizeof *own->ids);
    }
    record_free(flat);
    record_free(layered);
    // without top_k the last dimension is experts, which these numbers do not fit; when it is both, nobody can tell
    char path[RECORDS_PATH];
    struct record_ask ask = asking(0, 0);
    struct err e;
    assert_fails(record_load(sample("synthetic_ids_tk.npy", path), &ask, &flat, &e), RC_SCHEMA, &e,
                 "looks like ids of experts");
    ask = asking(4, 4);
    assert_fails(record_load(sample("synthetic_ids_tk.npy", path), &ask, &flat, &e), RC_SCHEMA, &e,
                 "last dimension 4 is both top_k and experts");
    struct record *r = parse_text("[[[1,2],[3,0]],[[2,1],[0,1]],[[1,3],[2,3]]]", 4, 2);
    assert_int_equal(r->kind, RECORD_ROUTES);
    assert_int_equal(record_layers(r), 2);
    assert_int_equal(r->routes->layers[1].n, 3);
    record_free(r);
}

static void source_ranks_are_kept(void **state) {
    (void)state;
    struct record *r = load_sample("synthetic_source_log.jsonl", 16, 4);
    assert_true(r->routes->has_source);
    assert_int_equal(r->routes->sources, 4);
    assert_int_equal(record_layers(r), 3);
    assert_int_equal(record_layer(r, 0), 3);
    assert_int_equal(r->routes->layers[0].origin[5], 1);
    assert_int_equal(r->routes->layers[2].n, 7); // counts 5 and 2
    record_free(r);
    char path[RECORDS_PATH];
    sample("synthetic_source_log.jsonl", path);
    const struct setting set[] = {{"experts", "16"},           {"top_k", "4"},
                                  {"routing.source", "trace"}, {"routing.trace", path},
                                  {"routing.layer", "5"},      {NULL, NULL}};
    struct asked a = get_traffic("2", "2", set);
    double *dense = matrix_dense(&a.t->one_hop);
    // 5 tokens of rank 0 choose experts 0..3 on rank 0, 2 of rank 3 choose 12..15 on rank 3
    assert_rel(dense[0], 20, 0);
    assert_rel(dense[15], 8, 0);
    assert_rel(matrix_total(&a.t->one_hop, true), 28, 0);
    assert_rel(matrix_total(&a.t->one_hop_rank, true), 7, 0);
    assert_int_equal(a.t->tokens[1], 0);
    free(dense);
    done(&a);
    refuse_traffic("1", "2", set, RC_SHAPE,
                   "tokens of source rank 3, but the platform has 2 ranks");
    refuse_text("{\"origin_rows\":[0],\"topk_experts\":[[1],[2]]}", 4, 1, RC_SHAPE,
                "1 source ranks for 2");
    refuse_text("{\"origin_rows\":[0,1],\"topk_experts\":[[1],[-1]],\"count\":[1,1000000000000000000]}", 4, 1, RC_RANGE,
                "count 1000000000000000000 of token 2 is above 536870912"); // a dropped row, for ever
    refuse_text("{\"topk_ids\":[1]}{\"source_rank\":[0],\"topk_experts\":[[1]]}", 4, 1, RC_SCHEMA,
                "row 2 has a source rank, unlike the rows before");
}

/* A known key is used, or it is an error with its place. */
/* Lists under the names of their layers, and under expert_counts. */
static void layers_may_be_lists(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"layer_3\": [5,9,1,7], \"layer_7\": [1,2,3,6]}",
                                        "{\"7\": [1,2,3,6], \"3\": [5,9,1,7]}"};
    for (size_t i = 0; i < 2; i++) {
        struct record *r = parse_text(texts[i], 4, 0);
        assert_int_equal(r->kind, RECORD_COUNTS);
        assert_int_equal(record_layer(r, 1), 7);
        assert_near(r->counts->counts[1], 9, 0);
        assert_near(r->counts->counts[7], 6, 0);
        record_free(r);
    }
    struct record *r = parse_text("{\"expert_counts\": [[5,9,1,7],[1,2,3,6]]}", 4, 0);
    assert_near(r->counts->counts[7], 6, 0);
    record_free(r);
    refuse_text("{\"layer_0\": [2,4,0,1,3], \"layer_1\": [1,0,3,2,4]}", 5, 0, RC_SCHEMA, "looks like a slot map");
    refuse_text("{\"layer_0\": [2,\"4\"]}", 2, 0, RC_SCHEMA, "a text, expected a number");
}

static void no_known_key_is_skipped(void **state) {
    (void)state;
    struct record *r = parse_text("{\"topk_ids\":[0,1],\"source_rank\":3,\"count\":100}\n"
                                  "{\"topk_experts\":[[2,3],[1,0]],\"source_rank\":7,\"count\":[2,1]}\n", 8, 2);
    assert_int_equal(r->routes->layers[0].n, 103);
    assert_int_equal(r->routes->sources, 8);
    assert_int_equal(r->routes->layers[0].origin[99], 3);
    assert_int_equal(r->routes->layers[0].origin[102], 7);
    record_free(r);
    struct record_ask ask = asking(8, 2);
    struct err e;
    const char *weights = "{\"topk_experts\":[[2,3],[1,0]],\"topk_weights\":[[0.5,0.0],[1,0.25]]}";
    ask.routes.drop_zero_weight = true;
    assert_ok(record_parse(weights, strlen(weights), "t", &ask, &r, &e), &e);
    assert_int_equal(r->routes->zero_weight_ids, 1);
    record_free(r);
    static const struct {
        const char *text, *message;
        enum rc rc;
    } bad[] = {
        {"{\"topk_ids\":[0,1],\"layer\":\"model.layers.3\"}", "t.jsonl:1:27: a text 'model.layers.3'", RC_SCHEMA},
        {"{\"topk_ids\":[0,1],\"source_rank\":\"3\"}", "expected a whole number of 0 or more", RC_SCHEMA},
        {"{\"topk_ids\":[0,1],\"count\":1.5}", "expected a whole number of 0 or more", RC_SCHEMA},
        {"{\"topk_ids\":[0,1],\"topk_weights\":0.5}", "expected a list of weights", RC_SCHEMA},
        {"{\"topk_ids\":[0,1],\"topk_weights\":[0.5]}", "1 weights for 2 ids", RC_SHAPE},
        {"{\"topk_ids\":[0,1],\"req_id\":[1]}", "names the request", RC_SCHEMA},
        {"{\"top_k\":\"2\"}", "expected a whole number of 1 or more", RC_SCHEMA},
        {"{\"num_experts\":[8]}", "expected a whole number of 1 or more", RC_SCHEMA},
        {"{\"layers\":[1,2]}", "expected layers as", RC_SCHEMA},
        {"{\"layers\":{\"3\":[1,2]}}", "layer 3 is a list", RC_SCHEMA},
        {"{\"layers\":{\"3\":{\"cnt\":7}}}", "cnt is a number", RC_SCHEMA},
        {"{\"layer_3\":{\"0\":\"7\"}}", "layer 3, expert 0 is a text", RC_SCHEMA},
        {"{\"source_rank\":1}", "source ranks and without topk_ids", RC_SCHEMA},
        {"{\"layer_id\":0,\"expert_id\":1,\"count\":5}", "a count and without topk_ids", RC_SCHEMA},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_text(bad[i].text, 8, 2, bad[i].rc, bad[i].message);
    r = parse_text("{\"topk_ids\":[0,1],\"layer\":null,\"req_id\":null,\"topk_weights\":null}", 8, 2);
    record_free(r);
}

/* Every source rank sends the same rows: that is no padding of one of them; rows of one rank that repeat are. */
static void rows_of_other_ranks_are_no_repetition(void **state) {
    (void)state;
    struct buf b = {0};
    for (int rank = 0; rank < 64; rank++)
        for (int row = 0; row < 8; row++)
            buf_printf(&b, "{\"topk_ids\":[%d,%d],\"source_rank\":%d}\n", row, row + 8, rank);
    struct record *r = parse_text(b.text, 64, 2);
    assert_int_equal(routes_suspected(r->routes), 0);
    record_free(r);
    for (int row = 0; row < 40; row++)
        buf_text(&b, "{\"topk_ids\":[1,2],\"source_rank\":5}\n");
    r = parse_text(b.text, 64, 2);
    assert_int_equal(routes_suspected(r->routes), 40);
    record_free(r);
    buf_clear(&b);
}

/* All rows repeat: without them there is no load, and so no ratio of loads. */
static void an_undefined_ratio_is_no_number(void **state) {
    (void)state;
    struct buf b = {0};
    char path[RECORDS_PATH];
    for (int row = 0; row < 16; row++)
        buf_text(&b, "{\"layer\":0,\"topk_ids\":[0,1]}\n");
    write_record(&b, path);
    const struct setting set[] = {{"experts", "8"}, {"top_k", "2"}, {"routing.source", "trace"},
                                  {"routing.trace", path}, {NULL, NULL}};
    struct asked a = get_traffic("2", "2", set);
    assert_non_null(strstr(a.t->notes.text, "no row is left without them"));
    assert_null(strstr(a.t->notes.text, "-1"));
    done(&a);
    unlink(path);
    buf_clear(&b);
}

static void counts_come_by_name_too(void **state) {
    (void)state;
    struct record *r = load_sample("synthetic_cnt.json", 0, 0);
    assert_int_equal(r->counts->n_experts, 16);
    assert_int_equal(record_layers(r), 3);
    assert_int_equal(record_layer(r, 2), 7);
    record_free(r);
    r = parse_text("{\"a\":{\"layer_2\":{\"3\":1.5,\"0\":{\"count\":2,\"x\":[1]}}}}", 4, 0);
    assert_int_equal(record_layer(r, 0), 2);
    assert_rel(r->counts->counts[3], 1.5, 0);
    assert_rel(r->counts->counts[1], 0, 0);
    record_free(r);
    static const struct {
        const char *text;
        enum rc rc;
        const char *message;
    } bad[] = {
        {"{\"layer_2\":{\"3\":1,\"3\":2}}", RC_SCHEMA, "second count of layer 2, expert 3"},
        {"{\"layer_2\":{\"5\":1}}", RC_SHAPE, "holds 6 experts, but there are 4"},
        {"{\"logical_count\":[[1,2,3,4],[1,2,3]]}", RC_SHAPE,
         "a list of 3 items, the one before has 4"},
        {"{\"logical_count\":[[1,2,3,4],5]}", RC_SHAPE, "a number, expected a list as before"},
        {"{\"logical_count\":[[1,2,3,4,5]]}", RC_SHAPE, "5 experts, but there are 4"},
        {"{\"logical_count\":[[[[1]]]]}", RC_SHAPE, "nested deeper than 3"},
        {"{\"logical_count\":7}", RC_SCHEMA, "a number, expected lists of counts"},
        {"{\"n_expert\":8}", RC_SHAPE, "the record has experts 8, but the workload has 4"},
        {"{\"hello\":1}", RC_SCHEMA, "no routing found; known keys: topk_ids"},
        {"{\"layers\":{\"x\":{}}}", RC_SCHEMA, "layer 'x' is not a whole number"},
        {"{\"physical_to_logical_map\":[[0]]}", RC_SCHEMA,
         "this is a placement, not a routing record"},
        {"{\"topk_ids\":[0.5]}", RC_SCHEMA, "a number '0.5', expected a whole number"},
        {"{\"top_k\":3}{\"topk_ids\":[1,2]}", RC_SHAPE, "row 1 has 2 ids, expected top_k 3"},
        {"[[0,0,0,0]]", RC_RANGE, "all counts are zero"},
        {"{\"topk_ids\":[-1,-1]}", RC_SHAPE, "no row of a token is left (1 rows of padding)"},
        {"{\"topk_ids\":[1,2]", RC_SYNTAX, "the data ends, expected ',' or '}'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_text(bad[i].text, 4, 0, bad[i].rc, bad[i].message);
}

static void archives_name_their_arrays(void **state) {
    (void)state;
    char path[RECORDS_PATH], *data;
    size_t n;
    struct err e;
    struct record *r = NULL;
    struct record_ask ask = asking(64, 8);
    assert_ok(file_read(sample("npz_stored_counts.npz", path), 1 << 20, &data, &n, &e), &e);
    ask.counts.model = "nobody";
    assert_fails(record_parse(data, n, "z", &ask, &r, &e), RC_SCHEMA, &e, "no such array");
    ask.counts.model = NULL;
    data[8] = 8; // method: deflate
    assert_fails(record_parse(data, n, "z", &ask, &r, &e), RC_UNSUPPORTED, &e, "compressed array");
    assert_non_null(strstr(e.text, "numpy.savez"));
    data[8] = 0;
    assert_fails(record_parse(data, 100, "z", &ask, &r, &e), RC_SYNTAX, &e, "cut short");
    free(data);
}

/* --- matrices ----------------------------------------------------------------------------------------- */

static void a_matrix_is_traffic(void **state) {
    (void)state;
    char path[RECORDS_PATH];
    struct setting set[] = {{"routing.source", "trace"}, {"routing.trace", path}, {NULL, NULL}};
    sample("synthetic_matrix.csv", path);
    struct asked a = get_traffic("2", "2", set);
    assert_int_equal(a.t->unit, TRAFFIC_BYTES);
    double *dense = matrix_dense(&a.t->one_hop);
    assert_rel(dense[1], 1000, 0);
    assert_rel(dense[2 * 4 + 3], 4e9, 0);
    assert_rel(dense[15], 7, 0);
    assert_rel(matrix_total(&a.t->hop_a[TIER_FAST], true), 0, 0);
    assert_rel(matrix_total(&a.t->one_hop_rank, true), matrix_total(&a.t->one_hop, true), 0);
    assert_rel(a.t->rank_load[3], 4000000007.0, 0);
    free(dense);
    done(&a);
    refuse_traffic("2", "4", set, RC_SHAPE, "a matrix of 4 ranks, but the platform has 8");
    sample("synthetic_alltoallv.txt", path);
    a = get_traffic("1", "4", set);
    dense = matrix_dense(&a.t->one_hop);
    static const double want[] = {2, 4, 6, 8, 2, 4, 6, 8, 0, 10, 0, 14, 2, 4, 6, 8};
    assert_memory_equal(dense, want, sizeof want);
    free(dense);
    done(&a);
}

static void bad_matrices_are_refused(void **state) {
    (void)state;
#define DUMP "Number of ranks: 2\nDatatype size: 4\nBEGINNING DATA\n"
    static const struct {
        const char *text;
        enum rc rc;
        const char *message;
    } bad[] = {
        {"src,dst,bytes\n0,1,5\n0,1,6\n", RC_SCHEMA,
         "t.jsonl:3: second value for rank 0 to rank 1"},
        {"src,dst,bytes\n0,1,-5\n", RC_SCHEMA, "t.jsonl:2:5: '-5', expected a whole number"},
        {"src,dst,bytes\n0,99999,5\n", RC_SCHEMA,
         "'99999', expected a whole number from 0 to 16383"},
        {"src,dst,bytes\n0,1\n", RC_SYNTAX, "2 fields, expected 3"},
        {"src,dst,bytes\n", RC_SHAPE, "a header and no record"},
        {DUMP "Rank(s) 0: 1 2\nEND DATA\n", RC_SHAPE, "no counts of rank 1"},
        {DUMP "Rank(s) 0-1: 1 2 3\nEND DATA\n", RC_SHAPE,
         "3 counts, expected one for each of 2 ranks"},
        {DUMP "Rank(s) 0-1,1: 1 2\nEND DATA\n", RC_SCHEMA, "second row of rank 1"},
        {DUMP "Rank(s) 0-7: 1 2\nEND DATA\n", RC_SYNTAX, "expected ranks below 2"},
        {DUMP "Rank(s) 0-1: 1 2\n", RC_SYNTAX, "the data ends before END DATA"},
        {DUMP "Rank(s) 0-1: 1 x\nEND DATA\n", RC_SYNTAX, "expected whole numbers of elements"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_text(bad[i].text, 0, 0, bad[i].rc, bad[i].message);
}

/* --- streams -------------------------------------------------------------------------------------------
 * */

/* A pipe-sized writer: `lines` rows of a log, some 250 bytes each. */
static void write_long_log(const char *path, long lines) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    struct rng r;
    rng_init(&r, 1, "log", 0);
    for (long i = 0; i < lines; i++) {
        fprintf(f,
                "{\"type\":\"route\",\"req_id\":\"request-0123456789abcdef\",\"token_idx\":%ld,"
                "\"layer\":0,\"topk_ids\":[",
                i);
        int first = (int)rng_below(&r, 57);
        for (int k = 0; k < 8; k++)
            fprintf(f, "%s%d", k ? ", " : "", first + k);
        fprintf(f,
                "],\"topk_weights\":[0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125]}\n");
    }
    assert_int_equal(fclose(f), 0);
}

static void a_log_needs_less_memory_than_its_size(void **state) {
    (void)state;
    enum { LINES = 300000, LIMIT = 48 << 20 }; // 63 MB of text, 9.6 MB of ids and hashes
    char path[] = "/tmp/moesim-log-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_long_log(path, LINES);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {LIMIT, LIMIT};
        (void)limit;
        struct record_ask ask = asking(64, 8);
        struct record *r = NULL;
        struct err e = {0};
#ifndef __SANITIZE_ADDRESS__ // its shadow memory counts
        setrlimit(RLIMIT_DATA, &limit);
#endif
        enum rc rc = record_load(path, &ask, &r, &e);
        _exit(rc == RC_OK && r->routes->layers[0].n == LINES ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_sets_have_their_figures),
        cmocka_unit_test(ids_come_in_two_shapes),
        cmocka_unit_test(source_ranks_are_kept),
        cmocka_unit_test(layers_may_be_lists),
        cmocka_unit_test(no_known_key_is_skipped),
        cmocka_unit_test(rows_of_other_ranks_are_no_repetition),
        cmocka_unit_test(an_undefined_ratio_is_no_number),
        cmocka_unit_test(counts_come_by_name_too),
        cmocka_unit_test(archives_name_their_arrays),
        cmocka_unit_test(a_matrix_is_traffic),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(a_log_needs_less_memory_than_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
