/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep: many points, each a `compare` of its own, in parallel. */
#include "sim/cli/sweep_main.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "platforms/base/json.h"
#include "platforms/base/unit.h"
#include "sim/report/page.h"

#define FIELD(field) offsetof(struct sweep_line, field)
static const struct option output_option = {"-o", "FILE.jsonl", OPTION_TEXT, FIELD(output),
                                            .help = "records; a run continues what it finds there"};
static const struct option jobs_option = {"--jobs", "N", OPTION_COUNT, FIELD(jobs), 1, 4096,
                                          .help = "processes (default: one a core)"};
static const struct option dry_run = {"--dry-run", NULL, OPTION_FLAG, FIELD(dry_run),
                                      .help = "say what would be done, and what it would cost"};
static const char *const retries[] = {"killed", "none", "all", NULL};
static const struct option retry = {"--retry-failed", "killed|none|all", OPTION_CHOICE, FIELD(retry),
                                    .choices = retries, .first = RETRY_CIRCUMSTANCE,
                                    .help = "failed points to try again (default killed: killed or out of time)"};
static const struct option *const options[] = {&option_corpus, &option_engine, &output_option, &jobs_option, &dry_run,
                                               &retry,         &option_format, &option_help, NULL};

/* Memory of a job, measured as its share where processes share (Pss): 4 MB with 8 ranks uniform, 13 MB with 128 (19,000
 * messages a run), 27 MB with 256 (75,000), and 30 MB once it keeps the inputs of many points. */
#define BYTES_PER_FLOW 400.0
#define BYTES_AT_MOST 32e6 /* beside them */

static int cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 4096 ? 4096 : (int)n;
}

static enum rc plan_all(const struct sweep_spec *spec, const struct study *study, struct sweep_plan *plans,
                        struct err *e) {
    for (size_t i = 0; i < spec->n_points; i++) {
        enum rc rc = sweep_point_plan(spec, i, study, &plans[i], e);
        if (rc) {
            err_prefix(e, "%s: point %lld", spec->doc->file, (long long)spec->points[i].number);
            return rc == RC_USAGE ? RC_SCHEMA : rc; // the file is wrong, not the command line
        }
    }
    return RC_OK;
}

static void describe(const struct sweep_job *job, const struct sweep_file *file, int jobs, struct buf *out) {
    const struct sweep_spec *spec = job->spec;
    size_t there = 0, refused = 0;
    double flows = 0, most = 0, seconds = 0;
    int ranks = 0;
    for (size_t i = 0; i < spec->n_points; i++) {
        const struct sweep_plan *p = &job->plans[i];
        if (sweep_is_done(job, sweep_file_find(file, p->key))) {
            there++;
            continue;
        }
        refused += p->rc != RC_OK;
        flows += p->flows;
        seconds += p->seconds;
        most = fmax(most, p->flows);
        ranks = p->ranks > ranks ? p->ranks : ranks;
    }
    char memory[UNIT_TEXT];
    buf_printf(out, "sweep    %s: %zu points over %zu axes\n", spec->name, spec->n_points, spec->n_axes);
    for (size_t i = 0; i < spec->n_axes; i++)
        buf_printf(out, "axis     %s: %zu values, %s to %s\n", spec->axes[i].key, spec->axes[i].n,
                   spec->axes[i].values[0], spec->axes[i].values[spec->axes[i].n - 1]);
    buf_printf(out, "to do    %zu (%zu are in the file", spec->n_points - there, there);
    buf_printf(out, refused ? ", %zu cannot run)\n" : ")\n", refused);
    buf_printf(out, "largest  %d ranks, %.3g messages a run\n", ranks, most);
    buf_printf(out, "memory   up to about %s with %d jobs\n",
               unit_format((BYTES_AT_MOST + BYTES_PER_FLOW * most) * jobs, UNIT_SIZE, memory), jobs);
    buf_printf(out, "time     about %.*f s with %d jobs, give or take a factor of 2", seconds < 10 * jobs,
               seconds / jobs, jobs);
    buf_printf(out, " (%.3g messages, each at least twice)\n", flows);
}

static void sweep_conclude(const struct sweep_spec *spec, const struct sweep_tally *y, const char *path,
                     int format, struct buf *out) {
    if (format == FORMAT_JSON) {
        struct json j;
        json_init(&j, out, true);
        json_open(&j, '{');
        json_key_text(&j, "schema", "moesim/sweep-end/1");
        json_key_text(&j, "sweep", spec->name);
        json_key_text(&j, "file", path);
        json_key_int(&j, "points", (int64_t)y->points);
        json_key_int(&j, "new", (int64_t)y->done);
        json_key_int(&j, "were_there", (int64_t)y->there);
        json_key_int(&j, "failed", (int64_t)(y->failed + y->there_failed));
        json_close(&j);
        buf_text(out, "\n");
        return;
    }
    buf_printf(out, "%s: %zu points, %zu new, %zu were there, %zu failed; records in %s\n", spec->name, y->points,
               y->done, y->there, y->failed + y->there_failed, path);
    if (y->failed + y->there_failed)
        buf_text(out, "why points failed: under error in their records, or on the page of moesim report\n");
}

static enum rc sweep_run_points(const struct sweep_line *l, const char *output, const struct sweep_job *job,
                   const struct sweep_remote *remote, struct buf *out, struct err *e) {
    struct sweep_file file;
    struct sweep_tally tally = {0};
    int jobs = l->jobs ? (int)l->jobs : remote ? 1 : cores();
    bool csv = l->line.format == FORMAT_CSV;
    enum rc rc = l->dry_run ? sweep_file_look(output, &file, e) : sweep_file_open(output, &file, e);
    if (!rc && file.repaired)
        fprintf(stderr, "warning: %s: the last line was cut off and is %s\n", output,
                l->dry_run ? "not counted" : "taken away");
    if (!rc && l->dry_run) {
        describe(job, &file, jobs + (remote ? remote->n : 0), out);
    } else if (!rc) {
        rc = sweep_run(job, jobs, remote, &file, &tally, e);
        if (!rc && !csv)
            sweep_conclude(job->spec, &tally, output, l->line.format, out);
    }
    sweep_file_close(&file);
    bool truncated; // no: it was closed just now
    return rc || l->dry_run || !csv ? rc : page_csv(output, out, &truncated, e);
}

enum rc sweep_open(const struct sweep_line *l, struct inputs_memo *memo, struct study *study, struct sweep_spec **spec,
                   struct err *e) {
    const struct question *asked = &l->line.question;
    enum rc rc = sweep_spec_load(l->line.words[0], asked->corpus, spec, e);
    if (!rc)
        rc = study_open(asked->corpus, memo, study, e);
    if (rc)
        return rc;
    if (asked->engine != SIM_ENGINE_AUTO)
        (*spec)->engine = asked->engine;
    sweep_choose_engine(*spec, study);
    return RC_OK;
}

enum rc sweep_main(const struct sweep_line *l, const struct sweep_remote *remote, struct buf *out, struct err *e) {
    if (l->line.n_words != 1)
        return err_set(e, RC_USAGE, "sweep: %d files given, expected one sweep file", l->line.n_words);
    if (!l->output && !l->dry_run)
        return err_set(e, RC_USAGE, "sweep: -o FILE.jsonl is missing: where the records go");
    struct sweep_spec *spec = NULL;
    struct sweep_plan *plans = NULL;
    struct study study = {0};
    struct inputs_memo memo = inputs_memo();
    enum rc rc = sweep_open(l, &memo, &study, &spec, e);
    if (!rc) {
        plans = mem_alloc(spec->n_points, sizeof *plans);
        rc = plan_all(spec, &study, plans, e);
    }
    if (!rc) {
        const struct sweep_job job = {spec, plans, &study, l->retry};
        // a dry run without a file: no records yet
        rc = sweep_run_points(l, l->output ? l->output : "", &job, remote, out, e);
    }
    study_close(&study);
    inputs_memo_clear(&memo);
    free(plans);
    sweep_spec_free(spec);
    return rc;
}

static enum rc run_sweep(const void *line, struct buf *out, struct err *e) {
    return sweep_main(line, NULL, out, e);
}

static void help_more(struct buf *out) {
    buf_text(out, "\nKeys of a sweep file:\n\n");
    sweep_spec_markdown(out);
}

const struct command command_sweep = {
    "sweep", run_sweep, options, sizeof(struct sweep_line), true,
    "many points in parallel, resumable, as JSON Lines", "SPEC.yaml -o FILE.jsonl [options]",
    "A sweep file names axes over keys of platform, workload and implementation.\n"
    "The same command continues after an interrupt, a kill or a full disk. --format csv prints all\n"
    "records as CSV at the end.\n\n"
    "Examples:\n"
    "  moesim sweep workloads/sweeps/ratio_chain.yaml -o ratio_chain.jsonl --dry-run\n"
    "  moesim sweep my_sweep.yaml -o my_sweep.jsonl --jobs 8\n"
    "  mpirun -np 64 moesim-mpi sweep my_sweep.yaml -o my_sweep.jsonl\n", help_more};
