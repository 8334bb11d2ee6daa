/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep: many points, each a `compare` of its own, in parallel. */
#include "sim/cli/sweep_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/report/page_csv.h"
#include "sim/sweep/tell.h"

static int cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 4096 ? 4096 : (int)n;
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
        sweep_describe(job, &file, jobs + (remote ? remote->n : 0), out);
    } else if (!rc) {
        rc = sweep_run(job, jobs, remote, &file, &tally, e);
        if (!rc && !csv)
            (l->line.format == FORMAT_JSON ? sweep_conclude_json : sweep_conclude_text)(job->spec, &tally, output, out);
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
        rc = sweep_plan_all(spec, &study, plans, e);
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
    "sweep", run_sweep, sizeof(struct sweep_line), true,
    "many points in parallel, resumable, as JSON Lines", "SPEC.yaml -o FILE.jsonl [options]",
    "A sweep file names axes over keys of platform, workload and implementation.\n"
    "The same command continues after an interrupt, a kill or a full disk. --format csv prints all\n"
    "records as CSV at the end.\n\n"
    "Examples:\n"
    "  moesim sweep workloads/sweeps/ratio_chain.yaml -o ratio_chain.jsonl --dry-run\n"
    "  moesim sweep my_sweep.yaml -o my_sweep.jsonl --jobs 8\n"
    "  mpirun -np 64 moesim-mpi sweep my_sweep.yaml -o my_sweep.jsonl\n", help_more};
