/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - which ranks of the machine a layer runs on, and how they are divided into EP groups.
 *
 * The job runs on the ranks of the platform's used groups, numbered from 0 in their order: job ranks. They are divided
 * into EP groups, each of which holds all experts; all EP groups call at once and share the links. What one EP group
 * sees of the machine is a platform of its own (part.h): its domains are the machine's as far as they hold ranks of
 * that EP group.
 * Layout: the members of an EP group stand `stride` job ranks apart. `contiguous` is a stride of 1; `tp2-pp4` one of 8,
 * the product of the dimensions that lie inside; dimensions after `ep` lie outside.
 * Units: ranks.
 * Shapes: arrays of an EP group hold `ep` entries, rising.
 * Errors: RC_SHAPE, RC_SCHEMA and RC_RANGE of job_build().
 * Ownership: job_build() returns a job with one holder; job_hold() adds one, and the last job_release() frees it. It
 * borrows the platform.
 * Edges: a job that is the whole machine in one EP group, where all ranks send and hold experts, is NULL. */
#ifndef WORKLOADS_JOB_H
#define WORKLOADS_JOB_H

#include "platforms/part.h"
#include "workloads/outcome.h"
#include "workloads/placement/placement.h"
#include "workloads/workload.h"

struct ep_group {
    int *job_rank;             /* [ep] of each member */
    int *machine_rank;         /* [ep] */
    struct platform *platform; /* what it sees of the machine */
    struct platform *experts;  /* the part of it that holds experts */
};

struct job {
    int holders;
    int machine_ranks, ranks, ep, n_groups;
    bool same_shape;         /* all EP groups lie alike on the machine's domains */
    int *group_of, *member;  /* [machine_ranks] EP group of a rank, and which of its members; -1: outside the job */
    struct ep_group *groups; /* [n_groups] */
    bool *sends;             /* [ep] which members have tokens; NULL: all */
    int *expert_rank;        /* [n_experts] members that hold experts, rising; NULL: all */
    int n_experts;
};

/* Builds the job that a workload runs on a platform; *job is NULL for the whole machine in one EP group. */
enum rc job_build(const struct platform *p, const struct workload *w, struct job **job, struct err *e);
/* Adds a holder, and gives one up; job_hold() returns its argument, which may be NULL. */
struct job *job_hold(struct job *job);
void job_release(struct job *job); /* NULL is allowed */

/* Puts a placement of n_experts ranks onto the members that hold experts. */
void job_place(const struct job *job, struct placement *placement);

/* Appends one line that says what the job is. */
void job_note(const struct job *job, struct buf *notes);

/* Fills time_s[n_groups] with the end of each EP group: the latest of all that its ranks send and receive. */
void job_times(const struct job *job, const struct outcome *outcome, double *time_s);

/* Fills enter_s[ranks of the machine] with when each rank enters, and sets *skewed to whether ranks of the job do not
 * all enter at 0. The numbers of late ranks are those of job ranks. */
enum rc job_arrival(const struct platform *p, const struct workload *w, uint64_t seed, double *enter_s, bool *skewed,
                    struct err *e);

#endif
