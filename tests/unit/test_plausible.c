/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of numbers that could be taken as counts and are something else; and what the program writes, read back. */
#include "tests/support/records.h"

#include <dirent.h>
#include <sys/stat.h>

#include "tests/support/program.h"

#define SQUARE "[[0,9000,1000,1000],[1000,0,9000,1000],[1000,1000,0,9000],[9000,1000,1000,0]]"

static enum rc parse(const char *text, const struct record_ask *ask, struct record **r, struct err *e) {
    *r = NULL;
    return record_parse(text, strlen(text), "t", ask, r, e);
}

static void tables_that_are_no_counts_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        // presence, and as layers that every rank has
        {"[[1,1,0,0],[0,0,1,1]]", "looks like flags"},
        {"[[[1,1,0,0],[0,1,1,0]],[[0,0,1,1],[1,0,0,1]]]", "looks like flags"},
        {"{\"logical_count\":[[1,1,0,0],[0,0,1,1]]}", "looks like flags"},
        {"layer,expert,count\n0,0,1\n0,1,0\n1,0,0\n1,1,1\n", "looks like flags"},
        {"{\"layer_0\":{\"0\":1},\"layer_1\":{\"3\":1}}", "looks like flags"},
        // permutations in every dress
        {"[[2,4,0,7,5,1,6,3],[6,7,1,0,3,4,5,2],[0,5,3,2,1,4,7,6]]", "looks like a slot map"},
        {"{\"logical_count\":[[2,4,0,7,5,1,6,3],[6,7,1,0,3,4,5,2]]}", "looks like a slot map"},
        {"{\"layers\":{\"0\":{\"cnt\":[2,1,3,0]},\"1\":{\"cnt\":[0,1,2,3]}}}", "looks like a slot map"},
        {"layer,expert,count\n0,0,5\n0,1,9\n0,2,0\n1,0,9\n1,1,0\n1,2,5\n", "looks like permutations"},
        {"[[10,20,30,40],[40,30,10,20]]", "looks like permutations"},
        // more slots than experts
        {"[[0,1,2,3,4,5,6,7,0,1],[7,6,5,4,3,2,1,0,2,3]]", "looks like a slot map"},
        {SQUARE, "looks like a matrix of ranks"},
        // 16 tokens of 2 of 8 experts, top_k not stated
        {"[[0,1],[2,3],[4,5],[6,7],[1,0],[3,2],[5,4],[7,6],[0,2],[1,3],[4,6],[5,7],[2,0],[3,1],[6,4],[7,5]]",
         "looks like ids of experts"},
        {"[[4,1],[1,4],[0,3],[3,0]]", "looks like experts first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_ask ask = {.as = RECORD_AS_AUTO};
        struct record *r;
        struct err e;
        assert_fails(parse(cases[i].text, &ask, &r, &e), RC_SCHEMA, &e, cases[i].message);
        assert_non_null(strstr(e.text, "--as counts"));
        ask.as = RECORD_AS_COUNTS;
        assert_ok(parse(cases[i].text, &ask, &r, &e), &e);
        assert_int_equal(r->kind, RECORD_COUNTS);
        record_free(r);
    }
}

static void rows_that_are_alike_are_a_matrix_on_as_many_ranks(void **state) {
    (void)state;
    const char *text = "[[100,50,50],[101,50,49],[99,50,51]]";
    struct record_ask ask = {.ranks = 3};
    struct record *r;
    struct err e;
    assert_fails(parse(text, &ask, &r, &e), RC_SCHEMA, &e, "looks like a matrix of ranks");
    // other ranks, other loads, an unknown number of ranks: no sign
    ask.ranks = 4;
    assert_ok(parse(text, &ask, &r, &e), &e);
    record_free(r);
    ask.ranks = 3;
    assert_ok(parse("[[1000,500,500],[700,800,500],[400,600,1000]]", &ask, &r, &e), &e);
    record_free(r);
    ask.ranks = 0;
    assert_ok(parse(text, &ask, &r, &e), &e);
    record_free(r);
}

static void a_record_is_read_as_asked(void **state) {
    (void)state;
    struct record_ask ask = {.as = RECORD_AS_MATRIX, .routes.experts = 16};
    struct record *r;
    struct err e;
    assert_ok(parse(SQUARE, &ask, &r, &e), &e);
    assert_int_equal(r->kind, RECORD_MATRIX);
    assert_near(matrix_rho_max(&r->bytes, false), 1, 1e-12);
    assert_near(matrix_total(&r->bytes, true), 44000, 0);
    assert_non_null(strstr(record_notes(r), "taken as bytes"));
    record_free(r);
    assert_fails(parse("[[1,2,3],[1,2,4]]", &ask, &r, &e), RC_SHAPE, &e, "expected a matrix (ranks, ranks)");
    assert_fails(parse("[[0,1e308],[1.7e308,0]]", &ask, &r, &e), RC_RANGE, &e, "more than a number can hold in all");
    assert_fails(parse("{\"topk_ids\":[0,1]}", &ask, &r, &e), RC_SCHEMA, &e,
                 "the record says itself that it holds routes; it cannot be read as a matrix");
    ask.as = RECORD_AS_ROUTES;
    assert_ok(parse("[[1,2,3],[1,2,4]]", &ask, &r, &e), &e);
    assert_int_equal(r->kind, RECORD_ROUTES);
    record_free(r);
    assert_fails(parse("[[1.5,2],[1,2]]", &ask, &r, &e), RC_SCHEMA, &e, "ids are integers");
    // counts or ids: top_k is as large as experts
    ask = (struct record_ask){.counts.experts = 2, .routes = {.experts = 2, .top_k = 2}};
    assert_fails(parse("[[5,2],[3,4]]", &ask, &r, &e), RC_SCHEMA, &e, "say which with --as counts or --as routes");
    ask.as = RECORD_AS_COUNTS;
    assert_ok(parse("[[5,2],[3,4]]", &ask, &r, &e), &e);
    record_free(r);
}

static void a_matrix_of_rows_becomes_bytes(void **state) {
    (void)state;
    struct record_ask ask = {.row_bytes = 100};
    struct record *r;
    struct err e;
    assert_ok(parse("src,dst,rows\n0,1,2.5\n1,0,4\n2,2,0\n", &ask, &r, &e), &e);
    assert_int_equal(r->bytes.ranks, 3);
    assert_near(matrix_total(&r->bytes, true), 650, 0);
    assert_true(r->bytes.whole);
    record_free(r);
    assert_fails(parse("src,dst,bytes\n0,1,2.5\n", &ask, &r, &e), RC_SCHEMA, &e, "expected a whole number");
    assert_fails(parse("src,dst,rows\n0,1,9e15\n", &ask, &r, &e), RC_RANGE, &e, "passes 2^53");
}

/* --- what is real is not refused --------------------------------------------------------------------- */

static int refusals(const char *path, int *read) {
    static const int ep[] = {0, 8, 16, 24, 32, 64};
    int refused = 0;
    for (size_t i = 0; i < sizeof ep / sizeof *ep; i++) {
        struct record_ask ask = {.ranks = ep[i]};
        struct record *r = NULL;
        struct err e = {0};
        enum rc rc = record_load(path, &ask, &r, &e);
        if (rc && strstr(e.text, "looks like")) {
            print_error("EP %d: %s\n", ep[i], e.text);
            refused++;
        }
        *read += rc == RC_OK;
        record_free(r);
    }
    return refused;
}

static int refusals_in(const char *folder, int *read) {
    DIR *d = opendir(folder);
    int refused = 0;
    assert_non_null(d);
    for (struct dirent *f; (f = readdir(d));) {
        // made up to be ids or a placement, and small enough to look like it
        if (*f->d_name == '.' || strstr(f->d_name, "synthetic"))
            continue;
        char *path = mem_printf("%s/%s", folder, f->d_name);
        refused += refusals(path, read);
        free(path);
    }
    closedir(d);
    return refused;
}

static void real_records_are_not_refused(void **state) {
    (void)state;
    int read = 0;
    assert_int_equal(refusals_in(TEST_DATA_DIR "/routing", &read), 0);
    assert_int_equal(refusals_in(TEST_DATA_DIR "/../../workloads/traces", &read), 0);
    assert_true(read >= 12 * 6); // 12 of the files hold one set of counts, at each EP
}

/* --- what the program writes ------------------------------------------------------------------------- */

static double rho_in(const char *arguments) {
    struct yaml_doc *doc = NULL;
    assert_int_equal(program_run(arguments, &doc), 0);
    double rho = program_number(doc, "matrices.0.rho_max_in");
    assert_true(program_number(doc, "ranks") == 8);
    yaml_doc_free(doc);
    return rho;
}

/* Both kinds of file that matrix writes, at one row a byte and more, are the matrix that was written. */
static void written_matrices_are_read_back(void **state) {
    (void)state;
    static const char *const files[] = {"one_hop.npy", "one_hop.csv", "hop_a.npy", "hop_b.csv"};
    const char *shape = "--set platform.groups=2 --set platform.ranks_per_group=4 --set workload.experts=64";
    char *folder = mem_printf("/tmp/moesim_own_%ld", (long)getpid());
    static const char *const draws[] = {"sampled", "expected"};
    for (size_t k = 0; k < 2; k++) {
        char *write =
            mem_printf("matrix %s --set workload.routing.draw=%s --format json -o %s", shape, draws[k], folder);
        double rho = rho_in(write);
        for (size_t i = 0; i < 4; i++) {
            char *read = mem_printf("matrix %s --trace %s/%s --format json -o %s/again", shape, folder, files[i],
                                    folder);
            double again = rho_in(read);
            if (i < 2)
                assert_near(again, rho, 1e-12);
            free(read);
        }
        char *show = mem_printf("workload show --trace %s/one_hop.npy", folder);
        struct buf text = {0};
        assert_int_equal(program_text(show, &text), 0);
        assert_non_null(strstr(text.text, "matrix of rows"));
        buf_clear(&text);
        free(show);
        free(write);
    }
    char *remove = mem_printf("rm -r %s", folder);
    assert_int_equal(program_shell(remove, NULL), 0);
    free(remove);
    free(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_that_are_no_counts_are_told),
        cmocka_unit_test(rows_that_are_alike_are_a_matrix_on_as_many_ranks),
        cmocka_unit_test(a_record_is_read_as_asked),
        cmocka_unit_test(a_matrix_of_rows_becomes_bytes),
        cmocka_unit_test(real_records_are_not_refused),
        cmocka_unit_test(written_matrices_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
