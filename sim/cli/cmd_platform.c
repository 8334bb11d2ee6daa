/* SPDX-License-Identifier: BSD-3-Clause */
/* platform check|show|list|xml: looks at machine files. */
#include "sim/cli/list.h"

#include <string.h>

#include "sim/engine/engine.h"
#include "sim/report/platform_report.h"

static enum rc list_one(const char *name, struct json *j, struct table *t, char **description, struct err *e) {
    struct platform *p;
    enum rc rc = plat_load(name, NULL, 0, &p, e);
    if (rc)
        return rc;
    if (j) {
        json_key_text(j, "name", p->name);
        json_key_int(j, "groups", p->groups);
        json_key_int(j, "ranks_per_group", p->ranks_per_group);
    } else {
        table_cell(t, "%s", p->name);
        table_cell(t, "%lld x %lld", (long long)p->groups, (long long)p->ranks_per_group);
    }
    *description = p->description ? mem_copy(p->description) : NULL;
    plat_free(p);
    return RC_OK;
}

static const struct list listed = {FIND_PLATFORM, "moesim/platform-list/1", "platforms", PLATFORM_DEFAULT, 3,
                                   list_one};

static enum rc platform_run(const void *parsed, struct buf *out, struct err *e) {
    const struct line *l = parsed;
    enum { VERBS = 6, LIST = 0, KEYS, SCHEMA };
    static const char *const verbs[VERBS] = {"list", "keys", "schema", "check", "show", "xml"};
    const char *verb = l->n_words ? l->words[0] : "";
    size_t k = 0;
    while (k < VERBS && strcmp(verbs[k], verb) != 0)
        k++;
    if (k == VERBS || l->n_words > (k <= SCHEMA ? 1 : 2)) {
        return err_set(e, RC_USAGE,
                       "platform: expected check, show or xml, then a name or file, or list, keys or schema%s",
                       err_hint("; ", verb, verbs, k == VERBS ? VERBS : 0).text);
    }
    if (k == LIST)
        return list_files(&listed, l->format, out, e);
    if (k == KEYS)
        keys_markdown(platform_keys, out);
    if (k == SCHEMA)
        keys_json_schema(platform_keys, PLATFORM_SCHEMA, out);
    if (k == KEYS || k == SCHEMA)
        return RC_OK;
    struct question q = l->question;
    if (l->n_words == 2)
        q.platform.name = l->words[1];
    struct inputs in = {0};
    enum rc rc = inputs_load(&q, INPUT_PLATFORM, &in, e);
    if (!rc && strcmp(verb, "xml") == 0)
        rc = sim_xml(in.topology, out, e);
    else if (!rc && strcmp(verb, "check") == 0)
        platform_write_check(in.platform, l->format == FORMAT_JSON, out);
    else if (!rc && l->format == FORMAT_JSON)
        platform_write_json(in.topology, out);
    else if (!rc)
        platform_write_text(in.topology, out);
    inputs_clear(&in);
    return rc;
}

const struct command command_platform = {
    "platform", platform_run, sizeof(struct line), false, "inspect machine files",
    "check|show|list|xml|keys|schema [NAME|FILE] [options]",
    "check validates a file, show says what will be simulated, list names the built-in ones,\n"
    "xml prints an equivalent SimGrid platform for other tools, keys the table of all keys,\n"
    "schema a JSON Schema of machine files for editors.\n\n"
    "Examples:\n"
    "  moesim platform list\n"
    "  moesim platform check my_cluster.yaml\n"
    "  moesim platform show dgx-h100 --set platform.slow.oversubscription=2\n", NULL};
