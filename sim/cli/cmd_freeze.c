/* SPDX-License-Identifier: BSD-3-Clause */
/* freeze: predictions in a file that cannot be changed unseen. */
#include "sim/cli/cli.h"

#include "platforms/base/file.h"
#include "sim/study/predictions.h"
#include "validation/freeze.h"

/* Reads what was written: it is shown as others will read it. */
static enum rc say(const char *path, struct buf *out, struct err *e) {
    struct freeze *f = NULL;
    enum rc rc = freeze_load(path, &f, e);
    if (!rc)
        buf_printf(out, "%s: %zu predictions, sha256 %s\n", path, f->predictions.n, f->sha256);
    freeze_free(f);
    return rc;
}

static enum rc freeze_run(const void *parsed, struct buf *out, struct err *e) {
    const struct freeze_line *l = parsed;
    struct study s = {0};
    struct buf text = {0};
    enum rc rc = cli_no_words(&l->line, e);
    if (!rc && !l->output)
        rc = err_set(e, RC_USAGE, "freeze: expected -o FILE");
    if (!rc)
        rc = study_open(l->line.question.corpus, NULL, &s, e);
    if (!rc)
        rc = predictions_write(&s, &l->line.question, l->sizes, &text, e);
    if (!rc)
        rc = file_write(l->output, text.text, text.n, e);
    study_close(&s);
    buf_clear(&text);
    return rc ? rc : say(l->output, out, e);
}

const struct command command_freeze = {
    "freeze", freeze_run, sizeof(struct freeze_line), false,
    "write predictions down before they are measured", "-o FILE [options]",
    "Writes the call times that simulate answers with the same options, with the version, the hashes of all inputs\n"
    "and a hash of the file itself. Publish that hash, measure, then let score grade the file: a prediction that was\n"
    "changed meanwhile is refused. A call whose time is not known is written with the reason and counts as failed.\n\n"
    "Examples:\n"
    "  moesim freeze -o before.json --platform my_cluster.yaml --all-to-all 64KiB,1MiB,16MiB\n"
    "  moesim freeze -o layer.json --platform my_cluster.yaml --trace counts.npy --phase both\n", NULL};
