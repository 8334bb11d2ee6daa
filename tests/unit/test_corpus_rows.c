/* SPDX-License-Identifier: BSD-3-Clause */
/* Corpora in validation/measured against the same measurements in tests/data/terrace, which were entered apart.
 * A gate pins the bytes of its corpus; two-hop-measured, boundary-sweep and peer-sweep hang on none. */
#include "tests/support/folder.h"

#include "validation/corpus.h"

static struct corpus *open_corpus(const char *name) {
    struct corpus *c;
    struct err e;
    assert_ok(corpus_load(NULL, name, &c, &e), &e);
    return c;
}

static size_t column_of(const struct corpus *c, const char *name) {
    const struct corpus_column *columns = c->columns.items;
    for (size_t i = 0; i < c->columns.n; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    fail_msg("%s: no column '%s'", c->name, name);
    return 0;
}

/* A column of the table: scale makes it SI. */
struct pair {
    const char *column;
    double scale;
};

/* Row i of the table, but for its head, is row i of the corpus. */
static void same_rows(const char *corpus, const char *table, const struct pair *pairs, size_t n) {
    struct corpus *c = open_corpus(corpus);
    char *path = mem_printf("%s/terrace/%s", TEST_DATA_DIR, table), *text = get_file(path), *rest = text;
    size_t row = 0;
    assert_non_null(strtok_r(rest, "\n", &rest));
    for (char *line; (line = strtok_r(rest, "\n", &rest)); row++) {
        assert_true(row < c->n_rows);
        for (size_t i = 0; i < n; i++) {
            double value = strtod(line, &line) * pairs[i].scale;
            assert_rel(corpus_value(c, row, column_of(c, pairs[i].column)), value, 1e-12);
            assert_int_equal(*line, i + 1 < n ? ',' : '\0');
            line += i + 1 < n;
        }
    }
    assert_int_equal(row, c->n_rows);
    free(text);
    free(path);
    corpus_free(c);
}

static void two_hops_measured(void **state) {
    (void)state;
    static const struct pair pairs[] = {{"hidden", 1},   {"group_limit", 1}, {"one_hop", 1e-3}, {"hop_a", 1e-3},
                                        {"chain", 1e-3}, {"hop_b", 1e-3},    {"splits", 1e-3}};
    same_rows("two-hop-measured", "twohop_measured.csv", pairs, sizeof pairs / sizeof *pairs);
    // k / M
    struct corpus *c = open_corpus("two-hop-measured");
    for (size_t i = 0; i < c->n_rows; i++)
        assert_rel(corpus_value(c, i, column_of(c, "quota")), 6 / corpus_value(c, i, column_of(c, "group_limit")), 0);
    corpus_free(c);
}

static void host_regimes(void **state) {
    (void)state;
    static const struct pair pairs[] = {{"world", 1},      {"total_bytes", 1},  {"burst", 1e-3},
                                        {"percall", 1e-3}, {"burst_spread", 1}, {"percall_spread", 1}};
    same_rows("host-regime", "hostregime.csv", pairs, sizeof pairs / sizeof *pairs);
}

/* Lines "label,world,bytes,ms" of the table of calls with this label; at most n. */
static size_t labelled(const char *label, double lines[][3], size_t n) {
    char *text = get_file(TEST_DATA_DIR "/terrace/a2a_calls.csv"), *rest = text;
    size_t found = 0, length = strlen(label);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        if (strncmp(line, label, length) != 0 || line[length] != ',')
            continue;
        assert_true(found < n);
        double *v = lines[found++];
        assert_int_equal(sscanf(line + length, ",%lf,%lf,%lf", &v[0], &v[1], &v[2]), 3);
    }
    free(text);
    return found;
}

enum { MOST = 64 };

static void across_and_within_a_boundary(void **state) {
    (void)state;
    static const char *const columns[] = {"within_burst", "within_percall", "across_burst", "across_percall"};
    struct corpus *c = open_corpus("boundary-sweep");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        double lines[MOST][3];
        assert_int_equal(labelled(columns[k], lines, MOST), c->n_rows);
        for (size_t i = 0; i < c->n_rows; i++) {
            assert_rel(lines[i][0], 16, 0);
            assert_rel(corpus_value(c, i, column_of(c, "total_bytes")), lines[i][1], 0);
            assert_rel(corpus_value(c, i, column_of(c, columns[k])), 1e-3 * lines[i][2], 1e-12);
        }
    }
    corpus_free(c);
}

/* Rows of the corpus with a value in a column, in their order, are the labelled lines. */
static void some_rows(const char *corpus, const char *column, double value, const char *label) {
    struct corpus *c = open_corpus(corpus);
    double lines[MOST][3];
    size_t n = labelled(label, lines, MOST), k = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        if (column && corpus_value(c, i, column_of(c, column)) != value)
            continue;
        assert_true(k < n);
        assert_rel(corpus_value(c, i, column_of(c, "total_bytes")), lines[k][1], 0);
        assert_rel(corpus_value(c, i, column_of(c, "time")), 1e-3 * lines[k++][2], 1e-12);
    }
    assert_true(n > 0);
    assert_int_equal(k, n);
    corpus_free(c);
}

static void peers_across(void **state) {
    (void)state;
    some_rows("peer-sweep", "peers", 1, "peers_1");
    some_rows("peer-sweep", "peers", 64, "peers_64");
}

static void all_to_alls_of_the_gates(void **state) {
    (void)state;
    some_rows("c2-machine-a-w128", NULL, 0, "C2");
    some_rows("c3-machine-b", NULL, 0, "C3");
    some_rows("c4-machine-a-w16", NULL, 0, "C4");
    some_rows("c5-machine-a-w8", NULL, 0, "C5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hops_measured),
        cmocka_unit_test(host_regimes),
        cmocka_unit_test(across_and_within_a_boundary),
        cmocka_unit_test(peers_across),
        cmocka_unit_test(all_to_alls_of_the_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
