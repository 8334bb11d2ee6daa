/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/cli/list.h"

#include <stdlib.h>
#include <string.h>

enum rc list_files(const struct list *list, int format, struct buf *out, struct err *e) {
    struct find_names names;
    struct table t;
    struct json j, *json = format == FORMAT_JSON ? &j : NULL;
    enum rc rc = RC_OK;
    find_names(list->kind, &names);
    table_init(&t, list->columns);
    json_init(&j, out, true);
    if (json) {
        json_open(json, '{');
        json_key_text(json, "schema", list->schema);
        json_key_open(json, list->key, '[');
    }
    for (size_t i = 0; i < names.n && !rc; i++) {
        char *description = NULL;
        if (json)
            json_open(json, '{');
        rc = list->add(names.names[i], json, &t, &description, e);
        if (json) {
            json_key_text(json, "description", description);
            json_close(json);
        } else {
            table_cell(&t, "%s%s", description ? description : "",
                       strcmp(names.names[i], list->standard) == 0 ? " (default)" : "");
        }
        free(description);
    }
    if (json) {
        json_close(json);
        json_close(json);
        buf_text(out, "\n");
    } else {
        table_write(&t, true, out);
    }
    table_clear(&t);
    find_names_free(&names);
    return rc;
}
