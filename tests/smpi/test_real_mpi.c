/* SPDX-License-Identifier: BSD-3-Clause */
/* Under the MPI library of this machine, 4 ranks that share its cores: measuring runs to its end, a platform comes out,
 * and what was held back, sizes and a skewed matrix, is simulated and printed beside the fresh measurement. Times are
 * not asserted: the machine is noisy. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "platforms/platform.h"
#include "sim/engine/engine.h"
#include "validation/calibrate_files.h"
#include "validation/calibrate_grade.h"

static const char matrix[] = "src,dst,bytes\n0,1,400000\n0,2,20000\n1,0,50000\n1,3,300000\n2,3,10000\n3,0,100000\n"
                             "3,2,60000\n";

static void run_measure(void) {
    struct buf out = {0};
    put_file("m.csv", matrix);
    char *command = mem_printf("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 %s --oversubscribe -n 4 %s "
                               "--output samples.csv --ranks-per-group 2 --machine here --warm-up 1 --least 3 --most 9 "
                               "--most-calls 16 --max-bytes 1048576 --budget 0.5 --matrix m.csv 2>&1",
                               MPIRUN, MEASURE);
    if (program_shell(command, &out) != 0)
        fail_msg("%s\n%s", command, out.text);
    print_message("%s", out.text);
    buf_clear(&out);
    free(command);
}

/* Every quantity was timed, in random order. */
static void check_samples(const struct samples *s) {
    static const int quantities[] = {SAMPLED_CALL_SCAN, SAMPLED_ALLTOALL, SAMPLED_ALLTOALLV, SAMPLED_PING_PONG,
                                     SAMPLED_PAIRS, SAMPLED_MESSAGES, SAMPLED_SPREAD, SAMPLED_INCAST, SAMPLED_REPLAY,
                                     SAMPLED_TWO_HOP, SAMPLED_SPLITS, SAMPLED_CHAIN};
    bool shuffled = false;
    for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++) {
        size_t i = 0;
        while (i < s->n && s->items[i].quantity != quantities[k])
            i++;
        if (i == s->n)
            fail_msg("no sample of %s", sampled_name(quantities[k]));
    }
    for (size_t i = 1; i < s->n; i++)
        shuffled |= s->items[i].quantity == SAMPLED_PAIRS && s->items[i - 1].quantity == SAMPLED_PAIRS &&
                    s->items[i].message_bytes < s->items[i - 1].message_bytes && s->items[i].repeat == 0;
    assert_true(shuffled);
    assert_true(s->clock_s.value > 0);
    assert_int_equal(s->grouping, 1);
}

static void print_table(const struct score *score) {
    print_message("%-40s %12s %12s %8s\n", "held back", "measured us", "simulated us", "error");
    for (size_t i = 0; i < score->n; i++) {
        const struct score_row *row = &score->rows[i];
        if (row->of->reason)
            print_message("%-40s %12.1f %s\n", row->of->id, row->measured_s * 1e6, row->of->reason);
        else
            print_message("%-40s %12.1f %12.1f %+7.0f%%\n", row->of->id, row->measured_s * 1e6,
                          row->of->time_s.value * 1e6, 100 * row->error);
    }
}

static void to_the_end(void **state) {
    (void)state;
    struct samples *s;
    struct calibration c;
    struct buf verdict = {0};
    struct platform *p;
    struct grade g = {0};
    struct err e;
    struct sim_options options = {0};
    const struct simulator simulator = {sim_answer, &options};
    const struct grade_ask ask = {"./platform.yaml", "held_back_freeze.json", ".", {.version = "test"}, &simulator};
    run_measure();
    assert_ok(samples_load("samples.csv", NULL, &s, &e), &e);
    check_samples(s);
    assert_ok(calibrate(s, &c, &e), &e);
    assert_ok(calibrate_write(&c, NULL, ".", &verdict, &e), &e);
    print_message("%s%s", verdict.text, c.flags.n ? c.flags.text : "");
    assert_ok(plat_load("./platform.yaml", NULL, 0, &p, &e), &e);
    assert_string_equal(p->name, "here");
    assert_ok(calibrate_grade(&c, &ask, &g, &e), &e);
    print_table(&g.score);
    assert_true(g.score.n >= 2);
    assert_non_null(strstr(g.score.rows[g.score.n - 1].of->id, "matrix m.csv"));
    for (size_t i = 0; i < g.score.n; i++)
        assert_true(g.score.rows[i].measured_s > 0);
    grade_clear(&g);
    plat_free(p);
    buf_clear(&verdict);
    calibration_clear(&c);
    samples_free(s);
    static const char *const files[] = {"m.csv", "samples.csv", "samples.csv.medians.csv", "platform.yaml",
                                        "held_back.yaml", "held_back_gate.yaml", "held_back_freeze.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_the_end),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
