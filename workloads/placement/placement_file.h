/* SPDX-License-Identifier: BSD-3-Clause */
/* placement_file.h - placements that people have as files.
 *
 * Formats, told apart by their content: expert_map.json (layer_list, device_list, device_expert; devices
 * may hold unequal numbers), JSON with physical_to_logical_map [L, P] or [P] or a map of layers by number, such a map
 * alone, initial_global_assignments in YAML or JSON, .npy of [L, P] or [P]; P physical experts lie on the ranks in
 * equal blocks. Flags [ranks, layers, experts] of 0 and 1 as .npy, or as text with the three numbers first.
 * Units: none, numbers of experts.
 * Ownership: placement_free() releases the result; data is borrowed.
 * Edges: a slot of -1 is empty; layer -1 is the first layer of the file.
 * Errors: those of the readers, RC_SHAPE when devices or slots do not fit the ranks. */
#ifndef WORKLOADS_PLACEMENT_PLACEMENT_FILE_H
#define WORKLOADS_PLACEMENT_PLACEMENT_FILE_H

#include "workloads/placement/placement.h"

/* Reads the file ask->path. */
enum rc placement_file_load(const struct placement_ask *ask, struct placement **placement,
                            struct err *e);
/* Reads from memory; ask->path stands for the file in messages. */
enum rc placement_file_parse(const char *data, size_t n, const struct placement_ask *ask,
                             struct placement **placement, struct err *e);

#endif
