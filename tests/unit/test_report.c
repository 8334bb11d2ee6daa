/* SPDX-License-Identifier: BSD-3-Clause */
/* The page from outside: complete, self-contained, and drawn by a browser without labels on labels. */
#include "tests/support/records_of.h"

static char *path_of(const char *name) {
    return mem_printf("/tmp/moesim-report-test-%ld-%s", (long)getpid(), name);
}

static const char spec_text[] =
    "schema: moesim/sweep/1\nname: page & <test>\nplatform: synthetic\nworkload: terrace-reference\n"
    "set: {platform.groups: 4, platform.ranks_per_group: 2}\n"
    "axes:\n"
    "  - {key: platform.ratio, values: [1, 2, 4, 8, 16]}\n"
    "  - {key: workload.routing.rho_max, values: [1.2, 2, 3]}\n"
    "  - {key: workload.group_limit, values: [2, 64]}\n"; // 64 groups do not exist: error records

/* A sweep's page and its records; the caller frees the paths. */
static void make_page(char **html, char **records) {
    struct buf out = {0};
    char *spec = path_of("spec.yaml");
    *html = path_of("page.html");
    *records = path_of("records.jsonl");
    unlink(*records);
    put_file(spec, spec_text);
    char *arguments = mem_printf("sweep %s -o %s --jobs 2", spec, *records);
    assert_int_equal(program_text(arguments, &out), 0);
    free(arguments);
    arguments = mem_printf("report %s -o %s", *records, *html);
    assert_int_equal(program_text(arguments, &out), 0);
    free(arguments);
    buf_clear(&out);
    unlink(spec);
    free(spec);
}

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
    assert_int_equal(rows, 1 + 15 * 2 + 15); // two calls each, one row an error
    assert_non_null(strstr(out.text, ",time_s,band_low_s,"));
    assert_null(strstr(out.text, "null"));
    free(arguments);
    buf_clear(&out);
    unlink(html);
    unlink(records);
    free(html);
    free(records);
}

/* Draws the page and has a script of the test look at it. */
static void probe(const char *html, int width) {
    char *page = get_file(html), *script = get_file(TEST_SUPPORT_DIR "/probe.html"), *probed = path_of("probed.html");
    char *both = mem_printf("%s%s", page, script), expected[120];
    put_file(probed, both);
    char *command = mem_printf("chromium --headless --no-sandbox --disable-gpu --user-data-dir=%s.profile "
                               "--window-size=1400,2000 --dump-dom 'file://%s#%d' 2>/dev/null; rm -rf %s.profile",
                               probed, probed, width, probed);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    struct buf dom = {0};
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, p)) > 0;)
        buf_add(&dom, chunk, n);
    pclose(p);
    const char *found = dom.text ? strstr(dom.text, "id=\"probe\">") : NULL;
    if (!found)
        fail_msg("the browser drew no page");
    snprintf(expected, sizeof expected,
             "id=\"probe\">plots 11, empty 0, errors 0, width %d, too wide false, overlaps 0;", width);
    if (strncmp(found, expected, strlen(expected)) != 0)
        fail_msg("at %d px: %.400s", width, found);
    buf_clear(&dom);
    unlink(probed);
    free(command);
    free(both);
    free(probed);
    free(script);
    free(page);
}

static void a_browser_draws_it(void **state) {
    (void)state;
    if (system("command -v chromium >/dev/null 2>&1") != 0)
        skip(); // tests/run.sh installs it
    char *html, *records;
    make_page(&html, &records);
    probe(html, 400);
    probe(html, 1400);
    unlink(html);
    unlink(records);
    free(html);
    free(records);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_there),
        cmocka_unit_test(a_withheld_time_is_not_on_the_page),
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(a_csv_row_is_a_call),
        cmocka_unit_test(a_browser_draws_it),
        cmocka_unit_test(a_timeline_is_a_chrome_trace),
        cmocka_unit_test(what_is_no_result_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
