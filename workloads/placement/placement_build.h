/* SPDX-License-Identifier: BSD-3-Clause */
/* placement_build.h - makes the placement that is asked for, whatever its kind: by a policy, balanced, or from a file.
 *
 * Units: loads are in any unit, only their ratios matter.
 * Errors: as in placement.h; those of the readers for a file.
 * Ownership: placement_free() releases the result.
 * Edges: load NULL in the question counts all experts alike. */
#ifndef WORKLOADS_PLACEMENT_PLACEMENT_BUILD_H
#define WORKLOADS_PLACEMENT_PLACEMENT_BUILD_H

#include "workloads/placement/placement.h"

/* Builds the placement of ask->kind. */
enum rc placement_build(const struct placement_ask *ask, struct placement **placement, struct err *e);

#endif
