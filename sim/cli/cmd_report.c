/* SPDX-License-Identifier: BSD-3-Clause */
/* report: a page, or CSV, from records of a sweep or from one result. */
#include "sim/cli/cli.h"

#include <stdio.h>

#include "platforms/base/file.h"
#include "platforms/base/json.h"
#include "sim/report/page.h"
#include "sim/report/page_csv.h"

static enum rc write_csv(const char *path, struct buf *out, struct err *e) {
    bool truncated;
    enum rc rc = page_csv(path, out, &truncated, e);
    if (!rc && truncated)
        fprintf(stderr, "warning: %s: the last line was cut off and is left out\n", path);
    return rc;
}

static void conclude(const struct page *page, const struct report_line *l, struct buf *out) {
    if (l->line.format != FORMAT_JSON) {
        buf_printf(out, "%s: page of %zu records, %zu of them without result\n", l->output, page->n, page->failed);
        return;
    }
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "schema", "moesim/report/1");
    json_key_text(&j, "file", l->output);
    json_key_int(&j, "records", (int64_t)page->n);
    json_key_int(&j, "without_result", (int64_t)page->failed);
    json_close(&j);
    buf_text(out, "\n");
}

static enum rc report_run(const void *parsed, struct buf *out, struct err *e) {
    const struct report_line *l = parsed;
    if (l->line.n_words != 1)
        return err_set(e, RC_USAGE, "report: %d files given, expected one file of results", l->line.n_words);
    const char *path = l->line.words[0];
    if (l->line.format == FORMAT_CSV)
        return write_csv(path, out, e);
    if (!l->output)
        return err_set(e, RC_USAGE, "report: -o FILE.html is missing: where the page goes");
    if (file_same(path, l->output))
        return err_set(e, RC_USAGE, "report: -o %s: the page would replace the results that it is made from",
                       l->output);
    struct page page;
    struct buf html = {0};
    enum rc rc = page_read(path, &page, e);
    if (rc)
        return rc;
    page_write(&page, &html);
    rc = file_write(l->output, html.text, html.n, e);
    if (!rc)
        conclude(&page, l, out);
    buf_clear(&html);
    page_clear(&page);
    return rc;
}

const struct command command_report = {
    "report", report_run, sizeof(struct report_line), true,
    "a page with plots from records of a sweep, or from one result", "RESULTS -o FILE.html [options]",
    "RESULTS is what sweep wrote, or the JSON of simulate or compare. The page needs no network.\n"
    "--format csv prints the records as CSV instead.\n\n"
    "Examples:\n"
    "  moesim report my_sweep.jsonl -o report.html\n"
    "  moesim report my_sweep.jsonl --format csv\n", NULL};
