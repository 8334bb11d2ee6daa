/* SPDX-License-Identifier: BSD-3-Clause */
/* breakeven: the smallest ratio of fast to slow bandwidth at which two hops beat one. */
#include "sim/cli/cli.h"

#include "platforms/base/file.h"
#include "sim/report/breakeven_report.h"

static enum rc write_plot(const struct breakeven_result *r, const char *path, struct err *e) {
    if (!r->curves_known)
        return err_set(e, RC_UNSUPPORTED, "-o: no curves to draw: %s",
                       r->simulated ? "they are drawn by the closed form only" : r->alpha_reason);
    struct buf svg = {0};
    breakeven_write_svg(r, &svg);
    enum rc rc = file_write(path, svg.text, svg.n, e);
    buf_clear(&svg);
    return rc;
}

static enum rc run(const void *line, struct buf *out, struct err *e) {
    static void (*const writers[])(const struct breakeven_result *, struct buf *) = {
        [FORMAT_TEXT] = breakeven_write_text, [FORMAT_JSON] = breakeven_write_json,
        [FORMAT_CSV] = breakeven_write_csv};
    const struct breakeven_line *l = line;
    const struct breakeven_question q = {l->line.question, l->by == BY_SIMULATED, l->interpolate, l->host_exposure_s};
    struct study s = {0};
    struct breakeven_result *r = NULL;
    enum rc rc = cli_no_words(&l->line, e);
    if (!rc)
        rc = study_open(q.q.corpus, NULL, &s, e);
    if (!rc)
        rc = study_breakeven(&s, &q, &r, e);
    if (!rc && l->output)
        rc = write_plot(r, l->output, e);
    if (!rc)
        writers[l->line.format](r, out);
    breakeven_free(r);
    study_close(&s);
    return rc;
}

const struct command command_breakeven = {
    "breakeven", run, sizeof(struct breakeven_line), true,
    "smallest fast/slow ratio at which two hops win", "[options]",
    "Keeps the fast tier and slows the slow one (ratios 1 to 32). Closed form, each chain preset:\n"
    "x_half held in bytes, and the message cost held in time. Also byte-only ratios, skew, checklist,\n"
    "and the spread over the intervals that the platform file states.\n\n"
    "Examples:\n"
    "  moesim breakeven --platform synthetic --workload terrace-reference\n"
    "  moesim breakeven --platform synthetic --workload terrace-reference --host-exposure 0.13ms\n"
    "  moesim breakeven --by simulated --trace counts.csv --set platform.chain=fused\n", NULL};
