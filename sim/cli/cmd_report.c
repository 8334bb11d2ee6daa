/* SPDX-License-Identifier: BSD-3-Clause */
/* report: a page, or CSV, from records of a sweep or from one result. */
#include "sim/cli/cli.h"

#include <stdio.h>

#include "platforms/base/file.h"
#include "platforms/base/json.h"
#include "sim/report/page.h"

enum rc cmd_report(const struct options *o, struct buf *out, struct err *e) {
    if (o->n_words != 1)
        return err_set(e, RC_USAGE, "report: %d files given, expected one file of results", o->n_words);
    if (o->format == FORMAT_CSV) {
        bool truncated;
        enum rc rc = page_csv(o->words[0], out, &truncated, e);
        if (!rc && truncated)
            fprintf(stderr, "warning: %s: the last line was cut off and is left out\n", o->words[0]);
        return rc;
    }
    if (!o->output)
        return err_set(e, RC_USAGE, "report: -o FILE.html is missing: where the page goes");
    if (file_same(o->words[0], o->output))
        return err_set(e, RC_USAGE, "report: -o %s: the page would replace the results that it is made from",
                       o->output);
    struct page page;
    struct buf html = {0};
    enum rc rc = page_read(o->words[0], &page, e);
    if (rc)
        return rc;
    page_write(&page, &html);
    rc = file_write(o->output, html.text, html.n, e);
    if (!rc && o->format == FORMAT_JSON) {
        struct json j;
        json_init(&j, out, true);
        json_open(&j, '{');
        json_key_text(&j, "schema", "moesim/report/1");
        json_key_text(&j, "file", o->output);
        json_key_int(&j, "records", (int64_t)page.n);
        json_key_int(&j, "without_result", (int64_t)page.failed);
        json_close(&j);
        buf_text(out, "\n");
    } else if (!rc) {
        buf_printf(out, "%s: page of %zu records, %zu of them without result\n", o->output, page.n, page.failed);
    }
    buf_clear(&html);
    page_clear(&page);
    return rc;
}
