/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a made-up machine: reading them, its constants found again, what is odd about samples, the files. */
#include "tests/support/folder.h"
#include "tests/support/keytable.h"
#include "tests/support/program.h"

#include "platforms/platform.h"
#include "validation/calibrate_files.h"

static const char head[] = "# schema: moesim/samples/1\n# machine: toy\n# implementation: mpi-linear\n# groups: 2\n"
                           "# ranks_per_group: 4\n# clock: 1ns\n"
                           "quantity,part,regime,span,world,senders,peers,message_bytes,send_bytes,calls,repeat,turn,"
                           "time_s\n";

/* --- a made-up machine ---------------------------------------------------------------------------- */

static const double rate_Bps[] = {20e9, 4e9}, latency_s[] = {1e-6, 4e-6}, cost_s[] = {0.3e-6, 0.9e-6};
static const double uplink_Bps = 8e9, alpha_s[] = {3e-6, 9e-6};
enum { REPEATS = 8 };

struct maker {
    struct buf text;
    int turn;
    double held_factor; /* on all-to-alls: what no constant sees may be something else */
};

static const char *const span_names[] = {"fast", "slow"};

/* Adds repeats with a noise of +-0.2 %; `late` multiplies the second half. */
static void put(struct maker *m, const struct sample *s, double time_s, double late) {
    static const double noise[REPEATS] = {1, 1.002, 0.998, 1.001, 0.999, 1.0015, 0.9985, 1};
    for (int i = 0; i < REPEATS; i++)
        buf_printf(&m->text, "%s,%s,%s,%s,%d,%d,%d,%.17g,%.17g,%d,%d,%d,%.9g\n", sampled_name(s->quantity),
                   s->part ? s->part : "", regime_name((enum regime)s->regime), span_names[s->span], (int)s->world,
                   (int)s->senders, (int)s->peers, s->message_bytes, s->send_bytes, (int)s->calls, i, m->turn++,
                   time_s * noise[i] * (i >= REPEATS / 2 ? late : 1));
}

static void put_pairs(struct maker *m, int span) {
    for (double bytes = 1e5; bytes < 1e7; bytes *= 2)
        for (int pairs = 1; pairs <= (span ? 4 : 2); pairs++) {
            double rate = span && pairs * rate_Bps[1] > uplink_Bps ? uplink_Bps / pairs : rate_Bps[span];
            put(m, &(struct sample){SAMPLED_PAIRS, NULL, REGIME_OBSERVED, span, 2 * pairs, pairs, 8, 1, 0, 0, bytes,
                                    8 * bytes, 0}, 2e-6 + latency_s[span] + 8 * bytes / rate, 1);
        }
}

static void put_short(struct maker *m, int span) {
    for (int n = 1; n <= 64; n *= 2)
        put(m, &(struct sample){SAMPLED_MESSAGES, NULL, REGIME_OBSERVED, span, 2, 1, n, 1, 0, 0, 8, 8 * n, 0},
            2e-6 + n * (cost_s[span] + 8 / rate_Bps[span]), 1);
    for (int trips = 8; trips <= 32; trips *= 2)
        put(m, &(struct sample){SAMPLED_PING_PONG, NULL, REGIME_OBSERVED, span, 2, 1, 1, trips, 0, 0, 8, 8, 0},
            1e-6 + 2 * trips * (latency_s[span] + cost_s[span] + 8 / rate_Bps[span]), 1);
}

/* Time of one even call over a world without its alpha: messages one after the other. */
static double messages_s(int span, int world, double bytes) {
    int local = span ? world / 2 : world;
    return (local - 1) * (cost_s[0] + bytes / rate_Bps[0]) + (world - local) * (cost_s[1] + bytes / rate_Bps[1]);
}

/* bump: on alpha of world 6 */
static void put_scans(struct maker *m, double bump) {
    static const int worlds[][4] = {{2, 3, 4, 0}, {2, 4, 6, 8}};
    for (int span = 0; span < 2; span++)
        for (int i = 0; i < 4 && worlds[span][i]; i++)
            for (int k = 0; k < 8; k++) {
                int w = worlds[span][i], calls = 1 << 2 * (k / 2);
                double alpha = alpha_s[span] * (w == 6 ? bump : 1);
                put(m, &(struct sample){SAMPLED_CALL_SCAN, NULL, k % 2, span, w, w, w - 1, calls, 0, 0, 8,
                                        8.0 * w, 0}, 1e-6 + calls * (alpha + messages_s(span, w, 8)), 1);
            }
}

/* The law of a whole call: alpha + messages at half the slow rate. ahead: factor on the other regime. */
static void put_sweep(struct maker *m, double ahead) {
    int size = 0;
    for (double bytes = 4096; bytes <= 4096 << 8; bytes *= 2, size++) {
        double costs_s = messages_s(1, 8, 0), time_s = alpha_s[1] + costs_s + 7 * bytes / 2e9;
        const double factor = size % 3 == 1 && m->held_factor > 0 ? m->held_factor : 1;
        struct sample s = {SAMPLED_ALLTOALL, NULL, REGIME_OBSERVED, 1, 8, 8, 7, 1, 0, 0, bytes, 8 * bytes, 0};
        put(m, &s, time_s * factor, 1);
        s.regime = REGIME_AHEAD;
        put(m, &s, time_s * factor * ahead, 1);
    }
}

static void put_machine(struct maker *m) {
    buf_text(&m->text, head);
    for (int span = 0; span < 2; span++) {
        put_pairs(m, span);
        put_short(m, span);
    }
    put_scans(m, 1);
    put_sweep(m, 1);
}

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
static void found(const struct estimate *k, double truth, double tolerance) {
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

static void drop_files(void) {
    unlink("platform.yaml");
    unlink("held_back.yaml");
    unlink("held_back_gate.yaml");
}

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
    samples_free(s);
    struct err e;
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
