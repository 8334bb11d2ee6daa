/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a made-up machine: reading them, its constants found again, what is odd about samples, the files. */
#include <inttypes.h>

#include "tests/support/folder.h"
#include "tests/support/keytable.h"
#include "tests/support/program.h"
#include "tests/support/toy_samples.h"

#include "platforms/platform.h"
#include "sim/engine/engine.h"
#include "validation/calibrate_files.h"
#include "validation/calibrate_grade.h"

static struct samples *read_text(const struct buf *text) {
    struct samples *s;
    struct err e;
    assert_ok(samples_parse(text->text, text->n, "toy.csv", NULL, &s, &e), &e);
    return s;
}

static void calibrate_text(const struct buf *text, struct samples **s, struct calibration *c) {
    struct err e;
    *s = read_text(text);
    assert_ok(calibrate(*s, c, &e), &e);
}

static void release(struct maker *m, struct samples *s, struct calibration *c) {
    calibration_clear(c);
    samples_free(s);
    buf_clear(&m->text);
}

static int intervals, missed; /* intervals seen, and those without the truth */

/* Within a tolerance; the interval is neither empty nor wide. */
static void found(const struct fitted *k, double truth, double tolerance) {
    assert_true(k->known);
    assert_rel(k->value, truth, tolerance);
    assert_true(k->low <= k->value && k->value <= k->high && k->low < k->high);
    assert_true(k->high - k->low < 0.1 * truth);
    intervals++;
    missed += truth < k->low || truth > k->high;
}

static void a_made_up_machine_is_found_again(void **state) {
    (void)state;
    struct maker m = {0};
    struct samples *s;
    struct calibration c;
    put_machine(&m);
    calibrate_text(&m.text, &s, &c);
    for (int span = 0; span < 2; span++) {
        found(&c.tier[span].bandwidth_Bps, rate_Bps[span], 0.01);
        found(&c.tier[span].message_cost_s, cost_s[span], 0.01);
        found(&c.tier[span].latency_s, latency_s[span], 0.01);
    }
    found(&c.uplink_Bps, uplink_Bps, 0.01);
    found(&c.oversubscription, 4 * rate_Bps[1] / uplink_Bps, 0.01);
    found(&c.collective_Bps, 2e9, 0.01);
    assert_int_equal(c.n_alpha, 14); // of both regimes
    for (size_t i = 0; i < c.n_alpha; i++)
        found(&c.alpha[i].time_s, alpha_s[c.alpha[i].span], 0.02);
    print_message("%d of %d intervals of 90 %% miss the truth\n", missed, intervals);
    assert_true(missed <= intervals / 5); // 1.6 are expected of 16, more than 3 in one of 15 draws
    assert_string_equal(c.flags.n ? c.flags.text : "", "");
    assert_int_equal(c.n_held, 6); // three of nine sizes in each regime
    release(&m, s, &c);
}

static void what_was_not_sampled_is_left_out(void **state) {
    (void)state;
    struct maker m = {0};
    struct samples *s;
    struct calibration c;
    struct err e;
    buf_text(&m.text, head);
    put_sweep(&m, 1);
    calibrate_text(&m.text, &s, &c);
    assert_false(c.tier[0].bandwidth_Bps.known || c.tier[1].message_cost_s.known || c.oversubscription.known);
    assert_non_null(strstr(c.flags.text, "no cost of a message on the slow tier (x_half)"));
    assert_rel(c.collective_Bps.value, 2e9, 0.01);
    // without a scan alpha comes with the rate, and holds the costs of the messages
    assert_int_equal(c.n_alpha, 1);
    assert_rel(c.alpha[0].time_s.value, alpha_s[1] + messages_s(1, 8, 0), 0.03);
    assert_int_equal(c.alpha[0].time_s.status, STATUS_FITTED);
    release(&m, s, &c);
    m = (struct maker){0};
    buf_text(&m.text, head);
    put_short(&m, 1);
    s = read_text(&m.text);
    assert_fails(calibrate(s, &c, &e), RC_UNSUPPORTED, &e, "no bandwidth can be had from these samples");
    samples_free(s);
    buf_clear(&m.text);
}

/* Halves with medians of 1.5 and 1.8 ms, each scattered over both: noise, not drift. */
static void put_scattered(struct maker *m) {
    static const double time_ms[] = {1, 2, 1.1, 1.9, 1.2, 1.9, 1.7, 2};
    for (int i = 0; i < 8; i++)
        buf_printf(&m->text, "incast,,observed,slow,3,2,1,1000,1000,1,%d,%d,%g\n", i, m->turn++, 1e-3 * time_ms[i]);
}

/* Times scattered so far that a slope might be anything: the file must still be one that can be read. */
static void unsure_rates_stay_above_zero(void **state) {
    (void)state;
    static const double time_ms[] = {1, 9, 2, 30, 3, 8, 1, 40, 5, 2, 60, 7};
    struct maker m = {0};
    struct samples *s;
    struct calibration c;
    struct platform *p;
    struct buf verdict = {0};
    struct err e;
    buf_text(&m.text, head);
    for (int span = 0; span < 2; span++)
        for (int i = 0; i < 12; i++)
            buf_printf(&m.text, "pairs,,observed,%s,2,1,8,%d,%d,1,%d,%d,%g\n", span_names[span], 4096 << i % 4,
                       32768 << i % 4, i / 4, m.turn++, 1e-3 * time_ms[i]);
    calibrate_text(&m.text, &s, &c);
    assert_true(c.tier[0].bandwidth_Bps.low > 0 && c.tier[0].bandwidth_Bps.high > 2 * c.tier[0].bandwidth_Bps.value);
    assert_ok(calibrate_write(&c, NULL, ".", &verdict, &e), &e);
    assert_ok(plat_load("./platform.yaml", NULL, 0, &p, &e), &e);
    plat_free(p);
    buf_clear(&verdict);
    release(&m, s, &c);
    unlink("platform.yaml");
}

static void drop_files(void) {
    unlink("platform.yaml");
    unlink("held_back.yaml");
    unlink("held_back_gate.yaml");
    unlink("held_back_freeze.json");
}

/* Writes the files of a calibration, reads them again and compares: each row has a time or says why not. Returns the
 * number of rows without a time. */
static size_t use_calibration(const struct calibration *c, uint64_t seed) {
    struct buf verdict = {0};
    struct grade g = {0};
    struct sim_options options = {.times_only = true};
    const struct simulator simulator = {sim_answer, &options};
    struct err e;
    const struct grade_ask ask = {"./platform.yaml", "held_back_freeze.json", ".", {.version = "test"}, &simulator};
    size_t silent = 0;
    if (calibrate_write(c, NULL, ".", &verdict, &e) ||
        calibrate_grade(c, &ask, &g, &e))
        fail_msg("seed %" PRIu64 ": %s", seed, e.text);
    for (size_t i = 0; i < g.score.n; i++) {
        const struct score_row *row = &g.score.rows[i];
        assert_true(row->measured_s > 0);
        assert_true(row->of->time_s.given == !row->of->reason);
        silent += row->of->reason != NULL;
    }
    assert_int_equal(g.score.n_failed, silent);
    grade_clear(&g);
    buf_clear(&verdict);
    drop_files();
    return silent;
}

/* Times of a machine on which nothing holds still, every constant at the mercy of noise: whatever cannot be told is
 * left out and flagged, and the rest is a platform that can be used. */
static void noise_is_never_an_error(void **state) {
    (void)state;
    size_t silent = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct rng noise;
        struct maker m = {.noise = &noise, .sigma = (double)(1 + seed % 4)};
        struct samples *s;
        struct calibration c;
        struct err e;
        rng_init(&noise, seed, "noise", 0);
        put_machine(&m);
        s = read_text(&m.text);
        if (calibrate(s, &c, &e)) {
            assert_non_null(strstr(e.text, "no bandwidth can be had"));
            refused++;
            samples_free(s);
            buf_clear(&m.text);
            continue;
        }
        size_t without = use_calibration(&c, seed);
        silent += without;
        if (without && !strstr(c.flags.text, "no alpha of world 8 over the slow tier"))
            fail_msg("seed %" PRIu64 ": no flag in:\n%s", seed, c.flags.text);
        release(&m, s, &c);
    }
    print_message("60 seeds: %zu rows without a time, %zu machines without a bandwidth\n", silent, refused);
    assert_true(silent > 0 && refused < 10);
}

static void odd_samples_are_named(void **state) {
    (void)state;
    struct maker m = {0};
    struct samples *s;
    struct calibration c;
    buf_text(&m.text, head);
    put_pairs(&m, 0);
    put_pairs(&m, 1);
    put_scans(&m, 1.8);
    put_sweep(&m, 0.7);
    const struct sample drifting = {SAMPLED_INCAST, NULL, REGIME_OBSERVED, 0, 3, 2, 1, 1, 0, 0, 1000, 1000, 0};
    put(&m, &drifting, 1e-3, 1.3);
    put_scattered(&m);
    struct sample falling = {SAMPLED_SPREAD, NULL, REGIME_OBSERVED, 0, 2, 1, 1, 1, 0, 0, 1000, 1000, 0};
    put(&m, &falling, 5e-4, 1);
    falling.message_bytes = falling.send_bytes = 2000;
    put(&m, &falling, 4e-4, 1);
    calibrate_text(&m.text, &s, &c);
    static const char *const flags[] = {
        "host regimes disagree, +43 % a call where the host waits: alltoall, observed, slow, world 8, 1048576 B",
        "drift: second half +30 % against the first: incast, observed, fast, world 3, 1000 B, 1 calls (turns ",
        "more bytes take less time: spread, observed, fast, world 2, 1000 B, 1 calls (turns ",
        "alpha of world 6 is +59 % off the line between 4 and 8: call-scan, observed, slow, world 6",
        "no cost of a message on the fast tier (x_half)",
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strstr(c.flags.text, flags[i]))
            fail_msg("no flag '%s' in:\n%s", flags[i], c.flags.text);
    assert_null(strstr(c.flags.text, "incast, observed, slow"));
    release(&m, s, &c);
}

/* --- files -------------------------------------------------------------------------------------------- */

/* Writes the files for a machine whose held-back sizes are off by a factor; returns the verdict. */
static char *verdict_of(double held_factor, const struct yaml_node *skeleton, struct platform **p) {
    struct maker m = {.held_factor = held_factor};
    struct samples *s;
    struct calibration c;
    struct buf verdict = {0};
    struct err e;
    put_machine(&m);
    calibrate_text(&m.text, &s, &c);
    assert_ok(calibrate_write(&c, skeleton, ".", &verdict, &e), &e);
    assert_ok(plat_load("./platform.yaml", NULL, 0, p, &e), &e);
    char *file = get_file("platform.yaml");
    assert_non_null(strstr(file, "# gate held-back: ")); // what the gate says stands in the file
    free(file);
    release(&m, s, &c);
    return verdict.text;
}

static void the_gate_of_what_was_held_back_decides(void **state) {
    (void)state;
    struct platform *p;
    char *verdict = verdict_of(1, NULL, &p);
    if (!strstr(verdict, "gate held-back: passed") || strstr(verdict, "not earned"))
        fail_msg("%s", verdict);
    assert_string_equal(p->name, "toy");
    assert_rel(p->tier[1].bandwidth_Bps.value, rate_Bps[1], 0.01);
    assert_int_equal(p->tier[1].bandwidth_Bps.status, STATUS_FITTED);
    assert_int_equal(p->tier[0].latency_s.status, STATUS_MEASURED);
    assert_true(p->tier[0].latency_s.low < p->tier[0].latency_s.high);
    struct alpha_answer a;
    plat_alpha(p, "mpi-linear", 8, TIER_SLOW, REGIME_OBSERVED, &a);
    assert_true(a.known);
    assert_rel(a.time_s, alpha_s[1], 0.02);
    plat_free(p);
    free(verdict);
    verdict = verdict_of(1.4, NULL, &p);
    if (!strstr(verdict, "gate held-back: failed") || !strstr(verdict, "not earned: call_time, absolute_time"))
        fail_msg("%s", verdict);
    plat_free(p);
    free(verdict);
    drop_files();
}

static void a_skeleton_keeps_what_nobody_sampled(void **state) {
    (void)state;
    static const char text[] = "schema: moesim/platform/1\nname: old\ngroups: 2\nranks_per_group: 4\n"
                               "splits_sync: {value: 44us, status: borrowed, source: \"a friend\"}\n"
                               "fast: {bandwidth: 1GBps, kind: full-mesh, link_bandwidth: 7GBps, x_half: 3KiB}\n"
                               "slow: {bandwidth: 1GBps}\nalpha_treatments: [{name: none}]\n";
    struct yaml_doc *doc;
    struct platform *p;
    struct err e;
    assert_ok(yaml_parse(text, sizeof text - 1, "old.yaml", &doc, &e), &e);
    free(verdict_of(1, doc->root, &p));
    assert_string_equal(p->name, "toy");
    assert_rel(p->splits_sync_s.value, 44e-6, 1e-12);
    assert_int_equal(p->splits_sync_s.status, STATUS_BORROWED);
    assert_rel(p->tier[0].bandwidth_Bps.value, rate_Bps[0], 0.01);
    assert_rel(p->tier[0].fabric.link_bandwidth_Bps.value, 7e9, 1e-12);
    assert_false(p->tier[0].x_half_bytes.given); // the cost of a message was sampled
    plat_free(p);
    yaml_doc_free(doc);
    drop_files();
}

/* --- reading -------------------------------------------------------------------------------------------- */

static enum rc load_row(const char *row, struct err *e) {
    struct samples *s;
    char *text = mem_printf("%s%s\n", head, row);
    enum rc rc = samples_parse(text, strlen(text), "s.csv", NULL, &s, e);
    free(text);
    if (!rc)
        samples_free(s);
    return rc;
}

static void bad_rows_are_refused_with_their_place(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"palrs,,observed,fast,2,1,8,1,8,1,0,0,1", RC_SCHEMA,
         "s.csv:8:1: quantity: 'palrs' is not known; did you mean 'pairs'?"},
        {"pairs,,observed,fast,2,1,8,1,8,1,0,0,-1", RC_SCHEMA,
         "s.csv:8:38: time_s: '-1' found, expected a number from 0 to 1e18"},
        {"pairs,,observed,fast,2.5,1,8,1,8,1,0,0,1", RC_SCHEMA,
         "s.csv:8:22: world: '2.5' found, expected a whole number of at least 1"},
        {"pairs,,observed,fast,9,1,8,1,8,1,0,0,1", RC_RANGE, "s.csv:8:1: world: 9 ranks of 8"},
        {"pairs,,observed", RC_SCHEMA, "s.csv:8:1: 3 fields, the header has 13"},
        {"", RC_SCHEMA, "s.csv: there is no sample"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_row);
}

static struct samples *read_log(const char *name, const struct samples_ask *ask) {
    char *path = mem_printf("%s/../fuzz/corpus/samples/%s", TEST_DATA_DIR, name);
    struct samples *s;
    struct err e;
    assert_ok(samples_load(path, ask, &s, &e), &e);
    free(path);
    return s;
}

static void logs_of_other_benchmarks(void **state) {
    (void)state;
    const struct samples_ask eight = {.groups = 2, .ranks_per_group = 4};
    struct samples *s = read_log("nccl.log", NULL);
    assert_int_equal(s->groups, 2);
    assert_int_equal(s->ranks_per_group, 2);
    assert_int_equal(s->n, 4);
    assert_int_equal(s->items[0].quantity, SAMPLED_ALLTOALL);
    assert_rel(s->items[0].time_s, 120.5e-6, 1e-12);
    assert_rel(s->items[0].message_bytes, 1048576 / 4, 0);
    assert_string_equal(s->implementation, "nccl-p2p");
    samples_free(s);
    s = read_log("osu.log", &eight); // the slowest rank, not the mean
    assert_int_equal(s->n, 4);
    assert_rel(s->items[0].time_s, 20.4e-6, 1e-12);
    assert_rel(s->items[3].send_bytes, 32768 * 8, 0);
    samples_free(s);
    s = read_log("deepep.log", &eight);
    assert_int_equal(s->n, 6);
    assert_int_equal(s->items[1].quantity, SAMPLED_COMBINE);
    assert_rel(s->items[1].send_bytes, 43e9 * 330e-6, 1e-9);
    assert_rel(s->items[4].time_s, 400e-6, 1e-9);
    struct calibration none;
    struct err e;
    assert_fails(calibrate(s, &none, &e), RC_UNSUPPORTED, &e, "add a log of nccl-tests");
    samples_free(s);
    char *path = mem_printf("%s/../fuzz/corpus/samples/osu.log", TEST_DATA_DIR);
    assert_fails(samples_load(path, NULL, &s, &e), RC_USAGE, &e, "does not say how many groups of how many ranks");
    free(path);
    path = mem_printf("%s/terrace/hostregime.csv", TEST_DATA_DIR);
    assert_fails(samples_load(path, &eight, &s, &e), RC_SCHEMA, &e, "no samples of moesim-measure, and no table of");
    free(path);
}

static void a_log_is_calibrated_too(void **state) {
    (void)state;
    const struct samples_ask eight = {.groups = 1, .ranks_per_group = 8};
    struct samples *s = read_log("osu.log", &eight);
    struct calibration c;
    struct err e;
    assert_ok(calibrate(s, &c, &e), &e);
    assert_rel(c.tier[SPANS_FAST].bandwidth_Bps.value, 7 * 28672 / 100.4e-6, 0.03); // two of its sizes
    calibration_clear(&c);
    samples_free(s);
}

static void the_command(void **state) {
    (void)state;
    struct buf out = {0};
    char *line = mem_printf("calibrate %s/../fuzz/corpus/samples/good.csv -o made", TEST_DATA_DIR);
    assert_int_equal(program_text(line, &out), 0);
    static const char *const says[] = {"fast.bandwidth", "10 GB/s", "there is no gate, and nothing is earned",
                                       "alltoall, 65536 B a rank", "flags:", "no cost of a message on the fast tier"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(out.text, says[i]))
            fail_msg("no '%s' in:\n%s", says[i], out.text);
    assert_int_equal(program_text("simulate --platform made/platform.yaml --workload terrace-reference", &out), 0);
    assert_int_equal(program_text("calibrate nothing.csv", &out), 2);
    struct yaml_doc *doc;
    char *json = mem_printf("%s --format json", line);
    assert_int_equal(program_run(json, &doc), 0);
    assert_string_equal(program_at(doc, "schema")->text, "moesim/calibrate/1");
    assert_string_equal(program_at(doc, "constants.0.key")->text, "fast.bandwidth");
    assert_string_equal(program_at(doc, "constants.0.unit")->text, "Bps");
    assert_rel(program_number(doc, "constants.0.value"), 1e10, 1e-6);
    assert_true(program_number(doc, "constants.0.low") <= 1e10);
    assert_string_equal(program_at(doc, "constants.0.status")->text, "fitted");
    assert_non_null(strstr(program_at(doc, "constants.0.source")->text, "samples"));
    assert_non_null(strstr(program_at(doc, "flags.0")->text, "no "));
    assert_string_equal(program_at(doc, "held_back.0.id")->text, "alltoall, 65536 B a rank");
    assert_true(program_number(doc, "held_back.0.measured_s") > 0);
    assert_non_null(strstr(program_at(doc, "verdict.0")->text, "nothing is earned"));
    yaml_doc_free(doc);
    free(json);
    buf_clear(&out); // the holdout is a freeze file like any other
    char *score = mem_printf("score made/held_back_freeze.json %s/../fuzz/corpus/samples/good.csv", TEST_DATA_DIR);
    assert_int_equal(program_text(score, &out), 0);
    assert_non_null(strstr(out.text, "alltoall, 65536 B a rank"));
    free(score);
    unlink("made/held_back_freeze.json");
    buf_clear(&out);
    free(line);
    unlink("made/platform.yaml");
    unlink("made/held_back.yaml");
    unlink("made/held_back_gate.yaml");
    assert_int_equal(rmdir("made"), 0);
}

static void readme_and_schema_have_the_keys(void **state) {
    (void)state;
    check_key_table("validation/mpi/README.md", "keys samples", sample_keys);
    check_key_table("validation/mpi/README.md", "keys columns", sample_columns);
    const char *path = TEST_DATA_DIR "/../../validation/samples.schema.json";
    struct buf expected = {0};
    struct err e;
    keys_json_schema(sample_keys, SAMPLES_SCHEMA, &expected);
    if (getenv("MOESIM_UPDATE_DOCS"))
        assert_ok(file_write(path, expected.text, expected.n, &e), &e);
    char *text = get_file(path);
    assert_string_equal(text, expected.text);
    free(text);
    buf_clear(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_up_machine_is_found_again),
        cmocka_unit_test(what_was_not_sampled_is_left_out),
        cmocka_unit_test(unsure_rates_stay_above_zero),
        cmocka_unit_test(noise_is_never_an_error),
        cmocka_unit_test(odd_samples_are_named),
        cmocka_unit_test(the_gate_of_what_was_held_back_decides),
        cmocka_unit_test(a_skeleton_keeps_what_nobody_sampled),
        cmocka_unit_test(bad_rows_are_refused_with_their_place),
        cmocka_unit_test(logs_of_other_benchmarks),
        cmocka_unit_test(a_log_is_calibrated_too),
        cmocka_unit_test(the_command),
        cmocka_unit_test(readme_and_schema_have_the_keys),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
