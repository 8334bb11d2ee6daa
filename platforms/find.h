/* SPDX-License-Identifier: BSD-3-Clause */
/* find.h - where the files that ship with the program are.
 *
 * Looked up in this order: $MOESIM_DATA_DIR, ../share/moesim beside the program, the source tree that it was
 * built from, the installed data folder. A name with a slash or ending in .yaml is a path and is not looked up.
 * Errors: RC_IO; a name that is not found gets the list of those that exist and the nearest one. */
#ifndef PLATFORMS_FIND_H
#define PLATFORMS_FIND_H

#include "platforms/base/yaml.h"

enum find_kind { FIND_PLATFORM, FIND_WORKLOAD, FIND_IMPLEMENTATION, FIND_CORPUS, FIND_PACKET, FIND_KINDS };

/* Where the file of a built-in name is; NULL when there is none of that name. free() releases. */
char *find_path(enum find_kind kind, const char *name);

/* Loads the YAML document of a built-in name or of a path; among its files it stands in the role of the kind:
 * "platform", "workload", "implementation", "corpus". */
enum rc find_load(enum find_kind kind, const char *name_or_path, struct yaml_doc **doc, struct err *e);

/* The same, of the given schema and with the values of --set put in. Nothing to free after a failure. */
enum rc find_open(enum find_kind kind, const char *name_or_path, const char *schema, const struct setting *settings,
                  size_t n_settings, struct yaml_doc **doc, struct err *e);

/* Names of all built-in files of a kind, sorted, without ".yaml"; find_names_free() releases. */
struct find_names {
    char **names;
    size_t n;
};
void find_names(enum find_kind kind, struct find_names *names);
void find_names_free(struct find_names *names);

#endif
