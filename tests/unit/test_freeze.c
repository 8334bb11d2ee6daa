/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions that are written down: the file and its hash, grades, both commands. */
#include "tests/support/folder.h"
#include "tests/support/keytable.h"
#include "tests/support/program.h"

#include "validation/score.h"

static const char head[] = "# schema: moesim/samples/1\n# machine: toy\n# implementation: mpi-linear\n# groups: 2\n"
                           "# ranks_per_group: 4\nquantity,part,regime,span,world,senders,peers,message_bytes,"
                           "send_bytes,calls,repeat,turn,time_s\n";
static const char *const words[] = {"freeze", "-o", "f.json"};
static const struct freeze_head program = {"1.2.3", "", words, 3, NULL};

static struct quantity known(double value) {
    return (struct quantity){.value = value, .given = true};
}

/* Three even calls of 8 ranks, of 1, 2 and 4 MB: 10 % high with a band around the truth, right, and without a time. */
static void write_three(struct buf *out) {
    struct freeze_writer w;
    freeze_begin(&w, &program, out);
    struct prediction p = {.id = "a", .quantity = SAMPLED_ALLTOALL, .regime = REGIME_OBSERVED, .world = 8,
                           .send_bytes = known(1e6), .time_s = known(1.1e-3), .low_s = known(0.9e-3),
                           .high_s = known(1.2e-3)};
    freeze_put(&w, &p);
    p = (struct prediction){.id = "b", .quantity = SAMPLED_ALLTOALL, .regime = REGIME_OBSERVED, .world = 8,
                            .send_bytes = known(2e6), .time_s = known(2e-3)};
    freeze_put(&w, &p);
    p = (struct prediction){.id = "c", .quantity = SAMPLED_ALLTOALL, .regime = REGIME_OBSERVED, .world = 8,
                            .send_bytes = known(4e6), .reason = "no alpha"};
    freeze_put(&w, &p);
    freeze_end(&w);
}

static struct freeze *read_freeze(const struct buf *text) {
    struct freeze *f;
    struct err e;
    assert_ok(freeze_parse(text->text, text->n, "f.json", &f, &e), &e);
    return f;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    struct buf text = {0};
    write_three(&text);
    struct freeze *f = read_freeze(&text);
    const struct prediction *all = f->predictions.items;
    assert_int_equal(f->predictions.n, 3);
    assert_string_equal(f->version, "1.2.3");
    assert_int_equal(f->arguments->n, 3);
    assert_true(all[0].low_s.value == 0.9e-3 && all[1].time_s.value == 2e-3 && !all[1].low_s.given);
    assert_true(!all[2].time_s.given && !strcmp(all[2].reason, "no alpha") && all[2].world == 8);
    // the hash is that of the file with zeros in its place
    char found[HASH_TEXT], *digits = strstr(text.text, f->sha256);
    memset(digits, '0', 64);
    hash_bytes(text.text, text.n, found);
    assert_string_equal(found, f->sha256);
    freeze_free(f);
    buf_clear(&text);
}

static void one_digit_that_changes_is_seen(void **state) {
    (void)state;
    struct buf text = {0};
    struct freeze *f;
    struct err e;
    write_three(&text);
    char *time = strstr(text.text, "\"time_s\": 0.0011");
    assert_non_null(time);
    time[strlen("\"time_s\": 0.001")] = '2';
    assert_fails(freeze_parse(text.text, text.n, "f.json", &f, &e), RC_SCHEMA, &e, "was changed after it was written");
    buf_clear(&text);
    static const char no_hash[] = "{\"schema\": \"moesim/freeze/1\", \"version\": \"1\", \"predictions\": [], "
                                  "\"sha256\": \"12\"}";
    assert_fails(freeze_parse(no_hash, sizeof no_hash - 1, "f.json", &f, &e), RC_SCHEMA, &e, "no hash of the file");
}

/* Samples of one size in a row, 8 ranks; median as stated. */
static void put_even(struct buf *text, double bytes, double time_s) {
    static int turn;
    for (int i = -1; i <= 1; i++, turn++)
        buf_printf(text, "alltoall,,observed,slow,8,8,7,%.17g,%.17g,2,%d,%d,%.9g\n", bytes / 8, bytes, i + 1, turn,
                   2 * time_s * (1 + 0.01 * i));
}

static void samples_grade_predictions(void **state) {
    (void)state;
    struct buf text = {0}, csv = {0};
    struct samples *s;
    struct sample_points points;
    struct score score;
    struct err e;
    write_three(&text);
    struct freeze *f = read_freeze(&text);
    buf_text(&csv, head);
    put_even(&csv, 1e6, 1e-3);
    put_even(&csv, 4e6, 4e-3);
    put_even(&csv, 8e6, 8e-3); // nobody predicted it
    assert_ok(samples_parse(csv.text, csv.n, "s.csv", NULL, &s, &e), &e);
    points_of(s, &points);
    assert_ok(score_points(f, &points, NULL, &score, &e), &e);
    assert_int_equal(score.n, 3);
    assert_int_equal(score.n_graded, 1);
    assert_int_equal(score.n_failed, 1); // a call that was measured and had no time
    assert_int_equal(score.n_banded, 1);
    assert_int_equal(score.n_inside, 1);
    assert_near(score.rows[0].measured_s, 1e-3, 1e-9); // of one of two calls
    assert_near(score.rows[0].error, 0.1, 1e-6);
    assert_near(score.median_abs_error, 0.1, 1e-6);
    assert_false(score.rows[1].measured);
    score_clear(&score);
    const bool none[8] = {false};
    assert_fails(score_points(f, &points, none, &score, &e), RC_SHAPE, &e, "nothing that was measured is like");
    points_free(&points);
    samples_free(s);
    freeze_free(f);
    buf_clear(&csv);
    buf_clear(&text);
}

static void ids_grade_predictions(void **state) {
    (void)state;
    static const char good[] = "time_s,id\n2.5e-3,b\n", unknown[] = "id,time_s\nx,1\n",
                      twice[] = "id,time_s\na,1\na,1\n", zero[] = "id,time_s\na,0\n",
                      other[] = "id,seconds\na,1\n", torn[] = "id,time_s\na\n";
    struct buf text = {0};
    struct score score;
    struct err e;
    write_three(&text);
    struct freeze *f = read_freeze(&text);
    assert_ok(score_csv(f, good, sizeof good - 1, "t.csv", &score, &e), &e);
    assert_int_equal(score.n_graded, 1);
    assert_near(score.median_signed_error, -0.2, 1e-9);
    assert_int_equal(score.n_banded, 0);
    score_clear(&score);
    assert_fails(score_csv(f, unknown, sizeof unknown - 1, "t.csv", &score, &e), RC_SCHEMA, &e, "t.csv:2:1");
    assert_fails(score_csv(f, twice, sizeof twice - 1, "t.csv", &score, &e), RC_SCHEMA, &e, "is there twice");
    assert_fails(score_csv(f, zero, sizeof zero - 1, "t.csv", &score, &e), RC_SCHEMA, &e, "seconds above 0");
    assert_fails(score_csv(f, other, sizeof other - 1, "t.csv", &score, &e), RC_SCHEMA, &e, "columns id and time_s");
    assert_fails(score_csv(f, torn, sizeof torn - 1, "t.csv", &score, &e), RC_SCHEMA, &e, "a field is missing");
    freeze_free(f);
    buf_clear(&text);
}

/* --- the commands ------------------------------------------------------------------------------------- */

static void freeze_then_score(void **state) {
    (void)state;
    struct freeze *f;
    struct err e;
    struct yaml_doc *doc;
    struct buf text = {0};
    assert_int_equal(program_text("freeze -o f.json --platform terrace-a --workload terrace-reference "
                                  "--set platform.groups=2 --phase both --all-to-all 1MiB,16MiB", NULL), 0);
    assert_ok(freeze_load("f.json", &f, &e), &e);
    assert_int_equal(f->predictions.n, 6);
    assert_true(f->inputs.n >= 2);
    const struct prediction *all = f->predictions.items;
    assert_string_equal(all[0].id, "dispatch one-hop");
    assert_true(all[0].time_s.given && all[4].time_s.given && all[5].time_s.value > all[4].time_s.value);
    buf_printf(&text, "id,time_s\ndispatch one-hop,%.17g\n", all[0].time_s.value / 2);
    assert_ok(file_write("t.csv", text.text, text.n, &e), &e);
    assert_int_equal(program_run("score f.json t.csv --format json", &doc), 0);
    assert_string_equal(program_at(doc, "schema")->text, "moesim/score/1");
    assert_string_equal(program_at(doc, "freeze.sha256")->text, f->sha256);
    assert_string_equal(program_at(doc, "graded")->text, "1");
    assert_string_equal(program_at(doc, "rows.0.relative_error")->text, "1");
    assert_string_equal(program_at(doc, "rows.1.measured_s")->text, "null");
    yaml_doc_free(doc);
    freeze_free(f);
    buf_clear(&text);
    assert_int_equal(program_shell("sed -i 's/dispatch one-hop/dispatch one-hoq/' f.json", NULL), 0);
    assert_int_equal(program_text("score f.json t.csv", NULL), 1);
    assert_int_equal(program_text("score f.json", NULL), 2);
    assert_int_equal(program_text("freeze", NULL), 2);
    assert_int_equal(program_text("freeze -o g.json --all-to-all 5GBps", NULL), 2);
    assert_false(file_exists("g.json"));
    unlink("f.json");
    unlink("t.csv");
}

static void the_key_table_is_that_of_the_program(void **state) {
    (void)state;
    check_key_table("validation/README.md", "keys freeze", freeze_keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(one_digit_that_changes_is_seen),
        cmocka_unit_test(samples_grade_predictions),
        cmocka_unit_test(ids_grade_predictions),
        cmocka_unit_test(freeze_then_score),
        cmocka_unit_test(the_key_table_is_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
