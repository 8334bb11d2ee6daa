/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate and compare: the same calls, simulated; compare adds the closed form's answer. */
#include "sim/cli/cli.h"

#include "platforms/base/file.h"
#include "sim/report/estimate_report.h"
#include "sim/report/page.h"
#include "sim/report/result_report.h"
#include "sim/report/timeline.h"

static enum rc simulate_check(const struct simulate_line *l, struct err *e) {
    const struct question *q = &l->line.question;
    if (l->timeline && q->engine == SIM_ENGINE_BOUND)
        return err_set(e, RC_USAGE, "--timeline and --engine bound cannot stand together: a bound has no course");
    if (l->html && l->timeline && file_same(l->html, l->timeline))
        return err_set(e, RC_USAGE, "--html and --timeline: both would be written to %s", l->html);
    return cli_no_words(&l->line, e);
}

static enum rc write_beside(const struct simulate_line *l, const struct result *r, struct err *e) {
    struct buf text = {0};
    enum rc rc = RC_OK;
    if (l->html) {
        page_write_result(r, l->html, &text);
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

static enum rc tell_estimate(const struct study *s, const struct question *q, int format, struct buf *out,
                             struct err *e) {
    static void (*const writers[])(const struct estimate *, struct buf *) = {
        [FORMAT_TEXT] = estimate_write_text, [FORMAT_JSON] = estimate_write_json, [FORMAT_CSV] = estimate_write_csv};
    struct estimate estimate;
    enum rc rc = study_estimate(s, q, &estimate, e);
    if (!rc)
        writers[format](&estimate, out);
    return rc;
}

static enum rc answer(const struct study *s, const struct question *q, const struct simulate_line *l, struct buf *out,
                      struct err *e) {
    static void (*const writers[])(const struct result *, struct buf *) = {
        [FORMAT_TEXT] = result_write_text, [FORMAT_JSON] = result_write_json, [FORMAT_CSV] = result_write_csv};
    struct result *r = NULL;
    enum rc rc = study_answer(s, q, &r, e);
    if (!rc)
        writers[l->line.format](r, out);
    if (!rc)
        rc = write_beside(l, r, e);
    result_free(r);
    return rc;
}

static enum rc simulate_run(const struct simulate_line *l, bool compare, struct buf *out, struct err *e) {
    struct question q = l->line.question;
    struct study s = {0};
    q.compare = q.causes = compare;
    q.messages = l->timeline != NULL;
    q.detail = l->html                                        ? DETAIL_MAP
               : l->timeline || l->line.format == FORMAT_JSON ? DETAIL_RANKS
                                                              : DETAIL_TEXT;
    enum rc rc = simulate_check(l, e);
    if (!rc)
        rc = study_open(q.corpus, NULL, &s, e);
    s.tell = estimate_show;
    if (!rc && l->level == LEVEL_STEP)
        rc = study_refuse_step(&s, e);
    if (!rc && l->dry_run)
        rc = tell_estimate(&s, &q, l->line.format, out, e);
    else if (!rc)
        rc = answer(&s, &q, l, out, e);
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
