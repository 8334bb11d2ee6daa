/* SPDX-License-Identifier: BSD-3-Clause */
/* workload check|show|list: looks at workload files and routing records. */
#include "sim/cli/list.h"

#include <string.h>

#include "sim/report/loads_report.h"

static enum rc workload_list_one(const char *name, struct json *j, struct table *t, char **description, struct err *e) {
    struct workload *w;
    enum rc rc = workload_load(name, NULL, 0, &w, e);
    if (rc)
        return rc;
    if (j)
        json_key_text(j, "name", w->name);
    else
        table_cell(t, "%s", w->name);
    *description = w->description ? mem_copy(w->description) : NULL;
    workload_free(w);
    return RC_OK;
}

static const struct list listed = {FIND_WORKLOAD, "moesim/workload-list/1", "workloads", WORKLOAD_DEFAULT, 2,
                                   workload_list_one};

static enum rc look(const struct workload_line *l, bool check, struct buf *out, struct err *e) {
    struct loads_question q = {l->line.question, l->trace, l->experts, l->top_k};
    struct loads loads = {.notes = ""};
    bool json = l->line.format == FORMAT_JSON;
    if (l->line.n_words == 2)
        q.q.workload.name = l->line.words[1];
    enum rc rc = loads_load(&q, &loads, e);
    if (!rc && check)
        loads_write_check(&loads, l->trace ? l->trace : loads.in.workload->doc->file, json, out);
    else if (!rc)
        (json ? loads_write_json : loads_write_text)(&loads, out);
    loads_clear(&loads);
    return rc;
}

static enum rc workload_run(const void *parsed, struct buf *out, struct err *e) {
    enum { VERBS = 3, LIST = 0, CHECK };
    static const char *const verbs[VERBS] = {"list", "check", "show"};
    const struct workload_line *l = parsed;
    const char *verb = l->line.n_words ? l->line.words[0] : "";
    size_t k = 0;
    while (k < VERBS && strcmp(verbs[k], verb) != 0)
        k++;
    if (k == VERBS || l->line.n_words > (k == LIST ? 1 : 2))
        return err_set(e, RC_USAGE, "workload: expected check, show or list, then a name or file%s",
                       err_hint("; ", verb, verbs, k == VERBS ? VERBS : 0).text);
    return k == LIST ? list_files(&listed, l->line.format, out, e) : look(l, k == CHECK, out, e);
}

const struct command command_workload = {
    "workload", workload_run, sizeof(struct workload_line), false, "inspect workloads and routing records",
    "check|show|list [NAME|FILE] [options]",
    "show prints load and skew per layer of a workload, or of a record given by --trace.\n\n"
    "Examples:\n"
    "  moesim workload list\n"
    "  moesim workload show olmoe-github\n"
    "  moesim workload show --trace counts.npy --top-k 8 --format json\n", NULL};
