/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/rng.h"
#include "workloads/records/matrix.h"
#include "workloads/records/npy.h"

/* Sparse copy of a dense matrix, zeros left out. */
static void from_dense(const double *dense, int ranks, bool whole, struct matrix *m) {
    size_t n = 0;
    matrix_init(m, ranks, (size_t)(ranks * ranks), whole);
    for (int src = 0; src < ranks; src++) {
        for (int dst = 0; dst < ranks; dst++)
            if (dense[src * ranks + dst] != 0) {
                m->dst[n] = dst;
                m->value[n++] = dense[src * ranks + dst];
            }
        m->start[src + 1] = n;
    }
}

static const double small[] = {1, 2, 0, 0, 3, 4, 5, 0, 0};

static void sums_follow_rows_and_columns(void **state) {
    (void)state;
    static const double out[] = {3, 7, 5}, in[] = {6, 5, 4}, out_off[] = {2, 4, 5},
                        in_off[] = {5, 2, 4};
    struct matrix m;
    double sums[3];
    from_dense(small, 3, true, &m);
    matrix_sums(&m, true, true, sums);
    assert_memory_equal(sums, out, sizeof sums);
    matrix_sums(&m, false, true, sums);
    assert_memory_equal(sums, in, sizeof sums);
    matrix_sums(&m, true, false, sums);
    assert_memory_equal(sums, out_off, sizeof sums);
    matrix_sums(&m, false, false, sums);
    assert_memory_equal(sums, in_off, sizeof sums);
    assert_rel(matrix_total(&m, true), 15, 0);
    assert_rel(matrix_total(&m, false), 11, 0);
    assert_rel(matrix_rho_max(&m, true), 5 * 3 / 11.0, 1e-15);
    assert_rel(matrix_rho_max(&m, false), 5 * 3 / 11.0, 1e-15);
    matrix_clear(&m);
}

static void a_local_matrix_moves_nothing(void **state) {
    (void)state;
    static const double diagonal[] = {1, 0, 0, 2};
    struct matrix m;
    from_dense(diagonal, 2, true, &m);
    assert_rel(matrix_rho_max(&m, true), -1, 0);
    assert_rel(matrix_total(&m, false), 0, 0);
    matrix_clear(&m);
    assert_int_equal(m.ranks, 0);
    matrix_clear(&m); // twice is harmless
}

static void a_dense_matrix_comes_back(void **state) {
    (void)state;
    struct matrix m;
    matrix_from_dense(small, 3, true, &m);
    double *again = matrix_dense(&m);
    assert_memory_equal(again, small, sizeof small);
    assert_true(m.whole && m.ranks == 3 && m.start[0] == 0 && m.start[3] == 9 && m.dst[5] == 2);
    free(again);
    matrix_clear(&m);
}

static void random_dense(struct rng *r, int ranks, double *dense) {
    for (int i = 0; i < ranks * ranks; i++)
        dense[i] = rng_below(r, 3) ? (double)rng_below(r, 1000) : 0;
}

static void transposing_and_scaling_keep_the_values(void **state) {
    (void)state;
    enum { RANKS = 17 };
    struct rng r;
    rng_init(&r, check_seed("matrix"), "test", 0);
    double dense[RANKS * RANKS];
    for (int round = 0; round < 20; round++) {
        struct matrix m, t, back, half;
        random_dense(&r, RANKS, dense);
        from_dense(dense, RANKS, true, &m);
        matrix_transpose(&m, &t);
        matrix_transpose(&t, &back);
        matrix_scale(&m, 0.5, &half);
        assert_true(t.whole && !half.whole);
        double *flipped = matrix_dense(&t), *again = matrix_dense(&back),
               *scaled = matrix_dense(&half);
        for (int src = 0; src < RANKS; src++) {
            for (size_t i = t.start[src] + 1; i < t.start[src + 1]; i++)
                assert_true(t.dst[i] > t.dst[i - 1]);
            for (int dst = 0; dst < RANKS; dst++) {
                assert_rel(flipped[dst * RANKS + src], dense[src * RANKS + dst], 0);
                assert_rel(scaled[src * RANKS + dst], dense[src * RANKS + dst] / 2, 0);
            }
        }
        assert_memory_equal(again, dense, sizeof dense);
        free(flipped);
        free(again);
        free(scaled);
        matrix_clear(&m);
        matrix_clear(&t);
        matrix_clear(&back);
        matrix_clear(&half);
    }
}

static void assert_npy_holds(const double *dense, int ranks, bool whole) {
    char path[64], *data;
    size_t n;
    struct matrix m;
    struct npy a;
    struct err e;
    snprintf(path, sizeof path, "/tmp/test_matrix_%ld.npy", (long)getpid());
    from_dense(dense, ranks, whole, &m);
    assert_ok(matrix_write_npy(&m, "rows", path, &e), &e);
    assert_ok(file_read(path, 1 << 20, &data, &n, &e), &e);
    assert_ok(npy_parse(data, n, path, &a, &e), &e);
    assert_int_equal(a.kind, whole ? 'i' : 'f');
    assert_int_equal(a.n_dims, 2);
    assert_int_equal(a.shape[0], ranks);
    assert_int_equal(a.shape[1], ranks);
    assert_int_equal((size_t)(a.items - (const unsigned char *)data) % 64,
                     0); // NumPy aligns its data
    for (int i = 0; i < ranks * ranks; i++)
        assert_rel(npy_value(&a, (uint64_t)i), dense[i], 0);
    free(data);
    matrix_clear(&m);
    unlink(path);
}

static void npy_files_read_back_equal(void **state) {
    (void)state;
    static const double fractions[] = {0.1, 1e300, 0, 1.0 / 3};
    assert_npy_holds(small, 3, true);
    assert_npy_holds(fractions, 2, false);
}

static void csv_files_leave_zeros_out(void **state) {
    (void)state;
    char path[64], *data;
    size_t n;
    struct matrix m;
    struct err e;
    snprintf(path, sizeof path, "/tmp/test_matrix_%ld.csv", (long)getpid());
    from_dense(small, 3, true, &m);
    m.value[1] = 2.5;
    m.value[4] = 0; // an entry that is there and zero
    assert_ok(matrix_write_csv(&m, "rows", path, &e), &e);
    assert_ok(file_read(path, 1 << 20, &data, &n, &e), &e);
    assert_string_equal(data, "src,dst,rows\n0,0,1\n0,1,2.5\n1,1,3\n1,2,4\n");
    free(data);
    unlink(path);
    assert_fails(matrix_write_csv(&m, "rows", "/nonexistent/m.csv", &e), RC_IO, &e,
                 "/nonexistent/m.csv: cannot write");
    assert_fails(matrix_write_npy(&m, "rows", "/nonexistent/m.npy", &e), RC_IO, &e, "cannot write");
    matrix_clear(&m);
}

static void entries_are_found_by_their_column(void **state) {
    (void)state;
    const double dense[] = {0, 1, 0, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0, 7, 0};
    struct matrix m;
    size_t room = 0;
    matrix_init(&m, 4, 0, true);
    for (int src = 0; src < 4; src++) {
        m.start[src + 1] = m.start[src];
        for (int dst = 0; dst < 4; dst++)
            matrix_append(&m, &room, src, dst, dense[src * 4 + dst]);
    }
    for (int src = 0; src < 4; src++)
        for (int dst = 0; dst <= 4; dst++) {
            size_t want = m.start[src];
            while (want < m.start[src + 1] && m.dst[want] < dst)
                want++;
            assert_int_equal(matrix_find(&m, src, dst), want);
        }
    matrix_clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_rows_and_columns),
        cmocka_unit_test(a_local_matrix_moves_nothing),
        cmocka_unit_test(a_dense_matrix_comes_back),
        cmocka_unit_test(transposing_and_scaling_keep_the_values),
        cmocka_unit_test(npy_files_read_back_equal),
        cmocka_unit_test(csv_files_leave_zeros_out),
        cmocka_unit_test(entries_are_found_by_their_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
