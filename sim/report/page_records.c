/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "sim/report/page_json.h"
#include "sim/report/page_last.h"

/* One result is some 100 kB. */
#define ONE_RESULT_BYTES ((size_t)1 << 28)

static enum rc check_schema(json_t *record, const char *name, int line, struct err *e) {
    static const char *const known[] = {"moesim/sweep-record/1", "moesim/simulate/1", "moesim/compare/1"};
    const char *schema = page_text(record, "schema");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(schema, known[i]) == 0)
            return RC_OK;
    const struct place at = {name, line, 0};
    return err_at(e, RC_SCHEMA, &at,
                  "schema '%.60s' found, expected moesim/sweep-record/1, moesim/simulate/1 or moesim/compare/1",
                  schema);
}

static enum rc one_result(const char *text, size_t n, const char *name, page_record_f f, void *context,
                          struct err *e) {
    json_error_t why;
    json_t *record = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    if (!record) {
        const struct place at = {name, why.line, why.column};
        return err_at(e, RC_SYNTAX, &at, "%s", why.text);
    }
    enum rc rc = check_schema(record, name, 1, e);
    if (!rc)
        rc = f(record, context, e);
    json_decref(record);
    return rc;
}

/* Checks that a record is of the sweep of the first one: a page is of one sweep. */
static enum rc check_sweep(const json_t *record, struct buf *sweep, const struct place *at, struct err *e) {
    const char *name = page_text(record, "sweep");
    if (!sweep->n)
        buf_text(sweep, name);
    return strcmp(name, sweep->n ? sweep->text : "") == 0
               ? RC_OK
               : err_at(e, RC_SCHEMA, at, "a record of sweep '%.60s' among those of '%.60s'; give each a "
                        "file of its own", name, sweep->text ? sweep->text : "");
}

static enum rc each_line(FILE *in, const char *path, page_record_f f, void *context, bool *truncated,
                         struct err *e) {
    char *text = NULL;
    size_t room = 0;
    enum rc rc = RC_OK;
    ssize_t n;
    bool *superseded = page_superseded(in);
    struct buf sweep = {0}; // of the first record
    for (int line = 1; !rc && (n = getline(&text, &room, in)) > 0; line++) {
        json_error_t why;
        if (superseded[line - 1])
            continue;
        const struct place at = {path, line, 0};
        json_t *record = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &why);
        if (record) {
            rc = check_schema(record, path, line, e);
            if (!rc)
                rc = check_sweep(record, &sweep, &at, e);
            if (!rc)
                rc = f(record, context, e);
            json_decref(record);
        } else if (text[n - 1] != '\n') {
            *truncated = true;
        } else {
            rc = err_at(e, RC_SYNTAX, &at, "%s", why.text);
        }
    }
    free(text);
    free(superseded);
    buf_clear(&sweep);
    if (!rc && ferror(in))
        rc = err_set(e, RC_IO, "%s: cannot read: %s", path, strerror(errno));
    return rc;
}

/* Returns whether a file holds one result: printed for reading, it begins with a brace alone on its line. */
static bool is_one_result(FILE *in) {
    int first = getc(in), second = getc(in);
    rewind(in);
    return first == '{' && (second == '\n' || second == '\r');
}

enum rc page_each(const char *path, page_record_f f, void *context, bool *truncated, struct err *e) {
    FILE *in = file_open(path);
    if (!in)
        return err_set(e, RC_IO, "%s: cannot open: %s", path, strerror(errno));
    enum rc rc;
    if (is_one_result(in)) {
        char *text;
        size_t n;
        rc = file_read(path, ONE_RESULT_BYTES, &text, &n, e);
        if (!rc) {
            rc = one_result(text, n, path, f, context, e);
            free(text);
        }
    } else {
        rc = each_line(in, path, f, context, truncated, e);
    }
    fclose(in);
    return rc;
}

enum rc page_empty(const char *path, struct err *e) {
    return err_set(e, RC_SYNTAX, "%s: there are no records in it", path);
}
