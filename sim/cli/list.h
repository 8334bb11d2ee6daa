/* SPDX-License-Identifier: BSD-3-Clause */
/* list.h - `platform list` and `workload list`: the built-in files, one name first on each line.
 *
 * Units: none. Errors: those of the reader of a file. Ownership: borrow everything, append to the buffer.
 * Edges: a folder without files gives an empty list. */
#ifndef SIM_CLI_LIST_H
#define SIM_CLI_LIST_H

#include "platforms/base/json.h"
#include "platforms/find.h"
#include "sim/cli/cli.h"
#include "sim/report/table.h"

struct list {
    enum find_kind kind;
    const char *schema, *key; /* of the JSON */
    const char *standard;     /* the name that is marked as default */
    int columns;              /* of the text, name and description included */
    /* Loads a file; adds its keys to j, or where that is NULL its cells but the last. The caller frees
     * *description, which may be NULL. */
    enum rc (*add)(const char *name, struct json *j, struct table *t, char **description, struct err *e);
};

/* Writes the list. */
enum rc list_files(const struct list *list, int format, struct buf *out, struct err *e);

#endif
