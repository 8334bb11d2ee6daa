/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnose: which cause explains the distance between timed calls and a platform. */
#include "sim/cli/cli.h"

#include "sim/engine/engine.h"
#include "sim/report/diagnose_report.h"

static enum rc diagnose_run(const void *parsed, struct buf *out, struct err *e) {
    const struct samples_line *l = parsed;
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
        diagnose_write_json(&d, out);
    else if (!rc)
        diagnose_write_text(&d, out);
    samples_free(s);
    return rc;
}

const struct command command_diagnose = {
    "diagnose", diagnose_run, sizeof(struct samples_line), false,
    "which cause explains the distance between timed calls and a platform",
    "SAMPLES|LOG --platform NAME|FILE [options]",
    "Each cause is varied alone and all points are simulated again: a shared uplink, a dead rail, a slow, late or hot\n"
    "rank, another definition of bytes, the other host regime. Causes are ranked by how much of the distance they\n"
    "explain; 'none' stands first where it is small or nothing explains half of it. Causes that leave about the same\n"
    "cannot be told apart by these samples: the last columns say which further measurement would.\n\n"
    "Examples:\n"
    "  moesim diagnose samples.csv --platform my_cluster/platform.yaml\n"
    "  moesim diagnose nccl.log --platform dgx-h100 --groups 2 --ranks-per-group 8 --format json\n", NULL};
