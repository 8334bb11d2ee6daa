/* SPDX-License-Identifier: BSD-3-Clause */
/* gate_file.h - gates that a user adds: every *.yaml of a folder with schema moesim/gate/1, and a gate for every corpus
 * of packet-level times there.
 *
 * They are judged by the same code as the built-in ones. A user's gate decides for the machine it names, and
 * cannot decide anything at the level of training steps.
 * Units: SI; the unit of a metric is that of its estimand.
 * Errors: RC_IO, RC_SYNTAX, RC_SCHEMA, RC_UNIT, RC_RANGE, with file:line:column.
 * Edges: a folder without a gate is an error.
 * Ownership: gate_files_clear() releases the gates and all their texts. */
#ifndef VALIDATION_GATE_FILE_H
#define VALIDATION_GATE_FILE_H

#include "gates/gate.h"
#include "platforms/base/keys.h"

#define GATE_SCHEMA "moesim/gate/1"

struct gate_files {
    struct gate *gates;
    struct yaml_doc **docs;
    size_t n, room;
};

extern const struct key gate_file_keys[];

enum rc gate_files_load(const char *folder, struct gate_files *files, struct err *e);
void gate_files_clear(struct gate_files *files);

#endif
