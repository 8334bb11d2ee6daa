/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - tells files of other programs, for every option that takes a file.
 *
 * One table of "looks like" rules holds a name, a test on the content, and the line that converts the file or the keys
 * that follow from it.
 * Units: none.
 * Errors: RC_UNSUPPORTED, with what the file looks like, what was expected and what to do.
 * Ownership: borrows everything.
 * Edges: an empty file looks like nothing; the data need not end in NUL. */
#ifndef PLATFORMS_BASE_FOREIGN_H
#define PLATFORMS_BASE_FOREIGN_H

#include "platforms/base/err.h"

enum foreign_for { FOREIGN_RECORD, FOREIGN_PLACEMENT, FOREIGN_YAML }; /* who asks */

/* Refuses a file that a rule tells; RC_OK: no rule does. */
enum rc foreign_refuse(const char *data, size_t n, const char *name, enum foreign_for asker, struct err *e);

#endif
