/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix: writes who sends how many rows to whom, per stage, and says how skewed that is. */
#include "sim/cli/cli.h"

#include "sim/report/matrix_report.h"

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
    if (!rc)
        rc = matrix_write_files(&in, folder, e);
    if (!rc && l->line.format == FORMAT_JSON)
        matrix_report_json(&in, q->seed, folder, out);
    else if (!rc)
        matrix_report_text(&in, folder, out);
    inputs_clear(&in);
    return rc;
}

const struct command command_matrix = {
    "matrix", matrix_run, sizeof(struct matrix_line), false,
    "write the per-peer message matrices and their skew", "[options]",
    "Writes one_hop, hop_a and hop_b as .npy and .csv: rows (sender, receiver), diagonal = local.\n\n"
    "Examples:\n"
    "  moesim matrix -o matrices\n"
    "  moesim matrix --trace counts.csv --set workload.experts=128 -o /tmp/m --format json\n", NULL};
