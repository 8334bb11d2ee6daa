/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate: from samples of a machine to its platform file, corpus and gate. */
#include "sim/cli/cli.h"

#include <stdlib.h>

#include "platforms/base/file.h"
#include "sim/engine/engine.h"
#include "sim/report/calibrate_report.h"
#include "validation/calibrate_files.h"
#include "validation/calibrate_grade.h"

static enum rc read_all(const struct calibrate_line *l, struct samples **samples, struct err *e) {
    const struct samples_ask ask = {l->groups, l->ranks_per_group, l->machine, l->library};
    enum rc rc = samples_load(l->line.words[0], &ask, samples, e);
    for (int i = 1; i < l->line.n_words && !rc; i++) {
        struct samples *more = NULL;
        rc = samples_load(l->line.words[i], &ask, &more, e);
        if (!rc && (rc = samples_join(*samples, more, e)) != RC_OK)
            samples_free(more);
    }
    return rc;
}

/* --- the command ------------------------------------------------------------------------------------ */

/* Grades what was held back by the file that was just written. */
static enum rc grade_held(const struct calibrate_line *l, const struct calibration *c, struct grade *grade,
                          struct err *e) {
    struct sim_options limits = {.times_only = true};
    const struct simulator simulator = {sim_answer, &limits};
    char *platform = mem_printf("%s/platform.yaml", l->output);
    char *freeze = mem_printf("%s/held_back_freeze.json", l->output);
    const struct question *q = &l->line.question;
    const struct grade_ask ask = {platform, freeze, l->matrices,
                                  {study_version(), study_git(), q->arguments, q->n_arguments, NULL}, &simulator};
    enum rc rc = calibrate_grade(c, &ask, grade, e);
    free(freeze);
    free(platform);
    return rc;
}

static enum rc write_and_say(const struct calibrate_line *l, const struct calibration *c,
                             const struct yaml_node *kept, struct buf *out, struct err *e) {
    struct grade grade = {0};
    struct buf verdict = {0};
    enum rc rc = calibrate_write(c, kept, l->output, &verdict, e);
    if (!rc)
        rc = grade_held(l, c, &grade, e);
    const struct calibrate_report report = {c, &grade.score, verdict.text};
    if (!rc && l->line.format == FORMAT_JSON)
        calibrate_write_json(&report, out);
    else if (!rc)
        calibrate_write_text(&report, out);
    grade_clear(&grade);
    buf_clear(&verdict);
    return rc;
}

static enum rc calibrate_run(const void *parsed, struct buf *out, struct err *e) {
    const struct calibrate_line *l = parsed;
    struct samples *samples = NULL;
    struct yaml_doc *kept = NULL;
    struct calibration c = {0};
    if (!l->line.n_words || !l->output)
        return err_set(e, RC_USAGE, "calibrate: expected files of samples, and -o DIR");
    enum rc rc = read_all(l, &samples, e);
    if (!rc && l->skeleton)
        rc = yaml_load(l->skeleton, &kept, e);
    if (!rc)
        rc = calibrate(samples, &c, e);
    if (!rc)
        rc = file_make_folder(l->output, e);
    if (!rc)
        rc = write_and_say(l, &c, kept ? kept->root : NULL, out, e);
    calibration_clear(&c);
    yaml_doc_free(kept);
    samples_free(samples);
    return rc;
}

const struct command command_calibrate = {
    "calibrate", calibrate_run, sizeof(struct calibrate_line), false,
    "a platform file from samples of a machine", "SAMPLES.. -o DIR [options]",
    "SAMPLES are files of moesim-measure, or logs of nccl-tests, OSU or DeepEP. A part of them is held back, and the\n"
    "gate of that part is evaluated at once: the platform file says what the machine has earned.\n\n"
    "Examples:\n"
    "  mpirun -n 16 moesim-measure --output samples.csv --machine my-cluster\n"
    "  moesim calibrate samples.csv -o my_cluster\n"
    "  moesim calibrate samples.csv -o my_cluster --format json\n"
    "  moesim calibrate osu_alltoall.log --groups 2 --ranks-per-group 8 -o my_cluster\n", NULL};
