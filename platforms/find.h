/* SPDX-License-Identifier: BSD-3-Clause */
/* find.h - where the files that ship with the program are.
 *
 * Files are looked for in $MOESIM_DATA_DIR, else in ../share/moesim beside the program, else in the source tree that it
 * was built from, else in the installed data folder. A name with a slash or ending in .yaml is a path and is opened as
 * such.
 * Units: none.
 * Edges: a folder that is missing holds no files.
 * Ownership: paths and documents that are returned belong to the caller.
 * Errors: RC_IO; a name that is not found gets the list of those that exist and the nearest one. */
#ifndef PLATFORMS_FIND_H
#define PLATFORMS_FIND_H

#include "platforms/base/yaml.h"

enum find_kind { FIND_PLATFORM, FIND_WORKLOAD, FIND_IMPLEMENTATION, FIND_CORPUS, FIND_PACKET, FIND_KINDS };

/* Returns the path of a built-in name's file, which free() releases, or NULL where there is none. */
char *find_path(enum find_kind kind, const char *name);

/* Loads the YAML document of a built-in name or of a path; among its files it stands in the role of the kind:
 * "platform", "workload", "implementation", "corpus". */
enum rc find_load(enum find_kind kind, const char *name_or_path, struct yaml_doc **doc, struct err *e);

/* Loads a document, checks its schema and puts the values of --set in. There is nothing to free after a failure. */
enum rc find_open(enum find_kind kind, const char *name_or_path, const char *schema, const struct setting *settings,
                  size_t n_settings, struct yaml_doc **doc, struct err *e);

/* Names of all built-in files of a kind, sorted, without ".yaml". */
struct find_names {
    char **names;
    size_t n;
};
/* Fills in the names; find_names_free() releases them. */
void find_names(enum find_kind kind, struct find_names *names);
void find_names_free(struct find_names *names);

#endif
