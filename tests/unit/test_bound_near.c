/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a result says that its bound is as good as a simulation, and where it does not. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

#include "sim/study/option.h"
#include "sim/study/study.h"

#define NEAR "simulate --engine bound --platform synthetic --workload terrace-reference --window all " \
             "--set workload.tokens_per_rank=200 --set workload.routing.mode=global_topk " \
             "--set workload.group_limit=none "
#define SHAPE "--set platform.groups=6 --set platform.ranks_per_group=8 --set workload.experts=192 "

/* Returns how often the note stands in what a command prints. */
static size_t notes(const char *command) {
    static const char note[] = "(gate bound-agreement)";
    struct buf out = {0};
    size_t n = 0;
    if (program_text(command, &out) != 0)
        fail_msg("%s", command);
    for (size_t i = 0; i < out.n; i++) // lines are broken in text
        if (out.text[i] == '\n')
            out.text[i] = ' ';
    char *text = mem_printf("%.*s", (int)out.n, out.text), *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (to > text && to[-1] != ' '))
            *to++ = *from;
    *to = '\0';
    for (const char *at = text; (at = strstr(at, note)); at++)
        n++;
    free(text);
    buf_clear(&out);
    return n;
}

static void one_note_where_the_scope_holds(void **state) {
    (void)state;
    char *page = mem_printf("/tmp/moesim-near-%ld.html", (long)getpid());
    char *with_page = mem_printf(NEAR SHAPE "--html %s", page);
    assert_int_equal(notes(with_page), 1);
    char *text = get_file(page);
    assert_non_null(strstr(text, "2 of 2 calls: a simulation would end within 1 % of the bound"));
    free(text);
    assert_int_equal(notes(NEAR SHAPE "--strategy one-hop --format json"), 1); // a note a call
    assert_int_equal(notes(NEAR SHAPE "--strategy two-hop --phase both"), 1);
    unlink(page);
    free(with_page);
    free(page);
}

static void none_elsewhere(void **state) {
    (void)state;
    static const char *const all[] = {
        NEAR "--set platform.groups=3 --set workload.experts=192 ",               // 24 ranks
        NEAR SHAPE "--set workload.routing.rho_max=1.1",                          // skewed
        NEAR SHAPE "--set workload.routing.draw=sampled",                         // uneven by chance
        NEAR SHAPE "--window 8",
        NEAR SHAPE "--strategy gather-first",
        NEAR SHAPE "--strategy two-hop-pipelined --chunks 4",
        NEAR SHAPE "--set platform.slow.oversubscription=2",
        NEAR SHAPE "--set platform.fast.kind=full-mesh --set platform.fast.link_bandwidth=50GBps",
        NEAR SHAPE "--engine fluid", // what is simulated needs no note
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *json = mem_printf("%s --format json", all[i]);
        if (notes(all[i]) != 0 || notes(json) != 0)
            fail_msg("%s: a note", all[i]);
        free(json);
    }
}

static enum rc ask_near(struct question *q, struct err *e) {
    static const char *const words[][2] = {{"platform", "synthetic"}, {"workload", "terrace-reference"},
                                           {"window", "all"},         {"platform.groups", "8"},
                                           {"strategy", "one-hop"},   {"workload.tokens_per_rank", "64"}};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words && !rc; i++)
        rc = question_take(q, words[i][0], words[i][1], e);
    q->engine = SIM_ENGINE_BOUND;
    return rc;
}

/* The evidence of a gate that was tried and has failed takes the note away. */
static void a_failed_gate_withdraws_the_note(void **state) {
    (void)state;
    struct gate gate = {.id = "bound-agreement", .kind = GATE_VERIFICATION};
    for (int failed = 0; failed < 2; failed++) {
        const struct gate_result result = {.gate = &gate, .state = failed ? GATE_FAILED : GATE_PASSED};
        struct study s = {.licences = licences_decide(&result, 1)};
        struct question q;
        struct result *r;
        struct err e;
        question_init(&q);
        assert_ok(ask_near(&q, &e), &e);
        assert_ok(study_answer(&s, &q, &r, &e), &e);
        assert_int_equal(r->calls[0].bound_is_near, !failed);
        result_free(r);
        question_clear(&q);
        licences_free(s.licences);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_note_where_the_scope_holds),
                                       cmocka_unit_test(none_elsewhere),
                                       cmocka_unit_test(a_failed_gate_withdraws_the_note)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
