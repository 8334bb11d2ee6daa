/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/folder.h"
#include "tests/support/keytable.h"

#include "platforms/find.h"
#include "workloads/implementation.h"

static enum rc load_text(const char *text, struct implementation **m, struct err *e) {
    folder_put("i.yaml", text);
    return implementation_load("i.yaml", NULL, 0, m, e);
}

#define GOOD "schema: moesim/implementation/1\nname: x\n"

static void built_in_implementations(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum chain_preset chain;
        int64_t window;
        enum start start;
        enum hops hops;
        enum reduce reduce;
        enum order order;
    } known[] = {
        {"collective-eager", CHAIN_MEASURED, 8, START_RENDEZVOUS, HOPS_SERIAL, REDUCE_FORWARDER, ORDER_GROUP_SHIFT},
        {"deepep-ll", CHAIN_NONE, 0, START_ONE_SIDED, HOPS_SERIAL, REDUCE_NONE, ORDER_GROUP_SHIFT},
        {"deepep-normal", CHAIN_NONE, 4, START_ONE_SIDED, HOPS_PIPELINED, REDUCE_FORWARDER, ORDER_GROUP_SHIFT},
        {"mpi-linear", CHAIN_NONE, 0, START_RENDEZVOUS, HOPS_SERIAL, REDUCE_NONE, ORDER_SHIFT},
        {"nccl-p2p", CHAIN_NONE, 8, START_RENDEZVOUS, HOPS_SERIAL, REDUCE_NONE, ORDER_GROUP_SHIFT}};
    struct find_names names;
    find_names(FIND_IMPLEMENTATION, &names);
    assert_int_equal(names.n, sizeof known / sizeof *known);
    for (size_t i = 0; i < names.n; i++) {
        struct implementation *m;
        struct err e;
        assert_string_equal(names.names[i], known[i].name);
        assert_ok(implementation_load(names.names[i], NULL, 0, &m, &e), &e);
        assert_string_equal(m->name, known[i].name);
        assert_int_equal(m->order, known[i].order);
        assert_int_equal(m->window, known[i].window);
        assert_int_equal(m->start, known[i].start);
        assert_int_equal(m->hops, known[i].hops);
        assert_int_equal(m->reduce, known[i].reduce);
        assert_int_equal(m->chain.preset, known[i].chain);
        assert_false(m->chain.floor_s.given); // the paper's numbers have no floor
        implementation_free(m);
    }
    find_names_free(&names);
    implementation_free(NULL);
}

static void defaults_and_settings(void **state) {
    (void)state;
    struct implementation *m;
    struct err e;
    assert_ok(load_text(GOOD, &m, &e), &e);
    assert_int_equal(m->window, 0); // all
    assert_int_equal(m->chain.preset, CHAIN_NONE);
    implementation_free(m);
    const struct setting s[] = {{"window", "all"},
                                {"chain.preset", "v1"},
                                {"chain.floor", "0.248ms"},
                                {"start", "one-sided"},
                                {"order", "shift"}};
    assert_ok(implementation_load("collective-eager", s, 5, &m, &e), &e);
    assert_int_equal(m->window, 0);
    assert_int_equal(m->chain.preset, CHAIN_V1);
    assert_rel(m->chain.floor_s.value, 0.248e-3, 1e-15);
    assert_int_equal(m->start, START_ONE_SIDED);
    assert_int_equal(m->order, ORDER_SHIFT);
    implementation_free(m);
}

static enum rc load_bad(const char *text, struct err *e) {
    struct implementation *x = NULL;
    enum rc rc = load_text(text, &x, e);
    assert_true(rc == RC_OK || !x);
    return rc;
}

static void a_set_chunk_size_outranks_the_files_chunks(void **state) {
    (void)state;
    static const struct setting size = {"chunk_size", "64KiB"}, number = {"chunks", "4"};
    struct implementation *m;
    struct err e;
    folder_put("i.yaml", GOOD "hops: pipelined\nchunks: 8\n");
    assert_ok(implementation_load("i.yaml", &size, 1, &m, &e), &e);
    assert_int_equal(m->chunks, 0);
    assert_rel(m->chunk_bytes.value, 65536, 0);
    implementation_free(m);
    folder_put("i.yaml", GOOD "hops: pipelined\nchunk_size: 8KiB\n");
    assert_ok(implementation_load("i.yaml", &number, 1, &m, &e), &e);
    assert_int_equal(m->chunks, 4);
    implementation_free(m);
}

static void bad_implementations(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"name: x\n", RC_SCHEMA,
         "i.yaml:1:1: missing key 'schema', expected 'schema: moesim/implementation/1'"},
        {GOOD "order: groupshift\n", RC_SCHEMA,
         "i.yaml:3:8: order: 'groupshift' found, expected group-shift, shift, xor, random, farthest, rounds or "
         "file; did you mean 'group-shift'?"},
        {GOOD "window: none\n", RC_SCHEMA,
         "i.yaml:3:9: window: 'none' found, expected a whole number or 'all'"},
        {GOOD "window: 0\n", RC_RANGE,
         "i.yaml:3:9: window: 0 is below the smallest allowed value 1"},
        {GOOD "start: rendez-vous\n", RC_SCHEMA,
         "i.yaml:3:8: start: 'rendez-vous' found, expected rendezvous or one-sided; did you mean "
         "'rendezvous'?"},
        {GOOD "chain: measured\n", RC_SCHEMA, "i.yaml:3:8: found a value, expected a map of keys"},
        {GOOD "chain: {preset: 0.0424us}\n", RC_SCHEMA, // never a bare number
         "i.yaml:3:17: preset: '0.0424us' found, expected none, v1, measured or fused"},
        {GOOD "efficiency: {slow: {value: 0.9, status: fitted, source: x}}\n", RC_SCHEMA,
         "i.yaml:3:20: a value with status 'fitted' needs the machines that it is from, such as on: [h800]"},
        {GOOD "chain: {floor: {value: 1us, status: measured, source: x}}\n", RC_SCHEMA,
         "i.yaml:3:16: a value with status 'measured' needs the machines that it is from, such as on: [h800]"},
        {GOOD "chain: {floor: 248}\n", RC_UNIT,
         "i.yaml:3:16: floor: '248' has no unit, expected a time such as 2us or 0s"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, load_bad);
    struct implementation *m = NULL;
    struct err e;
    assert_fails(implementation_load("nccl_p2", NULL, 0, &m, &e), RC_IO, &e,
                 "no implementation named 'nccl_p2', did you mean 'nccl-p2p'?");
}

/* A constant that is carried to another machine is borrowed there. */
static void status_falls_where_a_constant_is_carried(void **state) {
    (void)state;
    static const struct {
        const char *platform;
        enum status efficiency, chain;
    } cases[] = {{"h800", STATUS_FITTED, STATUS_BORROWED},     {"h20", STATUS_BORROWED, STATUS_BORROWED},
                 {"gb200-nvl72", STATUS_BORROWED, STATUS_BORROWED}, {"aws-p5", STATUS_BORROWED, STATUS_BORROWED},
                 {"terrace-a", STATUS_BORROWED, STATUS_MEASURED},
                 {"terrace-a-boundary-12", STATUS_BORROWED, STATUS_MEASURED}};
    struct implementation *m;
    struct err e;
    assert_ok(implementation_load("deepep-normal", NULL, 0, &m, &e), &e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct platform *p;
        assert_ok(plat_load(cases[i].platform, NULL, 0, &p, &e), &e);
        assert_int_equal(implementation_status(&m->efficiency.fast, p), cases[i].efficiency);
        assert_int_equal(implementation_status(&m->efficiency.slow, p), cases[i].efficiency);
        assert_int_equal(implementation_status(&m->message_cost_s.slow, p), STATUS_ASSUMED); // weaker stays
        assert_int_equal(chain_status(chain_constant(CHAIN_MEASURED), p), cases[i].chain);
        assert_int_equal(chain_status(chain_constant(CHAIN_FUSED), p), STATUS_ASSUMED);
        plat_free(p);
    }
    implementation_free(m);
    static const struct setting set = {"efficiency.slow", "0.8"};
    assert_ok(implementation_load("deepep-normal", &set, 1, &m, &e), &e);
    assert_int_equal(m->efficiency.slow.status, STATUS_ASSUMED);
    implementation_free(m);
}

static void chain_presets(void **state) {
    (void)state;
    assert_rel(chain_constant(CHAIN_NONE)->s_per_pair, 0, 0);
    assert_rel(chain_constant(CHAIN_V1)->s_per_pair, 0.08748372395833333e-6, 1e-15);
    assert_rel(chain_constant(CHAIN_MEASURED)->s_per_pair, 0.04239908854166667e-6, 1e-15);
    assert_rel(chain_constant(CHAIN_FUSED)->s_per_pair, 0.012e-6, 1e-15);
    assert_int_equal(chain_constant(CHAIN_FUSED)->status, STATUS_ASSUMED);
    static const char *const names[CHAIN_PRESETS] = {"none", "v1", "measured", "fused"};
    for (int i = 0; i < CHAIN_PRESETS; i++)
        assert_string_equal(chain_constant((enum chain_preset)i)->name, names[i]);
}

static void orders_and_starts(void **state) {
    (void)state;
    assert_string_equal(order_name(ORDER_GROUP_SHIFT), "group-shift");
    assert_string_equal(start_name(START_ONE_SIDED), "one-sided");
}

static void the_readme_has_the_key_table(void **state) {
    (void)state;
    check_key_table("workloads/README.md", "keys implementation", implementation_keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_implementations), cmocka_unit_test(defaults_and_settings),
        cmocka_unit_test(a_set_chunk_size_outranks_the_files_chunks),
        cmocka_unit_test(bad_implementations),
        cmocka_unit_test(status_falls_where_a_constant_is_carried),
        cmocka_unit_test(chain_presets),
        cmocka_unit_test(orders_and_starts),        cmocka_unit_test(the_readme_has_the_key_table),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
