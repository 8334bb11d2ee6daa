/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep from outside: expansion, records, keys. */
#include "tests/support/sweeps.h"

#include <math.h>

#define HEAD                                                                                       \
    "schema: moesim/sweep/1\nname: small\nplatform: synthetic\nworkload: terrace-reference\n"      \
    "causes: none\nsimulate: false\naxes: [{key: platform.ratio, values: [2]}]\n"

static void points_cross_zip_and_filter(void **state) {
    (void)state;
    struct files f;
    begin(&f, SMALL "simulate: false\nrepeats: 2\n"
                    "axes:\n"
                    "  - {key: platform.ratio, range: {from: 1, to: 4, step: 1}}\n"
                    "  - {key: workload.hidden, values: [1024, 2048]}\n"
                    "  - {key: workload.tokens_per_rank, values: [64, 128]}\n"
                    "zip: [[workload.hidden, workload.tokens_per_rank]]\n"
                    "where: ['platform.ratio != 2']\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    size_t n;
    char *all = records_of(f.out, &n);
    assert_int_equal(n, 3 * 2 * 2);
    assert_non_null(strstr(all, "{\"platform.ratio\": 4, \"workload.hidden\": 2048, "
                                "\"workload.tokens_per_rank\": 128}, \"seed\": 2"));
    assert_null(strstr(all, "\"workload.hidden\": 1024, \"workload.tokens_per_rank\": 128"));
    assert_null(strstr(all, "\"platform.ratio\": 2,"));
    free(all);
    end(&f);
}

static void a_record_says_what_compare_says(void **state) {
    (void)state;
    struct files f;
    struct yaml_doc *record, *compare;
    begin(&f, SMALL "axes: [{key: platform.ratio, values: [4]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    struct err e;
    assert_ok(yaml_load(f.out, &record, &e), &e);
    assert_int_equal(program_run("compare --platform synthetic --workload terrace-reference "
                                 "--set platform.groups=4 --set platform.ranks_per_group=2 "
                                 "--set platform.ratio=4 --format json",
                                 &compare),
                     0);
    static const char *const keys[] = {"calls.0.simulated_s", "calls.1.simulated_s", "calls.0.analytic_s",
                                       "calls.1.bound_s", "calls.1.slack", "gain.dispatch"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_string_equal(program_at(record, keys[i])->text, program_at(compare, keys[i])->text);
    program_is_null(record, "gain.combine");
    yaml_doc_free(record);
    yaml_doc_free(compare);
    end(&f);
}

/* An even load far above its bound: the record says what the command says. */
static void a_record_has_the_warnings(void **state) {
    (void)state;
    static const char words[] = "compare --platform synthetic-racks --strategy one-hop --format json "
                                "--set workload.routing.rho_max=1 --set implementation.order=shift";
    struct files f;
    struct err e;
    struct yaml_doc *record, *result;
    begin(&f, "schema: moesim/sweep/1\nname: order\nplatform: synthetic-racks\nstrategies: [one-hop]\ncauses: none\n"
              "set: {implementation.order: shift}\naxes: [{key: workload.routing.rho_max, values: [1]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    char *line = get_file(f.out);
    assert_ok(yaml_parse(line, strlen(line), "record", &record, &e), &e);
    assert_int_equal(program_run(words, &result), 0);
    assert_non_null(strstr(program_at(result, "warnings.0")->text, "times its bound with order shift"));
    assert_string_equal(program_at(record, "warnings.0")->text, program_at(result, "warnings.0")->text);
    yaml_doc_free(record);
    yaml_doc_free(result);
    free(line);
    end(&f);
}

/* Points take turns with inputs that others have loaded: each is what a run of its own says. */
static void points_that_share_inputs_are_apart(void **state) {
    (void)state;
    static const char *const values[] = {"platform.ratio=2", "platform.ratio=8", "workload.hidden=1024",
                                         "workload.hidden=2048"};
    struct files f;
    struct err e;
    begin(&f, SMALL "simulate: false\naxes: [{key: workload.hidden, values: [1024, 2048]},\n"
                    "{key: implementation.chain, values: [none, v1]}, {key: platform.ratio, values: [2, 8]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    for (int i = 0; i < 8; i++) {
        struct yaml_doc *record, *compare;
        char *at = mem_printf("\"number\": %d, ", i), *all = get_file(f.out), *rest = all, *line;
        while ((line = strtok_r(rest, "\n", &rest)) && !strstr(line, at))
            continue;
        assert_non_null(line);
        assert_ok(yaml_parse(line, strlen(line), "record", &record, &e), &e);
        char *words = mem_printf("compare --analytic-only --platform synthetic --workload terrace-reference "
                                 "--set platform.groups=4 --set platform.ranks_per_group=2 --set %s --set %s "
                                 "--set implementation.chain=%s --format json",
                                 values[2 + i / 4], values[i % 2], i / 2 % 2 ? "v1" : "none");
        assert_int_equal(program_run(words, &compare), 0);
        static const char *const keys[] = {"calls.0.analytic_s", "calls.1.analytic_s", "calls.0.bound_s",
                                           "calls.1.wire_bound_s", "calls.1.busiest_link.bytes"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            assert_string_equal(program_at(record, keys[k])->text, program_at(compare, keys[k])->text);
        yaml_doc_free(record);
        yaml_doc_free(compare);
        free(words);
        free(all);
        free(at);
    }
    end(&f);
}

/* One point can be simulated, one cannot: the sweep goes on, and the record says why. */
static void a_point_that_fails_becomes_a_record(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    begin(&f, SMALL "axes: [{key: workload.group_limit, values: [2, 64]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "2 points, 2 new, 0 were there, 1 failed"));
    char *text = get_file(f.out);
    assert_non_null(strstr(text, "\"status\": \"error\""));
    assert_non_null(strstr(text, "\"workload.group_limit\": 64"));
    free(text);
    buf_clear(&messages);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0); // which it stays
    assert_non_null(strstr(messages.text, "2 points, 0 new, 2 were there, 1 failed"));
    buf_clear(&messages);
    end(&f);
}

static void a_point_that_takes_too_long_becomes_a_record(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    begin(&f, SMALL "timeout: 1us\naxes: [{key: platform.ratio, values: [2, 4]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "2 points, 2 new, 0 were there, 2 failed"));
    char *text = get_file(f.out);
    assert_non_null(strstr(text, "simulation engine ran out of time"));
    free(text);
    buf_clear(&messages);
    end(&f);
}

static void a_changed_input_is_a_new_point(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    begin(&f, SMALL "simulate: false\naxes: [{key: platform.ratio, values: [1, 2]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    put_file(f.spec, SMALL "simulate: false\naxes: [{key: platform.ratio, values: [1, 2, 3]}]\nseed: 1\n");
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "1 new, 2 were there"));
    put_file(f.spec, SMALL "simulate: false\naxes: [{key: platform.ratio, values: [1, 2, 3]}]\nseed: 9\n");
    buf_clear(&messages);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "3 new, 0 were there"));
    buf_clear(&messages);
    end(&f);
}

/* Files that a workload names beside the trace belong to the point. */
static void a_changed_tokens_file_is_a_new_point(void **state) {
    (void)state;
    struct files f;
    struct buf messages = {0};
    char *tokens = path_of("tokens.csv"),
         *text = mem_printf("%sset: {platform.groups: 4, platform.ranks_per_group: 2, workload.tokens_file: %s}\n",
                            HEAD, tokens);
    put_file(tokens, "64x8\n");
    begin(&f, text);
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    put_file(tokens, "64x7 8\n");
    assert_int_equal(sweep("", f.spec, f.out, &messages), 0);
    assert_non_null(strstr(messages.text, "1 new, 0 were there, 0 failed"));
    assert_null(strstr(messages.text, "0 new"));
    assert_null(strstr(messages.text, "1 failed"));
    buf_clear(&messages);
    unlink(tokens);
    free(tokens);
    free(text);
    end(&f);
}

/* Points whose traffic is the same share it; others do not. */
static void shared_traffic_is_of_the_point(void **state) {
    (void)state;
    struct files f;
    begin(&f, SMALL "simulate: false\naxes:\n  - {key: workload.routing.rho_max, values: [1.2, 2]}\n"
                    "  - {key: platform.ratio, values: [1, 2, 4]}\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    size_t n, low = 0, high = 0;
    char *all = records_of(f.out, &n);
    assert_int_equal(n, 6);
    for (const char *p = all; (p = strstr(p, "\"rho_max\": {\"rank\": ")); p++) {
        double rho = strtod(p + strlen("\"rho_max\": {\"rank\": "), NULL);
        low += fabs(rho - 1.2) < 0.02 * 1.2;
        high += fabs(rho - 2) < 0.02 * 2;
    }
    assert_int_equal(low, 3);
    assert_int_equal(high, 3);
    free(all);
    end(&f);
}

/* Racks of other sizes are other traffic, with the same groups. */
static void traffic_is_shared_among_equal_racks_only(void **state) {
    (void)state;
    static const int joins[] = {1, 2, 4, 1, 2, 4};
    struct files f;
    struct err e;
    begin(&f, "schema: moesim/sweep/1\nname: small\nplatform: synthetic-racks\nworkload: terrace-reference\n"
              "set: {platform.groups: 4, platform.ranks_per_group: 2}\nstrategies: [three-hop]\nsimulate: false\n"
              "axes: [{key: platform.slow.bandwidth, values: [10GBps, 20GBps]},\n"
              "{key: platform.middle.rack.joins, values: [1, 2, 4]}]\n");
    assert_int_equal(sweep("", f.spec, f.out, NULL), 0);
    char *all = get_file(f.out), *rest = all, *line;
    int n = 0;
    while ((line = strtok_r(rest, "\n", &rest))) {
        struct yaml_doc *record, *compare;
        assert_ok(yaml_parse(line, strlen(line), "record", &record, &e), &e);
        int number = (int)program_number(record, "number");
        char *words = mem_printf("compare --analytic-only --platform synthetic-racks --workload terrace-reference "
                                 "--set platform.groups=4 --set platform.ranks_per_group=2 --strategy three-hop "
                                 "--set platform.slow.bandwidth=%s --set platform.middle.rack.joins=%d --format json",
                                 number < 3 ? "10GBps" : "20GBps", joins[number]);
        assert_int_equal(program_run(words, &compare), 0);
        for (int tier = 0; tier < 3; tier++) {
            char key[40];
            snprintf(key, sizeof key, "calls.0.tiers.%d.bytes", tier);
            assert_string_equal(program_at(record, key)->text, program_at(compare, key)->text);
        }
        yaml_doc_free(record);
        yaml_doc_free(compare);
        free(words);
        n++;
    }
    assert_int_equal(n, 6);
    free(all);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_cross_zip_and_filter),
        cmocka_unit_test(a_record_says_what_compare_says),
        cmocka_unit_test(a_record_has_the_warnings),
        cmocka_unit_test(points_that_share_inputs_are_apart),
        cmocka_unit_test(a_point_that_fails_becomes_a_record),
        cmocka_unit_test(a_point_that_takes_too_long_becomes_a_record),
        cmocka_unit_test(a_changed_input_is_a_new_point),
        cmocka_unit_test(a_changed_tokens_file_is_a_new_point),
        cmocka_unit_test(shared_traffic_is_of_the_point),
        cmocka_unit_test(traffic_is_shared_among_equal_racks_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
