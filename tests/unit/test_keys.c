/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/keys.h"

struct inner {
    struct quantity rate_Bps;
    int64_t count;
};

struct outer {
    const char *text;
    int64_t count;
    int64_t window;
    struct quantity number, size_bytes, time_s;
    bool flag;
    bool flag_given;
    int choice;
    unsigned choices;
    struct inner map;
    struct key_list list;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct key inner_keys[] = {
    {"rate", KEY_RATE, offsetof(struct inner, rate_Bps), .help = "a rate"},
    {"count", KEY_COUNT, offsetof(struct inner, count), .required = true, .min = 1,
     .help = "a count"},
    {0}};

static const struct key outer_keys[] = {
    {"text", KEY_TEXT, offsetof(struct outer, text), .help = "words"},
    {"count", KEY_COUNT, offsetof(struct outer, count), .min = 2, .max = 10, .otherwise = "4",
     .help = "how many"},
    {"window", KEY_COUNT, offsetof(struct outer, window), .min = 1, .word = "all",
     .otherwise = "all", .help = "or all"},
    {"number", KEY_NUMBER, offsetof(struct outer, number), .min = 1, .max = 100, .otherwise = "1.5",
     .help = "no unit"},
    {"size", KEY_SIZE, offsetof(struct outer, size_bytes), .help = "bytes"},
    {"time", KEY_TIME, offsetof(struct outer, time_s), .otherwise = "2us", .help = "seconds"},
    {"flag", KEY_BOOL, offsetof(struct outer, flag),
     .given_offset = offsetof(struct outer, flag_given), .help = "yes or no"},
    {"choice", KEY_CHOICE, offsetof(struct outer, choice), .otherwise = "green", .choices = colours,
     .help = "a colour"},
    {"choices", KEY_CHOICES, offsetof(struct outer, choices), .otherwise = "red", .choices = colours,
     .help = "colours"},
    {"map", KEY_MAP, offsetof(struct outer, map), .table = inner_keys, .help = "nested"},
    {"list", KEY_LIST, offsetof(struct outer, list), .table = inner_keys,
     .item_size = sizeof(struct inner), .help = "several"},
    {0}};

static enum rc read(const char *text, struct outer *into, struct yaml_doc **doc, struct err *e) {
    struct yaml_doc *d;
    assert_ok(yaml_parse(text, strlen(text), "f.yaml", &d, e), e);
    *into = (struct outer){0};
    enum rc rc = keys_read(outer_keys, d->root, d, into, e);
    if (rc)
        yaml_doc_free(d);
    else
        *doc = d;
    return rc;
}

static void every_kind(void **state) {
    (void)state;
    struct outer o;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(read("text: some words\n"
                   "count: 3\n"
                   "window: 8\n"
                   "number: 2.5\n"
                   "size: 54KiB\n"
                   "time: {value: 4us, status: measured, source: \"a scan\", interval: [3us, 6us], on: [a, b], "
                   "note: x}\n"
                   "flag: false\n"
                   "choice: blue\n"
                   "choices: [blue, red]\n"
                   "map: {rate: 400Gbps, count: 1}\n"
                   "list: [{count: 5}, {count: 6, rate: 1Bps}]\n",
                   &o, &doc, &e),
              &e);
    assert_string_equal(o.text, "some words");
    assert_int_equal(o.count, 3);
    assert_int_equal(o.window, 8);
    assert_rel(o.number.value, 2.5, 0);
    assert_rel(o.size_bytes.value, 55296, 0);
    assert_true(o.size_bytes.given);
    assert_int_equal(o.size_bytes.status,
                     STATUS_ASSUMED); // plain values say nothing of their origin
    assert_true(o.size_bytes.low > o.size_bytes.high);
    assert_int_equal(o.size_bytes.at.line, 5);
    assert_int_equal(o.size_bytes.at.column, 7);
    assert_rel(o.time_s.value, 4e-6, 1e-15);
    assert_int_equal(o.time_s.status, STATUS_MEASURED);
    assert_string_equal(o.time_s.source, "a scan");
    assert_rel(o.time_s.low, 3e-6, 1e-15);
    assert_rel(o.time_s.high, 6e-6, 1e-15);
    assert_false(o.flag);
    assert_true(o.flag_given);
    assert_int_equal(o.choice, 2);
    assert_int_equal(o.choices, 1 << 2 | 1 << 0);
    assert_rel(o.map.rate_Bps.value, 50e9, 0);
    assert_int_equal(o.list.n, 2);
    const struct inner *items = o.list.items;
    assert_int_equal(items[0].count, 5);
    assert_false(items[0].rate_Bps.given);
    assert_rel(items[1].rate_Bps.value, 1, 0);
    yaml_doc_free(doc);
}

static void defaults(void **state) {
    (void)state;
    struct outer o;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(read("{}", &o, &doc, &e), &e);
    assert_null(o.text);
    assert_int_equal(o.count, 4);
    assert_int_equal(o.window, 0);
    assert_rel(o.number.value, 1.5, 0);
    assert_false(o.number.given);
    assert_rel(o.time_s.value, 2e-6, 1e-15);
    assert_false(o.time_s.given);
    assert_false(o.size_bytes.given);
    assert_false(o.flag_given);
    assert_int_equal(o.choice, 1);
    assert_int_equal(o.choices, 1 << 0);
    assert_int_equal(o.list.n, 0);
    yaml_doc_free(doc);
}

static enum rc read_bad(const char *text, struct err *e) {
    struct outer o;
    struct yaml_doc *doc;
    return read(text, &o, &doc, e);
}

static void bad_keys(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"cuont: 3", RC_SCHEMA, "f.yaml:1:1: unknown key 'cuont', did you mean 'count'?"},
        {"map: {count: 1, rat: 1Bps}", RC_SCHEMA,
         "f.yaml:1:17: unknown key 'rat', did you mean 'rate'?"},
        {"map: {count: 1, xyzzy: 1Bps}", RC_SCHEMA,
         "f.yaml:1:17: unknown key 'xyzzy', expected one of: rate, count"},
        {"map: {rate: 1Bps}", RC_SCHEMA, "f.yaml:1:6: missing key 'count' (a count)"},
        {"list: [{count: 1}, {rate: 1Bps}]", RC_SCHEMA,
         "f.yaml:1:20: missing key 'count' (a count)"},
        {"map: 3", RC_SCHEMA, "f.yaml:1:6: found a value, expected a map of keys"},
        {"list: 3", RC_SCHEMA, "f.yaml:1:7: list: found a value, expected a list"},
        {"list: [3]", RC_SCHEMA, "f.yaml:1:8: found a value, expected a map of keys"},
        {"[1]", RC_SCHEMA, "f.yaml:1:1: found a list, expected a map of keys"},
        {"text: [a]", RC_SCHEMA, "f.yaml:1:7: text: found a list, expected a single value"},
        {"text: ''", RC_SCHEMA, "f.yaml:1:7: text: is empty"},
        {"text:", RC_SCHEMA, "f.yaml:1:6: text: is empty"},
        {"flag: yes", RC_SCHEMA, "f.yaml:1:7: flag: 'yes' found, expected true or false"},
        {"choice: grean", RC_SCHEMA,
         "f.yaml:1:9: choice: 'grean' found, expected red, green or blue; did you mean 'green'?"},
        {"choices: [red, grean]", RC_SCHEMA,
         "f.yaml:1:16: choices: 'grean' found, expected red, green or blue; did you mean 'green'?"},
        {"choices: red and green", RC_SCHEMA,
         "f.yaml:1:10: choices: 'red and green' found, expected red, green or blue"},
        {"choices: red,", RC_SCHEMA, "f.yaml:1:10: choices: '' found, expected red, green or blue"},
        {"choices: [[red]]", RC_SCHEMA, "f.yaml:1:11: choices: found a list, expected a single value"},
        {"choices: {a: b}", RC_SCHEMA, "f.yaml:1:10: choices: found a map, expected a list of words"},
        {"choice: 7", RC_SCHEMA, "f.yaml:1:9: choice: '7' found, expected red, green or blue"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, read_bad);
}

static void bad_counts_and_numbers(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"count: 0", RC_RANGE, "f.yaml:1:8: count: 0 is below the smallest allowed value 2"},
        {"count: 1", RC_RANGE, "f.yaml:1:8: count: 1 is below the smallest allowed value 2"},
        {"count: 11", RC_RANGE, "f.yaml:1:8: count: 11 is above the largest allowed value 10"},
        {"count: -3", RC_RANGE, "f.yaml:1:8: count: -3 is below the smallest allowed value 2"},
        {"count: 2.5", RC_SCHEMA, "f.yaml:1:8: count: '2.5' is not a whole number"},
        {"count: 8GB", RC_UNIT, "f.yaml:1:8: count: '8GB': expected a plain number, without unit"},
        {"count: many", RC_SCHEMA, "f.yaml:1:8: count: 'many' is not a number"},
        {"count: 0x3", RC_SCHEMA, "f.yaml:1:8: count: '0x3' is not a number"},
        {"count: -0x3", RC_SCHEMA, "f.yaml:1:8: count: '-0x3' is not a number"},
        {"count: inf", RC_RANGE, "f.yaml:1:8: count: 'inf' is not finite"},
        {"count: nan", RC_RANGE, "f.yaml:1:8: count: 'nan' is not finite"},
        {"count: ''", RC_SCHEMA, "f.yaml:1:8: count: '' is not a number"},
        {"window: some", RC_SCHEMA,
         "f.yaml:1:9: window: 'some' found, expected a whole number or 'all'"},
        {"window: 0", RC_RANGE, "f.yaml:1:9: window: 0 is below the smallest allowed value 1"},
        {"window: 1e17", RC_RANGE, "f.yaml:1:9: window: 1e17 is too large"},
        {"number: 0.5", RC_RANGE, "f.yaml:1:9: number: 0.5 is below the smallest allowed value 1"},
        {"number: 1e300", RC_RANGE, "f.yaml:1:9: number: 1e300 is out of range, expected 0 or 1e-15 to 1e+15"},
        {"number: 5e-324", RC_RANGE, "f.yaml:1:9: number: 5e-324 is out of range, expected 0 or 1e-15 to 1e+15"},
        {"number: 1e400", RC_RANGE, "f.yaml:1:9: number: '1e400' is not finite"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, read_bad);
}

static void bad_quantities(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"size: 5", RC_UNIT, "f.yaml:1:7: size: '5' has no unit, expected a size such as 54KiB"},
        {"size: 50GBps", RC_UNIT,
         "f.yaml:1:7: size: '50GBps' is a rate, expected a size such as 54KiB"},
        {"size: -1B", RC_RANGE, "f.yaml:1:7: size: '-1B' is negative"},
        {"time: [1us]", RC_SCHEMA, "f.yaml:1:7: time: found a list, expected a single value"},
        {"map: {count: 1, rate: 50 GB}", RC_UNIT,
         "f.yaml:1:23: rate: '50 GB' is a size, expected a rate such as 50GBps or 400Gbps"},
        {"map: {count: 1, rate: 0Bps}", RC_RANGE, "f.yaml:1:23: rate: a rate must be above zero"},
        {"time: {status: measured}", RC_SCHEMA,
         "f.yaml:1:7: time: an annotated value needs the key 'value'"},
        {"time: {value: 1us, on: h800}", RC_SCHEMA,
         "f.yaml:1:24: on: expected a list of machines, such as [h800]"},
        {"time: {value: 1us, on: [[h800]]}", RC_SCHEMA,
         "f.yaml:1:24: on: expected a list of machines, such as [h800]"},
        {"time: {value: 1us, sourc: x}", RC_SCHEMA,
         "f.yaml:1:20: time: unknown key 'sourc', expected value, status, source, on, interval or "
         "note; did you "
         "mean 'source'?"},
        {"time: {value: 1us, status: mesured}", RC_SCHEMA,
         "f.yaml:1:28: status: 'mesured' is not one of measured, fitted, derived, borrowed, "
         "nominal, assumed, "
         "low-confidence; did you mean 'measured'?"},
        {"time: {value: 1us, status: [x]}", RC_SCHEMA,
         "f.yaml:1:28: status: 'a list' is not one of measured, fitted, derived, borrowed, "
         "nominal, assumed, "
         "low-confidence"},
        {"time: {value: 1us, source: {a: b}}", RC_SCHEMA,
         "f.yaml:1:28: source: found a map, expected a single value"},
        {"time: {value: 1us, interval: 2us}", RC_SCHEMA,
         "f.yaml:1:30: interval: expected a list of two values, [low, high]"},
        {"time: {value: 1us, interval: [1us]}", RC_SCHEMA,
         "f.yaml:1:30: interval: expected a list of two values, [low, high]"},
        {"time: {value: 1us, interval: [2us, 3us]}", RC_RANGE,
         "f.yaml:1:30: interval: the value of 'time' lies outside"},
        {"time: {value: 1us, interval: [3us, 0us]}", RC_RANGE,
         "f.yaml:1:30: interval: the value of 'time' lies outside"},
        {"time: {value: 1us, interval: [0, 2us]}", RC_UNIT,
         "f.yaml:1:31: time: '0' has no unit, expected a time such as 2us or 0s"},
        {"time: {value: {value: 1us}}", RC_SCHEMA,
         "f.yaml:1:15: time: found a map, expected a single value"},
    };
    check_refused(bad, sizeof bad / sizeof *bad, read_bad);
}

static void overrides_are_assumed(void **state) {
    (void)state;
    struct outer o = {0};
    struct yaml_doc *doc;
    struct err e;
    const char *text =
        "size: {value: 1B, status: measured, source: a}\ntime: {value: 1us, status: measured}\n";
    assert_ok(yaml_parse(text, strlen(text), "f.yaml", &doc, &e), &e);
    assert_ok(yaml_set(doc, "size", "2B", "--set", &e), &e);
    assert_ok(yaml_set(doc, "time.value", "2us", "--set", &e), &e);
    assert_ok(keys_read(outer_keys, doc->root, doc, &o, &e), &e);
    assert_rel(o.size_bytes.value, 2, 0);
    assert_true(o.size_bytes.set);
    assert_int_equal(o.size_bytes.status, STATUS_ASSUMED);
    assert_string_equal(o.size_bytes.source, "--set");
    assert_true(o.time_s.set);
    assert_int_equal(o.time_s.status, STATUS_ASSUMED);
    assert_ok(yaml_set(doc, "size", "2us", "--set", &e), &e);
    assert_fails(keys_read(outer_keys, doc->root, doc, &o, &e), RC_UNIT, &e,
                 "--set: size: '2us' is a time, expected a size such as 54KiB");
    yaml_doc_free(doc);
}

static void schemas(void **state) {
    (void)state;
    static const struct refused bad[] = {
        {"a: 1", RC_SCHEMA, "f.yaml:1:1: missing key 'schema', expected 'schema: moesim/x/1'"},
        {"schema: moesim/x/2", RC_SCHEMA,
         "f.yaml:1:9: schema: 'moesim/x/2' found, expected 'moesim/x/1'"},
        {"schema: [a]", RC_SCHEMA, "f.yaml:1:9: schema: 'a list' found, expected 'moesim/x/1'"},
        {"[1]", RC_SCHEMA,
         "f.yaml:1:1: found a list, expected keys beginning with 'schema: moesim/x/1'"},
        {"words", RC_SCHEMA,
         "f.yaml:1:1: found a value, expected keys beginning with 'schema: moesim/x/1'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct yaml_doc *doc;
        struct err e;
        assert_ok(yaml_parse(bad[i].text, strlen(bad[i].text), "f.yaml", &doc, &e), &e);
        assert_int_equal(keys_schema(doc, "moesim/x/1", &e), bad[i].rc);
        assert_string_equal(e.text, bad[i].message);
        yaml_doc_free(doc);
    }
}

static void statuses_from_strong_to_weak(void **state) {
    (void)state;
    static const enum status order[] = {STATUS_MEASURED, STATUS_FITTED, STATUS_BORROWED,
                                        STATUS_NOMINAL, STATUS_ASSUMED};
    for (int i = 0; i < 5; i++)
        assert_int_equal(status_weakness(order[i]), i);
    assert_int_equal(status_weakness(STATUS_DERIVED), status_weakness(STATUS_FITTED));
    assert_int_equal(status_weakness(STATUS_LOW_CONFIDENCE), status_weakness(STATUS_ASSUMED));
    assert_string_equal(status_name(STATUS_LOW_CONFIDENCE), "low-confidence");
}

static void the_table_documents_itself(void **state) {
    (void)state;
    struct buf b = {0};
    keys_markdown(outer_keys, &b);
    assert_string_equal(b.text, "| key | kind | default | meaning |\n"
                                "|---|---|---|---|\n"
                                "| `text` | text | - | words |\n"
                                "| `count` | count | 4 | how many |\n"
                                "| `window` | count or all | all | or all |\n"
                                "| `number` | number | 1.5 | no unit |\n"
                                "| `size` | size | - | bytes |\n"
                                "| `time` | time | 2us | seconds |\n"
                                "| `flag` | bool | - | yes or no |\n"
                                "| `choice` | red, green, blue | green | a colour |\n"
                                "| `choices` | list of red, green, blue | red | colours |\n"
                                "| `map` | map | - | nested |\n"
                                "| `map.rate` | rate | - | a rate |\n"
                                "| `map.count` | count | required | a count |\n"
                                "| `list` | list | - | several |\n"
                                "| `list[].*` | | | as `map.*` |\n");
    buf_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(defaults),
        cmocka_unit_test(bad_keys),
        cmocka_unit_test(bad_counts_and_numbers),
        cmocka_unit_test(bad_quantities),
        cmocka_unit_test(overrides_are_assumed),
        cmocka_unit_test(schemas),
        cmocka_unit_test(statuses_from_strong_to_weak),
        cmocka_unit_test(the_table_documents_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
