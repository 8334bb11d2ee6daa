/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate: from samples of a machine to its platform file, corpus and gate. */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platforms/base/unit.h"
#include "sim/engine/engine.h"
#include "sim/report/table.h"
#include "validation/calibrate_files.h"

struct calibrate_line {
    struct line line;
    const char *output, *skeleton, *matrices, *machine, *library;
    int64_t groups, ranks_per_group;
};

#define FIELD(name) offsetof(struct calibrate_line, name)
static const struct option output = {"-o", "DIR", OPTION_TEXT, FIELD(output),
                                     .help = "folder for platform.yaml, held_back.yaml and held_back_gate.yaml"};
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
static const struct option *const options[] = {&output, &skeleton, &matrices, &machine, &library, &groups, &ranks,
                                               &option_help, NULL};

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

/* --- what is printed ------------------------------------------------------------------------------ */

static void add_constant(const char *key, const struct estimate *k, enum unit_kind kind, struct table *t) {
    char value[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    if (!k->known)
        return;
    table_cell(t, "%s", key);
    table_cell(t, "%s", unit_format(k->value, kind, value));
    table_cell(t, "%s .. %s", unit_format(k->low, kind, low), unit_format(k->high, kind, high));
    table_cell(t, "%s: %s", status_name(k->status), k->source);
}

static void add_tier(const char *const keys[3], const struct calibrated_tier *tier, struct table *t) {
    add_constant(keys[0], &tier->bandwidth_Bps, UNIT_RATE, t);
    add_constant(keys[1], &tier->latency_s, UNIT_TIME, t);
    add_constant(keys[2], &tier->message_cost_s, UNIT_TIME, t);
}

static void write_constants(const struct calibration *c, struct buf *out) {
    static const char *const keys[2][3] = {{"fast.bandwidth", "fast.latency", "fast.message_cost"},
                                           {"slow.bandwidth", "slow.latency", "slow.message_cost"}};
    struct table t;
    table_init(&t, 4);
    static const char *const head[] = {"key", "value", "90 %", "how"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    add_tier(keys[0], &c->tier[SPANS_FAST], &t);
    add_tier(keys[1], &c->tier[SPANS_SLOW], &t);
    add_constant("uplink of a group", &c->uplink_Bps, UNIT_RATE, &t);
    add_constant("collective_bandwidth", &c->collective_Bps, UNIT_RATE, &t);
    for (size_t i = 0; i < c->n_alpha; i++) {
        char key[60];
        snprintf(key, sizeof key, "alpha %s, %s, %lld ranks", regime_name((enum regime)c->alpha[i].regime),
                 c->alpha[i].span == SPANS_SLOW ? "slow" : "fast", (long long)c->alpha[i].world);
        add_constant(key, &c->alpha[i].time_s, UNIT_TIME, &t);
    }
    table_write(&t, false, out);
    table_clear(&t);
}

static void write_rows(const struct held_back *rows, size_t n, struct buf *out) {
    char measured[UNIT_TEXT], simulated[UNIT_TEXT];
    struct table t;
    table_init(&t, 4);
    static const char *const head[] = {"held back", "measured", "simulated", "error"};
    for (int i = 0; i < 4; i++)
        table_cell(&t, "%s", head[i]);
    for (size_t i = 0; i < n; i++) {
        table_cell(&t, "%s", rows[i].label);
        table_cell(&t, "%s", unit_format(rows[i].measured_s, UNIT_TIME, measured));
        bool known = !rows[i].reason[0];
        table_cell(&t, "%s", known ? unit_format(rows[i].simulated_s, UNIT_TIME, simulated) : "-");
        if (known)
            table_cell(&t, "%+.0f %%", 100 * (rows[i].simulated_s / rows[i].measured_s - 1));
        else
            table_cell(&t, "-");
    }
    table_write(&t, false, out);
    table_clear(&t);
    for (size_t i = 0; i < n; i++)
        if (rows[i].reason[0])
            buf_printf(out, "not simulated: %s: %s\n", rows[i].label, rows[i].reason);
}

static void calibrate_text(const struct calibration *c, const struct held_back *rows, size_t n, const char *verdict,
                    struct buf *out) {
    write_constants(c, out);
    buf_text(out, "\n");
    if (n)
        write_rows(rows, n, out);
    buf_printf(out, "\n%s", verdict);
    if (c->flags.n)
        buf_printf(out, "\nflags:\n%s", c->flags.text);
}

/* --- the command ------------------------------------------------------------------------------------ */

static enum rc write_and_say(const struct calibrate_line *l, const struct calibration *c,
                             const struct yaml_node *kept, struct buf *out, struct err *e) {
    struct sim_options limits = {.times_only = true};
    const struct simulator simulator = {sim_answer, &limits};
    struct held_back *rows = NULL;
    struct buf verdict = {0};
    size_t n = 0;
    char *path = mem_printf("%s/platform.yaml", l->output);
    enum rc rc = calibrate_write(c, kept, l->output, &verdict, e);
    if (!rc)
        rc = calibrate_compare(c, path, l->matrices, &simulator, &rows, &n, e);
    if (!rc)
        calibrate_text(c, rows, n, verdict.text, out);
    buf_clear(&verdict);
    free(rows);
    free(path);
    return rc;
}

static enum rc make_folder(const char *folder, struct err *e) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return RC_OK;
    return err_set(e, RC_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
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
        rc = make_folder(l->output, e);
    if (!rc)
        rc = write_and_say(l, &c, kept ? kept->root : NULL, out, e);
    calibration_clear(&c);
    yaml_doc_free(kept);
    samples_free(samples);
    return rc;
}

const struct command command_calibrate = {
    "calibrate", calibrate_run, options, sizeof(struct calibrate_line), false,
    "a platform file from samples of a machine", "SAMPLES.. -o DIR [options]",
    "SAMPLES are files of moesim-measure, or logs of nccl-tests, OSU or DeepEP. A part of them is held back, and the\n"
    "gate of that part is evaluated at once: the platform file says what the machine has earned.\n\n"
    "Examples:\n"
    "  mpirun -n 16 moesim-measure --output samples.csv --machine my-cluster\n"
    "  moesim calibrate samples.csv -o my_cluster\n"
    "  moesim calibrate osu_alltoall.log --groups 2 --ranks-per-group 8 -o my_cluster\n", NULL};
