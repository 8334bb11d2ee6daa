/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - the record that a workload names, read and held against workload and platform.
 *
 * Units: those of record_data.h.
 * Errors: those of record.h; RC_SCHEMA (a mode that cannot be imposed on the record), RC_SHAPE (ranks), RC_RANGE
 * (no such layer).  Ownership: record_free() releases.  Edges: the workload has a trace; callers see to that. */
#ifndef WORKLOADS_TRACE_H
#define WORKLOADS_TRACE_H

#include "workloads/records/record.h"
#include "workloads/workload.h"

/* Loads and checks the record of a workload. *layer: index of the one layer that the workload asks for, or -1. */
enum rc trace_load(const struct platform *p, const struct workload *w, struct record **record, int *layer,
                   struct err *e);

#endif
