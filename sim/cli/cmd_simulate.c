/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate and compare: the same calls, simulated; compare adds the closed form's answer. */
#include "sim/cli/cli.h"

#include "platforms/base/file.h"
#include "sim/report/page.h"
#include "sim/report/result_report.h"
#include "sim/report/timeline.h"

struct simulate_line {
    struct line line;
    int level; /* index into levels */
    const char *html, *timeline; /* NULL: not asked for */
};

static const char *const levels[] = {"call", "step", NULL}, *const hosts[] = {"observed", "ahead", NULL},
                         *const all[] = {"all", NULL};

#define QUESTION(field) offsetof(struct line, question.field)
static const struct option host = {"--host", "observed|ahead", OPTION_CHOICE, QUESTION(host), .choices = hosts,
                                   .first = HOST_OBSERVED,
                                   .help = "calls back to back: the host waits for each, or issues while the device "
                                           "works"};
static const struct option calls = {"--calls", "N", OPTION_COUNT, QUESTION(calls), 1, 1000,
                                    .help = "how many back to back (default 1 observed, 32 ahead)"};
static const struct option layers = {"--layers", "all", OPTION_WORD, QUESTION(all_layers), .choices = all,
                                     .help = "one call back to back for each layer of the trace; which is worst"};
static const struct option batches = {"--batches", "N", OPTION_COUNT, QUESTION(batches), 1, 256,
                                      .help = "so many micro-batches back to back, each with tokens of its own"};
static const struct option links = {"--links", "N|all", OPTION_COUNT, QUESTION(links), 1, INT64_MAX, .word = "all",
                                    .help = "the busiest links that JSON lists with their use over time (default 6); "
                                            "all: each that carries anything"};
static const struct option draws = {"--draws", "N", OPTION_COUNT, QUESTION(draws), 1, 1000000,
                                    .help = "quantiles over so many batches and layers"};
static const struct option analytic_only = {"--analytic-only", NULL, OPTION_FLAG, QUESTION(analytic_only),
                                            .help = "leave the simulation out"};
static const struct option level = {"--level", "call|step", OPTION_CHOICE, offsetof(struct simulate_line, level),
                                    .choices = levels, .help = "step is locked by gate tier2"};
static const struct option html = {"--html", "FILE", OPTION_TEXT, offsetof(struct simulate_line, html),
                                   .help = "also write the result as a page"};
static const struct option timeline = {"--timeline", "FILE.json", OPTION_TEXT,
                                       offsetof(struct simulate_line, timeline),
                                       .help = "also write a timeline for Perfetto or chrome://tracing"};

static const struct option *const simulate_options[] = {
    &option_platform, &option_workload, &option_implementation, &option_set, &option_strategy, &option_phase,
    &option_schedule, &option_window, &host, &calls, &layers, &batches, &links, &option_chunks, &option_trace,
    &option_as, &option_model, &option_seed, &option_engine, &level, &option_timeout, &draws, &option_corpus, &html,
    &timeline, &option_format, &option_help, NULL};
static const struct option *const compare_options[] = {
    &option_platform, &option_workload, &option_implementation, &option_set, &option_strategy, &option_phase,
    &option_schedule, &option_window, &option_chunks, &option_trace, &option_as, &option_model,
    &option_seed, &option_engine, &level, &analytic_only, &option_timeout, &option_corpus, &html, &option_format,
    &option_help, NULL};

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
    enum rc rc = l->html ? page_write_result(r, l->html, &text, e) : RC_OK;
    if (l->html && !rc)
        rc = file_write(l->html, text.text, text.n, e);
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
    if (!rc && l->level)
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
    "simulate", run_simulate, simulate_options, sizeof(struct simulate_line), true,
    "simulate the calls of one MoE layer", "[options]",
    "Without options: the built-in default platform and workload, one hop and two hops.\n\n"
    "Examples:\n"
    "  moesim simulate\n"
    "  moesim simulate --platform terrace-a --workload terrace-reference --format json\n"
    "  moesim simulate --set platform.groups=4 --set workload.tokens_per_rank=8192\n"
    "  moesim simulate --platform my_cluster.yaml --trace counts.npy --seed 7\n", NULL};

const struct command command_compare = {
    "compare", run_compare, compare_options, sizeof(struct simulate_line), true,
    "the same calls by the closed form and by simulation", "[options]",
    "Prints both times and the relative error (analytic - simulated) / simulated, on call times\n"
    "where the fixed cost is known and on wire times where it is not; below the error the causes,\n"
    "which lead from the analytic time to the simulated one and add up (shares; some cancel).\n\n"
    "Examples:\n"
    "  moesim compare\n"
    "  moesim compare --platform synthetic --workload terrace-reference --set platform.ratio=4\n", NULL};
