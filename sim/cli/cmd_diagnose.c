/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnose: which cause explains the distance between timed calls and a platform. */
#include "sim/cli/cli.h"

#include "platforms/base/json.h"
#include "sim/engine/engine.h"
#include "sim/report/table.h"
#include "validation/diagnose.h"

struct diagnose_line {
    struct line line;
    struct samples_ask ask;
};

#define FIELD(name) offsetof(struct diagnose_line, ask.name)
static const struct option library = {"--library", "NAME", OPTION_TEXT, FIELD(implementation),
                                      .help = "of a log: implementation that ran the calls"};
static const struct option groups = {"--groups", "N", OPTION_COUNT, FIELD(groups), .min = 1, .max = 1 << 20,
                                     .help = "of a log that does not say it"};
static const struct option ranks = {"--ranks-per-group", "N", OPTION_COUNT, FIELD(ranks_per_group), .min = 1,
                                    .max = 1 << 20, .help = "of a log that does not say it"};
#undef FIELD
static const struct option *const options[] = {&option_platform, &library, &groups, &ranks, &option_format_two,
                                               &option_help, NULL};

static void write_finding(struct table *t, const struct finding *f) {
    table_cell(t, "%s", cause_name(f->cause.kind));
    if (f->cause.place >= 0)
        table_cell(t, "%d", f->cause.place);
    else
        table_cell(t, "-");
    if (f->cause.kind == CAUSE_NONE || f->cause.kind == CAUSE_REGIME)
        table_cell(t, "-");
    else
        table_cell(t, "%.3g", f->cause.size);
    table_cell(t, "%.0f %%", 100 * f->explained);
    for (int k = 0; k < ELSEWHERES; k++)
        if (f->elsewhere[k] > 0)
            table_cell(t, "x %.2f", f->elsewhere[k]);
        else
            table_cell(t, "-");
}

static void diagnose_text(const struct diagnosis *d, struct buf *out) {
    static const char *const head[] = {"cause", "place", "size", "explains", "all ranks", "one group", "one pair"};
    struct table t;
    table_paragraph(out, "%zu points compared, %zu of other kinds left out; measured and predicted times differ by "
                    "%.1f %% (root mean square of the logarithms).", d->n_points, d->n_unused, 100 * d->rms);
    if (d->note[0])
        table_paragraph(out, "%s", d->note);
    buf_text(out, "\n");
    table_init(&t, 7);
    for (int i = 0; i < 7; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < d->n; i++)
        write_finding(&t, &d->items[i]);
    table_write(&t, false, out);
    table_clear(&t);
    table_paragraph(out, "\nThe last three columns say what each cause would do elsewhere, time over that without it: "
                    "%s; %s; %s.", elsewhere_name(ELSEWHERE_ALL), elsewhere_name(ELSEWHERE_GROUP),
                    elsewhere_name(ELSEWHERE_PAIR));
}

static void finding_json(struct json *j, const struct finding *f) {
    static const char *const keys[ELSEWHERES] = {"all_ranks", "one_group", "one_pair"};
    bool sized = f->cause.kind != CAUSE_NONE && f->cause.kind != CAUSE_REGIME;
    json_open(j, '{');
    json_key_text(j, "cause", cause_name(f->cause.kind));
    json_key_number_if(j, "place", f->cause.place >= 0, f->cause.place);
    json_key_number_if(j, "size", sized, f->cause.size);
    json_key_number(j, "explained", f->explained);
    json_key_number(j, "rms_left", f->rms);
    json_key_open(j, "elsewhere", '{');
    for (int k = 0; k < ELSEWHERES; k++)
        json_key_number_if(j, keys[k], f->elsewhere[k] > 0, f->elsewhere[k]);
    json_close(j);
    json_close(j);
}

static void diagnose_json(const struct diagnosis *d, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/diagnose/1");
    json_key_text(&j, "answer", cause_name(d->items[0].cause.kind));
    json_key_int(&j, "points", (int64_t)d->n_points);
    json_key_int(&j, "unused_points", (int64_t)d->n_unused);
    json_key_number(&j, "rms", d->rms);
    json_key_text(&j, "note", d->note[0] ? d->note : NULL);
    json_key_open(&j, "causes", '[');
    for (size_t i = 0; i < d->n; i++)
        finding_json(&j, &d->items[i]);
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

static enum rc diagnose_run(const void *parsed, struct buf *out, struct err *e) {
    const struct diagnose_line *l = parsed;
    struct sim_options limits = {.times_only = true, .engine = SIM_ENGINE_FLUID}; // some thousand small calls
    const struct simulator simulator = {sim_answer, &limits};
    const char *platform = l->line.question.platform.name;
    struct samples *s = NULL;
    struct diagnosis d;
    if (l->line.n_words != 1 || !platform)
        return err_set(e, RC_USAGE, "diagnose: expected a file of samples or a log, and --platform");
    enum rc rc = samples_load(l->line.words[0], &l->ask, &s, e);
    if (!rc)
        rc = diagnose(&(struct diagnose_ask){platform, s, &simulator}, &d, e);
    if (!rc && l->line.format == FORMAT_JSON)
        diagnose_json(&d, out);
    else if (!rc)
        diagnose_text(&d, out);
    samples_free(s);
    return rc;
}

const struct command command_diagnose = {
    "diagnose", diagnose_run, options, sizeof(struct diagnose_line), false,
    "which cause explains the distance between timed calls and a platform",
    "SAMPLES|LOG --platform NAME|FILE [options]",
    "Each cause is varied alone and all points are simulated again: a shared uplink, a dead rail, a slow, late or hot\n"
    "rank, another definition of bytes, the other host regime. Causes are ranked by how much of the distance they\n"
    "explain; 'none' stands first where it is small or nothing explains half of it. Causes that leave about the same\n"
    "cannot be told apart by these samples: the last columns say which further measurement would.\n\n"
    "Examples:\n"
    "  moesim diagnose samples.csv --platform my_cluster/platform.yaml\n"
    "  moesim diagnose nccl.log --platform dgx-h100 --groups 2 --ranks-per-group 8 --format json\n", NULL};
