/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate and compare: the same calls, simulated; compare adds the closed form's answer. */
#include "sim/cli/cli.h"

#include "platforms/base/file.h"
#include "sim/report/page.h"
#include "sim/report/result_report.h"
#include "sim/report/timeline.h"

static enum rc simulate_check(const struct simulate_line *l, struct err *e) {
    const struct question *q = &l->line.question;
    if (q->all_layers && q->calls)
        return err_set(e, RC_USAGE, "--calls and --layers cannot stand together: --layers makes one call a layer");
    if (q->batches && (q->all_layers || q->calls))
        return err_set(e, RC_USAGE, "--batches and %s cannot stand together: --batches makes one call a batch",
                       q->calls ? "--calls" : "--layers");
    if (l->html && l->timeline && file_same(l->html, l->timeline))
        return err_set(e, RC_USAGE, "--html and --timeline: both would be written to %s", l->html);
    return cli_no_words(&l->line, e);
}

/* No code composes calls into a step, whatever the gates say. */
static enum rc refuse_step(const struct study *s, struct err *e) {
    enum rc rc = licence_require(licences_get(s->licences, CAP_STEP_TIME), e);
    return rc ? rc : err_set(e, RC_WITHDRAWN, "step_time: nothing in this program composes calls into a step");
}

static enum rc write_beside(const struct simulate_line *l, const struct result *r, struct err *e) {
    struct buf text = {0};
    enum rc rc = RC_OK;
    if (l->html) {
        struct page page;
        page_of_result(r, l->html, &page);
        page_write(&page, &text);
        page_clear(&page);
        rc = file_write(l->html, text.text, text.n, e);
    }
    buf_clear(&text);
    if (l->timeline && !rc) {
        timeline_write(r, &text);
        rc = file_write(l->timeline, text.text, text.n, e);
    }
    buf_clear(&text);
    return rc;
}

static void write_result(const struct result *r, int format, struct buf *out) {
    static void (*const writers[])(const struct result *, struct buf *) = {
        [FORMAT_TEXT] = result_write_text, [FORMAT_JSON] = result_write_json, [FORMAT_CSV] = result_write_csv};
    writers[format](r, out);
}

static enum rc simulate_run(const struct simulate_line *l, bool compare, struct buf *out, struct err *e) {
    struct question q = l->line.question;
    struct study s = {0};
    struct result *r = NULL;
    q.compare = q.causes = compare;
    q.messages = l->timeline != NULL;
    q.detail = l->html                                        ? DETAIL_MAP
               : l->timeline || l->line.format == FORMAT_JSON ? DETAIL_RANKS
                                                              : DETAIL_TEXT;
    enum rc rc = simulate_check(l, e);
    if (!rc)
        rc = study_open(q.corpus, NULL, &s, e);
    if (!rc && l->level == LEVEL_STEP)
        rc = refuse_step(&s, e);
    if (!rc)
        rc = study_answer(&s, &q, &r, e);
    if (!rc)
        write_result(r, l->line.format, out);
    if (!rc)
        rc = write_beside(l, r, e);
    result_free(r);
    study_close(&s);
    return rc;
}

static enum rc run_simulate(const void *line, struct buf *out, struct err *e) {
    return simulate_run(line, false, out, e);
}

static enum rc run_compare(const void *line, struct buf *out, struct err *e) {
    return simulate_run(line, true, out, e);
}

const struct command command_simulate = {
    "simulate", run_simulate, sizeof(struct simulate_line), true,
    "simulate the calls of one MoE layer", "[options]",
    "Without options: the built-in default platform and workload, one hop and two hops.\n\n"
    "Examples:\n"
    "  moesim simulate\n"
    "  moesim simulate --platform terrace-a --workload terrace-reference --format json\n"
    "  moesim simulate --set platform.groups=4 --set workload.tokens_per_rank=8192\n"
    "  moesim simulate --platform my_cluster.yaml --trace counts.npy --seed 7\n", NULL};

const struct command command_compare = {
    "compare", run_compare, sizeof(struct simulate_line), true,
    "the same calls by the closed form and by simulation", "[options]",
    "Prints both times and the relative error (analytic - simulated) / simulated, on call times\n"
    "where the fixed cost is known and on wire times where it is not; below the error the causes,\n"
    "which lead from the analytic time to the simulated one and add up (shares; some cancel).\n\n"
    "Examples:\n"
    "  moesim compare\n"
    "  moesim compare --platform synthetic --workload terrace-reference --set platform.ratio=4\n", NULL};
