/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/rows.h"

#include <stddef.h>
#include <string.h>

#include "sim/cli/line.h"
#include "sim/sweep/run.h"

/* --- every command ------------------------------------------------------------------------------------- */

static const char *const formats[] = {"text", "json", "csv", NULL};
static const struct option option_format = {"--format", "text|json|csv", OPTION_CHOICE, offsetof(struct line, format),
                                            .choices = formats, .help = "of the result on stdout (default text)"};
static const struct option option_format_two = {"--format", "text|json", OPTION_CHOICE, offsetof(struct line, format),
                                                .choices = formats, .help = "of the result on stdout (default text)"};
const struct option option_help = {"--help", NULL, OPTION_FLAG, .help = "this text"};

/* Questions come first in a line. */
#define QUESTION(field) offsetof(struct question, field)
static const struct option draws_of_intervals = {"--draws", "N", OPTION_COUNT, QUESTION(draws), 1, 1000000,
                                                 .help = "of the Monte Carlo over intervals (default 400)"};
static const struct option analytic_only = {"--analytic-only", NULL, OPTION_FLAG, QUESTION(analytic_only),
                                            .help = "leave the simulation out"};

/* --- simulate and compare ------------------------------------------------------------------------------ */

static const char *const levels[] = {"call", "step", NULL}, *const hosts[] = {"observed", "ahead", NULL},
                         *const all[] = {"all", NULL};
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
static const struct option level = {"--level", "call|step", OPTION_CHOICE, offsetof(struct simulate_line, level),
                                    .choices = levels, .help = "step is locked by gate tier2"};
static const struct option dry_run = {"--dry-run", NULL, OPTION_FLAG, offsetof(struct simulate_line, dry_run),
                                      .help = "say what a run would cost, and do not run"};
static const struct option html = {"--html", "FILE", OPTION_TEXT, offsetof(struct simulate_line, html),
                                   .help = "also write the result as a page"};
static const struct option timeline = {"--timeline", "FILE.json", OPTION_TEXT,
                                       offsetof(struct simulate_line, timeline),
                                       .help = "also write a timeline for Perfetto or chrome://tracing"};

static const struct option *const of_simulate[] = {
    &option_platform, &option_workload, &option_implementation, &option_set, &option_strategy, &option_phase,
    &option_schedule, &option_window, &host, &calls, &layers, &batches, &links, &option_chunks, &option_trace,
    &option_as, &option_model, &option_seed, &option_engine, &level, &option_timeout, &draws, &option_corpus,
    &dry_run, &html, &timeline, &option_format, &option_help, NULL};
static const struct option *const of_compare[] = {
    &option_platform, &option_workload, &option_implementation, &option_set, &option_strategy, &option_phase,
    &option_schedule, &option_window, &option_chunks, &option_trace, &option_as, &option_model, &option_seed,
    &option_engine, &level, &analytic_only, &option_timeout, &option_corpus, &dry_run, &html, &option_format,
    &option_help, NULL};

/* --- breakeven ----------------------------------------------------------------------------------------- */

static const char *const ways[] = {"analytic", "simulated", NULL};
static const struct option by = {"--by", "analytic|simulated", OPTION_CHOICE, offsetof(struct breakeven_line, by),
                                 .choices = ways,
                                 .help = "closed form for every chain, or a search by simulation (default analytic)"};
static const struct option interpolate = {"--interpolate", NULL, OPTION_FLAG,
                                          offsetof(struct breakeven_line, interpolate),
                                          .help = "chain between measured hidden widths, labelled"};
static const struct option host_exposure = {"--host-exposure", "TIME", OPTION_TIME,
                                            offsetof(struct breakeven_line, host_exposure_s),
                                            .help = "extra host time of two hops, such as 0.13ms"};
static const struct option svg_output = {"-o", "FILE.svg", OPTION_TEXT, offsetof(struct breakeven_line, output),
                                         .help = "plot of the gain over the ratio"};
static const struct option *const of_breakeven[] = {
    &option_platform, &option_workload, &option_implementation, &option_set, &option_trace, &option_as,
    &option_model, &option_seed, &option_engine, &option_timeout, &by, &interpolate, &host_exposure,
    &draws_of_intervals, &svg_output, &option_corpus, &option_format, &option_help, NULL};

/* --- matrix and gates ---------------------------------------------------------------------------------- */

static const struct option matrix_output = {"-o", "PATH", OPTION_TEXT, offsetof(struct matrix_line, output),
                                            .help = "folder to write to (default: this one)"};
static const struct option *const of_matrix[] = {
    &option_platform, &option_workload, &option_set, &option_trace, &option_as, &option_model, &option_seed,
    &matrix_output, &option_format_two, &option_help, NULL};

static const struct option check = {"--check", NULL, OPTION_FLAG, offsetof(struct gates_line, check),
                                    .help = "exit 3 if a gate fails that is not known to fail"};
static const struct option full = {"--full", NULL, OPTION_FLAG, offsetof(struct gates_line, full),
                                   .help = "the whole grids of the simulator's gates (slower)"};
static const struct option *const of_gates[] = {
    &analytic_only, &option_corpus, &check, &full, &option_format, &option_help, NULL};

/* --- sweep and report ---------------------------------------------------------------------------------- */

#define FIELD(field) offsetof(struct sweep_line, field)
static const struct option records_output = {"-o", "FILE.jsonl", OPTION_TEXT, FIELD(output),
                                             .help = "records; a run continues what it finds there"};
static const struct option jobs = {"--jobs", "N", OPTION_COUNT, FIELD(jobs), 1, 4096,
                                   .help = "processes (default: one a core)"};
static const struct option sweep_dry_run = {"--dry-run", NULL, OPTION_FLAG, FIELD(dry_run),
                                            .help = "say what would be done, and what it would cost"};
static const char *const retries[] = {"killed", "none", "all", NULL};
static const struct option retry = {"--retry-failed", "killed|none|all", OPTION_CHOICE, FIELD(retry),
                                    .choices = retries, .first = RETRY_CIRCUMSTANCE,
                                    .help = "failed points to try again (default killed: killed or out of time)"};
#undef FIELD
static const struct option *const of_sweep[] = {
    &option_corpus, &option_engine, &records_output, &jobs, &sweep_dry_run, &retry, &option_format, &option_help,
    NULL};

static const struct option page_output = {"-o", "FILE.html", OPTION_TEXT, offsetof(struct report_line, output),
                                          .help = "page to write"};
static const struct option *const of_report[] = {
    &page_output, &option_format, &option_help, NULL};

/* --- platform and workload ----------------------------------------------------------------------------- */

static const struct option *const of_platform[] = {
    &option_set, &option_format_two, &option_help, NULL};

#define FIELD(field) offsetof(struct workload_line, field)
static const struct option record = {"--trace", "FILE", OPTION_TEXT, FIELD(trace),
                                     .help = "routing record: counts, token by token, or a matrix"};
static const struct option experts = {"--experts", "E", OPTION_COUNT, FIELD(experts), 1, INT32_MAX,
                                      .help = "experts of a trace that does not say"};
static const struct option top_k = {"--top-k", "K", OPTION_COUNT, FIELD(top_k), 1, INT32_MAX,
                                    .help = "experts per token of a trace"};
#undef FIELD
static const struct option *const of_workload[] = {
    &option_set, &record, &option_as, &experts, &top_k, &option_format_two, &option_help, NULL};

/* --- calibrate ----------------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(struct calibrate_line, name)
static const struct option machine_output = {
    "-o", "DIR", OPTION_TEXT, FIELD(output),
    .help = "folder for platform.yaml, held_back.yaml, held_back_gate.yaml and held_back_freeze.json"};
static const struct option skeleton = {"--skeleton", "FILE", OPTION_TEXT, FIELD(skeleton),
                                       .help = "platform file whose other keys are kept"};
static const struct option matrices = {"--matrices", "DIR", OPTION_TEXT, FIELD(matrices),
                                       .help = "where replayed matrices are, to simulate them too"};
static const struct option machine = {"--machine", "NAME", OPTION_TEXT, FIELD(machine),
                                      .help = "of a log: name of the platform"};
static const struct option library = {"--library", "NAME", OPTION_TEXT, FIELD(library),
                                      .help = "of a log: implementation that ran the calls"};
static const struct option groups = {"--groups", "N", OPTION_COUNT, FIELD(groups), .min = 1, .max = 1 << 20,
                                     .help = "of a log that does not say it"};
static const struct option ranks = {"--ranks-per-group", "N", OPTION_COUNT, FIELD(ranks_per_group), .min = 1,
                                    .max = 1 << 20, .help = "of a log that does not say it"};
#undef FIELD
static const struct option *const of_calibrate[] = {
    &machine_output, &skeleton, &matrices, &machine, &library, &groups, &ranks, &option_format_two, &option_help,
    NULL};

/* --- freeze, score and diagnose ------------------------------------------------------------------------ */

static const struct option freeze_output = {"-o", "FILE", OPTION_TEXT, offsetof(struct freeze_line, output),
                                            .help = "freeze file to write"};
static const struct option sizes = {"--all-to-all", "SIZES", OPTION_TEXT, offsetof(struct freeze_line, sizes),
                                    .help = "also even all-to-alls of all ranks: send buffers of a rank, own part "
                                            "included, such as 64KiB,1MiB"};
static const struct option even_host = {"--host", "observed|ahead", OPTION_CHOICE, QUESTION(host), .choices = hosts,
                                        .first = HOST_OBSERVED,
                                        .help = "of --all-to-all: the host waits for each call, or runs ahead "
                                                "(default)"};
static const struct option *const of_freeze[] = {
    &freeze_output, &sizes, &even_host, &option_platform, &option_workload, &option_implementation, &option_set,
    &option_strategy, &option_phase, &option_schedule, &option_window, &option_chunks, &option_trace, &option_as,
    &option_model, &option_seed, &option_engine, &option_timeout, &option_corpus, &option_help, NULL};

#define FIELD(name) offsetof(struct samples_line, ask.name)
static const struct option log_library = {"--library", "NAME", OPTION_TEXT, FIELD(implementation),
                                          .help = "of a log: implementation that ran the calls"};
static const struct option log_groups = {"--groups", "N", OPTION_COUNT, FIELD(groups), .min = 1, .max = 1 << 20,
                                         .help = "of a log that does not say it"};
static const struct option log_ranks = {"--ranks-per-group", "N", OPTION_COUNT, FIELD(ranks_per_group), .min = 1,
                                        .max = 1 << 20, .help = "of a log that does not say it"};
#undef FIELD
static const struct option *const of_score[] = {&log_groups, &log_ranks, &option_format_two, &option_help, NULL};
static const struct option *const of_diagnose[] = {
    &option_platform, &log_library, &log_groups, &log_ranks, &option_format_two, &option_help, NULL};

const struct option *const *rows_of(const char *command) {
    static const struct {
        const char *command;
        const struct option *const *rows;
    } table[] = {{"simulate", of_simulate}, {"compare", of_compare},     {"breakeven", of_breakeven},
                 {"matrix", of_matrix},     {"gates", of_gates},         {"platform", of_platform},
                 {"sweep", of_sweep},       {"report", of_report},       {"workload", of_workload},
                 {"calibrate", of_calibrate}, {"freeze", of_freeze},    {"score", of_score},
                 {"diagnose", of_diagnose}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].command, command) == 0)
            return table[i].rows;
    return NULL;
}
