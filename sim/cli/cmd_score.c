/* SPDX-License-Identifier: BSD-3-Clause */
/* score: a freeze file graded by what was measured afterwards. */
#include "sim/cli/cli.h"
#include "sim/report/score_report.h"

static enum rc score_run(const void *parsed, struct buf *out, struct err *e) {
    const struct samples_line *l = parsed;
    struct freeze *f = NULL;
    struct score score = {0};
    if (l->line.n_words != 2)
        return err_set(e, RC_USAGE, "score: expected a freeze file and what was measured");
    enum rc rc = freeze_load(l->line.words[0], &f, e);
    if (!rc)
        rc = score_file(f, l->line.words[1], &l->ask, &score, e);
    if (!rc && l->line.format == FORMAT_JSON)
        score_write_json(f, &score, out);
    else if (!rc)
        score_write_text(f, &score, out);
    score_clear(&score);
    freeze_free(f);
    return rc;
}

const struct command command_score = {
    "score", score_run, sizeof(struct samples_line), false,
    "grade predictions that were frozen by what was measured", "FREEZE MEASURED [options]",
    "FREEZE is a file of moesim freeze; one that was changed since is refused. MEASURED is a file of samples, a log\n"
    "of nccl-tests, OSU or DeepEP, or a CSV with the columns id and time_s. A prediction is graded where quantity,\n"
    "host regime, ranks and bytes are those of the samples, or its id is that of the row.\n\n"
    "Examples:\n"
    "  moesim score before.json samples.csv\n"
    "  moesim score layer.json times.csv --format json\n", NULL};
