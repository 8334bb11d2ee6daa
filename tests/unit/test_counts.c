/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/stat.h"
#include "workloads/records/record.h"
#include "workloads/draw/skew.h"
#include "workloads/workload.h"

static const struct counts_ask ask_nothing = {0, NULL, NULL};

/* Takes the counts of a record in memory. */
static enum rc counts_parse(const char *data, size_t n, const char *name, const struct counts_ask *ask,
                            struct counts **c, struct err *e) {
    struct record_ask whole = {.counts = *ask};
    struct record *r = NULL;
    enum rc rc = record_parse(data, n, name, &whole, &r, e);
    if (rc)
        return rc;
    assert_int_equal(r->kind, RECORD_COUNTS);
    *c = r->counts;
    r->counts = NULL;
    record_free(r);
    return RC_OK;
}

static enum rc parse(const char *text, const struct counts_ask *ask, struct counts **c,
                     struct err *e) {
    return counts_parse(text, strlen(text), "t.csv", ask, c, e);
}

/* A record of counts from a file. */
static enum rc load_counts(const char *path, const struct counts_ask *ask, struct counts **c,
                           struct err *e) {
    struct record_ask whole = {.counts = *ask};
    struct record *r = NULL;
    enum rc rc = record_load(path, &whole, &r, e);
    if (rc)
        return rc;
    assert_int_equal(r->kind, RECORD_COUNTS);
    assert_int_equal(strlen(r->sha256), 64);
    *c = r->counts;
    r->counts = NULL;
    record_free(r);
    return RC_OK;
}

static struct counts *load(const char *name) {
    char path[500];
    snprintf(path, sizeof path, "%s/routing/%s", TEST_DATA_DIR, name);
    struct counts *c = NULL;
    struct err e;
    assert_ok(load_counts(path, &ask_nothing, &c, &e), &e);
    return c;
}

/* The trace of the built-in workload. */
static struct counts *load_shipped(void) {
    struct workload *w;
    struct counts *c;
    struct err e;
    assert_ok(workload_load("olmoe-github", NULL, 0, &w, &e), &e);
    struct counts_ask ask = {64, "olmoe", "github"};
    assert_ok(load_counts(w->trace_path, &ask, &c, &e), &e);
    workload_free(w);
    return c;
}

static void assert_same_counts(const struct counts *a, const struct counts *b, double tolerance) {
    assert_int_equal(a->n_layers, b->n_layers);
    assert_int_equal(a->n_experts, b->n_experts);
    for (int l = 0; l < a->n_layers; l++) {
        const double *x = a->counts + l * a->n_experts, *y = b->counts + l * b->n_experts;
        double scale = tolerance > 0 ? stat_sum(y, 64) / stat_sum(x, 64) : 1;
        for (int e = 0; e < a->n_experts; e++)
            assert_rel(x[e] * scale, y[e], tolerance);
    }
}

static void all_layouts_hold_the_same_matrix(void **state) {
    (void)state;
    static const char *const files[] = {
        "npy_i8_c_v1.npy",       "npy_i8_c_v2.npy",    "npy_i8_c_v3.npy",
        "npy_i8_fortran_v1.npy", "npy_be_i4_c_v1.npy", "sglang_style_layer_expert_count.csv"};
    struct counts *shipped = load_shipped();
    assert_int_equal(shipped->n_layers, 3);
    assert_int_equal(shipped->layer[2], 2);
    assert_rel(stat_sum(shipped->counts, 64), 8 * 208896, 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct counts *c = load(files[i]);
        assert_same_counts(c, shipped, 0);
        counts_free(c);
    }
    struct counts *fractions = load("npy_f8_c_v1.npy");
    assert_same_counts(fractions, shipped, 1e-12);
    assert_string_equal(fractions->notes.text, "values are fractions: each layer sums to 1\n");
    counts_free(fractions);
    counts_free(shipped);
}

static void dense_layers_are_left_out(void **state) {
    (void)state;
    struct counts *c = load("sglang_style_layer_expert_count.csv");
    assert_int_equal(c->n_layers, 3);
    assert_int_equal(c->layer[0], 2);
    assert_int_equal(c->layer[2], 4);
    assert_string_equal(c->notes.text, "number of experts taken from the largest id: 64\n"
                                       "layers without any count (dense) left out: 0, 1\n");
    counts_free(c);
}

/* Statistics of this set, computed from the original file by other means: upper median and largest over the
 * three layers, rounded to three digits (largest: to the last digit given). */
static void shipped_trace_has_its_known_skew(void **state) {
    (void)state;
    static const double want[][2] = {{5.006, 6.157}, {0.584, 0.589}, {1.190, 1.349},
                                     {1.281, 2.141}, {2.891, 3.277}, {5.006, 6.157}};
    struct counts *c = load_shipped();
    double value[6][3];
    for (int l = 0; l < 3; l++) {
        const double *x = c->counts + l * 64;
        value[0][l] = stat_max_over_mean(x, 64);
        value[1][l] = stat_gini(x, 64);
        value[2][l] = stat_cv(x, 64);
        value[3][l] = skew_rho(x, 64, 8);
        value[4][l] = skew_rho(x, 64, 32);
        value[5][l] = skew_rho(x, 64, 64);
    }
    for (int i = 0; i < 6; i++) {
        assert_near(stat_upper_median(value[i], 3), want[i][0], 5.001e-4);
        assert_near(stat_max(value[i], 3), want[i][1], 5.001e-4);
    }
    counts_free(c);
}

static void csv_is_read_in_any_order(void **state) {
    (void)state;
    static const char *const same[] = {
        "layer_id,expert_id,count\n3,0,5\n3,1,7\n7,1,12\n",
        "count,layer,expert\n12,7,1\n7,3,1\n5,3,0\n",
        "\xEF\xBB\xBFlayer_slot,expert_id,count\r\n\r\n3,\"1\",7.0\r\n7,1,1.2e1\r\n3,0,5\r\n",
        "layer_id, expert_id, count\n3, 0, 5\n3, 1, 7\n7, 1, 12\n7, 0, 0",
        "model,layer_id,expert_id,count,corpus\nm,3,0,5,c\nm,3,1,7,c\nm,7,1,12,c\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct counts *c;
        struct err e;
        assert_ok(parse(same[i], &ask_nothing, &c, &e), &e);
        assert_int_equal(c->n_layers, 2);
        assert_int_equal(c->n_experts, 2);
        assert_int_equal(c->layer[0], 3);
        assert_int_equal(c->layer[1], 7);
        static const double want[] = {5, 7, 0, 12};
        for (int j = 0; j < 4; j++)
            assert_rel(c->counts[j], want[j], 0);
        counts_free(c);
    }
}

static void sets_are_chosen_by_name(void **state) {
    (void)state;
    const char text[] = "model,corpus,layer,expert,count\n"
                        "olmoe,c4,0,0,1\nolmoe,github,0,0,2\nmixtral,c4,0,0,3\n";
    static const struct {
        const char *model, *corpus;
        double want; /* 0: the error */
        const char *message;
    } cases[] = {
        {"olmoe", "c4", 1, NULL},
        {NULL, "github", 2, NULL},
        {"mixtral", NULL, 3, NULL},
        {NULL, NULL, 0,
         "t.csv: 3 sets of counts, choose one by model and corpus: olmoe/c4, olmoe/github, "
         "mixtral/c4"},
        {"olmoe", NULL, 0,
         "t.csv: 2 sets of counts, choose one by model and corpus: olmoe/c4, olmoe/github, "
         "mixtral/c4"},
        {"olmo", NULL, 0,
         "t.csv: no model 'olmo', did you mean 'olmoe'? (the file holds: olmoe/c4, olmoe/github, "
         "mixtral/c4)"},
        {"olmoe", "git", 0,
         "t.csv: no corpus 'git' (the file holds: olmoe/c4, olmoe/github, mixtral/c4)"},
        {"mixtral", "github", 0,
         "t.csv: no model 'mixtral' with corpus 'github' (the file holds: olmoe/c4, olmoe/github, "
         "mixtral/c4)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counts_ask ask = {1, cases[i].model, cases[i].corpus};
        struct counts *c = NULL;
        struct err e;
        enum rc rc = parse(text, &ask, &c, &e);
        assert_int_equal(rc, cases[i].message ? RC_SCHEMA : RC_OK);
        if (cases[i].message)
            assert_string_equal(e.text, cases[i].message);
        else
            assert_rel(c->counts[0], cases[i].want, 0);
        counts_free(c);
    }
}

static void broken_csv_names_place_and_reason(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int experts;
        enum rc rc;
        const char *message;
    } bad[] = {
        {"", 0, RC_SYNTAX, "t.csv: no record, expected the header layer_id,expert_id,count"},
        {"layer_id,expert_id,count\n", 0, RC_SCHEMA, "t.csv: a header and no record after it"},
        {"layer_id,expret_id,count\n0,0,1\n", 0, RC_SCHEMA,
         "t.csv:1:10: unknown column 'expret_id', did you mean 'expert_id'? (known: "},
        {"layer_id,expert_id,count,zzzzzz\n0,0,1,2\n", 0, RC_SCHEMA,
         "t.csv:1:26: unknown column 'zzzzzz' (known: layer_id, layer or layer_slot; expert_id or "
         "expert; count; optional model, corpus)"},
        {"0,0,1\n", 0, RC_SCHEMA, "t.csv: three columns without a header: counts of three experts (--as counts), or"},
        {"0,0,1\n0,1,2\n", 4, RC_SCHEMA, "t.csv: three columns without a header"},
        {"layer_id,layer,expert_id,count\n0,0,0,1\n", 0, RC_SCHEMA,
         "t.csv:1:10: column 'layer' says the same as column 1"},
        {"layer_id,count\n0,1\n", 0, RC_SCHEMA, "t.csv:1:1: column 'expert_id' is missing"},
        {"layer,expert,count\n0,0,1\n0,1\n", 0, RC_SYNTAX,
         "t.csv:3:1: 2 fields, but the header has 3"},
        {"layer,expert,count\n0,0,1\n1,0,2\n0,0,3\n", 0, RC_SCHEMA,
         "t.csv:4: second count of layer 0, expert 0; the first is in line 2"},
        {"layer,expert,count\n0,0,-1\n", 0, RC_RANGE,
         "t.csv:2:5: count '-1' of layer 0, expert 0 is not a finite number of 0 or more"},
        {"layer,expert,count\n0,3,nan\n", 0, RC_RANGE,
         "t.csv:2:5: count 'nan' of layer 0, expert 3"},
        {"layer,expert,count\n0,3,1e999\n", 0, RC_RANGE, "count '1e999' of layer 0, expert 3"},
        {"layer,expert,count\n0,3,\n", 0, RC_RANGE, "count '' of layer 0, expert 3"},
        {"layer,expert,count\n-1,3,1\n", 0, RC_SCHEMA,
         "t.csv:2:1: layer '-1' is not a whole number of 0 or more"},
        {"layer,expert,count\n,3,1\n", 0, RC_SCHEMA, "t.csv:2:1: layer is empty"},
        {"layer,expert,count\n0,65536,1\n", 0, RC_RANGE,
         "t.csv:2:3: expert 65536 is above 65535, the highest supported"},
        {"layer,expert,count\n0,99999999999999999999,1\n", 0, RC_RANGE, "is above 65535"},
        {"layer,expert,count\n0,0,1\n0,4,1\n0,2,1\n", 4, RC_SHAPE,
         "t.csv:3: expert 4 needs 5 experts, but there are 4 (--set workload.experts=5, or "
         "--experts "
         "5); a fused shared expert? then leave it out"},
        {"layer,expert,count\n0,7,1\n", 4, RC_SHAPE,
         "t.csv:2: expert 7 needs 8 experts, but there are 4"},
        {"layer,expert,count\n0,0,0\n1,1,0\n", 0, RC_RANGE, "t.csv: all counts are zero"},
        {"layer,expert,count\n0,0,1.7e308\n0,1,1.7e308\n", 0, RC_RANGE, "sum to inf, expected 1e-12 to 1e+18"},
        {"layer,expert,count\n0,0,\"1\n", 0, RC_SYNTAX, "t.csv:2:5: quote is never closed"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct counts_ask ask = {bad[i].experts, NULL, NULL};
        struct counts *c = (struct counts *)&ask;
        struct err e;
        assert_fails(parse(bad[i].text, &ask, &c, &e), bad[i].rc, &e, bad[i].message);
        assert_ptr_equal(c, &ask); // untouched
    }
}

static void a_huge_shape_is_refused_before_memory_is_taken(void **state) {
    (void)state;
    struct buf text = {0};
    buf_text(&text, "layer,expert,count\n");
    for (int l = 0; l < 257; l++)
        buf_printf(&text, "%d,65535,1\n", l);
    struct counts *c;
    struct err e;
    assert_fails(counts_parse(text.text, text.n, "t.csv", &ask_nothing, &c, &e), RC_RANGE, &e,
                 "257 layers of 65536 experts are more than 16777216 counts");
    buf_clear(&text);
}

static void notes_say_what_was_assumed(void **state) {
    (void)state;
    static const struct {
        const char *text, *notes;
    } cases[] = {
        {"layer,expert,count\n0,0,1\n0,1,3\n1,0,2\n1,1,2\n", NULL},
        {"layer,expert,count\n0,0,1\n0,1,3\n1,0,2\n1,1,3\n",
         "layers sum to different totals, 4 .. 5\n"},
        {"layer,expert,count\n0,0,.5\n0,1,1.5\n1,0,.7\n1,1,1.2999\n",
         "values are fractions: each layer sums to 2\n"},
        {"layer,expert,count\n0,0,.5\n0,1,1\n1,0,1\n1,1,1\n",
         "values are fractions: layers sum to 1.5 .. 2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counts_ask ask = {2, NULL, NULL};
        struct counts *c;
        struct err e;
        assert_ok(parse(cases[i].text, &ask, &c, &e), &e);
        if (cases[i].notes)
            assert_string_equal(c->notes.text, cases[i].notes);
        else
            assert_int_equal(c->notes.n, 0);
        counts_free(c);
    }
}

/* An array file of version 1.0. */
static enum rc parse_npy(const char *descr, const char *shape, const void *data, size_t n,
                         const struct counts_ask *ask, struct counts **c, struct err *e) {
    struct buf b = {0};
    char *header = mem_printf("{'descr': '%s', 'fortran_order': False, 'shape': %s}", descr, shape);
    buf_add(&b, "\x93NUMPY\x01\x00", 8);
    char length[2] = {(char)strlen(header), 0};
    buf_add(&b, length, 2);
    buf_text(&b, header);
    buf_add(&b, data, n);
    enum rc rc = counts_parse(b.text, b.n, "a.npy", ask, c, e);
    buf_clear(&b);
    free(header);
    return rc;
}

static void arrays_that_are_no_counts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *descr, *shape, *data;
        size_t n;
        int experts;
        enum rc rc;
        const char *message;
    } bad[] = {
        {"|b1", "(2,)", "\1\0", 2, 0, RC_UNSUPPORTED, "a.npy: array of booleans, expected counts"},
        {"|u1", "(1, 1, 1, 2)", "\1\0", 2, 0, RC_SHAPE,
         "shape (1, 1, 1, 2), expected (E,), (L, E) or (steps, L, E)"},
        {"|u1", "()", "\1", 1, 0, RC_SHAPE, "shape (), expected (E,), (L, E) or (steps, L, E)"},
        {"|u1", "(0, 2)", "", 0, 0, RC_SHAPE, "shape (0, 2), expected (E,), (L, E) or (steps, L, E)"},
        {"|u1", "(2,)", "\1\2", 2, 4, RC_SHAPE, "shape (2,) holds 2 experts, but there are 4"},
        {"|u1", "(2,)", "\1\2", 2, 1, RC_SHAPE, "fused shared expert?"},
        {"|u1", "(2,)", "\0\0", 2, 0, RC_RANGE, "all counts are zero"},
        {"|i1", "(2, 2)", "\1\1\1\xff", 4, 0, RC_RANGE,
         "a.npy: count -1 of layer 1, expert 1 is not a finite number of 0 or more"},
        {"<f4", "(2,)", "\0\0\x80\x7f\0\0\0\0", 8, 0, RC_RANGE, "count inf of layer 0, expert 0"},
        {">f4", "(2,)", "\0\0\0\0\x7f\xc0\0\0", 8, 0, RC_RANGE, "count nan of layer 0, expert 1"},
        {"|u1", "(2, 2)", "\1\2\3\4", 4, 0, RC_RANGE,
         "8-bit counts whose layers sum to 3 .. 7: equal sums are expected, the counts probably "
         "overflowed"},
        {"|u1", "(2,)", "\1", 1, 0, RC_SHAPE, "cut short"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct counts_ask ask = {bad[i].experts, NULL, NULL};
        struct counts *c;
        struct err e;
        assert_fails(parse_npy(bad[i].descr, bad[i].shape, bad[i].data, bad[i].n, &ask, &c, &e),
                     bad[i].rc, &e, bad[i].message);
    }
}

static void one_row_arrays_are_layer_0(void **state) {
    (void)state;
    struct counts_ask ask = {2, "m", NULL};
    struct counts *c;
    struct err e;
    assert_ok(parse_npy("|u1", "(2,)", "\1\2", 2, &ask, &c, &e), &e);
    assert_int_equal(c->n_layers, 1);
    assert_int_equal(c->layer[0], 0);
    assert_rel(c->counts[1], 2, 0);
    assert_string_equal(c->notes.text,
                        "an array holds one set of counts: model and corpus were not looked for\n"
                        "8-bit counts: an overflow above 255 would not show\n");
    counts_free(c);
}

static void steps_are_summed(void **state) {
    (void)state;
    struct counts_ask ask = {2, NULL, NULL};
    struct counts *c;
    struct err e;
    // [steps, layers, experts] = [2, 2, 2]
    assert_ok(parse_npy("|i1", "(2, 2, 2)", "\1\3\2\2\5\7\6\6", 8, &ask, &c, &e), &e);
    static const double want[] = {6, 10, 8, 8};
    assert_int_equal(c->n_layers, 2);
    assert_memory_equal(c->counts, want, sizeof want);
    assert_non_null(strstr(c->notes.text, "2 steps summed"));
    counts_free(c);
}

static void overflowed_sample_is_refused(void **state) {
    (void)state;
    struct counts *c;
    struct err e;
    assert_fails(
        load_counts(TEST_DATA_DIR "/routing/npy_u1_overflow_trap_v1.npy", &ask_nothing, &c, &e),
        RC_RANGE, &e, "8-bit counts whose layers sum to 6912 .. 8192");
}

static void other_formats_get_a_recipe(void **state) {
    (void)state;
    static const struct {
        const char *data;
        size_t n;
        const char *message;
    } cases[] = {
        {"PK\3\4..............................archive/data.pkl", 50,
         "f: a PyTorch file, expected .npy, CSV or JSON; convert it first: python -c \"import numpy, "
         "torch;"},
        {"PK\3\4", 4, "a zip archive, expected .npy, CSV or JSON; convert it first: unzip it, then"},
        {"\x80\x02}q", 4, "a Python pickle"},
        {"\x80\x04\x95", 3, "pickle.load(open('f', 'rb'))"},
        {"\x80\x05\x95", 3, "only if you trust it"},
        {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15, "a PyTorch file"},
        {"PAR1....", 8, "a Parquet file"},
        {"\x1f\x8b\x08", 3,
         "compressed with gzip, expected .npy, CSV or JSON; convert it first: gzip -dk f"},
        {"AAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAA====\n", 73,
         "base64 without a shape"},
    };
    struct err e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_ask ask = {0};
        struct record *r;
        assert_fails(record_parse(cases[i].data, cases[i].n, "f", &ask, &r, &e), RC_UNSUPPORTED, &e,
                     cases[i].message);
    }
    struct counts *c;
    assert_fails(load_counts(TEST_DATA_DIR "/none.npy", &ask_nothing, &c, &e), RC_IO, &e,
                 "No such file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_hold_the_same_matrix),
        cmocka_unit_test(dense_layers_are_left_out),
        cmocka_unit_test(shipped_trace_has_its_known_skew),
        cmocka_unit_test(csv_is_read_in_any_order),
        cmocka_unit_test(sets_are_chosen_by_name),
        cmocka_unit_test(broken_csv_names_place_and_reason),
        cmocka_unit_test(a_huge_shape_is_refused_before_memory_is_taken),
        cmocka_unit_test(notes_say_what_was_assumed),
        cmocka_unit_test(arrays_that_are_no_counts_are_refused),
        cmocka_unit_test(one_row_arrays_are_layer_0),
        cmocka_unit_test(steps_are_summed),
        cmocka_unit_test(overflowed_sample_is_refused),
        cmocka_unit_test(other_formats_get_a_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
