/* SPDX-License-Identifier: BSD-3-Clause */
/* A page is made of a result in memory; it is the page that its JSON would make when read back. */
#include "tests/support/folder.h"

#include <stdlib.h>

#include "platforms/base/json.h"
#include "platforms/base/unit.h"
#include "sim/report/page.h"
#include "sim/report/result_report.h"
#include "sim/study/study.h"

/* The arguments are on the page; the last one is no UTF-8 and holds what JSON and HTML escape. */
static const char *const arguments[] = {"compare", "--set", "a=\"<\\&\n\x01\xFF\xC3\xA9"};

static void ask(struct question *q) {
    struct err e;
    question_init(q);
    q->platform.name = "synthetic";
    q->workload.name = "terrace-reference";
    assert_ok(question_set(q, "platform.groups", "4", &e), &e);
    assert_ok(question_set(q, "platform.ranks_per_group", "2", &e), &e);
    q->phases = ASK_ROUND_TRIP;
    q->compare = q->causes = true;
    q->detail = DETAIL_MAP;
    q->arguments = arguments;
    q->n_arguments = 3;
}

static void write_page(const struct page *page, struct buf *out) {
    page_write(page, out);
    assert_true(out->n > 10000);
}

static void a_page_of_a_result_is_that_of_its_json(void **state) {
    (void)state;
    struct study s;
    struct question q;
    struct result *r;
    struct page page;
    struct buf json = {0}, direct = {0}, read_back = {0};
    struct err e;
    ask(&q);
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    assert_ok(study_answer(&s, &q, &r, &e), &e);
    result_write_json(r, &json);
    folder_put("result.json", json.text);
    page_of_result(r, "result.json", &page);
    write_page(&page, &direct);
    page_clear(&page);
    assert_ok(page_read("result.json", &page, &e), &e);
    write_page(&page, &read_back);
    page_clear(&page);
    assert_string_equal(direct.text, read_back.text);
    assert_non_null(strstr(direct.text, "\xEF\xBF\xBD\xC3\xA9")); // what is no UTF-8, then what is
    buf_clear(&json);
    buf_clear(&direct);
    buf_clear(&read_back);
    result_free(r);
    question_clear(&q);
    study_close(&s);
}

/* Returns the place of a text that stands once on the page. */
static const char *once(const char *page, const char *text) {
    const char *at = strstr(page, text);
    if (!at || strstr(at + 1, text))
        fail_msg("'%s' is %s", text, at ? "there twice" : "missing");
    return at;
}

/* The times of the calls come first, in a unit that fits; what is withheld, gates and provenance last, folded away. */
static void a_page_answers_first(void **state) {
    (void)state;
    struct study s;
    struct question q;
    struct result *r;
    struct buf page = {0};
    struct err e;
    char cell[80], text[UNIT_TEXT];
    ask(&q);
    assert_ok(study_open(NULL, NULL, &s, &e), &e);
    assert_ok(study_answer(&s, &q, &r, &e), &e);
    page_write_result(r, "p.html", &page);
    const char *calls = once(page.text, "<h2>Times of the calls</h2>");
    const char *withheld = once(page.text, "<section id=\"withdrawn\"><details class=\"fold\">");
    assert_ptr_equal(calls, strstr(page.text, "<h2>"));
    assert_true(calls < once(page.text, "<h2>Load per rank</h2>"));
    assert_true(once(page.text, "<h2>Who sends to whom</h2>") < withheld);
    assert_true(withheld < once(page.text, "<section id=\"gates\">"));
    assert_non_null(strstr(page.text, ">last byte in, ms<"));
    // the busiest link and bytes of the first call, as JSON has them
    snprintf(cell, sizeof cell, "<td>%s, busy ", r->calls[0].busiest->name);
    assert_non_null(strstr(calls, cell));
    snprintf(cell, sizeof cell, "slow %s</td>", unit_format(r->calls[0].tier_bytes[1], UNIT_SIZE, text));
    assert_non_null(strstr(calls, cell));
    buf_clear(&page);
    result_free(r);
    question_clear(&q);
    study_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_of_a_result_is_that_of_its_json),
                                       cmocka_unit_test(a_page_answers_first)};
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
