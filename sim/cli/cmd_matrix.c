/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix: writes who sends how many rows to whom, per stage, and says how skewed that is. */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platforms/base/json.h"
#include "sim/report/table.h"

struct matrix_line {
    struct line line;
    const char *output; /* NULL: this folder */
};

static const struct option output = {"-o", "PATH", OPTION_TEXT, offsetof(struct matrix_line, output),
                                     .help = "folder to write to (default: this one)"};
static const struct option *const options[] = {
    &option_platform, &option_workload, &option_set, &option_trace, &option_as, &option_model, &option_seed, &output,
    &option_format_two, &option_help, NULL};

struct listed {
    const char *name;
    const struct matrix *matrix;
    double rho_in, rho_out;
};

static enum rc write_files(const struct listed *m, const char *unit, const char *folder, struct err *e) {
    char *npy = mem_printf("%s/%s.npy", folder, m->name);
    char *csv = mem_printf("%s/%s.csv", folder, m->name);
    enum rc rc = matrix_write_npy(m->matrix, unit, npy, e);
    if (!rc)
        rc = matrix_write_csv(m->matrix, unit, csv, e);
    free(npy);
    free(csv);
    return rc;
}

static void as_json(const struct inputs *in, int64_t seed, const char *folder,
                    const struct listed *all, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/matrix/1");
    json_key_text(&j, "platform", in->platform->name);
    json_key_text(&j, "workload", in->workload->name);
    json_key_int(&j, "ranks", in->traffic->ranks);
    json_key_int(&j, "seed", seed);
    json_key_number_if(&j, "fan_out", in->traffic->fan_out > 0, in->traffic->fan_out);
    json_key_open(&j, "matrices", '[');
    for (int i = 0; i < 3; i++) {
        json_open(&j, '{');
        json_key_text(&j, "name", all[i].name);
        char *path = mem_printf("%s/%s.npy", folder, all[i].name);
        json_key_text(&j, "npy", path);
        memcpy(path + strlen(path) - 3, "csv", 3);
        json_key_text(&j, "csv", path);
        free(path);
        json_key_text(&j, "dtype", all[i].matrix->whole ? "<i8" : "<f8");
        json_key_number(&j, "rows", matrix_total(all[i].matrix, true));
        json_key_number(&j, "rows_on_links", matrix_total(all[i].matrix, false));
        json_key_number_if(&j, "rho_max_in", all[i].rho_in >= 0, all[i].rho_in);
        json_key_number_if(&j, "rho_max_out", all[i].rho_out >= 0, all[i].rho_out);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_text(out, "\n");
}

static void as_text(const char *folder, const struct listed *all, const char *notes, struct buf *out) {
    struct table t;
    table_init(&t, 5);
    static const char *const head[] = {"matrix", "rows", "on links", "rho_max in", "rho_max out"};
    for (int i = 0; i < 5; i++)
        table_cell(&t, "%s", head[i]);
    for (int i = 0; i < 3; i++) {
        table_cell(&t, "%s/%s.npy, .csv", folder, all[i].name);
        table_cell(&t, "%.10g", matrix_total(all[i].matrix, true));
        table_cell(&t, "%.10g", matrix_total(all[i].matrix, false));
        const double rho[] = {all[i].rho_in, all[i].rho_out};
        for (int k = 0; k < 2; k++)
            if (rho[k] < 0)
                table_cell(&t, "-");
            else
                table_cell(&t, "%.3f", rho[k]);
    }
    table_write(&t, false, out);
    table_clear(&t);
    if (notes)
        buf_text(out, notes);
}

static enum rc matrix_run(const void *parsed, struct buf *out, struct err *e) {
    const struct matrix_line *l = parsed;
    const struct question *q = &l->line.question;
    if (l->line.n_words)
        return cli_no_words(&l->line, e);
    if (q->implementation.n)
        return err_set(e, RC_USAGE, "matrix: 'implementation.' keys do not change what is written: rows per expert, "
                       "hops that are cut at the fast tier");
    const char *folder = l->output ? l->output : ".";
    struct inputs in = {0};
    enum rc rc = inputs_load(q, INPUT_PLATFORM | INPUT_WORKLOAD | INPUT_TRAFFIC, &in, e);
    if (!rc && mkdir(folder, 0777) != 0 && errno != EEXIST)
        rc = err_set(e, RC_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
    if (!rc) {
        const struct traffic_rho rho = in.drawn->rho;
        const struct listed all[] = {
            {"one_hop", &in.traffic->one_hop, rho.one_hop_in, rho.one_hop_out},
            {"hop_a", &in.traffic->hop_a[TIER_FAST], rho.hop_a_in, rho.hop_a_out},
            {"hop_b", &in.traffic->hop_b, rho.hop_b_in, rho.hop_b_out}};
        const char *unit = in.traffic->unit == TRAFFIC_BYTES ? "bytes" : "rows";
        for (int i = 0; i < 3 && !rc; i++)
            rc = write_files(&all[i], unit, folder, e);
        if (!rc && l->line.format == FORMAT_JSON)
            as_json(&in, q->seed, folder, all, out);
        else if (!rc)
            as_text(folder, all, in.traffic->notes.text, out);
    }
    inputs_clear(&in);
    return rc;
}

const struct command command_matrix = {
    "matrix", matrix_run, options, sizeof(struct matrix_line), false,
    "write the per-peer message matrices and their skew", "[options]",
    "Writes one_hop, hop_a and hop_b as .npy and .csv: rows (sender, receiver), diagonal = local.\n\n"
    "Examples:\n"
    "  moesim matrix -o matrices\n"
    "  moesim matrix --trace counts.csv --set workload.experts=128 -o /tmp/m --format json\n", NULL};
