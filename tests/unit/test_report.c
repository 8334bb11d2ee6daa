/* SPDX-License-Identifier: BSD-3-Clause */
/* The page from outside: complete and self-contained. In a browser: test_report_browser.c. */
#include "tests/support/page.h"

#include <math.h>

#include "sim/report/timeline.h"

static const char *const plots[] = {"plot-map",     "plot-curves",  "plot-scatter", "plot-causes-one-hop-dispatch",
                                    "plot-ranks-0", "plot-links-0", "plot-traffic-0"};

static void is_self_contained(const char *text) {
    static const char *const outside[] = {"http:", "https:", "<script", "<link", "<img", "@import", "url("};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_null(strstr(text, outside[i]));
}

static void every_part_is_there(void **state) {
    (void)state;
    char *html, *records;
    make_page(&html, &records);
    char *text = get_file(html);
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
        if (!strstr(text, plots[i]))
            fail_msg("no %s", plots[i]);
    static const char *const parts[] = {"id=\"withdrawn\"", "id=\"gates\"", "id=\"provenance\"", "tier2",
                                        "15 points have no result", "page &amp; &lt;test&gt;",
                                        "class=\"verdict\"", "download=\"map.csv\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("no %s", parts[i]);
    is_self_contained(text);
    free(text);
    unlink(html);
    unlink(records);
    free(html);
    free(records);
}

static void a_withheld_time_is_not_on_the_page(void **state) {
    (void)state;
    struct buf out = {0};
    char *html = path_of("one.html"), *arguments = mem_printf("simulate --html %s", html);
    assert_int_equal(program_text(arguments, &out), 0);
    char *text = get_file(html);
    assert_non_null(strstr(text, "call times are withheld"));
    assert_non_null(strstr(text, "<code>time_s</code> (2 times): coverage: dgx-h100 has no alpha"));
    is_self_contained(text);
    for (size_t i = 4; i < sizeof plots / sizeof *plots; i++)
        assert_non_null(strstr(text, plots[i]));
    free(text);
    free(arguments);
    buf_clear(&out);
    unlink(html);
    free(html);
}

/* Names come from files of others: they are text, not markup, and one field of a CSV row. */
static void names_are_text(void **state) {
    (void)state;
    struct buf out = {0};
    char *html, *records, *odd = path_of("odd.jsonl");
    make_page(&html, &records);
    char *command = mem_printf("sed 's/\"one-hop\"/\"<script>,x\"/g; "
                               "s/\"weakest\": *{\"constant\": *\"/&<script>/' %s >%s",
                               records, odd);
    assert_int_equal(system(command), 0);
    char *arguments = mem_printf("report %s -o %s", odd, html);
    assert_int_equal(program_text(arguments, &out), 0);
    char *text = get_file(html);
    assert_non_null(strstr(text, "<h3>&lt;script&gt;,x dispatch</h3>"));
    assert_non_null(strstr(text, "weakest: &lt;script&gt;"));
    is_self_contained(text);
    free(arguments);
    arguments = mem_printf("report %s --format csv", odd);
    assert_int_equal(program_text(arguments, &out), 0);
    assert_non_null(strstr(out.text, ",\"<script>,x\",dispatch,"));
    free(text);
    free(arguments);
    free(command);
    buf_clear(&out);
    unlink(html);
    unlink(records);
    unlink(odd);
    free(html);
    free(records);
    free(odd);
}

static void a_csv_row_is_a_call(void **state) {
    (void)state;
    struct buf out = {0};
    char *html, *records;
    make_page(&html, &records);
    char *arguments = mem_printf("report %s --format csv", records);
    assert_int_equal(program_text(arguments, &out), 0);
    size_t rows = 0;
    for (const char *p = out.text; (p = strchr(p, '\n')); p++)
        rows++;
    assert_int_equal(rows, 1 + 15 * 3 + 15); // two calls each and the better one hop, one row an error
    assert_non_null(strstr(out.text, ",time_s,band_low_s,"));
    assert_null(strstr(out.text, "null"));
    free(arguments);
    buf_clear(&out);
    unlink(html);
    unlink(records);
    free(html);
    free(records);
}

/* The page of records that are written here. The caller frees the text. */
static char *page_from(const char *records) {
    char *path = path_of("made.jsonl"), *html = path_of("made.html");
    char *arguments = mem_printf("report %s -o %s", path, html);
    put_file(path, records);
    assert_int_equal(program_text(arguments, NULL), 0);
    char *text = get_file(html);
    unlink(path);
    unlink(html);
    free(path);
    free(html);
    free(arguments);
    return text;
}

#define RECORD "{\"schema\": \"moesim/sweep-record/1\", "
#define CALL(conditional, seconds)                                                                                 \
    "\"calls\": [{\"strategy\": \"two-hop\", \"phase\": \"dispatch\", \"conditional\": " #conditional                 \
    ", \"time_s\": " #seconds ", \"analytic_s\": " #seconds "}], "
#define GAIN "\"gain\": {\"of\": \"two-hop\", \"dispatch\": 2, \"wire\": {\"dispatch\": 2}}}\n"

static void the_page_says_what_the_records_say(void **state) {
    (void)state;
    static const struct {
        const char *records, *there, *absent;
    } cases[] = {
        {RECORD "\"status\": \"error\", \"error\": {\"message\": \"x\"}}\n", "No point has a result.", "onditional"},
        {RECORD CALL(true, 1) GAIN, "Conditional: it holds", "Open:"},
        {RECORD CALL(false, 1) GAIN, "Open: the call times lie in the scope", "Conditional:"},
        {RECORD CALL(false, 1) GAIN RECORD CALL(true, 1) GAIN, "Conditional: it holds", "Open:"},
        // a state that is no text
        {RECORD CALL(true, 1) "\"capability_states\": {\"odd\": 1}, " GAIN, "<td>odd</td><td></td>", "plot-map"},
        // a call that moves nothing has no place on logarithmic axes
        {RECORD CALL(true, 0) GAIN, "two-hop", "plot-scatter"},
        {RECORD CALL(true, 0) GAIN RECORD CALL(true, 1) GAIN, "plot-scatter", "inf"},
        // words among numbers have no place on an axis of numbers
        {RECORD "\"point\": {\"a.w\": 8, \"a.n\": 1}, " CALL(true, 1) GAIN //
             RECORD "\"point\": {\"a.w\": \"all\", \"a.n\": 2}, " CALL(true, 1) GAIN,
         "gain on call time over a.n;", "over a.w;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = page_from(cases[i].records);
        if (!strstr(text, cases[i].there))
            fail_msg("case %zu: no '%s'", i, cases[i].there);
        if (strstr(text, cases[i].absent))
            fail_msg("case %zu: '%s'", i, cases[i].absent);
        free(text);
    }
}

static void withheld_quantiles_and_sequences_are_listed(void **state) {
    (void)state;
    char *html = path_of("tail.html");
    char *arguments = mem_printf("simulate --strategy one-hop --draws 2 --layers all --html %s", html);
    assert_int_equal(program_text(arguments, NULL), 0);
    char *text = get_file(html);
    assert_non_null(strstr(text, "<code>time_quantiles_s.p95</code> (1 times): skew_tail: "));
    assert_non_null(strstr(text, "<code>sequence.per_call_s</code> (1 times): coverage: "));
    assert_non_null(strstr(text, "<code>time_s</code>"));
    free(text);
    free(arguments);
    unlink(html);
    free(html);
}

static void a_cut_line_is_warned_of(void **state) {
    (void)state;
    struct buf out = {0};
    char *path = path_of("cut.jsonl");
    char *command = mem_printf("%s report %s --format csv 2>&1", MOESIM_BINARY, path);
    char *warning = mem_printf("warning: %s: the last line was cut off", path);
    put_file(path, RECORD CALL(true, 1) GAIN "{\"schema\": ");
    assert_int_equal(program_shell(command, &out), 0);
    assert_non_null(strstr(out.text, warning));
    unlink(path);
    buf_clear(&out);
    free(path);
    free(command);
    free(warning);
}

/* --format json: what sweep and report did, for scripts. */
static void ends_are_counted_in_json(void **state) {
    (void)state;
    char *html, *records, *spec = path_of("again.yaml");
    struct yaml_doc *d;
    make_page(&html, &records);
    put_file(spec, spec_text);
    char *sweep = mem_printf("sweep %s -o %s --format json", spec, records);
    assert_int_equal(program_run(sweep, &d), 0);
    assert_string_equal(program_at(d, "schema")->text, "moesim/sweep-end/1");
    assert_rel(program_number(d, "points"), 30, 0);
    assert_rel(program_number(d, "were_there"), 30, 0);
    assert_rel(program_number(d, "new"), 0, 0);
    yaml_doc_free(d);
    char *report = mem_printf("report %s -o %s --format json", records, html);
    assert_int_equal(program_run(report, &d), 0);
    assert_string_equal(program_at(d, "schema")->text, "moesim/report/1");
    assert_rel(program_number(d, "records"), 30, 0);
    assert_rel(program_number(d, "without_result"), 15, 0);
    yaml_doc_free(d);
    unlink(spec);
    unlink(html);
    unlink(records);
    free(spec);
    free(html);
    free(records);
    free(sweep);
    free(report);
}

#define FAILED(key, sweep, x)                                                                      \
    "{\"schema\": \"moesim/sweep-record/1\", \"key\": \"" key "\", \"sweep\": \"" sweep            \
    "\", \"number\": 0, \"point\": {\"x\": " x "}, \"seed\": 1, \"status\": \"error\", "           \
    "\"error\": {\"kind\": \"k\", \"message\": \"m\"}}\n"
#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A key stands for one answer, whatever else the lines say; a point too; another sweep has a page of its own. */
static void a_record_counts_once(void **state) {
    (void)state;
    struct yaml_doc *d;
    char *path = path_of("keys.jsonl"), *arguments = mem_printf("report %s -o /dev/null --format json", path);
    put_file(path, FAILED(KEY_A, "s", "1") FAILED(KEY_B, "s", "2") FAILED(KEY_A, "s", "3") FAILED(KEY_B, "s", "2"));
    assert_int_equal(program_run(arguments, &d), 0);
    assert_near(program_number(d, "records"), 2, 0);
    yaml_doc_free(d);
    put_file(path, FAILED(KEY_A, "s", "1") FAILED(KEY_B, "other", "2"));
    assert_int_equal(program_text(arguments, NULL), 1);
    put_file(path, FAILED(KEY_A, "s", "1, \"x\": 2"));
    assert_int_equal(program_text(arguments, NULL), 1);
    unlink(path);
    free(path);
    free(arguments);
}

static void what_is_no_result_is_refused(void **state) {
    (void)state;
    struct buf out = {0};
    char *path = path_of("bad.jsonl"), *arguments = mem_printf("report %s -o /dev/null", path);
    static const char *const texts[] = {"", "{\"schema\": \"other/1\"}\n", "{\"schema\":\n", "[1,2]\n", "x\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_file(path, texts[i]);
        assert_int_equal(program_text(arguments, &out), 1);
    }
    unlink(path);
    free(path);
    free(arguments);
    buf_clear(&out);
}

static void a_timeline_is_a_chrome_trace(void **state) {
    (void)state;
    struct buf out = {0};
    struct err e;
    struct yaml_doc *doc;
    char *path = path_of("trace.json"), *arguments = mem_printf("simulate --timeline %s --format json", path);
    struct yaml_doc *result;
    assert_int_equal(program_run(arguments, &result), 0);
    assert_ok(yaml_load(path, &doc, &e), &e);
    const struct yaml_node *events = program_at(doc, "traceEvents");
    size_t tracks = 0, spans = 0, counters = 0;
    double last_us = 0;
    for (size_t i = 0; i < events->n; i++) {
        const struct yaml_node *event = events->items[i];
        const char *phase = yaml_get(event, "ph")->text;
        tracks += strcmp(phase, "M") == 0 && strncmp(yaml_get(yaml_get(event, "args"), "name")->text, "rank", 4) == 0;
        spans += strcmp(phase, "X") == 0;
        counters += strcmp(phase, "C") == 0;
        if (strcmp(phase, "X") == 0 && strcmp(yaml_get(event, "pid")->text, "1") == 0)
            last_us = fmax(last_us, strtod(yaml_get(event, "ts")->text, NULL) +
                                        strtod(yaml_get(event, "dur")->text, NULL));
    }
    assert_int_equal(tracks, 2 * 64);
    assert_true(spans >= 2 * 2 * 64 + 3 && counters > 100);
    assert_rel(last_us, 1e6 * program_number(result, "calls.0.wire_s"), 1e-9);
    assert_non_null(strstr(program_at(doc, "otherData.left_out")->text, "64 of 64 ranks"));
    yaml_doc_free(doc);
    yaml_doc_free(result);
    unlink(path);
    free(path);
    free(arguments);
    buf_clear(&out);
}

static double event_number(const struct yaml_node *event, const char *key) {
    return strtod(yaml_get(event, key)->text, NULL);
}

static bool is_event(const struct yaml_node *event, const char *phase, int call) {
    return strcmp(yaml_get(event, "ph")->text, phase) == 0 && event_number(event, "pid") == call + 1;
}

/* Whether a message, its begin at b and its end behind it, lies within its stage. */
static void is_in_its_stage(const struct yaml_node *events, size_t b, int call) {
    const struct yaml_node *begin = events->items[b], *end = events->items[b + 1], *args = yaml_get(begin, "args");
    assert_true(is_event(end, "e", call));
    assert_string_equal(yaml_get(begin, "id")->text, yaml_get(end, "id")->text);
    assert_string_equal(yaml_get(begin, "name")->text, yaml_get(end, "name")->text);
    double from_us = event_number(begin, "ts"), to_us = event_number(end, "ts");
    size_t found = 0;
    for (size_t i = 0; i < events->n; i++) {
        const struct yaml_node *stage = events->items[i];
        if (!is_event(stage, "X", call) || strcmp(yaml_get(stage, "name")->text, yaml_get(args, "stage")->text) != 0)
            continue;
        double start_us = event_number(stage, "ts"), last_us = start_us + event_number(stage, "dur");
        found++;
        assert_true(start_us * (1 - 1e-9) <= from_us && from_us < to_us && to_us <= last_us * (1 + 1e-9));
    }
    assert_int_equal(found, 1);
}

/* Sums over the messages of a call in a timeline: their number and bytes, checked one by one. */
static void sum_messages(const struct yaml_doc *doc, int call, double *n, double *bytes) {
    const struct yaml_node *events = program_at(doc, "traceEvents");
    double before = INFINITY;
    *n = *bytes = 0;
    for (size_t i = 0; i < events->n; i++) {
        if (!is_event(events->items[i], "b", call))
            continue;
        double size = event_number(yaml_get(events->items[i], "args"), "bytes");
        assert_true(size > 0 && size <= before); // the largest first
        before = size;
        *bytes += size;
        if (++*n <= 300)
            is_in_its_stage(events, i, call);
    }
}

static void a_timeline_has_the_largest_messages(void **state) {
    (void)state;
    static const char *const words[] = {"--platform synthetic --workload terrace-reference", // 16256 and 2816
                                        "--set platform.groups=2 --strategy two-hop-pipelined --phase combine"};
    for (int run = 0; run < 2; run++) {
        struct yaml_doc *doc, *result;
        struct err e;
        char *path = path_of("trace.json");
        char *arguments = mem_printf("simulate %s --timeline %s --format json", words[run], path);
        assert_int_equal(program_run(arguments, &result), 0);
        assert_ok(yaml_load(path, &doc, &e), &e);
        const char *note = program_at(doc, "otherData.left_out")->text;
        for (int call = 0; call < (run ? 1 : 2); call++) {
            double n, bytes, sent = 0, messages = 0;
            sum_messages(doc, call, &n, &bytes);
            char key[60];
            for (int tier = 0; tier < 2; tier++) {
                snprintf(key, sizeof key, "calls.%d.tiers.%d.messages", call, tier);
                messages += program_number(result, key);
            }
            const struct yaml_node *stages = yaml_get(program_at(result, "calls")->items[call], "stages");
            for (size_t i = 0; i < stages->n; i++)
                sent += event_number(stages->items[i], "bytes");
            bool cut = run == 0 && call == 0;
            if (run == 0) // tiers count the pieces of a pipelined call
                assert_true(n == (cut ? 5000 : messages));
            snprintf(key, sizeof key, "calls.%d.messages.left_out_bytes", call);
            assert_rel(bytes + program_number(result, key), sent, 1e-9);
            assert_true(cut ? bytes < sent / 2 : program_number(result, key) == 0);
        }
        if (run == 0) {
            assert_non_null(strstr(note, "one-hop dispatch: the 5000 largest messages, of "));
            assert_non_null(strstr(note, "; 11256 with "));
            assert_non_null(strstr(note, "two-hop dispatch: all 2816 messages"));
        }
        yaml_doc_free(doc);
        yaml_doc_free(result);
        unlink(path);
        free(path);
        free(arguments);
    }
}

/* Times that the gates took away are unknown in the result, and nowhere in its timeline. */
static void withheld_messages_have_no_events(void **state) {
    (void)state;
    struct err e;
    struct result *r = mem_alloc(1, sizeof *r);
    struct buf out = {0};
    struct licences *none = licences_decide(NULL, 0);
    const struct licence *const may[] = {licences_get(none, CAP_STEP_TIME), licences_get(none, CAP_WIRE_TIME)};
    const struct question q = {.platform.name = "synthetic", .workload.name = "terrace-reference"};
    assert_ok(inputs_load(&q, INPUT_PLATFORM | INPUT_WORKLOAD, &r->in, &e), &e);
    r->n_calls = 1;
    r->calls[0] = (struct result_call){.strategy = "one-hop", .phase = "dispatch"};
    for (int shown = 0; shown < 2; shown++) {
        struct result_message message = {.stage = "one_hop", .dst = 1, .bytes = 8};
        message.start = claim_make(may[shown], 1e-6);
        message.end = claim_make(may[shown], 2e-6);
        r->calls[0].messages = (struct result_messages){.items = &message, .n = 1};
        timeline_write(r, &out);
        assert_int_equal(strstr(out.text, "\"ph\": \"b\"") != NULL, shown);
        assert_int_equal(strstr(out.text, "the times of messages are withheld") == NULL, shown);
        buf_clear(&out);
    }
    inputs_clear(&r->in);
    licences_free(none);
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_has_the_largest_messages),
        cmocka_unit_test(withheld_messages_have_no_events),
        cmocka_unit_test(every_part_is_there),
        cmocka_unit_test(a_withheld_time_is_not_on_the_page),
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(the_page_says_what_the_records_say),
        cmocka_unit_test(withheld_quantiles_and_sequences_are_listed),
        cmocka_unit_test(a_cut_line_is_warned_of),
        cmocka_unit_test(ends_are_counted_in_json),
        cmocka_unit_test(a_csv_row_is_a_call),
        cmocka_unit_test(a_timeline_is_a_chrome_trace),
        cmocka_unit_test(a_record_counts_once),
        cmocka_unit_test(what_is_no_result_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
