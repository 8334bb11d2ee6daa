/* SPDX-License-Identifier: BSD-3-Clause */
/* Public bug reports that concern machines, runs and evidence: B14, B21, B23. The others are in test_buglog*.c. */
#include "tests/support/bed.h"

#include "platforms/sanity.h"
#include "validation/corpus.h"
#include "platforms/find.h"

/* B14: 400 Gb/s written as 400 GB/s on a NIC warns; the right spelling does not. */
static void b14_bits_taken_for_bytes(void **state) {
    (void)state;
    static const struct {
        const char *slow, *fast;
        const char *warning; /* NULL: none */
    } cases[] = {{"400Gbps", "450GBps", NULL},
                 {"400GBps", "450GBps", "slow.bandwidth 400 GB/s is above 200 GB/s a rank"},
                 {"50GBps", "3600GBps", "fast.bandwidth 3.6 TB/s is above 2 TB/s a rank"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "groups: 2\nranks_per_group: 2\nfast: {bandwidth: %s}\nslow: {bandwidth: %s}\n",
                 cases[i].fast, cases[i].slow);
        struct platform *p = bed_platform(text);
        struct buf warnings = {0};
        plat_sanity(p, &warnings);
        if (cases[i].warning)
            assert_non_null(strstr(warnings.text, cases[i].warning));
        else
            assert_int_equal(warnings.n, 0);
        buf_clear(&warnings);
        plat_free(p);
    }
}

/* B21: no two measured corpora hold the same points: copies are no independent evidence. Points are rows of
 * numbers under the same column names. */
static bool same_columns(const struct corpus *a, const struct corpus *b) {
    const struct corpus_column *x = a->columns.items, *y = b->columns.items;
    for (size_t i = 0; i < a->columns.n && a->columns.n == b->columns.n; i++)
        if (strcmp(x[i].name, y[i].name) != 0)
            return false;
    return a->columns.n == b->columns.n;
}

static size_t common_rows(const struct corpus *a, const struct corpus *b) {
    size_t n = a->columns.n, common = 0;
    for (size_t i = 0; i < a->n_rows && same_columns(a, b); i++)
        for (size_t k = 0; k < b->n_rows; k++)
            common += memcmp(a->values + i * n, b->values + k * n, n * sizeof *a->values) == 0;
    return common;
}

static void b21_copies_are_no_evidence(void **state) {
    (void)state;
    struct find_names names;
    struct corpus *all[64];
    find_names(FIND_CORPUS, &names);
    assert_in_range(names.n, 10, 64);
    for (size_t i = 0; i < names.n; i++) {
        struct err e;
        assert_ok(corpus_load(NULL, names.names[i], &all[i], &e), &e);
    }
    for (size_t i = 0; i < names.n; i++) {
        assert_int_equal(common_rows(all[i], all[i]) >= all[i]->n_rows, 1); // the detector sees a copy
        for (size_t k = 0; k < i; k++)
            if (common_rows(all[i], all[k]) > 0 && strcmp(all[i]->machine, all[k]->machine) == 0 &&
                strcmp(all[i]->conditions, all[k]->conditions) == 0)
                fail_msg("%s and %s hold the same points", names.names[i], names.names[k]);
    }
    for (size_t i = 0; i < names.n; i++)
        corpus_free(all[i]);
    find_names_free(&names);
}

/* B23: one rank 500 us late: the others' call grows by that, the time from the last entry does not. */
static void b23_a_late_rank(void **state) {
    (void)state;
    struct bed b;
    struct outcome alone, late;
    struct err e;
    double enter_s[8] = {0};
    bed_open(&b, "groups: 1\nranks_per_group: 8\nfast: {bandwidth: 100GBps}\nslow: {bandwidth: 10GBps}\n",
             ORDER_GROUP_SHIFT, 0, START_RENDEZVOUS);
    bed_uniform(&b, "one_hop", 1e6);
    const struct costs c = {.alpha_s = {20e-6}};
    const struct sim_options options = {0};
    alone = late = (struct outcome){0};
    assert_ok(sim_run(&b.call, &c, 1, &options, &alone, &e), &e);
    enter_s[3] = 500e-6;
    b.call.enter_s = enter_s;
    assert_ok(sim_run(&b.call, &c, 1, &options, &late, &e), &e);
    assert_true(late.time_s > 500e-6 && late.time_s <= alone.time_s + 500e-6 * (1 + 1e-9));
    assert_true(late.from_last_s <= alone.time_s * (1 + 1e-9));
    assert_rel(late.from_last_s, late.time_s - 500e-6, 1e-9);
    outcome_clear(&alone);
    outcome_clear(&late);
    bed_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b14_bits_taken_for_bytes),
        cmocka_unit_test(b21_copies_are_no_evidence),
        cmocka_unit_test(b23_a_late_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
