/* SPDX-License-Identifier: BSD-3-Clause */
/* gates: evaluates every gate now and says what follows. */
#include "sim/cli/cli.h"

#include <string.h>

#include "sim/report/gates_report.h"
#include "sim/study/gates.h"

static void write(int format, const struct gate_run *run, struct buf *out) {
    struct licences *licences = licences_decide(run->results, run->n);
    if (format == FORMAT_JSON)
        gates_write_json(run->results, run->n, licences, out);
    else if (format == FORMAT_CSV)
        gates_write_csv(run->results, run->n, out);
    else
        gates_write_text(run->results, run->n, licences, out);
    licences_free(licences);
}

static enum rc run_gates(const void *parsed, struct buf *out, struct err *e) {
    const struct gates_line *l = parsed;
    int format = l->line.format;
    bool explain = l->line.n_words == 2 && strcmp(l->line.words[0], "explain") == 0;
    if (l->line.n_words && !explain)
        return err_set(e, RC_USAGE, "'%.60s' found, expected nothing or explain ID", l->line.words[0]);
    const struct gates_question q = {.corpus = l->line.question.corpus,
                                     .only = explain ? l->line.words[1] : NULL,
                                     .analytic_only = l->line.question.analytic_only,
                                     .full = l->full};
    struct gate_run run;
    enum rc rc = study_gates(&q, &run, e);
    if (rc)
        return rc;
    if (explain && format == FORMAT_TEXT)
        gates_explain(&run.results[0], q.corpus, out);
    else if (explain && format == FORMAT_JSON)
        gates_explain_json(&run.results[0], out);
    else
        write(format, &run, out);
    if (l->check)
        rc = study_gates_check(&run, e);
    gate_run_clear(&run);
    return rc;
}

const struct command command_gates = {
    "gates", run_gates, sizeof(struct gates_line), true,
    "evaluate every gate now; what is open, conditional, withdrawn", "[explain ID] [options]",
    "A gate tries a claim on evidence; one that does not pass withdraws capabilities. explain shows a\n"
    "gate's points, predicted and measured, and what would change its outcome.\n\n"
    "Examples:\n"
    "  moesim gates\n"
    "  moesim gates --check --format json\n"
    "  moesim gates explain tier1b-c4\n"
    "  moesim gates --corpus my_measurements\n", NULL};
