/* SPDX-License-Identifier: BSD-3-Clause */
/* job_traffic.h - the traffic of a job as the union of that of its EP groups.
 *
 * Units: those of traffic_data.h. Shapes: over job ranks.
 * Errors: RC_SCHEMA of job_check_record().
 * Ownership: the union owns its parts.
 * Edges: one EP group makes a union of one. */
#ifndef WORKLOADS_JOB_TRAFFIC_H
#define WORKLOADS_JOB_TRAFFIC_H

#include "workloads/job.h"
#include "workloads/records/record.h"
#include "workloads/traffic_data.h"

/* Fills a traffic, whose job and parts are there, with the union of the parts, and returns it; its notes go before
 * those of the first EP group. */
struct traffic *job_unite(struct traffic *all);

/* Puts the matrices over the members of the EP groups, parts[n_groups], into one over job ranks, or with `machine` over
 * the machine's ranks; a part is NULL where an EP group has no matrix. */
void job_embed(const struct job *job, const struct matrix *const *parts, bool machine, struct matrix *into);

/* Refuses roles of ranks where a record says what each rank does. record: NULL is allowed. */
enum rc job_check_record(const struct job *job, const struct workload *w, const struct record *record, struct err *e);

#endif
