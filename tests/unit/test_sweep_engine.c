/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep has one engine for all its points, and its records say which; bounds alone in a sweep. */
#include "tests/support/sweeps.h"

#include "sim/engine/choice.h"

/* One call on 16 ranks, whose run has fewer than SIM_SIMGRID_FLOWS flows, and on 128, whose run has more. */
#define POINTS(GROUPS, MORE)                                                                       \
    "schema: moesim/sweep/1\nname: mixed\nplatform: synthetic\nworkload: terrace-reference\n"      \
    "set: {workload.tokens_per_rank: 64}\nstrategies: [two-hop]\nphase: dispatch\ncauses: none\n"  \
    MORE "axes: [{key: platform.groups, values: [" GROUPS "]}]\n"
enum { POINTS_OF_A_SWEEP = 2 };

/* Reads record i of a file; yaml_doc_free() releases. */
static struct yaml_doc *read_record(const char *path, size_t i) {
    struct yaml_doc *d;
    struct err e;
    char *text = get_file(path), *line = text;
    for (; i > 0; i--)
        line = strchr(line, '\n') + 1;
    *strchr(line, '\n') = '\0';
    assert_ok(yaml_parse(line, strlen(line), path, &d, &e), &e);
    free(text);
    return d;
}

static double flows_of_largest_run(const char *groups) {
    struct yaml_doc *d;
    char *asked = mem_printf("compare --platform synthetic --workload terrace-reference --strategy two-hop --phase "
                             "dispatch --set workload.tokens_per_rank=64 --set platform.groups=%s --dry-run "
                             "--format json", groups);
    assert_int_equal(program_run(asked, &d), 0);
    double flows = program_number(d, "largest_run_flows");
    yaml_doc_free(d);
    free(asked);
    return flows;
}

/* Runs a sweep and looks for one engine in each of its n records. */
static void expect_engine(const char *spec, size_t n, const char *engine) {
    struct files f;
    begin(&f, spec);
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        struct yaml_doc *d = read_record(f.out, i);
        assert_string_equal(program_at(d, "status")->text, "ok");
        assert_string_equal(program_at(d, "engine.name")->text, engine);
        assert_string_equal(program_at(d, "calls.0.engine")->text, engine);
        yaml_doc_free(d);
    }
    end(&f);
}

static void all_points_have_the_engine_of_the_largest(void **state) {
    (void)state;
    assert_true(flows_of_largest_run("2") < SIM_SIMGRID_FLOWS && flows_of_largest_run("16") > SIM_SIMGRID_FLOWS);
    expect_engine(POINTS("2", ""), 1, "simgrid"); // which a point takes by itself
    expect_engine(POINTS("2, 16", ""), POINTS_OF_A_SWEEP, "fluid");
    expect_engine(POINTS("16, 2", ""), POINTS_OF_A_SWEEP, "fluid");
}

/* A sweep that has only its small point left still takes the engine of the large one, and so knows its records. */
static void a_sweep_goes_on_with_its_engine(void **state) {
    (void)state;
    struct files f;
    struct buf said = {0};
    size_t n;
    begin(&f, POINTS("2, 16", ""));
    assert_int_equal(sweep("", f.spec, f.reference, NULL), 0);
    char *drop = mem_printf("grep -v '\"point\": {\"platform.groups\": 2}' %s > %s", f.reference, f.out);
    assert_int_equal(program_shell(drop, NULL), 0);
    free(drop);
    assert_int_equal(sweep("", f.spec, f.out, &said), 0);
    assert_non_null(strstr(said.text, "2 points, 1 new, 1 were there, 0 failed"));
    buf_clear(&said);
    same_records(&f);
    assert_int_equal(sweep("", f.spec, f.out, &said), 0);
    assert_non_null(strstr(said.text, "2 points, 0 new, 2 were there, 0 failed"));
    free(records_of(f.out, &n));
    assert_int_equal(n, POINTS_OF_A_SWEEP);
    buf_clear(&said);
    end(&f);
}

/* Returns where cell `column` of a row begins; the cells before it have no quotes. */
static const char *cell_of(const char *row, size_t column) {
    for (; column > 0; column--) {
        row += strcspn(row, ",\n");
        assert_int_equal(*row++, ',');
    }
    return row;
}

/* Fills cells with column `name` of the rows of a table. */
static void read_column(const char *table, const char *name, char cells[POINTS_OF_A_SWEEP][100]) {
    size_t column = 0, n = strlen(name);
    while (strncmp(cell_of(table, column), name, n) != 0 || cell_of(table, column)[n] != ',')
        column++;
    for (size_t row = 0; row < POINTS_OF_A_SWEEP; row++) {
        table = strchr(table, '\n') + 1;
        const char *cell = cell_of(table, column);
        snprintf(cells[row], sizeof cells[row], "%.*s", (int)strcspn(cell, ",\n"), cell);
    }
}

static void bounds_alone_in_a_sweep(void **state) {
    (void)state;
    static const char *const empty[] = {"time_s", "wire_s", "band_low_s", "band_high_s", "slack_ratio"};
    struct files f;
    struct buf csv = {0};
    char bounds[POINTS_OF_A_SWEEP][100], cells[POINTS_OF_A_SWEEP][100];
    begin(&f, POINTS("2, 16", "engine: bound\n"));
    char *command = mem_printf("%s sweep %s -o %s --jobs 1 --format csv 2>&1", MOESIM_BINARY, f.spec, f.out);
    assert_int_equal(program_shell(command, &csv), 0);
    free(command);
    read_column(csv.text, "bound_s", bounds);
    for (size_t i = 0; i < POINTS_OF_A_SWEEP; i++) {
        struct yaml_doc *d = read_record(f.out, i);
        assert_string_equal(program_at(d, "calls.0.engine")->text, "bound");
        program_is_null(d, "calls.0.time_s");
        program_is_null(d, "calls.0.wire_s");
        program_is_null(d, "calls.0.slack");
        program_is_null(d, "engine.flows");
        assert_true(program_number(d, "calls.0.bound_s") > 0 && program_number(d, "calls.0.wire_bound_s") > 0);
        assert_string_equal(bounds[i], program_at(d, "calls.0.bound_s")->text);
        yaml_doc_free(d);
    }
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        read_column(csv.text, empty[i], cells);
        assert_string_equal(cells[0], "");
        assert_string_equal(cells[1], "");
    }
    buf_clear(&csv);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_points_have_the_engine_of_the_largest),
                                       cmocka_unit_test(a_sweep_goes_on_with_its_engine),
                                       cmocka_unit_test(bounds_alone_in_a_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
